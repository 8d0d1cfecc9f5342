// expected: recorded from bun 1.4.5
// What Bun.Archive takes, gives, filters, compresses and refuses, one case a line. `tar` and Python make the archives that it reads.
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = mkdtempSync(join(tmpdir(), "archive-cases-"));
const { Archive } = Bun;
const bytes = (data) => new Archive(data).bytes();
async function show(name, run) {
  try {
    const value = await run();
    console.log(name, "=>", JSON.stringify(value));
  } catch (error) {
    console.log(name, "=> throws", error.name, error.message.replaceAll(root, "ROOT"));
  }
}
const listed = async (archive, glob) => {
  const found = [];
  for (const [path, file] of await archive.files(glob)) found.push(`${path}=${await file.text()}`);
  return found.sort().join(" ");
};
const tree = (dir, below = "") =>
  readdirSync(join(dir, below))
    .sort()
    .flatMap((name) => {
      const path = below === "" ? name : `${below}/${name}`;
      const stat = lstatSync(join(dir, path));
      if (stat.isDirectory()) return [`${path}/`, ...tree(dir, path)];
      return stat.isSymbolicLink() ? `${path}@` : `${path}=${readFileSync(join(dir, path), "utf8").slice(0, 20)}`;
    });
let number = 0;
const folder = () => join(root, `out${number++}`);
const extracted = async (archive, options) => {
  const dir = folder();
  const count = await archive.extract(dir, options);
  return `${count}: ${existsSync(dir) ? tree(dir).join(" ") : "nothing"}`;
};

// Contents by type.
for (const [name, value] of [
  ["string", "text"], ["empty", ""], ["unicode", "é日😂"], ["Uint8Array", new Uint8Array([65, 66])], ["ArrayBuffer", new Uint8Array([67]).buffer], ["Blob", new Blob(["blob"])],
  ["File", new File(["file"], "x")], ["Uint16Array", new Uint16Array([16705])], ["DataView", new DataView(new Uint8Array([68]).buffer)], ["subarray", new Uint8Array([1, 69, 2]).subarray(1, 2)],
  ["Buffer", Buffer.from("buffer")], ["shared", new Uint8Array(new SharedArrayBuffer(2)).fill(70)], ["long", "x".repeat(20)], ["NUL", "a\0b"], ["lines", "a\r\nb"],
]) {
  await show(`contents ${name}`, async () => listed(new Archive(await bytes({ f: value }))));
}
for (const [name, value] of [["number", 5], ["null", null], ["undefined", undefined], ["object", {}], ["array", ["a"]], ["true", true], ["bigint", 1n], ["function", () => {}]])
  await show(`contents ${name}`, async () => listed(new Archive(await bytes({ f: value }))));

// Names.
for (const name of ["a", "a/b/c", "é/日", "with space", "a.b.c", ".hidden", "a/", "./a", "x".repeat(99), "x".repeat(100), "x".repeat(101), `${"d/".repeat(60)}f`, "x".repeat(255), `${"x".repeat(120)}/${"y".repeat(120)}`, "-", "#", "a\nb", "a//b", "a'b\"c"])
  await show(`name ${name.length > 50 ? name.length : JSON.stringify(name)}`, async () => [...(await new Archive(await bytes({ [name]: "1" })).files()).keys()].map((key) => (key.length > 50 ? key.length : key)));
for (const name of ["../a", "/a", "a/../../b", "..", "a/.."]) {
  await show(`extract name ${JSON.stringify(name)}`, async () => extracted(new Archive(await bytes({ [name]: "1", fine: "2" }))));
}

