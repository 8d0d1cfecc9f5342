// Values of `x >>> 0` that loops carry: in machine code they are int32s where only their bits count, and numbers elsewhere.
// Each result is compared with the same sum by BigInt, after enough rounds that every compiler has had its turn.
const mask = (big) => Number(BigInt.asUintN(32, big));
const bytes = Uint8Array.from({ length: 1000 }, (_, i) => i * 31);

function fnv(seed, n) {
  let h = seed;
  for (let i = 0; i < n; i++) h = Math.imul(h ^ bytes[i % 1000], 16777619) >>> 0;
  return h;
}
function fnvBig(seed, n) {
  let h = BigInt(seed);
  for (let i = 0; i < n; i++) h = BigInt(mask((h ^ BigInt(bytes[i % 1000])) * 16777619n));
  return Number(h);
}
// What is read beside the bits: the number itself, its half, whether it is above 2^31.
function read(seed, n) {
  let h = seed;
  let [above, sum] = [0, 0];
  for (let i = 0; i < n; i++) {
    h = Math.imul(h ^ i, 2654435761) >>> 0;
    if (h > 0x7fffffff) above++;
    sum += h / 2;
  }
  return [h, above, sum];
}
function readBig(seed, n) {
  let h = BigInt(seed);
  let [above, sum] = [0, 0];
  for (let i = 0; i < n; i++) {
    h = BigInt(mask((BigInt(mask(h)) ^ BigInt(i)) * 2654435761n));
    if (h > 0x7fffffffn) above++;
    sum += Number(h) / 2;
  }
  return [Number(h), above, sum];
}
// Loops in loops, and a value that is a number of another kind at first: fractions, negative, infinite, above 2^53.
function nested(seed, n) {
  let h = seed;
  for (let i = 0; i < n; i++) {
    for (let k = 0; k < 3; k++) h = (h ^ (h << 5) ^ k) >>> 0;
    if (i % 7 === 0) h = ((h >>> 3) + (h & 0xff)) >>> 0;
  }
  return h;
}
const bits = (value) => BigInt(value | 0);
function nestedBig(seed, n) {
  let h = BigInt(mask(bits(seed)));
  for (let i = 0; i < n; i++) {
    for (let k = 0n; k < 3n; k++) h = BigInt(mask(h ^ (h << 5n) ^ k));
    if (i % 7 === 0) h = BigInt(mask((h >> 3n) + (h & 0xffn)));
  }
  return Number(h);
}
// A loop that is left in its middle, whose value was the number before the last shift.
function left(n) {
  let h = 1;
  for (let i = 0; ; i++) {
    if (i === n) return h + 0.5;
    h = ((h << 1) ^ (h & 0x80000000 ? 0x04c11db7 : 0)) >>> 0;
  }
}
function leftBig(n) {
  let h = 1n;
  for (let i = 0; i < n; i++) h = BigInt(mask((h << 1n) ^ (h & 0x80000000n ? 0x04c11db7n : 0n)));
  return Number(h) + 0.5;
}
// A generator of random numbers in a closure (mulberry32), modulo and as an index.
function mulberry(seed) {
  let a = seed >>> 0;
  return () => {
    a = (a + 0x6d2b79f5) >>> 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return (t ^ (t >>> 14)) >>> 0;
  };
}
function drawn(n) {
  const random = mulberry(42);
  const counts = new Array(7).fill(0);
  for (let i = 0; i < n; i++) counts[random() % 7]++;
  return counts;
}
// A value that becomes a string in the middle of a warm loop.
function changing(values) {
  let h = 7;
  for (const value of values) h = (h ^ value) >>> 0;
  return h;
}

for (let round = 0; round < 3; round++) {
  for (const seed of [0, 1, 2166136261, 0xffffffff]) {
    if (fnv(seed, 20_000) !== fnvBig(seed, 20_000)) console.log("fnv", seed, fnv(seed, 20_000));
    if (String(read(seed, 20_000)) !== String(readBig(seed, 20_000))) console.log("read", seed, read(seed, 20_000));
  }
  for (const seed of [0.5, -1, -0, NaN, Infinity, 2 ** 53 + 2, -(2 ** 31), 4294967296.75, 3]) {
    if (nested(seed, 20_000) !== nestedBig(seed, 20_000)) console.log("nested", seed, nested(seed, 20_000));
  }
  for (const n of [0, 1, 31, 32, 33, 5000]) if (left(n) !== leftBig(n)) console.log("left", n, left(n));
}
console.log(fnv(2166136261, 100_000), read(5, 1000), nested(-1.5, 100), left(33));
console.log(drawn(100_000).join());
const values = Array.from({ length: 30_000 }, (_, i) => (i * 2654435761) % 4294967296);
console.log(changing(values), changing([...values, "12", 2 ** 40 + 5, -1, null, { valueOf: () => 0xf0f0f0f0 }]));
