// v8.serialize writes what V8 writes, byte for byte, and v8.deserialize reads it.
const v8 = require("node:v8");
const { inspect } = require("node:util");
const error = Object.assign(new TypeError("m", { cause: { a: 1 } }), { stack: "S" });
const circular = { a: [] };
circular.self = circular;
circular.a.push(circular);
const shared = { q: 1 };
const values = [
  1, -1, 0, -0, 1.5, 2 ** 31, NaN, "", "abc", "é", "你", "a你", "x".repeat(40), 1n, -1n, 0n, 2n ** 70n, true, false, null, undefined, [], [1, [2]], [1, , 3],
  Object.assign([1], { x: 2 }), {}, { a: 1, 2: 3, "-1": 4, 4294967294: 5 }, { ["__proto__"]: 5 }, new Date(5), new Date(NaN), new Boolean(true), Object(5), Object("你"), Object(5n),
  /a\/b/giu, new Map([[1, { b: 2 }]]), new Set(["a", [1]]), new ArrayBuffer(2), new Uint8Array([1, 2]), Buffer.from("hi"), new DataView(new ArrayBuffer(3), 1), new BigInt64Array([5n]), error,
  circular, [shared, shared], Object.create({ a: 1 }), { get a() { return 3; } },
];
for (const value of values) {
  const bytes = v8.serialize(value);
  console.log(bytes.toString("hex"));
  const back = v8.deserialize(bytes);
  if (back instanceof ArrayBuffer) console.log("ArrayBuffer", Buffer.from(back).toString("hex"));
  else if (ArrayBuffer.isView(back)) console.log(back.constructor.name, Buffer.from(back.buffer, back.byteOffset, back.byteLength).toString("hex"));
  else console.log(inspect(back, { depth: 5 }));
}
for (const value of [() => 1, Symbol("s"), new Proxy({}, {}), Promise.resolve(), new WeakMap(), { a: { b() {} } }, new SharedArrayBuffer(1)]) {
  try {
    v8.serialize(value);
  } catch (e) {
    console.log(e.name, e.message);
  }
}
const writer = new v8.Serializer();
writer.writeHeader();
writer.writeUint32(300);
writer.writeUint64(1, 2);
writer.writeDouble(-0.25);
writer.writeRawBytes(Buffer.from("raw"));
const view = new Uint8Array([1, 2, 3, 4]);
writer.writeValue([view.subarray(1, 3), view]);
const buffer = writer.releaseBuffer();
console.log(buffer.toString("hex"), writer.releaseBuffer().length);
const reader = new v8.Deserializer(buffer);
console.log(reader.readHeader(), reader.getWireFormatVersion(), reader.readUint32(), reader.readUint64(), reader.readDouble(), reader.readRawBytes(3).toString());
const [part, whole] = reader.readValue();
console.log(part, whole, part.buffer === whole.buffer);
for (const hex of ["ff10", "ff0f", "ff0f22ff", "ff0f5e00", "ff0f6f2201", "ff0f41ffffff7f"]) {
  try {
    v8.deserialize(Buffer.from(hex, "hex"));
  } catch (e) {
    console.log(e.name, e.message);
  }
}
