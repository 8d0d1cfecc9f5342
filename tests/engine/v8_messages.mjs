// The words of the commonest errors are V8's. Recorded with Node 25.9.
const cases = [
  () => undefined.x,
  () => null.x.y,
  () => { const o = {}; o.a.b; },
  () => { const o = {}; o.a.b(); },
  () => { const o = { a: null }; o.a.b = 1; },
  () => { let u; u[0] = 1; },
  () => { let u; u[Symbol.iterator]; },
  () => { let u; u["with space"]; },
  () => { const { a } = undefined; },
  () => { const { a } = null; },
  () => { const o = {}; o.f(); },
  () => { const x = 1; x(); },
  () => { new (class A { constructor() { this.b(); } })(); },
  () => notThere,
  () => { before; let before = 1; },
  () => { const c = 1; c = 2; },
  () => { class K {} K(); },
  () => { class B extends Object { constructor() { this.x = 1; } } new B(); },
  () => { class B extends Object { constructor() { return 1; } } new B(); },
  () => { class B extends undefined {} },
  () => Object.keys(null),
  () => `${Symbol("s")}`,
  () => +Symbol("s"),
  () => 1n + 1,
  () => 1n / 0n,
  () => BigInt(1.5),
  () => JSON.stringify({ a: 1n }),
  () => { const o = {}; o.o = o; JSON.stringify(o); },
  () => { Object.freeze([1])[0] = 2; },
  () => { Object.freeze({ a: 1 }).a = 2; },
  () => { Object.freeze({}).a = 2; },
  () => { ({ get a() { return 1; } }).a = 2; },
  () => { delete Object.freeze({ a: 1 }).a; },
  () => Object.defineProperty(Object.freeze({ a: 1 }), "a", { value: 2 }),
  () => Map(),
  () => new WeakMap().set(1, 1),
  () => new WeakSet().add("s"),
  () => new Array(-1),
  () => [].reduce((a, b) => a),
  () => decodeURIComponent("%"),
  () => new Date(NaN).toISOString(),
  () => (1).toString(1),
  () => String.fromCodePoint(-1),
  () => { (function f() { f(); })(); },
  () => "a" in "b",
  () => { const g = (function* () { g.next(); })(); g.next(); },
  () => { const a = {}; const b = Object.create(a); Object.setPrototypeOf(a, b); },
];
for (const run of cases) {
  try {
    run();
    console.log("no error", String(run));
  } catch (error) {
    console.log(`${error.constructor.name} ${error.name}: ${error.message.split("\n")[0]}`);
  }
}
const texts = ["", "{", "[", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,", "{\"a\":1,}", "[1", "[1,", "[1,]", "[1 2]", "x", "undefined", "nul", "nulx", "tru ", "{a:1}", "{'a':1}", "\"abc", "\"a\nb\"", "\"\\x\"", "\"\\u12g4\"", "-", "1.", "1e", "1 1", "{\"a\":1}}", "<html>", "[object Object]", "{\"a\" 1}", "\n\n  [1,\n x]", "[1,2,3,4,5,6,7,8,9,10,x,11,12,13,14,15,16]", "[\"\u20ac\", \u20ac]"];
for (const text of texts) {
  try {
    JSON.parse(text);
    console.log("no error", JSON.stringify(text));
  } catch (error) {
    console.log(JSON.stringify(text), error.name, error.message);
  }
}
