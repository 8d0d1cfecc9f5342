// Written by hand after https://compression.spec.whatwg.org; Node prints the same but for the codes and the formats
// that it has not got.
import zlib from "node:zlib";
const text = "compression streams ".repeat(5000);

const through = async (stream, ...chunks) => {
  const writer = stream.writable.getWriter();
  for (const chunk of chunks) writer.write(chunk).catch(() => {});
  writer.close().catch(() => {});
  return Buffer.concat(await Array.fromAsync(stream.readable));
};
const attempt = async (name, f) => {
  try { console.log(name, await f()); } catch (error) { console.log(name, error.name, error.code); }
};

const unpack = { gzip: "gunzipSync", deflate: "inflateSync", "deflate-raw": "inflateRawSync", brotli: "brotliDecompressSync", zstd: "zstdDecompressSync" };
for (const format of Object.keys(unpack)) {
  const packed = await through(new CompressionStream(format), Buffer.from(text.slice(0, 10)), Buffer.from(text.slice(10)));
  const back = await through(new DecompressionStream(format), packed.subarray(0, 5), packed.subarray(5));
  console.log(format, zlib[unpack[format]](packed).toString() === text, back.toString() === text);
  await attempt("junk", () => through(new DecompressionStream(format), packed, new Uint8Array(3)));
  await attempt("cut", () => through(new DecompressionStream(format), packed.subarray(0, 20)));
  await attempt("nothing", () => through(new DecompressionStream(format)));
  await attempt("broken", () => through(new DecompressionStream(format), new Uint8Array([0, 1, 2, 3, 4, 5])));
  for (const chunk of [null, undefined, 5, [1], new SharedArrayBuffer(1)]) {
    const stream = new CompressionStream(format);
    const read = stream.readable.getReader().read().catch((error) => error.name);
    await attempt(String(chunk), () => stream.writable.getWriter().write(chunk));
    if (await read !== "TypeError") console.log("not rejected");
  }
}
console.log(zlib.gunzipSync(await through(new CompressionStream("gzip"), "strings ", "as well")).toString());
const member = zlib.gzipSync("a");
await attempt("two members", () => through(new DecompressionStream("gzip"), member, member));
for (const format of ["lzma", undefined, "GZIP"]) await attempt(String(format), () => new CompressionStream(format));
await attempt("none", () => CompressionStream("gzip"));

const large = await new Response(new Blob([text.repeat(50)]).stream().pipeThrough(new CompressionStream("gzip"))).bytes();
const size = await new Response(new Blob([large]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
console.log(size.length, size.startsWith(text));
console.log(String(new CompressionStream("gzip")), Object.keys(Object.getOwnPropertyDescriptors(DecompressionStream.prototype)));
