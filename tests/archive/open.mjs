// expected: written by hand; Bun has no such interface.
// bao:store and Bun.Archive.open: archives of the store, tar, and tar.gz, entry by entry.
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { open } from "bao:store";

const root = mkdtempSync(join(tmpdir(), "open-"));
const long = `${"deep/".repeat(30)}name.txt`;
const source = join(root, "source");
mkdirSync(join(source, "lib"), { recursive: true });
mkdirSync(join(source, long, ".."), { recursive: true });
writeFileSync(join(source, "lib/a.js"), "module.exports = 'ä';\n");
writeFileSync(join(source, "lib/A.js"), "upper");
writeFileSync(join(source, "lib/run.sh"), "#!/bin/sh\n");
chmodSync(join(source, "lib/run.sh"), 0o755);
writeFileSync(join(source, "package.json"), '{"name":"p","version":"1.2.3"}');
writeFileSync(join(source, "large.bin"), Buffer.alloc(300_000, "0123456789"));
writeFileSync(join(source, "empty"), "");
writeFileSync(join(source, long), "long");
symlinkSync("lib/a.js", join(source, "link.js"));
for (const [file, flags] of [["a.tar", "-cf"], ["a.tar.gz", "-czf"]]) {
  execFileSync("tar", ["--sort=name", "--mtime=2024-05-06T07:08:09Z", flags, join(root, file), "-C", source, "."]);
}

// The archive of the store as docs/store.md has it: written here by a page of code.
const hash = (bytes) => Bun.hash.xxHash3(bytes);
const items = [
  ["", 0o040755], ["lib", 0o040755], ["link.js", 0o120777, "lib/a.js"], ["package.json", 0o100644, '{"name":"p","version":"1.2.3"}'],
  ["lib/A.js", 0o100644, "upper"], ["lib/a.js", 0o100644, "module.exports = 'ä';\n"],
].map(([name, mode, text]) => ({ name: Buffer.from(name), mode, content: text === undefined ? undefined : Buffer.from(text) }));
const children = { "": [1, 3], lib: [4, 2] };
const names = Buffer.concat(items.map((item) => item.name));
const slots = 16;
const fixed = items.length * 40 + slots * 4 + names.length;
const data = Math.ceil((64 + fixed) / 16) * 16;
const index = Buffer.alloc(data - 64);
const contents = [];
let [name, at] = [0, data];
items.forEach((item, number) => {
  const entry = number * 40;
  index.writeUInt32LE(name, entry);
  index.writeUInt16LE(item.name.length, entry + 4);
  index.writeUInt16LE(item.mode, entry + 6);
  if (item.content) {
    index.writeBigUInt64LE(BigInt(at), entry + 8);
    index.writeBigUInt64LE(BigInt(item.content.length), entry + 16);
    index.writeBigUInt64LE(hash(item.content), entry + 24);
    const padded = Math.ceil(item.content.length / 16) * 16;
    contents.push(item.content, Buffer.alloc(padded - item.content.length));
    at += padded;
  } else children[item.name.toString()].forEach((value, i) => index.writeUInt32LE(value, entry + 32 + i * 4));
  if (number > 0) {
    let slot = Number(hash(item.name) % BigInt(slots));
    while (index.readUInt32LE(items.length * 40 + slot * 4) !== 0) slot = (slot + 1) % slots;
    index.writeUInt32LE(number + 1, items.length * 40 + slot * 4);
  }
  name += item.name.length;
});
names.copy(index, items.length * 40 + slots * 4);
const head = Buffer.alloc(64);
head.write("baopack\x01", "latin1");
head.writeUInt32LE(items.length, 8);
head.writeUInt32LE(slots, 12);
head.writeBigUInt64LE(BigInt(at), 16);
head.writeBigUInt64LE(BigInt(data), 24);
head.writeBigUInt64LE(hash(index), 32);
head.writeBigUInt64LE(hash(head.subarray(0, 56)), 56);
writeFileSync(join(root, "a.bao"), Buffer.concat([head, index, ...contents]));

