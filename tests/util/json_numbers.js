// Numbers in JSON: random bit patterns and the edges of the formats. The digest is Node's.
const { createHash } = require("crypto"); const h = createHash("sha1"); let seed = 9; const rnd = () => { seed = (Math.imul(seed, 1103515245) + 12345) >>> 0; return seed; };
const f = new Float64Array(1), u = new Uint32Array(f.buffer); const out = [];
for (let i = 0; i < 60000; i++) { u[0] = rnd(); u[1] = rnd(); out.push(f[0]); if (i % 3 === 0) out.push(rnd() / 1000, rnd() * 1e10, -rnd() / 1e9, (rnd() % 1000) * 1e18, rnd() / 7e20, (rnd() % 100) / 1e7); if (out.length > 1000) { h.update(JSON.stringify(out)); out.length = 0; } }
for (const x of [0, -0, 5e-324, 1.7976931348623157e308, 1e21, 1e-7, 1e-6, 123456789012345680000, 999999999999999900000, 0.1, 1.5, -1.5, 4294967296, 2 ** 53, 1e20, 1.2e21, 4.35, 100, NaN, Infinity]) h.update(JSON.stringify([x]));
console.log(h.digest("hex"));
