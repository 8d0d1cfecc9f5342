// Recorded from Node.
const zlib = require("node:zlib");
const { pipeline, Readable } = require("node:stream");
const { once } = require("node:events");
const text = "streams of compressed data, ".repeat(20000);

async function collect(stream) {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

(async () => {
  for (const [c, d] of [["Gzip", "Gunzip"], ["Deflate", "Inflate"], ["DeflateRaw", "InflateRaw"], ["Gzip", "Unzip"], ["BrotliCompress", "BrotliDecompress"]]) {
    const pack = zlib[`create${c}`]();
    const unpack = zlib[`create${d}`]({ chunkSize: 1000 });
    const source = Readable.from((function* () { for (let i = 0; i < text.length; i += 9999) yield Buffer.from(text.slice(i, i + 9999)); })());
    const done = collect(pipeline(source, pack, unpack, () => {}));
    console.log(c, d, (await done).toString() === text, pack.bytesWritten === text.length);
  }

  const small = zlib.createGunzip({ chunkSize: 1000 });
  const sizes = new Set();
  small.on("data", (chunk) => sizes.add(chunk.length));
  small.end(zlib.gzipSync(text));
  await once(small, "end");
  console.log(sizes.size <= 2, Math.max(...sizes));

  // One byte at a time
  const bytewise = zlib.createUnzip();
  const result = collect(bytewise);
  for (const byte of zlib.gzipSync("one byte at a time")) bytewise.write(Buffer.from([byte]));
  bytewise.end();
  console.log((await result).toString());

  // flush: what was written comes out before the end.
  const flushed = zlib.createDeflate();
  const inflate = zlib.createInflate();
  flushed.pipe(inflate);
  inflate.setEncoding("utf8");
  flushed.write("first");
  flushed.flush();
  console.log((await once(inflate, "data"))[0]);
  flushed.write("second");
  flushed.flush(zlib.constants.Z_SYNC_FLUSH, () => console.log("flushed"));
  console.log((await once(inflate, "data"))[0]);
  flushed.end();
  await once(inflate, "end");

  // params
  const changing = zlib.createDeflate({ level: 9 });
  const parts = collect(changing);
  changing.write(text.slice(0, 1000), () => {
    changing.params(0, zlib.constants.Z_DEFAULT_STRATEGY, () => {
      console.log("level", changing._level);
      changing.end(text.slice(1000, 3000));
    });
  });
  const packed = await parts;
  console.log(packed.length > 2000, zlib.inflateSync(packed).toString() === text.slice(0, 3000));

  // reset
  const again = zlib.createDeflateRaw();
  await new Promise((resolve) => again.write("lost", resolve));
  again.reset();
  const rest = collect(again);
  again.end("kept");
  console.log(zlib.inflateRawSync(await rest).toString());

  // close
  const closing = zlib.createGzip();
  closing.on("close", () => console.log("closed", closing.destroyed, closing._closed));
  closing.write("x");
  closing.close(() => console.log("close callback"));
  await once(closing, "close");
  closing.on("error", (error) => console.log(error.code));
  closing.write("y");
  await new Promise(setImmediate);

  // Junk after the end
  const junk = zlib.createInflate();
  const before = collect(junk);
  junk.end(Buffer.concat([zlib.deflateSync("data"), Buffer.from("junk")]));
  console.log((await before).toString());

  // Backpressure: nothing is read, so that not all is unpacked.
  const slow = zlib.createGunzip();
  slow.end(zlib.gzipSync(Buffer.alloc(10 << 20)));
  await once(slow, "readable");
  await new Promise((resolve) => setTimeout(resolve, 50));
  console.log(slow.readableLength < 1 << 20);
  let length = 0;
  for await (const chunk of slow) length += chunk.length;
  console.log(length);

  // What packages do with the insides
  const inner = zlib.createInflate();
  const input = zlib.deflateSync("inside");
  inner._handle.writeSync(zlib.constants.Z_FINISH, input, 0, input.length, inner._outBuffer, 0, inner._chunkSize);
  console.log(inner._outBuffer.subarray(0, inner._chunkSize - inner._writeState[0]).toString(), inner._writeState[1]);
  console.log(zlib.createGunzip()._processChunk(zlib.gzipSync("all"), zlib.constants.Z_FINISH).toString());

  class Mine extends zlib.Gzip {}
  const mine = new Mine();
  console.log(mine instanceof zlib.Gzip, mine instanceof require("node:stream").Transform, Object.getPrototypeOf(zlib.Gzip.prototype).constructor.name);
})();