// The constructor and its options.
for (const [name, make] of [
  ["nothing", () => new Archive()], ["null", () => new Archive(null)], ["number", () => new Archive(5)], ["string", () => new Archive("a")], ["true", () => new Archive(true)],
  ["options null", () => new Archive({}, null)], ["options number", () => new Archive({}, 5)], ["options string", () => new Archive({}, "gzip")], ["options {}", () => new Archive({}, {})],
  ["compress zip", () => new Archive({}, { compress: "brotli" })], ["compress null", () => new Archive({}, { compress: null })], ["compress false", () => new Archive({}, { compress: false })],
  ["level 0", () => new Archive({}, { compress: "gzip", level: 0 })], ["level 1", () => new Archive({}, { compress: "gzip", level: 1 })], ["level 12", () => new Archive({}, { compress: "gzip", level: 12 })],
  ["level 13", () => new Archive({}, { compress: "gzip", level: 13 })], ["level -1", () => new Archive({}, { compress: "gzip", level: -1 })], ["level text", () => new Archive({}, { compress: "gzip", level: "x" })],
  ["level NaN", () => new Archive({}, { compress: "gzip", level: NaN })], ["level alone", () => new Archive({}, { level: 5 })],
]) {
  await show(`new ${name}`, () => String(make()));
}
for (const level of [1, 6, 9, 12]) {
  await show(`gzip ${level}`, async () => {
    const made = await new Archive({ a: "x".repeat(1000) }, { compress: "gzip", level }).bytes();
    return `${made[0]} ${made[1]} ${made.length < 400} ${await listed(new Archive(made), "none")}${(await new Archive(made).files()).size}`;
  });
}
await show("empty", async () => `${(await bytes({})).length % 512} ${(await new Archive(await bytes({})).files()).size}`);
await show("order", async () => [...(await new Archive(await bytes({ z: "1", a: "2", m: "3" })).files()).keys()].join());
await show("size", async () => (await bytes({ a: "x" })).length % 512);
await show("same bytes", async () => Buffer.from(await bytes(await bytes({ a: "1" }))).equals(Buffer.from(await bytes(await bytes({ a: "1" })))));
await show("of a Blob", async () => listed(new Archive(new Blob([await bytes({ a: "1" })]))));
await show("of an ArrayBuffer", async () => listed(new Archive((await bytes({ a: "1" })).slice().buffer)));
await show("of a subarray", async () => {
  const inner = await bytes({ a: "1" });
  const outer = new Uint8Array(inner.length + 20);
  outer.set(inner, 10);
  return listed(new Archive(outer.subarray(10, 10 + inner.length)));
});
await show("bytes changed later", async () => {
  const given = new Uint8Array(await bytes({ a: "1" }));
  const archive = new Archive(given);
  given.fill(0);
  return listed(archive);
});
await show("blob", async () => {
  const blob = await new Archive({ a: "1" }).blob();
  return `${blob instanceof Blob} ${blob.size % 512}`;
});
await show("file", async () => {
  const file = (await new Archive(await bytes({ "d/a.txt": "1" })).files()).get("d/a.txt");
  return `${file instanceof File} ${file.name} ${file.size} ${new Uint8Array(await file.arrayBuffer())} ${typeof file.lastModified}`;
});
await show("read twice", async () => {
  const archive = new Archive(await bytes({ a: "1" }));
  return `${await listed(archive)} ${await listed(archive)}`;
});

// Globs.
const many = new Archive(await bytes({ "a.txt": "1", "b.ts": "2", "src/c.ts": "3", "src/d.test.ts": "4", "src/deep/e.ts": "5", ".dot": "6", "lib/f.js": "7" }));
for (const glob of ["*", "**", "*.txt", "*.ts", "**/*.ts", "src/**", "src/*", "{a,b}.*", "?.ts", "[ab].*", "none", "!**/*.ts", ["src/**", "lib/**"], ["**/*.ts", "!**/*.test.ts"], ["!**/*.ts", "**"], [], ["a.txt", "a.txt"], "src", "src/", "./a.txt", ".*", "**/.dot", "*/*"]) {
  await show(`files ${JSON.stringify(glob)}`, async () => [...(await many.files(glob)).keys()].sort().join(" "));
  await show(`extract ${JSON.stringify(glob)}`, () => extracted(many, { glob }));
}
for (const glob of [5, null, undefined, {}, true, [5]]) await show(`files ${JSON.stringify(glob)}`, async () => (await many.files(glob)).size);
await show("files ''", async () => (await many.files("")).size);

