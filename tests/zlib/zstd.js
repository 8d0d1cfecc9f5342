// Written by hand (Node 25's zlib; Bun prints the same except the two lines marked), and looked up with the zstd tool.
const zlib = require("node:zlib");
const { zstdCompressSync, zstdDecompressSync, constants } = zlib;
const text = "zstandard ".repeat(3000);
for (const level of [1, 3, 19, -5]) {
  const packed = zstdCompressSync(text, { params: { [constants.ZSTD_c_compressionLevel]: level } });
  console.log(level, packed.length < 200, zstdDecompressSync(packed).toString() === text);
}
const packed = zstdCompressSync(text, { params: { [constants.ZSTD_c_checksumFlag]: 1 } });
console.log(packed.subarray(0, 4).toString("hex"), zstdDecompressSync(Buffer.concat([packed, packed])).length);
const dictionary = Buffer.from("a dictionary of words that come again");
const small = zstdCompressSync("words that come again", { dictionary });
console.log(zstdDecompressSync(small, { dictionary }).toString(), small.length < zstdCompressSync("words that come again").length);

const attempt = (name, f) => {
  try { console.log(name, f()?.length); } catch (error) { console.log(name, error.name, error.code, error.errno, error.message); }
};
attempt("junk", () => zstdDecompressSync("junkjunk"));
attempt("empty", () => zstdDecompressSync(""));
// Silently empty in Node 25.8 and Bun; an error from Node 26.7 on.
attempt("cut", () => zstdDecompressSync(packed.subarray(0, packed.length - 3)));
attempt("broken", () => { const broken = Buffer.from(packed); broken[broken.length - 1] ^= 1; return zstdDecompressSync(broken); });
attempt("param", () => zlib.createZstdCompress({ params: { 1000: 1 } }));
attempt("value", () => zlib.createZstdCompress({ params: { [constants.ZSTD_c_strategy]: 130 } }));
attempt("flush", () => zstdCompressSync("", { flush: 4 }));
attempt("dictionary", () => zstdDecompressSync(small, { dictionary: "x" }));

const pack = zlib.createZstdCompress({ pledgedSrcSize: text.length });
const unpack = zlib.createZstdDecompress();
let result = "";
unpack.on("data", (chunk) => result += chunk);
unpack.on("end", () => console.log("stream", result === text, pack.bytesWritten));
pack.pipe(unpack);
pack.write(text.slice(0, 100));
pack.flush(constants.ZSTD_e_flush, () => pack.end(text.slice(100)));
zlib.zstdCompress(text, (error, value) => zlib.zstdDecompress(value, (error, value) => console.log("callback", error, value.toString() === text)));
