import protobuf from "protobufjs";
import * as msgpack from "@msgpack/msgpack";
import { BSON, ObjectId, Long, Decimal128 } from "bson";
import level from "level-mem";
const hex = (b) => Buffer.from(b).toString("hex");
const value = {
  s: "é😀",
  n: [1, -1, 2 ** 40, 1.5, NaN],
  b: new Uint8Array([1, 2]),
  nil: null,
  t: true,
  d: new Date(1e12),
  deep: { list: Array.from({ length: 20 }, (_, i) => ({ i })) },
};
const { root } = protobuf.parse(
  `syntax = "proto3"; package p; enum E { A = 0; B = 5; } message M { string s = 1; repeated sint32 n = 2; map<string, double> m = 3; E e = 4; oneof o { bytes b = 5; M kid = 6; } int64 big = 7; }`,
);
const M = root.lookupType("p.M"),
  bytes = M.encode(
    M.fromObject({ s: "x", n: [1, -300], m: { k: 1.5 }, e: "B", kid: { b: "AQI=" }, big: "-9007199254740993" }),
  ).finish();
console.log(
  hex(bytes),
  JSON.stringify(M.toObject(M.decode(bytes), { enums: String, longs: String, bytes: String })),
  M.verify({ s: 5 }),
);
try {
  M.decode(Buffer.from("0aff", "hex"));
} catch (e) {
  console.log(e.name, e.message);
}
console.log(hex(msgpack.encode(value)), msgpack.decode(msgpack.encode(value)).deep.list.length);
const oid = new ObjectId("0123456789abcdef01234567"),
  doc = BSON.serialize({
    _id: oid,
    l: Long.fromString("1234567890123456789"),
    d: Decimal128.fromString("1.10"),
    re: /x/i,
    when: new Date(0),
    n: [1, 2.5],
    u: undefined,
  });
console.log(hex(doc), BSON.deserialize(doc), BSON.EJSON.stringify({ oid, d: new Date(0) }), oid.getTimestamp());
const lv = level({ valueEncoding: "json" });
await lv.batch([
  { type: "put", key: "b", value: { x: 1 } },
  { type: "put", key: "a", value: [2] },
]);
const rows = [];
for await (const [k, v] of lv.iterator ? iterate(lv.iterator()) : []) rows.push(k, v);
console.log(rows, await lv.get("zz").catch((e) => [e.name, e.notFound]));
function iterate(it) {
  return {
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const pair = await new Promise((ok, no) =>
          it.next((e, k, v) => (e ? no(e) : ok(k === undefined ? null : [String(k), typeof v === "string" ? JSON.parse(v) : v]))),
        );
        if (!pair) return;
        yield pair;
      }
    },
  };
}
