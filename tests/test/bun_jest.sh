# Bun.jest(path), the prototypes of expect and expectTypeOf, and what Bun's own tests say of matchers, mocks and faked timers.
# Recorded with BAO=bun (1.4.5).
. support/lib.sh
file jest.test.ts <<'TS'
const { test, expect, describe, mock, jest, vi, spyOn, expectTypeOf } = Bun.jest(import.meta.path);
const message = (call: () => unknown) => {
  try { call(); return "nothing thrown"; } catch (error: any) { return `${error.name} ${error.code}: ${error.message.replaceAll("\n", "|")}`; }
};
test("Bun.jest", () => {
  console.log(message(() => (Bun as any).jest()), message(() => Bun.jest("relative.ts")));
  expect(Bun.jest("/elsewhere").expect).toBe(expect);
});
test("prototypes", () => {
  expect(expect(1) instanceof expect).toBe(true);
  expect(Object.getPrototypeOf(expectTypeOf(1))).toBe(expectTypeOf.prototype);
  expect(typeof expect.prototype.toHaveBeenNthCalledWith).toBe("function");
  console.log(String(expect(1)), String(expectTypeOf(1)), expect.prototype.constructor === expect);
  console.log(message(() => expect.prototype.toEqual.call({}, 1)), message(() => expect.prototype.not));
  console.log(message(() => new (expect as any)(1)), message(() => expectTypeOf.prototype.toBeString.call(3)));
  expect(expectTypeOf(1).not.returns.resolves.toBeAny()).toBeUndefined();
});
test("mocks", () => {
  expect(jest.fn).toBe(mock);
  expect(vi.fn).toBe(mock);
  console.log(...[jest.fn().name, jest.fn(() => 1).name, jest.fn(5).getMockName(), jest.fn().mockName("x").mockName("").name]);
  console.log(message(() => jest.fn().mockName.call(undefined)), message(() => jest.fn().mockReturnThis.call({})));
  console.log(message(() => expect(jest.fn()).toHaveBeenCalled(5)), message(() => expect(jest.fn()).not.toHaveReturned(5)));
});
test("equality", () => {
  const s = Symbol("s");
  expect(Object.assign([1], { [s]: 1 })).not.toEqual([1]);
  expect([1]).not.toStrictEqual(Object.assign([1], { [s]: 1 }));
  expect(Object.assign([1], { [s]: 1 })).toEqual(Object.assign([1], { [s]: 1 }));
  expect(Object.assign([1], { x: 1 })).toEqual([1]);
  expect(Object.assign([1], { x: 1 })).not.toMatchObject([1]);
  class Text extends String {}
  expect(new Text("a")).not.toEqual(new String("a"));
  expect(new Text("a")).toEqual(new Text("a"));
  expect(expect.arrayContaining([])).not.toEqual(42);
  expect("hello").not.toContainEqual("hello");
  expect("hello").toContainEqual("h");
  expect(new Map([[[1], { a: 1 }], [[2], { a: 2 }]])).toEqual(new Map([[[2], { a: 2 }], [[1], { a: 1 }]]));
});
test("properties and lengths", () => {
  expect({ "": 1 }).toHaveProperty("[.", 1);
  expect([1]).toHaveProperty("[][[[]][[][][.0", 1);
  expect([1]).not.toHaveProperty("0.", 1);
  expect({ "a.b": 3, a: { b: 5 } }).toHaveProperty("a.b", 5);
  expect({ a: 1 }).not.toHaveProperty("[]");
  expect(new Headers({ a: "1" })).toHaveLength(1);
  expect(new URLSearchParams("a=1&b=2")).toHaveLength(2);
  expect(new Blob(["abc"])).toHaveLength(3);
  expect(() => expect(Bun.file("/nowhere/at/all")).toHaveLength(0)).toThrow();
  expect(5).toContainKeys([]);
  expect(new Map()).not.toBeEmptyObject();
  expect(new Date()).not.toBeEmptyObject();
});
test("errors", async () => {
  await expect(Promise.resolve(new Error("given"))).resolves.toThrow("given");
  expect(() => { throw Promise.reject(new Error("looked at")); }).toThrow();
  expect(() => { throw 0; }).toThrowErrorMatchingInlineSnapshot("undefined");
  expect.extend({
    later: async (value: unknown) => ({ pass: value === 1 }),
    odd: () => ({ pass: false, message: () => ({ toString: () => "own text" }) }) as any,
  });
  expect(1).toEqual((expect as any).later());
  expect(2).not.toEqual((expect as any).later());
  console.log(message(() => (expect(1) as any).odd()));
});
test("faked timers", async () => {
  jest.useFakeTimers({ now: 1.2 });
  const calls: unknown[] = [];
  const timer = setTimeout((value: unknown) => calls.push(value), 1000, "again");
  jest.advanceTimersByTime(1000);
  timer.refresh();
  jest.advanceTimersByTime(1000.25);
  console.log(...calls, Date.now(), performance.now(), ...process.hrtime(), process.hrtime.bigint());
  clearTimeout(timer.refresh());
  timer.refresh();
  jest.advanceTimersByTime(5000);
  expect(calls).toHaveLength(2);
  jest.useRealTimers();
});
TS
t
file outside.ts <<'TS'
const { test, expect } = Bun.jest();
expect(1).toBe(1);
try { test("x", () => {}); } catch (error) { console.log(error.message); }
try { new (expect.any as any)(); } catch (error) { console.log(error instanceof TypeError); }
TS
"$BAO" outside.ts
