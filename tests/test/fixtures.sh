# vitest: fixtures of test.extend, what else its tests are written with.
. support/lib.sh
file fixtures.test.ts <<'TS'
import { test as base, expect, describe, beforeEach, vi, onTestFailed, onTestFinished } from "vitest";
const log: string[] = [];
const test = base.extend<{ a: number; b: string; auto: void; file: number[] }>({
  a: async ({}, use) => { log.push("a up"); await use(1); log.push("a down"); },
  b: async ({ a, task }, use) => { log.push("b up " + task.name); await use("b" + a); log.push("b down"); },
  auto: [async ({}, use) => { log.push("auto up"); await use(); log.push("auto down"); }, { auto: true }],
  file: [async ({}, use) => { log.push("file up"); await use([]); log.push("file down"); }, { scope: "file" }],
});
beforeEach<{a: number}>(({ a }) => { log.push("hook " + a) });
test("one", ({ b, file }) => { log.push("test " + b); file.push(1); expect(b).toBe("b1"); });
test("two", ({ file }) => { expect(file).toEqual([1]); log.push("two"); });
describe("over", () => {
  test.override({ a: 7 });
  test("three", ({ a, b }) => { expect([a, b]).toEqual([7, "b7"]) });
});
const t2 = test.extend("x", async ({ a }, { onCleanup }) => { onCleanup(() => log.push("x down")); return a + 1 }).extend({ a: async ({ a }, use) => { await use(a * 10) } });
t2("four", ({ x, a }) => { expect([x, a]).toEqual([11, 10]); });
t2.for([[1, 2]])("for %s %s", ([p, q], { x }) => { expect(p + q + x).toBe(14) });
base.each([{ n: "s", o: { a: 1 } }])("each $n $o", ({ n }) => { expect(n).toBe("s") });
base("log", () => { console.log(log.join("\n")) });
base("asym", () => {
  expect({ v: 2, w: 5 }).toEqual({ v: expect.toBeOneOf([1, 2]), w: expect.toSatisfy((x: number) => x > 4) });
  expect({ v: 3 }).toEqual({ v: expect.not.toBeOneOf([1, 2]) });
  expect([1, 2]).toEqual(expect.arrayOf(expect.any(Number)));
});
TS
file words.test.ts <<'TS'
import { expect, test, describe, vi, beforeAll, onTestFailed, onTestFinished, expectTypeOf, assertType } from "vitest";
const log: string[] = [];
test("stubs", () => {
  vi.stubEnv("K_X", "1"); expect(process.env.K_X).toBe("1"); vi.stubEnv("K_B", true as any); expect(process.env.K_B).toBe("true"); vi.unstubAllEnvs(); expect(process.env.K_X).toBeUndefined();
  vi.stubGlobal("kGlobal", 5); expect((globalThis as any).kGlobal).toBe(5); vi.unstubAllGlobals(); expect("kGlobal" in globalThis).toBe(false);
});
test("wait", async () => {
  let n = 0; expect(await vi.waitFor(() => { if (++n < 3) throw new Error("no"); return n }, { interval: 5 })).toBe(3);
  n = 0; expect(await vi.waitUntil(() => ++n > 2 && n, { interval: 5 })).toBe(3);
  await expect(vi.waitUntil(() => false, { timeout: 20, interval: 5 })).rejects.toThrow("Timed out in waitUntil!");
});
test("finish", () => { onTestFinished(() => { log.push("finished") }); onTestFailed(() => { log.push("failed") }); });
test.fails("fails", () => { expect(1).toBe(2) });
test("log", () => { expect(log).toEqual(["finished"]) });
test("types", () => { expectTypeOf(1).toBeNumber(); expectTypeOf<{ a: 1 }>().toHaveProperty("a").toEqualTypeOf<1>(); assertType<string>("x"); });
describe.sequential("seq", () => { test("a", async () => {}); test.concurrent("b", async ({ expect }) => { expect(1).toBe(1) }) });
test("poll", async () => { let n = 0; await expect.poll(() => ++n, { interval: 5 }).toBe(3); });
test("options first", { timeout: 100, retry: 1 }, () => {});
test("hoisted", () => { const { a } = vi.hoisted(() => ({ a: 1 })); expect(a).toBe(1) });
test("mocked", async () => { const m = await vi.importActual<typeof import("node:path")>("node:path"); expect(m.join("a", "b")).toBe("a/b"); const mm = await vi.importMock<any>("node:path"); expect(vi.isMockFunction(mm.join)).toBe(true); expect(mm.join("a")).toBeUndefined() });
test("ctx", async ({ task, skip, annotate, signal, onTestFinished }) => { expect(task.name).toBe("ctx"); expect(typeof skip).toBe("function"); });
test("skipped by ctx", ({ skip }) => { skip("because"); });
describe.shuffle("shuffled", () => { test("same name", () => {}); test("same name", () => {}) });
TS
t
file faults.test.ts <<'TS'
import { test as base, expect } from "vitest";
const test = base.extend<any>({
  a: async ({ b }, use) => { await use(b); },
  b: async ({ a }, use) => { await use(a); },
  never: async ({}, use) => {},
  throws: async ({}, use) => { throw new Error("set up"); },
  late: async ({}, use) => { await use(1); throw new Error("taken down"); },
});
test("circle", ({ a }) => {});
test("never", ({ never }) => {});
test("throws", ({ throws }) => { console.log("not reached"); });
test("late", ({ late }) => { expect(late).toBe(1); });
test("none of them", () => {});
expect(() => base.extend<any>({ x: async (all: any, use: any) => {} })).toThrow("object destructuring pattern");
TS
t
