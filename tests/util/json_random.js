// JSON.stringify of random values: records, dictionaries, ropes, getters, toJSON that comes and goes on prototypes. The digest is Node's.
let seed = 77; const rnd = (n) => { seed = (Math.imul(seed, 1103515245) + 12345) >>> 0; return (seed >>> 8) % n; };
const { createHash } = require("crypto"); const h = createHash("sha1");
const words = ["", "a", "id", "name", "x\"y", "back\\slash", "line\nbreak", "tab\t", "\u0000", "é", "ü".repeat(9), "日本", "\ud800", "a\udc00b", "longer than eight", "exactly8", "sevenxx", "123456789", "x".repeat(15), "y".repeat(16), "z".repeat(17), "toJSON2", "q\"", "\u007f", "\u2028"];
const shapes = [];
function str() { let s = words[rnd(words.length)]; if (rnd(6) === 0) s = s + words[rnd(words.length)] + rnd(1000); if (rnd(40) === 0) s = s + "x".repeat(300) + words[rnd(words.length)]; return s; }
function value(d) {
  switch (rnd(d > 4 ? 6 : 12)) {
    case 0: return str(); case 1: return rnd(100000) - 50000; case 2: return rnd(1000) / 7; case 3: return rnd(2) === 0; case 4: return null; case 5: return [undefined, NaN, Infinity, -0, 1e21, Symbol.iterator, () => 1][rnd(7)];
    case 6: case 7: { const o = {}; for (let i = rnd(6); i > 0; i--) o[rnd(20) === 0 ? rnd(5) : words[rnd(words.length)]] = value(d + 1); if (rnd(10) === 0) delete o.id; if (rnd(15) === 0) Object.defineProperty(o, "hid", { value: 1, enumerable: false }); if (rnd(15) === 0) Object.defineProperty(o, "get", { get() { return 5; }, enumerable: true, configurable: true }); return o; }
    case 8: case 9: return { id: rnd(100), name: str(), v: value(d + 1), ok: rnd(2) === 0 };
    case 10: { const a = []; for (let i = rnd(5); i > 0; i--) a.push(value(d + 1)); if (rnd(12) === 0) a.length += 1; if (rnd(20) === 0) a.extra = 1; return a; }
    default: return rnd(8) === 0 ? { toJSON() { return "own"; } } : rnd(6) === 0 ? new Date(rnd(1e6)) : rnd(6) === 0 ? Object.create({ inherited: 1 }, {}) : rnd(8) === 0 ? Object.assign(Object.create(null), { n: str() }) : rnd(9) === 0 ? new (class P { constructor() { this.a = 1; this.b = str(); } })() : Array.from({ length: rnd(4) }, () => ({ k: str(), n: rnd(9) }));
  }
}
const dict = {}; for (let i = 0; i < 200; i++) dict["k" + i] = i;
const P = class { constructor() { this.x = 1; } };
for (let i = 0; i < 6000; i++) {
  if (i % 997 === 0) { Object.prototype.toJSON = function () { return "P" + typeof this; }; h.update(String(JSON.stringify({ a: 1 })) + JSON.stringify([1]) + JSON.stringify("s")); delete Object.prototype.toJSON; }
  if (i % 991 === 0) { Array.prototype.toJSON = () => "A"; h.update(JSON.stringify([{ a: [] }])); delete Array.prototype.toJSON; h.update(JSON.stringify([{ a: [] }])); }
  if (i % 100 === 0) { P.prototype.toJSON = () => "PP"; h.update(JSON.stringify(new P())); delete P.prototype.toJSON; h.update(JSON.stringify(new P())); }
  if (i % 50 === 0) { delete dict["k" + rnd(200)]; dict["n" + rnd(500)] = str(); if (rnd(4) === 0) Object.defineProperty(dict, "n" + rnd(500), { get() { return 1; }, enumerable: true, configurable: true }); h.update(JSON.stringify(dict)); h.update(JSON.stringify(dict)); }
  const v = value(0); const r = rnd(5); const a = r === 0 ? JSON.stringify(v, null, 2) : r === 1 ? JSON.stringify(v, null, "\t") : JSON.stringify(v);
  h.update(String(a));
}
console.log(h.digest("hex"));