for (const file of ["a.tar", "a.tar.gz", "a.bao"]) {
  const archive = await open(join(root, file));
  console.log(`== ${file}`, archive.format, archive.size, archive.path === join(root, file));
  for (const entry of archive) {
    if (!entry.name.startsWith("deep/")) console.log(entry.name, entry.kind, entry.mode.toString(8), entry.size, entry.target);
  }
  console.log(archive.list().map((entry) => entry.name).sort().join(), "|", archive.list("lib").map((entry) => entry.name).join());
  console.log(archive.list("none").length, archive.list("package.json").length, archive.get("").kind, archive.get("lib/none"), archive.has("lib/a.js"), archive.has("lib/a"));
  const entry = archive.get("lib/a.js");
  console.log(await entry.text(), entry.textSync() === (await entry.text()), (await entry.bytes()).length, (await entry.arrayBuffer()).byteLength, entry.bytesSync() instanceof Uint8Array);
  console.log((await archive.get("package.json").json()).version, (await (await entry.blob()).text()) === entry.textSync(), await new Response(entry.stream()).text() === entry.textSync());
  if (file !== "a.bao") {
    console.log(await archive.get(long).text(), (await archive.get("empty").bytes()).length, await new Response(archive.get("empty").stream()).text() === "");
    console.log(new Date(entry.lastModified).toISOString(), Buffer.from(await archive.get("large.bin").bytes()).equals(readFileSync(join(source, "large.bin"))));
  }
  console.log(await archive.verify());
  for (const wrong of [() => archive.get("lib").bytesSync(), () => archive.get(1), () => archive.has()]) {
    try {
      wrong();
      console.log("no error");
    } catch (error) {
      console.log(error.code, error.message);
    }
  }
  archive.close();
  await entry.bytes().then(() => console.log("read"), (error) => console.log(error.code, error.message));
}

console.log("== other ways to say where");
console.log((await Bun.Archive.open(join(root, "a.bao"))).format, (await open(pathToFileURL(join(root, "a.tar")))).format, (await open(Bun.file(join(root, "a.tar.gz")))).format);
{
  using archive = await open(join(root, "a.tar"));
  console.log(archive.has("empty"), require("bao:store").open === open, require("node:module").isBuiltin("bao:store"));
}

console.log("== damage");
const short = (error) => `${error.code} ${String(error.message).replaceAll(root, "T")}`;
const attempt = (path) => open(path).then((archive) => `open ${archive.size}`, short);
console.log(await attempt(join(root, "none")), "|", await attempt(root), "|", await attempt(""), "|", await attempt(7));
writeFileSync(join(root, "text"), "no archive at all");
writeFileSync(join(root, "nothing"), "");
console.log(await attempt(join(root, "text")), "|", await attempt(join(root, "nothing")));
const whole = readFileSync(join(root, "a.bao"));
for (const [name, change] of [["flipped index", (bytes) => (bytes[80] ^= 1)], ["flipped header", (bytes) => (bytes[9] ^= 1)]]) {
  const bytes = Buffer.from(whole);
  change(bytes);
  writeFileSync(join(root, "bad.bao"), bytes);
  console.log(name, await attempt(join(root, "bad.bao")));
}
writeFileSync(join(root, "bad.bao"), whole.subarray(0, whole.length - 1));
console.log("truncated", await attempt(join(root, "bad.bao")));
const flipped = Buffer.from(whole);
flipped[flipped.indexOf("upper")] ^= 1;
writeFileSync(join(root, "bad.bao"), flipped);
const bad = await open(join(root, "bad.bao"));
console.log("flipped content", await bad.verify(), await bad.get("lib/A.js").text().catch(short), await bad.get("lib/a.js").text().catch(short));
writeFileSync(join(root, "cut.bao"), whole);
const cut = await open(join(root, "cut.bao"));
truncateSync(join(root, "cut.bao"), 0);
console.log("store cut off", await cut.verify(), await cut.get("lib/A.js").text(), cut.get("lib/A.js").lastModified > 1.6e12);
const tar = await open(join(root, "a.tar"));
truncateSync(join(root, "a.tar"), 20_000);
console.log("tar cut off", await tar.verify(), await tar.get("large.bin").bytes().then(() => "read", short));
console.log("tar that is cut off", await attempt(join(root, "a.tar")));
const gzip = readFileSync(join(root, "a.tar.gz"));
writeFileSync(join(root, "bad.tar.gz"), gzip.subarray(0, 200));
console.log("gzip that is cut off", await attempt(join(root, "bad.tar.gz")));
rmSync(root, { recursive: true });
