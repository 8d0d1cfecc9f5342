# Mocks before the imports of their file: vi.mock, vi.hoisted, jest.mock, automatic mocks; retries of a file; class fields by tsconfig's target.
. support/lib.sh
file x.ts <<'TS'
(globalThis as any).loaded = ((globalThis as any).loaded ?? 0) + 1;
export const a = 1;
export default class K { v = 2; }
export function f(n: number) { return n + 1; }
TS
file y.ts <<'TS'
import K, { a, f } from "./x";
export const twice = a * 2;
export const now = () => [a, typeof K, f?.(1)];
TS
file vitest.test.ts <<'TS'
import { twice, now } from "./y"
import K, { a, f as renamed } from "./x"
import * as all from "./x"
import { vi, test, expect } from "vitest"

const { value, fn } = vi.hoisted(() => {
  return { value: 21, fn: vi.fn() }
})
vi.mock("./x", async () => ({ a: value, default: fn, f: vi.fn(() => late) }))
const late = "late"

test("what modules did when they were loaded", () => {
  expect(twice).toBe(42)
  expect(now()).toEqual([21, "function", "late"])
  expect([a, all.a]).toEqual([21, 21])
  expect((globalThis as any).loaded).toBeUndefined()
  const shorthand = { a, K }
  expect(shorthand).toEqual({ a: 21, K: fn })
  new K()
  expect(fn).toHaveBeenCalledTimes(1)
  expect(renamed(1)).toBe("late")
})
test("the original", async () => {
  expect((await vi.importActual<typeof all>("./x")).f(1)).toBe(2)
})
test("lines stay", () => {
  try { renamed.nothing() } catch (error: any) { expect(/vitest\.test\.ts:(\d+)/.exec(error.stack)![1]).toBe("27") }
})
TS
file original.test.ts <<'TS'
import { vi, test, expect } from "vitest"
import * as all from "./x"
vi.mock(import("./x"), async (original) => ({ ...(await original()), a: 7 }))
test("partly", () => { expect([all.a, all.f(1)]).toEqual([7, 2]) })
TS
file jest.test.ts <<'TS'
import { f, a } from "./x";
const mockLater = jest.fn(() => 5);
jest.mock("./x", () => ({ a: 3, f: () => mockLater() }));
test("names that begin with mock", () => { expect([f(1), a]).toEqual([5, 3]); });
TS
file own.test.ts <<'TS'
import { test, expect, vi } from "bun:test";
import { a } from "./x";
const other = 9;
vi.mock("./x", () => ({ a: other }));
test("those of bun:test stay where they are", () => { expect(a).toBe(9); });
TS
file require.test.cjs <<'JS'
const { f } = require("./common.cjs");
jest.mock("./common.cjs", () => ({ f: () => "mocked" }));
test("CommonJS", () => { expect(f()).toBe("mocked"); });
JS
file common.cjs <<'JS'
exports.f = () => "real";
exports.g = class { m() { return 1; } };
JS
file automock.test.cjs <<'JS'
jest.enableAutomock();
jest.unmock("./real.cjs");
const common = require("./common.cjs");
const real = require("./real.cjs");
test("automatic", () => {
  expect(common.f()).toBeUndefined();
  expect(jest.isMockFunction(common.f)).toBe(true);
  expect(new common.g().m()).toBeUndefined();
  expect(real.r()).toBe("real");
  jest.disableAutomock();
  expect(require("node:path").join("a", "b")).toBe("a/b");
});
JS
file real.cjs <<'JS'
exports.r = () => "real";
JS
t --isolate
file retry.test.ts <<'TS'
jest.retryTimes(2, { waitBeforeRetry: 5 });
let n = 0, m = 0;
test("third time", () => { if (++n < 3) throw new Error(`time ${n}`); });
test("asynchronous", async () => { await 1; if (++m < 2) throw new Error(`time ${m}`); });
TS
t ./retry.test.ts
mkdir -p fields
printf '{ "compilerOptions": { "target": "ES2020" } }' > fields/tsconfig.json
file fields/a.ts <<'TS'
class Base { constructor() { this.set(); } set() { (this as any).late = "set"; } }
class Derived extends Base { late!: string; other = 1; }
console.log(new Derived());
TS
"$BAO" fields/a.ts
printf '{ "compilerOptions": { "target": "ES2022" } }' > fields/tsconfig.json
"$BAO" fields/a.ts
