// expected: nothing is written outside of the folder, memory stays bounded, and damage is an error. Written by hand: Bun 1.4.5 refuses
// some of these otherwise, or not at all.
// Archives that mean harm: names that lead out, links, bombs, lies about sizes, duplicates, truncation, and random damage.
import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { open } from "bao:store";

const root = mkdtempSync(join(tmpdir(), "hostile-"));
let number = 0;
const wasThere = existsSync("/tmp/x");
const python = (code) => execFileSync("python3", ["-W", "ignore", "-c", `import io, sys, tarfile, zipfile, struct\nout = io.BytesIO()\n${code}\nsys.stdout.buffer.write(out.getvalue())`], { maxBuffer: 1 << 28 });
const tree = (folder, prefix = "") =>
  readdirSync(folder).sort().flatMap((name) => {
    const path = join(folder, name);
    const about = lstatSync(path);
    if (about.isDirectory()) return tree(path, `${prefix}${name}/`);
    return [`${prefix}${name}${about.isSymbolicLink() ? "@" : ""}`];
  });
/** Extracts into a folder within another one that nothing may be written to. */
async function jail(name, bytes, prepare = () => {}) {
  const outside = join(root, String(number++));
  const inside = join(outside, "inside");
  mkdirSync(inside, { recursive: true });
  prepare(inside, outside);
  const before = tree(outside).filter((path) => !path.startsWith("inside/")).join();
  const result = await new Bun.Archive(bytes).extract(inside).catch((error) => `${error.code ?? error.name}`);
  const escaped = tree(outside).filter((path) => !path.startsWith("inside/")).join() !== before;
  console.log(name, "=>", result, tree(inside).map((path) => (path.length > 60 ? `${path.length} characters` : path)).join(" "), escaped ? "ESCAPED" : "");
}
const tar = (code) => python(`t = tarfile.open(fileobj=out, mode="w")
def add(name, data=b"evil", **more):
    i = tarfile.TarInfo(name); i.size = len(data)
    for k, v in more.items(): setattr(i, k, v)
    t.addfile(i, io.BytesIO(data))
def link(name, target, kind=tarfile.SYMTYPE):
    i = tarfile.TarInfo(name); i.type = kind; i.linkname = target; t.addfile(i)
${code}
t.close()`);
const zip = (code) => python(`z = zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED)
def add(name, data=b"evil", mode=0o100644):
    i = zipfile.ZipInfo(name); i.external_attr = mode << 16; i.compress_type = zipfile.ZIP_DEFLATED; z.writestr(i, data)
def link(name, target): add(name, target.encode(), 0o120777)
${code}
z.close()`);

for (const [kind, make] of [["tar", tar], ["zip", zip]]) {
  await jail(`${kind} names that lead out`, make(`for n in ["../a", "../../b", "/c", "x/../../d", "./e", "..", ".", "f/..", "//g", "h//i", "j/./k"]: add(n)`));
  await jail(`${kind} backslashes`, make(`add("..\\\\a"); add("b\\\\c")`));
  await jail(`${kind} link out, then through it`, make(`link("l", ".."); add("l/x"); link("m", "/tmp"); add("m/x")`));
  await jail(`${kind} link inside, then through it`, make(`add("d/real"); link("l", "d"); add("l/x")`));
  await jail(`${kind} links in a chain`, make(`link("a", "b"); link("b", "a"); link("c", "d/../../x"); link("e", "./d")`));
  await jail(`${kind} link of the disk`, make(`add("l/x"); add("f")`), (inside, outside) => {
    mkdirSync(join(outside, "target"));
    writeFileSync(join(outside, "file"), "kept");
    symlinkSync(join(outside, "target"), join(inside, "l"));
    symlinkSync(join(outside, "file"), join(inside, "f"));
  });
  await jail(`${kind} duplicates`, make(`add("a", b"1"); add("a", b"22"); add("./a", b"333")`));
  await jail(`${kind} file and directory`, make(`add("a"); add("a/b")`));
  await jail(`${kind} long names`, make(`add("n" * 300); add("/".join(["d"] * 200) + "/x"); add("ok")`));
  await jail(`${kind} odd characters`, make(`add("a\\nb"); add("c\\x01"); add("-rf"); add(" "); add("CON")`));
}
await jail("tar empty name", tar(`add(""); add("x")`));
await jail("tar hard link out", tar(`link("h", "/etc/passwd", tarfile.LNKTYPE); link("i", "../../x", tarfile.LNKTYPE); add("x"); link("j", "x", tarfile.LNKTYPE)`));
await jail("tar hard link to a link", tar(`link("l", "/etc/passwd"); link("h", "l", tarfile.LNKTYPE)`));
await jail("tar devices", tar(`link("c", "", tarfile.CHRTYPE); link("b", "", tarfile.BLKTYPE); link("f", "", tarfile.FIFOTYPE); add("x")`));
await jail("tar setuid", tar(`add("s", mode=0o4755)`));
console.log((statSync(join(root, String(number - 1), "inside/s")).mode & 0o7000) === 0 ? "no setuid" : "setuid");
await jail("tar NUL in a pax name", tar(`add("x", pax_headers={"path": "a\\0/../../b"})`));
await jail("tar sparse", Buffer.from(execFileSync("sh", ["-c", `cd ${root} && truncate -s 64M sparse && tar --sparse -cf - sparse`], { maxBuffer: 1 << 24 })));

