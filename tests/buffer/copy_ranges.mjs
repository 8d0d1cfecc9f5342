// expected: recorded from node 25.9.0
// buf.copy() beside a copy of its own: ranges of all kinds, within one memory and between two.
let seed = 99;
const rnd = (n) => (seed = (seed * 1103515245 + 12345) & 0x7fffffff) % n;
let bad = 0;
for (let r = 0; r < 60000; r++) {
  const n = rnd(200) + 1;
  const b = Buffer.from(Array.from({ length: n }, (_, i) => (i * 7 + r) & 255));
  const ref = [...b];
  const same = rnd(2);
  const t = same ? b.subarray(rnd(n)) : Buffer.alloc(rnd(150) + 1, 5);
  const off = same ? t.byteOffset - b.byteOffset : 0;
  const tref = same ? ref : [...t];
  const ts = rnd(80),
    ss = rnd(n + 1),
    se = rnd(260);
  const cnt = Math.max(0, Math.min(Math.min(se, n) - ss, t.length - ts));
  const exp = ts >= t.length || ss >= se ? 0 : cnt;
  const slice = ref.slice(ss, ss + exp);
  slice.forEach((v, i) => (tref[off + ts + i] = v));
  const got = b.copy(t, ts, ss, se);
  if (got !== exp || Buffer.compare(Buffer.from(tref), same ? b : t) !== 0) {
    bad++;
    if (bad < 4) console.log(n, same, ts, ss, se, got, exp);
  }
}
console.log("bad", bad);
const words = new Uint16Array([0x0102, 0x0304]);
const out = Buffer.alloc(6);
console.log(Buffer.prototype.copy.call(words, out, 1, 1, 4), out.toString("hex"));
console.log(Buffer.from("abcdef").copy(words, 0, 2), new Uint8Array(words.buffer).join());
const shared = Buffer.from(new SharedArrayBuffer(100));
console.log(Buffer.alloc(80, 7).copy(shared, 10, 5), shared.indexOf(7), shared.lastIndexOf(7));
console.log(
  Buffer.alloc(100, 1).copy(Buffer.alloc(50), 1.9, 2.9, 60.9),
  Buffer.alloc(100).copy(Buffer.alloc(50), NaN, undefined, Infinity),
);
// Positions are asked for their number once.
let asked = 0;
const position = { valueOf: () => asked++ };
console.log(Buffer.from("abcd").copy(out, position, position, 4), asked, out.toString("latin1", 0, 3));
