// JSON.stringify: plain data, and everything that makes a difference to it. Recorded from Node 25.8.1. At the end, generated
// values are written with and without a replacer that changes nothing, which are two ways through the engine.
const show = (make, ...rest) => {
  try {
    console.log(JSON.stringify(make(), ...rest));
  } catch (error) {
    console.log(error.constructor.name);
  }
};
class Point { constructor(x) { this.x = x; } get double() { return this.x * 2; } }
class Named extends Point { toJSON(key) { return `named ${key}`; } }
const cycle = { a: 1 };
cycle.self = cycle;
const withHole = [1, , 3];
const removed = { a: 1, b: 2, c: 3 };
delete removed.b;
const hidden = Object.defineProperty({ a: 1 }, "b", { value: 2, enumerable: false });
const long = "text that is long enough for several blocks of it: ".repeat(4);
const values = [
  () => ({}), () => [], () => ({ a: 1, b: "x", c: true, d: null, e: undefined, f: [undefined, null, {}, []] }),
  () => ({ 2: "b", 1: "a", x: { 10: 1 } }), () => new Point(3), () => new Named(1), () => ({ a: new Named(1), b: [new Named(2)] }),
  () => cycle, () => withHole, () => removed, () => hidden, () => ({ get a() { return 5; } }), () => Object.create({ inherited: 1 }),
  () => Object.assign(Object.create(null), { a: 1 }), () => ({ toJSON: 1, a: 2 }), () => ({ toJSON() { return { b: 3 }; } }),
  () => [0, -0, 1.5, 1e21, 1e-7, 123456789012345680000, NaN, Infinity, -1, 4294967296, -2147483648, 0.1 + 0.2],
  () => ({ a: 1n }), () => [Symbol("s"), () => {}], () => ({ a: Symbol("s"), b() {}, c: 1, [Symbol("k")]: 2 }),
  () => [new Date(0), /x/, new Map([[1, 2]]), new Set([1]), new Error("e"), Object(1), Object("s"), Object(false)],
  () => ["quote \" slash \\ / line \n tab \t bell \x07 \b \f \r \x7f \x80 é ÿ", "日本語 \u2028 😀", "\ud800 lone \udc00", "\udc00\ud800"],
  () => ({ "key \n\"": 1, "ключ": 2, "é": "日" }), () => [long, long + "\n" + long, "x".repeat(15) + "\"", "日".repeat(20) + "\\"],
  () => new Proxy({ a: 1 }, {}), () => [new Proxy([1, 2], {})], () => Object.assign([1, 2], { extra: 3 }), () => new Uint8Array(3),
  () => (function () { return arguments; })(1, 2), () => Object.freeze({ a: Object.freeze([1]) }), () => "text", () => 5, () => undefined,
];
for (const make of values) show(make);
for (const space of [0, 1, 3, 10, 12, -1, 2.7, "", "\t", "ab", "longer than ten", "日", null, true, Object(2), NaN]) {
  show(() => ({ a: [1, { b: [], c: {} }], d: "x" }), null, space);
}
for (const replacer of [["a"], ["b", 1], (key, value) => (key === "a" ? undefined : value), 5, "x", {}]) {
  show(() => ({ a: 1, b: { a: 2, 1: 3 } }), replacer);
}
console.log(JSON.stringify(), JSON.stringify.length, JSON.stringify.name, String(JSON.stringify).replace(/\s+/g, " "));
console.log(JSON.stringify(Object.getOwnPropertyDescriptor(JSON, "stringify")), Reflect.ownKeys(JSON).length > 2);
Object.prototype.toJSON = function () { return "all"; };
show(() => ({ a: 1 }));
show(() => [1, { a: 1 }]);
delete Object.prototype.toJSON;
Array.prototype.toJSON = function () { return this.length; };
show(() => ({ a: [1, 2] }));
delete Array.prototype.toJSON;
let deep = [];
for (let i = 0; i < 500; i++) deep = i % 2 ? [deep] : { deep };
console.log(JSON.stringify(deep).length);
let seed = 5;
const random = (below) => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return Math.floor(seed / 4294967296 * below);
};
const text = () => {
  const parts = ["a", "word ", "\"", "\\", "\n", "é", "日本", "😀", "\ud800", "\x01", "x".repeat(random(40))];
  let all = "";
  for (let i = random(6); i > 0; i--) all += parts[random(parts.length)];
  return all;
};
const value = (depth) => {
  switch (random(depth > 0 ? 10 : 6)) {
    case 0: return random(1000) - 500;
    case 1: return random(1e9) / 7;
    case 2: return [true, false, null, undefined][random(4)];
    case 6: case 7: return Array.from({ length: random(5) }, () => value(depth - 1));
    case 8: case 9: {
      const object = {};
      for (let i = random(14); i > 0; i--) object[random(12) ? text() : random(20)] = value(depth - 1);
      return object;
    }
    default: return text();
  }
};
let same = 0;
let length = 0;
for (let i = 0; i < 1500; i++) {
  const made = [value(4)];
  const space = [undefined, 2, "\t"][i % 3];
  const written = JSON.stringify(made, null, space);
  if (written === JSON.stringify(made, (key, inner) => inner, space)) same++;
  length += written.length;
}
console.log(same, length);