// Extracting.
const simple = new Archive(await bytes({ "a.txt": "1", "d/b.txt": "2" }));
for (const [name, run] of [
  ["nothing", () => simple.extract()], ["a number", () => simple.extract(5)], ["null", () => simple.extract(null)], ["a folder that is missing", () => simple.extract(join(root, "new/deep"))],
  ["twice", async () => (await simple.extract(join(root, "new/deep")), simple.extract(join(root, "new/deep")))],
  ["options null", () => simple.extract(folder(), null)], ["options number", () => simple.extract(folder(), 5)], ["glob number", () => simple.extract(folder(), { glob: 5 })],
]) {
  await show(`extract ${name}`, run);
}
await show("overwrites", async () => {
  const dir = folder();
  mkdirSync(dir);
  writeFileSync(join(dir, "a.txt"), "longer than before");
  await simple.extract(dir);
  return readFileSync(join(dir, "a.txt"), "utf8");
});

// What tar makes.
const source = join(root, "source");
mkdirSync(join(source, "sub"), { recursive: true });
writeFileSync(join(source, "run.sh"), "#!/bin/sh\n");
chmodSync(join(source, "run.sh"), 0o755);
writeFileSync(join(source, "sub/a.txt"), "a");
symlinkSync("run.sh", join(source, "link"));
symlinkSync("missing", join(source, "dangling"));
for (const [name, ...options] of [["gnu", "--format=gnu"], ["pax", "--format=pax"], ["ustar", "--format=ustar"], ["v7", "--format=v7"], ["gzip", "-z"], ["long", "--format=gnu", "--transform", `s,^,${"long/".repeat(25)},`]]) {
  const made = execFileSync("tar", ["c", ...options, "-C", source, "run.sh", "sub", "link", "dangling"]);
  await show(`tar ${name}`, async () => [...(await new Archive(made).files()).keys()].map((key) => key.slice(-9)).sort().join(" "));
  await show(`tar ${name} extracted`, async () => (await extracted(new Archive(made))).replaceAll("long/".repeat(25), "L/").replace(/(?:long\/)+ /g, ""));
}
await show("modes", async () => {
  const dir = folder();
  await new Archive(execFileSync("tar", ["c", "-C", source, "run.sh"])).extract(dir);
  return (statSync(join(dir, "run.sh")).mode & 0o777).toString(8);
});

// Damage.
const good = await bytes({ a: "x".repeat(2000), b: "2" });
for (const [name, data] of [["empty", new Uint8Array()], ["zeros", new Uint8Array(1024)], ["text", new TextEncoder().encode("no archive at all")], ["half a header", good.subarray(0, 200)], ["no end", good.subarray(0, good.length - 1024)]])
  await show(`damaged: ${name}`, async () => (await new Archive(data).files()).size);

// Archive.write
for (const [name, run] of [
  ["object", () => Archive.write(join(root, "w1.tar"), { a: "1" })], ["gzip", () => Archive.write(join(root, "w2.tgz"), { a: "1" }, { compress: "gzip" })],
  ["an archive", () => Archive.write(join(root, "w3.tar"), new Archive({ a: "1" }))], ["a compressed archive", () => Archive.write(join(root, "w4.tgz"), new Archive({ a: "1" }, { compress: "gzip" }))],
  ["a folder that is missing", () => Archive.write(join(root, "no/such/w5.tar"), { a: "1" })], ["no path", () => Archive.write()], ["no data", () => Archive.write(join(root, "w6.tar"))],
  ["a number", () => Archive.write(5, { a: "1" })], ["a level that is wrong", () => Archive.write(join(root, "w7.tar"), { a: "1" }, { compress: "gzip", level: 99 })],
]) {
  await show(`write ${name}`, async () => String(await run()));
}
for (const name of ["w1.tar", "w2.tgz", "w3.tar", "w4.tgz"]) {
  await show(`tar reads ${name}`, () => execFileSync("tar", ["tf", join(root, name)], { encoding: "utf8" }).trim());
  await show(`read again ${name}`, async () => listed(new Archive(await Bun.file(join(root, name)).bytes())));
}
rmSync(root, { recursive: true });
