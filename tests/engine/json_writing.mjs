// expected: recorded from node 25.9.0
// JSON.stringify of plain data has a writer of its own; everything else is the engine's turn, also in the middle of plain data.
let random = 12345;
const next = (n) => {
  random = (Math.imul(random, 1103515245) + 12345) >>> 0;
  return (random >>> 8) % n;
};
const texts = ["", "a", "word", "two words", 'say "no"', "back\\slash", "line\nbreak", "\t", "\0\x01\x1f\x7f", "sixteen letters!", "seventeen letters", "é\xff",
  "a long text that has a quote at its end: \"", "1234567890123456\b", "x".repeat(100), `${"y".repeat(31)}\r`, "\f".repeat(20)];
const numbers = [0, -0, 1, -1, 9, 10, 99, 100, 12345678, 123456789, 2147483647, -2147483648, 4294967296, 1.5, -0.1, 1e21, 1e-7, 5e-324, 1.7976931348623157e308, NaN, Infinity, -Infinity, 0.1 + 0.2];
const leaf = () => [() => texts[next(texts.length)], () => numbers[next(numbers.length)], () => next(1000), () => true, () => false, () => null, () => undefined,
  () => `${texts[next(texts.length)]}${"joined".repeat(next(9))}`, () => Symbol("s")][next(9)]();
function data(depth) {
  if (depth === 0 || next(3) === 0) return leaf();
  if (next(2)) return Array.from({ length: next(6) }, () => data(depth - 1));
  const object = next(9) ? {} : Object.create(null);
  for (let i = next(7); i > 0; i--) object[["id", "name", "tags", "value", `key${next(40)}`, "a longer key than others", "", "a b"][next(8)]] = data(depth - 1);
  return object;
}
let hash = 0;
const add = (text) => {
  for (let i = 0; i < text.length; i++) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) | 0;
};
let characters = 0;
for (let i = 0; i < 3000; i++) {
  const value = data(5);
  const text = JSON.stringify(value);
  if (text === undefined) continue;
  add(text);
  characters += text.length;
  if (i % 10 === 0 && JSON.stringify(JSON.parse(text)) !== text) console.log("not the same again", text);
}
console.log(characters, hash);

const plain = () => ({ id: 1, name: "item", tags: ["a", "b"], ok: true });
const odd = {
  "two-byte text": () => "Ā",
  "lone surrogates": () => "\ud800 \udfff \u{1f600}",
  "a joined two-byte text": () => `${"x".repeat(30)}Ā`,
  toJSON: () => ({ a: 1, toJSON: () => "own" }),
  "toJSON that is no function": () => ({ a: 1, toJSON: 5 }),
  "hidden toJSON": () => Object.defineProperty({ a: 1 }, "toJSON", { value: (key) => `hidden ${key}` }),
  "toJSON of an array": () => Object.assign([1], { toJSON: () => "array" }),
  "a name of an array": () => Object.assign([1, 2], { name: 3 }),
  getter: () => ({ get a() { return 1; } }),
  hidden: () => Object.defineProperty({ b: 2 }, "a", { value: 1 }),
  symbols: () => ({ [Symbol.iterator]: 1, a: 2 }),
  "hidden symbols": () => Object.defineProperty({ a: 2 }, Symbol.toStringTag, { value: 1 }),
  indexes: () => ({ b: 1, 2: "two", 1: "one" }),
  "large indexes": () => ({ b: 1, 4294967294: "index", 4294967295: "name" }),
  "odd keys": () => ({ 'a"b': 1, "c\\d": 2, "e\nf": 3, "Ā": 4, é: 5 }),
  holes: () => [1, , 3],
  "a long array": () => Object.assign([], { length: 3 }),
  sparse: () => Object.assign([1], { 9: 2 }),
  date: () => new Date(0),
  map: () => new Map([[1, 2]]),
  boxed: () => [Object("s"), Object(1), Object(false)],
  "class": () => new (class Thing { a = 1; #b = 2; toJSON() { return { thing: this.a }; } })(),
  "class without toJSON": () => new (class Thing { a = 1; #b = 2; })(),
  "subclass of Array": () => new (class List extends Array {})(1, 2, 3),
  "other prototype": () => Object.create({ toJSON: () => "inherited" }, { a: { value: 1, enumerable: true } }),
  functions: () => ({ a() {}, b: [() => {}], c: class {} }),
  proxy: () => new Proxy({ a: [1] }, {}),
  bytes: () => new Uint8Array(3),
  frozen: () => Object.freeze({ a: Object.freeze([1]) }),
  raw: () => ({ a: JSON.rawJSON("1.50") }),
  regexp: () => /a/,
  error: () => new Error("wrong"),
  arguments: () => (function () { return arguments; })(1, 2),
  "removed keys": () => {
    const object = { a: 1, b: 2, c: 3 };
    delete object.a;
    object.a = 4;
    return object;
  },
  "many keys": () => Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`k${i}`, i])),
  deep: () => {
    let object = plain();
    for (let i = 0; i < 60; i++) object = i % 2 ? [object] : { object };
    return object;
  },
  bigint: () => 1n,
  circle: () => {
    const object = { a: [] };
    object.a.push(object);
    return object;
  },
};
for (const [name, make] of Object.entries(odd)) {
  const results = new Set();
  // Alone, in plain data, and often enough for both ways to have their turn.
  for (let i = 0; i < 40; i++) {
    for (const value of [make(), { before: plain(), value: make(), after: plain() }, [plain(), make()]]) {
      try {
        results.add(JSON.stringify(value));
      } catch (error) {
        results.add(error.message.split("\n")[0]);
      }
      JSON.stringify(plain());
    }
  }
  console.log(name, results.size, [...results].map((text) => (text.length > 200 ? `${text.length} ${text.slice(0, 60)}` : text)).join(" "));
}
// More shapes than are remembered, one inside the other.
const many = Array.from({ length: 400 }, (_, i) => ({ [`a${i}`]: { [`b${i}`]: [{ [`c${i}`]: i }], same: i }, [`z${i}`]: 1 }));
for (let i = 0; i < 3; i++) add(JSON.stringify(many));
const inside = (n) => (n === 0 ? 0 : { [`first${n}${"long".repeat(30)}`]: inside(n - 1), [`second${n}${"long".repeat(30)}`]: n });
for (let i = 0; i < 30; i++) add(JSON.stringify([inside(20), inside(20)]));
console.log(hash);
// What prototypes say counts from when they say it.
const value = [plain(), [1]];
const said = [JSON.stringify(value)];
Object.prototype.toJSON = function () {
  return Array.isArray(this) ? "an array" : "an object";
};
said.push(JSON.stringify(value), JSON.stringify(plain()), JSON.stringify("text"));
delete Object.prototype.toJSON;
Array.prototype.toJSON = () => "a list";
said.push(JSON.stringify(plain()));
delete Array.prototype.toJSON;
Object.setPrototypeOf(Array.prototype, { toJSON: () => "from afar" });
said.push(JSON.stringify(plain()));
Object.setPrototypeOf(Array.prototype, Object.prototype);
said.push(JSON.stringify(value), JSON.stringify(value, null, 1).length, JSON.stringify(value, ["id"]), JSON.stringify(value, (key, inner) => (key === "id" ? 2 : inner)));
console.log(said.join("\n"));