// Bombs and lies.
const error = async (name, fn) => console.log(name, "=>", await fn().then((value) => (value instanceof Map ? `${value.size} files` : value), (e) => `${e.code}: ${e.message.slice(0, 90)}`));
const bomb = python(`import gzip
t = gzip.GzipFile(fileobj=out, mode="wb", mtime=0)
i = tarfile.TarInfo("zeros"); i.size = 270 << 20
t.write(i.tobuf())
for _ in range(270): t.write(bytes(1 << 20))
t.close()`);
await error(`tar.gz of ${bomb.length >> 10 < 800} becomes 270 MB`, () => new Bun.Archive(bomb).files());
await jail("the same, extracted", bomb);
// Deep names of files tell of directories whose names are longer than the archive.
for (const count of [2, 20]) {
  writeFileSync(join(root, "deep.tar"), tar(`for n in range(${count}): add("%02d/" % n + "d/" * 2040 + "x")`));
  await error(`${count} deep names in a tar`, () => open(join(root, "deep.tar")).then((archive) => archive.size));
}
const zipBomb = zip(`add("zeros", bytes(260 << 20))`);
await error(`zip of ${zipBomb.length >> 10 < 400} becomes 260 MB`, () => new Bun.Archive(zipBomb).files());
const overlap = Buffer.from(zip(`[add("f%d" % n, bytes(1 << 20)) for n in range(4)]`));
for (let at = overlap.indexOf("PK\x01\x02"); at >= 0; at = overlap.indexOf("PK\x01\x02", at + 1)) overlap.writeUInt32LE(0, at + 42);
await error("zip entries on top of each other", () => new Bun.Archive(overlap).files());
const lie = Buffer.from(zip(`add("a", b"hello")`));
const central = lie.indexOf("PK\x01\x02");
for (const [what, at, value] of [["size", 24, 50], ["size of gigabytes", 24, 0xf0000000], ["checksum", 16, 7], ["packed size", 20, 4000], ["offset", 42, 4000], ["method", 10, 12], ["flags: encrypted", 8, 1], ["length of the name", 28, 9000]]) {
  const changed = Buffer.from(lie);
  if (["method", "flags: encrypted", "length of the name"].includes(what)) changed.writeUInt16LE(value, central + at);
  else changed.writeUInt32LE(value, central + at);
  await error(`zip lies about its ${what}`, () => new Bun.Archive(changed).files());
}
const end = lie.indexOf("PK\x05\x06");
for (const [what, at, value] of [["number of entries", 8, 9], ["size of the directory", 12, 0xfffff], ["disk", 4, 3]]) {
  const changed = Buffer.from(lie);
  changed.writeUInt16LE(value & 0xffff, end + at);
  if (at === 8) changed.writeUInt16LE(value, end + 10);
  await error(`zip lies about its ${what}`, () => new Bun.Archive(changed).files());
}
await error("zip without its end", () => new Bun.Archive(lie.subarray(0, end)).files());
await error("only two letters", () => new Bun.Archive(Buffer.from("PK")).files());

// Every truncation and many changes of small archives: an answer or an error, never anything else.
const small = {
  tar: tar(`add("a", b"one"); link("l", "a"); add("d/b", b"two")`),
  gz: await new Bun.Archive({ a: "one", b: "two" }, { compress: "gzip" }).bytes(),
  zip: zip(`add("a", b"one"); link("l", "a"); add("d/b", b"two" * 50)`),
};
let seed = 12345;
const random = (limit) => (seed = (seed * 1103515245 + 12345) & 0x7fffffff) % limit;
for (const [kind, bytes] of Object.entries(small)) {
  let answers = 0;
  const attempt = async (input) => {
    try {
      await new Bun.Archive(input).files();
      await new Bun.Archive(input).list();
      answers++;
    } catch (e) {
      if (!(e instanceof Error)) throw e;
    }
  };
  const step = Math.max(1, Math.floor(bytes.length / 60));
  let tries = 0;
  for (let length = 0; length < bytes.length; length += step) await attempt(bytes.subarray(0, length)), tries++;
  for (let i = 0; i < 150; i++) {
    const changed = new Uint8Array(bytes);
    for (let j = random(4); j >= 0; j--) changed[random(changed.length)] = random(256);
    await attempt(changed);
    tries++;
  }
  console.log(kind, "survived", tries > 150, answers > 0);
}
console.log(existsSync("/c"), existsSync("/tmp/x") !== wasThere);
rmSync(root, { recursive: true });
