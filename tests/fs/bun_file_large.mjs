// Recorded from Bun 1.4.5. Bun.file and Bun.write beyond what is read and written at once.
import { mkdtempSync, rmSync, statSync } from "node:fs";
const root = mkdtempSync("/tmp/bl-");
const path = `${root}/large.txt`;
const text = "0123456789é\n".repeat(400000);
console.log(await Bun.write(path, text));
const file = Bun.file(path);
console.log(file.size, (await file.text()) === text, (await file.bytes()).length, (await file.arrayBuffer()).byteLength);
console.log(Bun.hash(await file.bytes()));
let count = 0, chunks = 0;
for await (const chunk of file.stream()) { count += chunk.length; chunks++; }
console.log(count, chunks > 1);
console.log(await file.slice(13, 26).text(), (await file.slice(5000000).bytes()).length, (await file.slice(0, 1000000).bytes()).length);
console.log(await Bun.readableStreamToText(file.slice(0, 13).stream()));
console.log(await Bun.write(`${root}/copy.txt`, file), statSync(`${root}/copy.txt`).size);
console.log(await Bun.write(`${root}/deep/er/bytes.bin`, new Uint8Array(3_000_000)), await Bun.file(`${root}/deep/er/bytes.bin`).exists());
console.log(await Bun.write(`${root}/blob.bin`, new Blob([text, new Uint8Array(5)])));
console.log((await Promise.all(Array.from({ length: 20 }, (_, i) => Bun.write(`${root}/p${i}`, `${i}`)))).length, (await Promise.all(Array.from({ length: 20 }, (_, i) => Bun.file(`${root}/p${i}`).text()))).join());
const sink = Bun.file(`${root}/sink.txt`).writer({ highWaterMark: 1000 });
for (let i = 0; i < 10000; i++) sink.write(`line ${i}\n`);
await sink.end();
console.log(Bun.file(`${root}/sink.txt`).size, (await Bun.file(`${root}/sink.txt`).text()).split("\n").length);
await Bun.write(`${root}/j.json`, JSON.stringify({ list: Array(100000).fill(1) }));
console.log((await Bun.file(`${root}/j.json`).json()).list.length);
await Bun.write(`${root}/bom.txt`, "\ufeffx");
console.log(JSON.stringify(await Bun.file(`${root}/bom.txt`).text()), Bun.file(`${root}/bom.txt`).size);
await Bun.write(`${root}/bad.txt`, new Uint8Array([0x61, 0xff, 0x62]));
console.log(JSON.stringify(await Bun.file(`${root}/bad.txt`).text()));
await Bun.write(`${root}/empty`, "");
console.log(JSON.stringify(await Bun.file(`${root}/empty`).text()), (await Bun.file(`${root}/empty`).bytes()).length, await Bun.file(`${root}/empty`).exists());
try { await Bun.file(`${root}/empty`).json(); } catch (e) { console.log(e.name); }
rmSync(root, { recursive: true });
