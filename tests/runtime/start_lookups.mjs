// expected: written by hand
// What the dynamic linker has to do before `main`: no library but libc, and no lookups of functions but for those that every start
// calls or that a further jump would slow down. libm comes with the first of its functions that is called, by any thread.
import { readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { Worker } from "node:worker_threads";

const file = readFileSync(process.execPath);
const long = (at) => Number(file.readBigUInt64LE(at));
const headers = [];
for (let i = 0, at = long(0x20); i < file.readUInt16LE(0x38); i++, at += file.readUInt16LE(0x36)) {
  headers.push({ type: file.readUInt32LE(at), offset: long(at + 8), address: long(at + 16), size: long(at + 32) });
}
const dynamic = headers.find((header) => header.type === 2);
if (!dynamic || process.arch !== "x64" || process.platform !== "linux") process.exit(77);
/** Where the file has what lies at an address in memory. */
function place(address) {
  const part = headers.find((header) => header.type === 1 && address >= header.address && address < header.address + header.size);
  return address - part.address + part.offset;
}
const entries = [];
for (let at = dynamic.offset; at < dynamic.offset + dynamic.size; at += 16) entries.push([long(at), long(at + 8)]);
const entry = (tag) => entries.find(([found]) => found === tag)?.[1] ?? 0;
const text = (offset) => {
  const at = place(entry(5)) + offset;
  return file.toString("latin1", at, file.indexOf(0, at));
};
console.log("libm before main:", entries.some(([tag, offset]) => tag === 1 && text(offset).startsWith("libm.")));

const lookups = new Set();
const [relocations, size] = [place(entry(7)), entry(8)];
for (let at = relocations; at < relocations + size; at += 24) {
  const symbol = place(entry(6)) + file.readUInt32LE(at + 12) * 24;
  // Functions that must be there: variables and what may be missing have no stubs.
  if ((file[symbol + 4] & 15) === 2 && file[symbol + 4] >> 4 === 1) lookups.add(text(file.readUInt32LE(symbol)));
}
console.log("functions looked up before main, at most 24:", lookups.size <= 24 || [...lookups].join(" "));

const loaded = () => readFileSync("/proc/self/maps", "latin1").includes("/libm.so");
console.log("libm at first:", loaded());
const query = "SELECT printf('%.9f %.9f %.9f %.9f', sin(1), pow(2, 0.5), atan2(1, 3), exp(ln(10)) + tanh(0.5)) AS text";
const source = `const { DatabaseSync } = require("node:sqlite");
require("node:worker_threads").parentPort.postMessage(new DatabaseSync(":memory:").prepare(${JSON.stringify(query)}).get().text);`;
const results = Array.from({ length: 4 }, () => new Promise((resolve) => new Worker(source, { eval: true }).once("message", resolve)));
const own = new DatabaseSync(":memory:").prepare(query).get().text;
console.log(own, (await Promise.all(results)).every((text) => text === own));
console.log("libm then:", loaded());
