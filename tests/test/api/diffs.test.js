// Differences of values and texts, short and long.
import { expect, test, mock } from "bun:test";
const J = (name, f) => { try { f(); console.log(`## ${name}\nPASS`); } catch (e) { console.log(`## ${name}\n${e.message}`); } };
test("t", () => {
  const big = (n, f) => Object.fromEntries(Array.from({ length: n }, (_, i) => ["key" + i, f(i)]));
  J("big200", () => expect(big(200, (i) => i)).toEqual(big(200, (i) => i === 100 ? -1 : i)));
  J("big30", () => expect(big(30, (i) => i)).toEqual(big(30, (i) => i === 10 ? -1 : i)));
  J("big2", () => expect(big(300, (i) => i)).toEqual(big(300, (i) => i % 100 === 5 ? -1 : i)));
  J("arr", () => expect(Array.from({ length: 500 }, (_, i) => i)).toEqual(Array.from({ length: 499 }, (_, i) => i)));
  
  J("longstr2", () => expect("x".repeat(5000)).toBe("y"));
  J("longml", () => expect(Array.from({ length: 300 }, (_, i) => "line " + i).join("\n")).toBe(Array.from({ length: 300 }, (_, i) => i === 150 ? "other" : "line " + i).join("\n")));
  J("typediff", () => expect({ a: 1 }).toEqual([1])); J("typediff2", () => expect({ a: 1 }).toEqual(1)); J("typediff3", () => expect("a").toEqual({})); J("nullund", () => expect(null).toEqual(undefined));
  class A { constructor() { this.x = 1; } } class B { constructor() { this.x = 1; } }
  J("cls", () => expect(new A).toStrictEqual(new B)); J("cls2", () => expect(new A).toStrictEqual({ x: 1 })); 
  J("undef", () => expect({ a: undefined, b: 1 }).toEqual({ b: 2 }));
  J("order", () => expect({ b: 1, a: 2 }).toEqual({ a: 2, b: 3 }));
  J("map", () => expect(new Map([["a", 1]])).toEqual(new Map([["a", 2]]))); J("set", () => expect(new Set([1, 2])).toEqual(new Set([1, 3]))); J("err", () => expect(new Error("a")).toEqual(new Error("b"))); J("date", () => expect(new Date(0)).toEqual(new Date(1))); J("re", () => expect(/a/).toEqual(/b/)); J("fn", () => expect(() => {}).toEqual(() => {}));J("sym", () => expect(Symbol("a")).toEqual(Symbol("a")));
  J("asym", () => expect({ a: 1, b: "x" }).toEqual({ a: expect.any(String), b: expect.any(String) })); 
  J("toBe same ser", () => expect([1]).toBe([1])); J("toBe diff obj", () => expect({ a: 1 }).toBe({ a: 2 })); J("toBe obj/null", () => expect({ a: 1 }).toBe(null));
  J("negz", () => expect(0).toBe(-0)); J("nan", () => expect(NaN).not.toBe(NaN)); J("toEqual0", () => expect(0).toEqual(-0));
  J("nested", () => expect({ a: { b: { c: [1, 2, { d: 3 }] } } }).toEqual({ a: { b: { c: [1, 2, { d: 4 }] } } }));
  
  J("words", () => expect("foo bar baz").toBe("foo qux baz")); J("trail", () => expect("abc ").toBe("abc")); J("nl", () => expect("abc\n").toBe("abc")); J("empty", () => expect("").toBe("a")); J("tabs", () => expect("a\tb").toBe("a b")); J("quote", () => expect('a"b\\').toBe('a"c\\')); J("ml quote", () => expect('a"\nb\\').toBe('a"\nc\\'));
  J("num str", () => expect("1").toBe(1)); J("bool", () => expect(true).toBe(false)); J("big", () => expect(1n).toBe(1)); J("mo arr", () => expect({ a: [1, 2, 3] }).toMatchObject({ a: [1, 2] })); J("mo asym", () => expect({ a: 1, b: 2 }).toMatchObject({ a: expect.any(String) }));
  J("inst", () => expect(new A).toBeInstanceOf(B)); J("inst2", () => expect(1).toBeInstanceOf(B)); J("len str", () => expect("abc").toHaveLength(2)); J("has", () => expect({ a: { b: 1 } }).toHaveProperty(["a", "b"], { c: 1 })); J("contain obj", () => expect([{ a: 1 }, { b: 2 }]).toContain({ a: 1 })); J("contain str long", () => expect(["aaaa", "bbb"]).toContain("c"));
  J("u8", () => expect(new Uint8Array([1, 2])).toEqual(new Uint8Array([1, 3]))); J("buf", () => expect(Buffer.from("ab")).toEqual(Buffer.from("ac"))); J("u8/arr", () => expect(new Uint8Array([1, 2])).toEqual([1, 2]));
  J("many", () => expect(Array.from({ length: 50 }, (_, i) => ({ id: i, name: "n" + i }))).toEqual(Array.from({ length: 50 }, (_, i) => ({ id: i, name: i % 20 === 7 ? "zz" : "n" + i }))));
  J("calls", () => { const f = mock(); f({ a: 1 }); f([1, 2]); expect(f).toHaveBeenCalledWith({ a: 2 }); }); J("lastret", () => { const f = mock(() => ({ a: 1 })); f(); expect(f).toHaveLastReturnedWith({ a: 2 }); }); J("ret", () => { const f = mock(() => ({ a: 1 })); f(); expect(f).toHaveReturnedWith({ a: 2 }); }); J("nthret", () => { const f = mock(() => ({ a: 1 })); f(); expect(f).toHaveNthReturnedWith(1, { a: 2 }); });
  J("oneof", () => expect({ a: 1 }).toBeOneOf([{ b: 1 }, 2]));
});
