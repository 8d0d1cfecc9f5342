// Recorded from Node.
const zlib = require("node:zlib");
const packed = zlib.gzipSync("some data that is long enough to be cut");
const broken = Buffer.from(packed);
broken[packed.length - 6] ^= 1;

const cases = {
  junk: () => zlib.gunzipSync("junkjunkjunk"),
  empty: () => zlib.gunzipSync(""),
  cut: () => zlib.gunzipSync(packed.subarray(0, 30)),
  checksum: () => zlib.gunzipSync(broken),
  "junk inflate": () => zlib.inflateSync("junkjunk"),
  "junk raw": () => zlib.inflateRawSync(Buffer.from([0xff, 0xff])),
  "junk brotli": () => zlib.brotliDecompressSync("abcdefgh"),
  "cut brotli": () => zlib.brotliDecompressSync(zlib.brotliCompressSync("hello").subarray(0, 5)),
  "second member": () => zlib.gunzipSync(Buffer.concat([packed, Buffer.from([0x1f, 0x8b, 0xff, 0xff]), Buffer.alloc(10)])),
  garbage: () => zlib.gunzipSync(Buffer.concat([packed, Buffer.from("junk")])),
  dictionary: () => zlib.inflateSync(zlib.deflateSync("abc", { dictionary: Buffer.from("abc") })),
  "wrong dictionary": () => zlib.inflateSync(zlib.deflateSync("abc", { dictionary: Buffer.from("abc") }), { dictionary: Buffer.from("x") }),
  number: () => zlib.gzipSync(5),
  object: () => zlib.gzipSync({}),
  level: () => zlib.gzipSync("", { level: 10 }),
  "level type": () => zlib.gzipSync("", { level: "6" }),
  windowBits: () => zlib.gzipSync("", { windowBits: 8 }),
  windowBits0: () => zlib.createDeflate({ windowBits: 0 }),
  memLevel: () => zlib.createGzip({ memLevel: 10 }),
  strategy: () => zlib.createGzip({ strategy: 5 }),
  chunkSize: () => zlib.createGzip({ chunkSize: 5 }),
  flush: () => zlib.createGzip({ flush: 7 }),
  "dictionary type": () => zlib.createInflate({ dictionary: "abc" }),
  callback: () => zlib.gzip("abc"),
  "brotli param": () => zlib.createBrotliCompress({ params: { 100: 1 } }),
  "brotli value": () => zlib.createBrotliCompress({ params: { 1: "5" } }),
  "brotli init": () => zlib.createBrotliCompress({ params: { 4: 42 } }),
  "params level": () => zlib.createDeflate().params(10, 0),
  "crc32 data": () => zlib.crc32(5),
  "crc32 value": () => zlib.crc32("", -1),
};
for (const name of Object.keys(cases)) {
  try {
    const value = cases[name]();
    console.log(name, Buffer.isBuffer(value) ? value.toString() : typeof value);
  } catch (error) {
    console.log(name, "|", error.name, "|", error.code, "|", error.errno, "|", error.message);
  }
}

zlib.gunzip("junk", (error) => console.log("callback", error.code, error.errno, error.message, Object.keys(error).join()));
const stream = zlib.createGunzip();
let output = "";
stream.on("data", (chunk) => output += chunk);
stream.on("error", (error) => console.log("stream", error.code, error.message, output, stream.destroyed, stream._closed));
stream.on("close", () => console.log("close"));
stream.write(packed);
stream.end("\x1f\x8bxx");
