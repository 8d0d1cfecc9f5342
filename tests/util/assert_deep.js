// Deep equality: loose, strict, partial, in both directions.
const assert = require("assert");
const passes = (fn) => { try { fn(); return "y"; } catch (error) { return error.code === "ERR_ASSERTION" ? "-" : `? ${error}`; } };
const ring = () => { const o = { v: 1 }; o.self = o; return o; };
const key = {};
const pairs = [
  [1, "1"], [0, -0], [NaN, NaN], [null, undefined], [1n, 1], ["", false], [Symbol.iterator, Symbol.iterator],
  [{}, []], [{ a: 1 }, { a: 1, b: 2 }], [{ a: undefined }, {}], [{ a: 1, b: 2 }, { b: 2, a: 1 }], [{ a: { b: [1] } }, { a: { b: ["1"] } }],
  [[1, 2, 3], [1, 2]], [[1, 2, 3], [1, 3]], [[1, , 3], [1, undefined, 3]], [Object.assign([1], { x: 1 }), [1]],
  [new Set([1, { a: 1 }]), new Set([{ a: 1 }, 1])], [new Set([1, 2]), new Set([1])], [new Set(["1"]), new Set([1])],
  [new Map([[key, 1], [{ b: 1 }, 2]]), new Map([[{ b: 1 }, 2], [key, 1]])], [new Map([[1, "a"]]), new Map([["1", "a"]])],
  [new Date(0), new Date(0)], [new Date(NaN), new Date(NaN)], [/a/g, /a/g], [/a/g, /a/i],
  [new Error("a"), new Error("a")], [new Error("a"), new TypeError("a")], [new Error("a", { cause: 1 }), new Error("a")],
  [new Uint8Array([1, 2, 3]), new Uint8Array([1, 2, 3])], [new Uint8Array([1, 2, 3]), new Uint8Array([1, 3])], [new Uint8Array([1]), [1]],
  [new Float32Array([0]), new Float32Array([-0])], [new ArrayBuffer(2), new ArrayBuffer(2)],
  [new String("a"), new String("a")], [Object(1n), Object(2n)], [new Number(1), 1],
  [() => 1, () => 1], [Promise.resolve(1), Promise.resolve(1)], [new WeakSet(), new WeakSet()],
  [ring(), ring()], [{ v: 1, self: ring() }, ring()], [new (class A { x = 1; })(), { x: 1 }], [Object.create(null), {}],
  [(function () { return arguments; })(1), [1]], [{ [Symbol.for("s")]: 1 }, { [Symbol.for("s")]: 2 }],
  [{ get a() { return 1; } }, { a: 1 }], [globalThis, globalThis], [[[[[1]]]], [[[[1]]]]],
];
for (const [i, [a, b]] of pairs.entries()) {
  const row = [assert.deepEqual, assert.deepStrictEqual, assert.partialDeepStrictEqual]
    .map((test) => passes(() => test(a, b)) + passes(() => test(b, a)));
  console.log(String(i).padStart(2), row.join(" "));
}
