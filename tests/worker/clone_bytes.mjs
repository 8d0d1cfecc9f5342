// structuredClone and postMessage of dates, buffers and typed arrays: equal, apart, and the same where one came twice.
// expected: as node prints it

import assert from "node:assert";
const c = structuredClone;
const d = new Date(5);
assert.deepStrictEqual(c(d), d);
assert(Number.isNaN(+c(new Date(NaN))));
class D2 extends Date {}
assert.strictEqual(Object.getPrototypeOf(c(new D2(1))), Date.prototype);
const o = { a: d, b: d, c: [d] };
const oc = c(o);
assert(oc.a === oc.b && oc.c[0] === oc.a && oc.a !== d);
for (const K of [
  Int8Array,
  Uint8Array,
  Uint8ClampedArray,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
  Float32Array,
  Float64Array,
  BigInt64Array,
  BigUint64Array,
  globalThis.Float16Array,
].filter(Boolean))
  for (const n of [0, 1, 3, 12, 13, 100, 1000, 5000]) {
    const a = new K(n);
    for (let i = 0; i < n; i++) a[i] = K.name.startsWith("Big") ? BigInt(i) : i;
    const x = c(a);
    assert.deepStrictEqual(x, a);
    assert(x !== a && x.buffer !== a.buffer);
    assert.strictEqual(x.buffer.byteLength, a.buffer.byteLength);
    const v = {
      one: a,
      two: new K(a.buffer, K.BYTES_PER_ELEMENT * (n > 2 ? 1 : 0), n > 2 ? n - 2 : 0),
      buf: a.buffer,
      list: [a],
    };
    const w = c(v);
    assert.deepStrictEqual(w, v);
    assert(w.one.buffer === w.two.buffer && w.buf === w.one.buffer && w.list[0] === w.one);
    const z = c([a.buffer, a]);
    assert(z[1].buffer === z[0]);
  }
const sh = new Uint8Array(new SharedArrayBuffer(8));
sh[0] = 4;
const shc = c(sh);
shc[1] = 9;
assert.strictEqual(sh[1], 9);
const rs = new Uint8Array(new ArrayBuffer(8, { maxByteLength: 16 }));
const rc = c(rs);
assert(rc.buffer.resizable && rc.buffer.maxByteLength === 16);
const det = new Uint8Array(16);
c(det.buffer, { transfer: [det.buffer] });
assert.throws(() => c({ a: 1, det }), { name: "DataCloneError" });
assert.throws(() => c(det.buffer), { name: "DataCloneError" });
assert.strictEqual(c(Buffer.from("héllo")).constructor, Uint8Array);
assert.deepStrictEqual(c(new DataView(new ArrayBuffer(4))), new DataView(new ArrayBuffer(4)));
assert.throws(() => c({ d, f() {} }), { name: "DataCloneError" });
assert.deepStrictEqual(c({ m: new Map([[1, d]]), u: new Uint8Array(3000) }), {
  m: new Map([[1, d]]),
  u: new Uint8Array(3000),
});
const { port1, port2 } = new MessageChannel();
const big = new Uint8Array(70000).fill(7);
port1.postMessage({ big, again: big, d });
const got = await new Promise((r) => port2.once("message", r));
assert(got.big === got.again);
assert.deepStrictEqual(got.big, big);
port1.close();
const b1 = new BroadcastChannel("x"),
  b2 = new BroadcastChannel("x"),
  b3 = new BroadcastChannel("x");
const p = [b2, b3].map((b) => new Promise((r) => (b.onmessage = (e) => r(e.data))));
b1.postMessage({ big });
for (const q of p) assert.deepStrictEqual((await q).big, big);
for (const b of [b1, b2, b3]) b.close();
console.log("ok");
