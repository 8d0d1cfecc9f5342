# only, each, retry, repeats, concurrent, options, and what is refused. Recorded with Bun.
. support/lib.sh
file only.test.ts <<'TS'
import { test, describe } from "bun:test";
test.only("only", () => {});
test("other", () => {});
describe("group", () => {
  test.only("only in a group", () => {});
  test("other", () => {});
});
describe.only("whole group", () => {
  test("a", () => {});
  test("b", () => {});
});
TS
file nested_only.test.ts <<'TS'
import { test, describe } from "bun:test";
describe.only("a", () => { describe("b", () => { test("in b", () => {}); }); test("in a", () => {}); });
test("out", () => {});
describe("c", () => { test("in c", () => {}); test.only("only in c", () => {}); });
describe.only("d", () => { test("in d", () => {}); test.only("only in d", () => {}); });
TS
file plain.test.ts <<'TS'
test("plain", () => {});
TS
file more.test.ts <<'TS'
import { test, describe, expect } from "bun:test";
test.each([[1, 2], [3, 4]])("add %d %i", (a, b) => { expect(a + b).toBeGreaterThan(2); });
test.each([{ a: 1, b: { c: "x" } }])("object $a $b.c", ({ a }) => { expect(a).toBe(1); });
test.each(["x", "y"])("text %s", (value, done) => { setTimeout(done, 1); });
describe.each(["p", "q"])("block %s", (value) => { test("in it", () => { expect(value).toBeString(); }); });
test.skip.each([1, 2])("skipped %d", () => {});
let tries = 0;
test("is tried again", () => { if (++tries < 3) throw new Error("try " + tries); }, { retry: 5 });
let rounds = 0;
test("is repeated", () => { rounds++; }, { repeats: 2 });
test("rounds", () => { expect(rounds).toBe(3); });
test("options first", { timeout: 15 }, async () => { await Bun.sleep(1000); });
test.concurrent("slow", async () => { console.log("slow starts"); await Bun.sleep(30); console.log("slow ends"); });
test.concurrent("fast", async () => { console.log("fast starts"); await Bun.sleep(1); console.log("fast ends"); });
test("after both", () => { console.log("after both"); });
describe.concurrent("block at once", () => {
  test("a", async () => { console.log("a starts"); await Bun.sleep(20); });
  test("b", async () => { console.log("b starts"); });
  test.serial("c", () => { console.log("c is alone"); });
});
class Named {}
test(Named, () => {});
describe(42, () => { test(function ofFunction() {}, () => {}); });
TS
file refused.test.ts <<'TS'
import { test, describe, expect, beforeAll } from "bun:test";
test("in a test", () => {
  expect(() => test("x", () => {})).toThrow("Cannot call test() inside a test. Call it inside describe() instead.");
  expect(() => describe("x", () => {})).toThrow("Cannot call describe() inside a test. Call it inside describe() instead.");
  expect(() => beforeAll(() => {})).toThrow("Cannot call beforeAll() inside a test. Call it inside describe() instead.");
});
const errors: string[] = [];
for (const call of [
  () => test("x"), () => test("x", 5 as any), () => describe("x"), () => beforeAll(5 as any), () => test.each(5 as any),
  () => test({} as any, () => {}), () => test("x", () => {}, { timeout: "x" } as any), () => test.skip.todo, () => (test as any).if(),
]) {
  try {
    call();
    errors.push("nothing");
  } catch (error: any) {
    errors.push(error.message);
  }
}
console.log(errors.join("\n"));
TS
t ./only.test.ts
t --only ./only.test.ts ./plain.test.ts
t --only ./nested_only.test.ts
t ./nested_only.test.ts
t ./more.test.ts
t ./refused.test.ts
export CI=1
t ./only.test.ts
