// Deep equality of generated pairs: plain data in many shapes, cycles, and every kind of object that is compared in its own
// way. Each line is the answers for 40 pairs, six for each. Recorded from Node 25.8.1.
const { isDeepStrictEqual } = require("node:util"); const assert = require("node:assert");
let seed = 1; const rnd = n => { seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0; return Math.floor(seed / 4294967296 * n) };
class P { constructor(x) { this.x = x } } class Q extends P { get [Symbol.toStringTag]() { return "Q" } } class E2 extends Error {}
class Arr extends Array {} class Dt extends Date {}
const sym = Symbol("s"), sym2 = Symbol("t");
const big = "x".repeat(50);
function prim() { switch (rnd(24)) { case 0: return 0; case 1: return -0; case 2: return NaN; case 3: return 1; case 4: return "1"; case 5: return "a" + rnd(2); case 6: return true; case 7: return false; case 8: return "null"; case 9: return undefined; case 10: return 10n; case 11: return 2n ** 70n; case 12: return sym; case 13: return 1.5; case 14: return ""; case 15: return big + rnd(2) + big; case 16: return "日本" + rnd(2); case 17: return sym2; case 18: return 4294967296; case 19: return ("日本" + big + rnd(2)).slice(2); case 20: return 2.0 ** 0.5 > 1 ? 1.0 : 0; case 21: return [1.0, 2][0]; default: return rnd(3) } }
function gen(d, parents) {
  if (d <= 0 || rnd(5) === 0) return prim();
  const k = rnd(44); let o;
  const fill = (o, n) => { parents = [...parents, o]; for (let i = 0; i < n; i++) o["k" + rnd(6)] = gen(d - 1, parents); return o };
  switch (k) {
    case 0: case 1: case 2: case 3: case 4: return fill({}, rnd(4));
    case 5: case 6: case 7: case 8: { const a = []; parents = [...parents, a]; for (let i = rnd(4); i-- > 0;) a.push(gen(d - 1, parents)); return a }
    case 9: return fill(new P(rnd(2)), rnd(2)); case 10: return fill(new Q(rnd(2)), rnd(2));
    case 11: return new Date(rnd(2)); case 12: return new Date(NaN); case 13: return /x/g; case 14: return new RegExp("x" + rnd(2), ["g", "i"][rnd(2)]);
    case 15: return new Map([[prim(), gen(d - 1, parents)], [gen(d - 1, parents), 1]]); case 16: return new Set([prim(), gen(d - 1, parents)]);
    case 17: return new Uint8Array([1, rnd(2)]); case 18: return Buffer.from([1, rnd(2)]); case 19: return new Float64Array([rnd(2) ? 0 : -0, NaN]); case 20: return new Float32Array([NaN]);
    case 21: { const a = [1, , 3]; if (rnd(2)) a[1] = undefined; return a } case 22: { const a = [1, 2]; a.extra = rnd(2); return a }
    case 23: return fill(Object.create(null), rnd(3)); case 24: return { get a() { return 7 }, b: gen(d - 1, parents) };
    case 25: return Object.defineProperty(fill({}, 1), "hid", { value: rnd(2), enumerable: false }); case 26: return { [sym]: gen(d - 1, parents), a: 1 };
    case 27: return new Error("m" + rnd(2)); case 28: return new E2("m"); case 29: return { message: "m" }; case 30: return new Proxy(fill({}, 1), {});
    case 31: return Object(1); case 32: return Object("ab"); case 33: return Object(true); case 34: return parents.length ? parents[rnd(parents.length)] : {};
    case 35: { const o = {}; for (let i = 0; i < 12; i++) o["p" + i] = i; if (rnd(2)) delete o.p3; return o } case 36: return { 1: gen(d - 1, parents), 0: 2, x: 1 };
    case 37: return rnd(2) ? { a: 1, b: 2 } : { b: 2, a: 1 }; case 38: return Arr.from([1, rnd(2)]); case 39: return new Dt(5);
    case 40: return Object.assign(new Date(3), rnd(2) ? { a: 1 } : {}); case 41: return (function () { return arguments })(1, rnd(2)); case 42: return { [Symbol.toStringTag]: rnd(2) ? "T" : "U", a: 1 };
    case 43: return Object.freeze(fill({ z: [1] }, rnd(3)));
  }
}
let line = [];
const t = f => { try { f(); return "1" } catch (e) { return e.code === "ERR_ASSERTION" ? "0" : "!" + e.name } };
for (let i = 0; i < 800; i++) {
  seed = (i * 7919 + 104729) >>> 0; rnd(2); const s = seed; const a = gen(4, []); const mode = rnd(4); let b;
  if (mode < 2) { const end = seed; seed = s; b = gen(4, []); seed = end } else if (mode === 2) { const end = seed; seed = s; b = gen(4, []); seed = end; if (b && typeof b === "object") try { const ks = Object.keys(b); if (ks.length) b[ks[rnd(ks.length)]] = prim(); } catch { } } else b = gen(4, []);
  const r = [isDeepStrictEqual(a, b), isDeepStrictEqual(b, a)].map(Number).join("") + Number(isDeepStrictEqual(a, b, true)) + t(() => assert.deepEqual(a, b)) + t(() => assert.deepStrictEqual(a, b)) + t(() => assert.notDeepEqual(a, b));
  line.push(r);
  if (line.length === 40) console.log(line.splice(0).join(" "));
}
