// expected: by the format (APPNOTE.TXT); Bun 1.4.5 has no zip. Python's zipfile reads what bao writes, and the other way round.
import { execFileSync } from "node:child_process";
import { lstatSync, mkdtempSync, readFileSync, readdirSync, readlinkSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = mkdtempSync(join(tmpdir(), "zip-"));
const python = (code, ...words) => execFileSync("python3", ["-c", code, ...words], { encoding: "utf8" }).trim();
const fails = async (fn) => {
  try {
    await fn();
    return "no error";
  } catch (error) {
    return `${error.name} ${error.code}: ${error.message}`;
  }
};

// Written by bao, read by Python and by bao.
const files = { "hello.txt": "hello ".repeat(1000), "deep/er/ü☃.bin": new Uint8Array([0, 1, 2, 255]), "empty.txt": "", "blob": new Blob(["from a blob"]) };
for (const level of [undefined, 0, 1, 9, 12]) {
  const archive = new Bun.Archive(files, { format: "zip", level });
  const bytes = await archive.bytes();
  writeFileSync(join(root, "a.zip"), bytes);
  console.log(level, python("import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); print(z.testzip(), [(i.filename, i.file_size, i.compress_type, oct(i.external_attr >> 16)) for i in z.infolist()], len(z.read('hello.txt')))", join(root, "a.zip")));
  console.log((await archive.blob()).size === bytes.length, bytes.length < 7000);
}
const again = new Bun.Archive(readFileSync(join(root, "a.zip")));
for (const { name, type, size, lastModified } of await again.list()) console.log(name, type, size, Math.abs(lastModified - Date.now()) < 60_000);
console.log(await (await again.file("deep/er/ü☃.bin")).bytes(), await (await again.file("blob")).text(), await again.file("nothing"));
for (const [name, file] of await again.files("**/*.bin")) console.log(name, file.size, file.name);
console.log(await again.extract(join(root, "out")), readdirSync(join(root, "out")).sort().join(), statSync(join(root, "out/hello.txt")).size);
await Bun.Archive.write(join(root, "b.zip"), { x: "1" }, { format: "zip", level: 0 });
console.log(readFileSync(join(root, "b.zip")).toString("latin1", 0, 2), readFileSync(join(root, "b.zip")).length);
await Bun.write(join(root, "c.zip"), new Bun.Archive({ y: "2" }, { format: "zip" }));
console.log((await new Bun.Archive(Bun.file(join(root, "c.zip"))).files()).size);
console.log((await new Bun.Archive({}, { format: "zip" }).bytes()).length, (await new Bun.Archive(await new Bun.Archive({}, { format: "zip" }).bytes()).files()).size);

// The same for tar archives.
const tar = new Bun.Archive(await new Bun.Archive(files, { compress: "gzip" }).bytes());
console.log((await tar.list()).map((entry) => `${entry.name} ${entry.type} ${entry.size}`).join(", "), await (await tar.file("blob")).text(), await tar.file("x"));
console.log((await tar.list("*.txt")).length);

// Written by Python: directories, links, modes, times, names of old systems, a comment, entries of more than 64 KiB.
python(`
import sys, zipfile
z = zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED)
z.comment = b"a comment with PK\\x05\\x06 in it"
z.writestr("dir/", b"")
i = zipfile.ZipInfo("dir/run.sh", (2001, 2, 3, 4, 5, 6)); i.external_attr = 0o100755 << 16; z.writestr(i, b"#!/bin/sh\\n")
i = zipfile.ZipInfo("link"); i.external_attr = 0o120777 << 16; z.writestr(i, b"dir/run.sh")
i = zipfile.ZipInfo("out"); i.external_attr = 0o120777 << 16; z.writestr(i, b"/etc/passwd")
z.writestr("large", b"x" * 300000)
i = zipfile.ZipInfo("dos"); i.create_system = 0; z.writestr(i, b"d")
z.close()
`, join(root, "p.zip"));
const bytes = readFileSync(join(root, "p.zip"));
// A backslash of DOS, and a letter of code page 437, in both places.
for (let at = bytes.indexOf("dos"); at >= 0; at = bytes.indexOf("dos", at)) bytes.set([0x81, 0x5c, 0x73], at);
const theirs = new Bun.Archive(bytes);
for (const { name, type, size, lastModified } of await theirs.list()) console.log(JSON.stringify(name), type, size, new Date(lastModified).getUTCFullYear() > 2020 ? "now" : new Date(lastModified).toISOString());
console.log(await theirs.extract(join(root, "theirs")));
console.log(readdirSync(join(root, "theirs")).sort().join(), (statSync(join(root, "theirs/dir/run.sh")).mode & 0o777).toString(8), readlinkSync(join(root, "theirs/link")));
console.log(await theirs.extract(join(root, "some"), { glob: ["dir/**", "!**/*.txt"] }), readdirSync(join(root, "some")).join());

// Streams with sizes behind the data, and sizes of 64 bits.
python(`
import io, sys, zipfile
class NoSeek(io.RawIOBase):
    def __init__(self, file): self.file = file
    def writable(self): return True
    def write(self, data): return self.file.write(data)
with open(sys.argv[1], "wb") as file:
    z = zipfile.ZipFile(NoSeek(file), "w", zipfile.ZIP_DEFLATED)
    with z.open("streamed", "w", force_zip64=True) as entry: entry.write(b"s" * 1000)
    z.writestr("after", b"a")
    z.close()
`, join(root, "s.zip"));
for (const [name, file] of await new Bun.Archive(readFileSync(join(root, "s.zip"))).files()) console.log(name, file.size);

// What is wrong with options.
for (const [data, options] of [[{}, { format: "rar" }], [{}, { format: 1 }], [{}, { format: "zip", compress: "gzip" }], [{}, { format: "zip", level: 13 }], [{}, { format: "zip", level: -1 }], [bytes, { format: "zip" }], [{}, { compress: "gzip", level: 0 }]]) {
  console.log(await fails(() => new Bun.Archive(data, options)));
}
console.log(await fails(() => new Bun.Archive({ ["n".repeat(70_000)]: "" }, { format: "zip" }).bytes()));
console.log(await fails(() => theirs.file(1)));

// `format` of Archive.write: archives of names and contents take it, whatever they were made as; others keep theirs.
const kind = (file) => ({ PK: "zip", "\x1f\x8b": "gzip" })[readFileSync(file).toString("latin1", 0, 2)] ?? "tar";
const written = async (archive, options) => {
  await Bun.Archive.write(join(root, "w"), archive, options);
  return `${kind(join(root, "w"))} ${await (await new Bun.Archive(readFileSync(join(root, "w"))).file("x"))?.text()}`;
};
for (const made of [undefined, { format: "tar" }, { compress: "gzip" }, { format: "zip" }]) {
  const fresh = () => new Bun.Archive({ x: "1" }, made);
  const used = fresh();
  const bytes = await used.bytes();
  for (const options of [undefined, { format: "tar" }, { format: "tar", compress: "gzip" }, { format: "zip" }]) {
    console.log(made, options, await written(fresh(), options), await written(used, options));
    // That is gzip in gzip, as in Bun.
    if (made?.compress && options?.compress) continue;
    console.log(await written(new Bun.Archive(bytes), options).catch(({ message }) => message));
  }
}
console.log(await fails(() => new Bun.Archive(bytes, { format: "tar" }).bytes()));
rmSync(root, { recursive: true });
