// Recorded from Bun, which makes the same of data but not always in as few bytes.
const data = Buffer.from("hello world ".repeat(500));
const hello = "hello world ".repeat(500);
const attempt = (name, f) => {
  try { const value = f(); console.log(name, value.constructor.name, Buffer.from(value).toString() === hello); }
  catch (error) { console.log(name, error.name, error.code, error.message); }
};
for (const library of [undefined, "zlib", "libdeflate"]) {
  for (const level of [0, 1, 6, 9]) {
    attempt(`gzip ${library} ${level}`, () => Bun.gunzipSync(Bun.gzipSync(data, { library, level }), { library }));
    attempt(`deflate ${library} ${level}`, () => Bun.inflateSync(Bun.deflateSync(hello, { library, level }), { library }));
  }
}
const zlib = require("node:zlib");
attempt("level 12", () => Bun.gunzipSync(Bun.gzipSync(data, { library: "libdeflate", level: 12 })));
attempt("level 10", () => Bun.gzipSync(data, { level: 10 }));
attempt("level 13", () => Bun.gzipSync(data, { library: "libdeflate", level: 13 }));
attempt("library", () => Bun.gzipSync(data, { library: "x" }));
attempt("memLevel", () => Bun.gunzipSync(Bun.gzipSync(data, { memLevel: 1, strategy: 3 })));
attempt("memLevel 0", () => Bun.gzipSync(data, { memLevel: 0 }));
attempt("strategy", () => Bun.gzipSync(data, { strategy: 9 }));
attempt("zlib header", () => Bun.inflateSync(zlib.deflateSync(data), { windowBits: 15 }));
attempt("gzip header", () => Bun.inflateSync(zlib.gzipSync(data), { windowBits: 47 }));
attempt("wrong header", () => Bun.gunzipSync(zlib.deflateSync(data)));
attempt("libdeflate", () => Bun.gunzipSync("junk", { library: "libdeflate" }));
attempt("cut", () => Bun.gunzipSync(zlib.gzipSync(data).subarray(0, 30)));
attempt("number", () => Bun.gzipSync(5));
attempt("options", () => Bun.gzipSync(data, 5));
attempt("zstd", () => Bun.zstdDecompressSync(Bun.zstdCompressSync(data)));
attempt("zstd 22", () => Bun.zstdDecompressSync(Bun.zstdCompressSync(hello, { level: 22 })));
attempt("zstd 23", () => Bun.zstdCompressSync(data, { level: 23 }));
attempt("zstd junk", () => Bun.zstdDecompressSync("junk"));
const later = async (name, f) => {
  try { const value = await f(); console.log(name, value.constructor.name, value.toString() === hello); }
  catch (error) { console.log(name, error.name, error.code, error.message); }
};
later("zstd later", async () => Bun.zstdDecompress(await Bun.zstdCompress(data)))
  .then(() => later("zstd later junk", () => Bun.zstdDecompress("junk")));
