// Values of many kinds as snapshots.
import { expect, test } from "bun:test";
class F { constructor() { this.m = new Map([[1, 2]]); } }
test("a", () => { expect({ a: { m: new Map([[1, { q: 1 }]]), s: new Set([1]), t: "a\nb", u: 1 } }).toMatchSnapshot(); });
test("b", () => { expect([new Map([[1, new Map([[2, new Set([3])]])]]), new Set([new Set([1])]), "x\ny", new F, [new F]]).toMatchSnapshot(); });
test("c", () => { expect(new Map([["a\nb", "c\nd"], [new F, "z"], [new Map([[1, 2]]), 1]])).toMatchSnapshot(); });
test("d", () => { expect({ a: new Error("x\ny"), b: new Date(0), c: [new Error("q")], d: { e: new Set, f: new Map, g: new WeakSet } , h: new Set(["a\nb"])}).toMatchSnapshot(); });
test("hint", () => { expect(1).toMatchSnapshot("my hint"); expect(2).toMatchSnapshot("my hint"); expect(3).toMatchSnapshot(); expect({ a: 1, b: "q" }).toMatchSnapshot({ a: expect.any(Number) }); expect({ a: 1, b: "q" }).toMatchSnapshot({ a: expect.any(Number) }, "h2"); expect(() => { throw new Error("tt"); }).toThrowErrorMatchingSnapshot(); expect(() => { throw new Error("tt"); }).toThrowErrorMatchingSnapshot("hh"); });
test("multi\nline `name` ${x} \\ é", () => { expect(1).toMatchSnapshot(); expect("").toMatchSnapshot(); expect("é\r\nx\ty").toMatchSnapshot(); });
test("fns", () => { const o = { m() {}, async n() {}, *g() {}, arrow: () => 1, async aa() {}, get x() { return 1; }, ["comp" + 1]() {}, f: function () {}, h: function named() {}, cls: class {}, cls2: class extends F {}, s: Symbol.iterator, b: (function bb() {}).bind(null), asy: async () => {}, "q-r"() {}, [Symbol("z")]: 1, [Symbol.iterator]() {} }; expect(o).toMatchSnapshot(); });
test("objs", () => { expect({ "a b": 1, 'q"r': 2, "back`tick": "`", "dollar${": "${x}", bs: "\\", n: -0, bd: 1.5, und: undefined, r: /a\/b`/, f64: new Float32Array([1.5, 2]), em: new Uint8Array(0), objnull: null, nested: { deep: [[[]]] } }).toMatchSnapshot(); });
