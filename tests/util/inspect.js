// util.inspect on one value of each kind. Stacks are cut to the first line.
const { inspect } = require("util");
const cut = (text) => text.replace(/\n\s+at .*/g, "");
const show = (value, options) => console.log(cut(inspect(value, options)));

class Foo { constructor() { this.z = 1; } }
class Bar extends Map {}
class List extends Array {}
class Fail extends TypeError {}
class Tagged { get [Symbol.toStringTag]() { return "tag"; } }
const circular = { name: "c" };
circular.self = circular;
circular.list = [circular, { circular }];

for (const value of [
  0, -0, 1.5, NaN, 10n, true, null, undefined, "text", "it's", "\"it's\"", "a\nb\u0007", "\ud800", Symbol("s"),
  [], [1, , 3], [, ,], Object.assign([1, 2], { extra: 1 }), new Array(200).fill(7), {}, { a: { b: { c: { d: 1 } } } },
  { "quoted-key": 1, [Symbol("k")]: 2, 5: 3 }, { get g() { return 1; }, set g(v) {}, get h() { return 2; } },
  Object.create(null), new Foo(), new Bar([[1, { a: 2 }]]), List.from([1, 2]), new Tagged(), Object.create({}),
  new Map([["k", new Set([1, [2]])]]), new Set(), new Map(), new WeakMap(), new WeakSet(),
  () => {}, function named() {}, async () => {}, function* gen() {}, async function* agen() {}, class {}, Foo, List,
  new Date(0), new Date(NaN), /re(g)?/giu, new String("boxed"), new Number(-0), Object(1n), Object(Symbol("b")), new Boolean(true),
  new Uint8Array([1, 2, 3]), new Float64Array(2), new BigInt64Array(1),
  new Proxy({ target: 1 }, {}), new Proxy(function f() {}, {}),
  Promise.resolve(4), new Promise(() => {}), (function () { return arguments; })(1, "two"), (function* () {})(),
  circular, globalThis.Math, JSON, new (class extends Foo { constructor() { super(); this.y = [1]; } })(),
]) show(value);

console.log("--- errors");
show(new Error("plain"));
show(new Fail("class"));
show(Object.assign(new Error("props"), { code: "E_X", info: { a: 1 } }));
show(new Error("outer", { cause: new TypeError("inner") }));
show({ nested: new RangeError("in object") });
const noStack = new Error("no stack");
noStack.stack = undefined;
show(noStack);
show([noStack]);
const named = new Error("named");
named.name = "Custom";
named.stack = "Custom: named\n    at somewhere";
show(named);

console.log("--- options");
show({ a: 1, b: { c: [1, 2, { d: 3 }] } }, { depth: 0 });
show({ a: 1, b: { c: [1, 2, { d: 3 }] } }, { compact: false, depth: 9 });
show({ a: 1, b: { c: [1, 2, { d: 3 }] } }, { compact: true, breakLength: 20 });
show({ b: 1, a: 2 }, { sorted: true });
show({ get a() { return { x: 1 }; }, get b() { return 2; } }, { getters: true });
show([1, 2], { showHidden: true });
show("x".repeat(30), { maxStringLength: 5 });
show([1, 2, 3, 4], { maxArrayLength: 2 });
show([123456789.12345, 123456789n], { numericSeparator: true });
show({ s: "str", n: 1, b: true, u: undefined, z: null, y: Symbol("q"), d: new Date(0), f() {} }, { colors: true });
show(new Proxy({ a: 1 }, { get() {} }), { showProxy: true });
show({ [inspect.custom](depth, options) { return `custom ${depth} ${options.depth}`; } });
show({ [inspect.custom]() { return { instead: 1 }; } });
show(Array.from({ length: 30 }, (_, i) => "item " + i));
show(Array.from({ length: 120 }, (_, i) => i * 37));
show({ text: "line one of a text\nline two of a text that is long enough\nline three of a text that is long enough" });
