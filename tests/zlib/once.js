// Recorded from Node.
const zlib = require("node:zlib");
const pairs = [
  ["gzip", "gunzip"], ["deflate", "inflate"], ["deflateRaw", "inflateRaw"], ["gzip", "unzip"], ["deflate", "unzip"],
  ["brotliCompress", "brotliDecompress"],
];
const text = "hello, compression ".repeat(5000);
const inputs = { empty: "", short: "hello", long: text, bytes: new Uint8Array(70000).map((_, i) => i * i / 7), buffer: new ArrayBuffer(10), view: new DataView(new ArrayBuffer(9), 2, 5), floats: new Float64Array([1, 2, 3]) };
const bytesOf = (v) => typeof v === "string" ? Buffer.from(v) : ArrayBuffer.isView(v) ? Buffer.from(v.buffer, v.byteOffset, v.byteLength) : Buffer.from(v);

for (const [c, d] of pairs) {
  const good = Object.keys(inputs).filter((k) => zlib[`${d}Sync`](zlib[`${c}Sync`](inputs[k])).equals(bytesOf(inputs[k])));
  console.log(c, d, good.join(" "));
}
for (const level of [-1, 0, 1, 2, 5, 9]) {
  const packed = zlib.gzipSync(text, { level });
  console.log("level", level, packed.length < text.length, zlib.gunzipSync(packed).toString() === text, [...packed.subarray(0, 4), ...packed.subarray(8, 9)].join());
}
for (const options of [{ strategy: 2 }, { memLevel: 1 }, { windowBits: 9 }, { chunkSize: 64 }, { finishFlush: 2 }]) {
  const packed = zlib.deflateSync(text, options);
  console.log(JSON.stringify(options), zlib.inflateSync(packed, { finishFlush: 2 }).toString() === text);
}

// Small inputs: the very bytes of zlib.
console.log(zlib.deflateSync("hello").toString("base64"), zlib.deflateRawSync("hello").toString("base64"), zlib.gzipSync("hello").toString("base64"));

// info
const { buffer, engine } = zlib.gzipSync(text, { info: true });
console.log(Buffer.isBuffer(buffer), engine.constructor.name, engine.bytesWritten, engine._closed);
const back = zlib.gunzipSync(Buffer.concat([buffer, Buffer.from([0, 0, 0])]), { info: true });
console.log(back.buffer.length, back.engine.bytesWritten === buffer.length);

// Several members, and what is no member.
const two = Buffer.concat([zlib.gzipSync("one "), zlib.gzipSync("two")]);
console.log(zlib.gunzipSync(two).toString(), zlib.unzipSync(two).toString());
console.log(zlib.inflateSync(Buffer.concat([zlib.deflateSync("data"), Buffer.from("junk")])).toString());

// Callbacks and promises
(async () => {
  for (const [c, d] of pairs) {
    const packed = await require("util").promisify(zlib[c])(text);
    zlib[d](packed, (error, value) => console.log("callback", d, error, value.toString() === text));
    await require("util").promisify(zlib[d])(packed);
    await new Promise(setImmediate);
  }
  zlib.gunzip(zlib.gzipSync(text), { maxOutputLength: 100 }, (error) => console.log(error.name, error.code, error.message));
})();
for (const limit of [100, text.length - 1, text.length]) {
  try {
    console.log(limit, zlib.gunzipSync(zlib.gzipSync(text), { maxOutputLength: limit }).length);
  } catch (error) {
    console.log(error.name, error.code, error.message);
  }
}

console.log(zlib.crc32("hello"), zlib.crc32(Buffer.from("lo"), zlib.crc32("hel")), zlib.crc32("h\u00e9llo \u20ac"), zlib.crc32(new Uint16Array([1, 2])));
