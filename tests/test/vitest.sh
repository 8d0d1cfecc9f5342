# What vitest's tests and hooks are called with, and its own words.
. support/lib.sh
file a.test.ts <<'TS'
import { test, expect, describe, beforeEach, afterEach, beforeAll, vi, vitest } from "vitest";
beforeAll(() => { console.log("beforeAll"); return () => console.log("after all, from beforeAll"); });
beforeEach((context) => {
  console.log("beforeEach", context.task.name, context.task.suite?.name, context.task.file.name);
  return () => console.log("from beforeEach");
});
afterEach(({ task }) => { console.log("afterEach", task.name, task.result?.state); });
test("one", ({ expect, task }) => { expect(task.name).toBe("one"); expect(vi).toBe(vitest); });
test("skips itself", (context) => { context.skip(); });
describe("group", () => {
  test("two", async ({ task, onTestFinished }) => { onTestFinished(() => console.log("finished")); expect(task.suite.name).toBe("group"); });
  test.for([[1, 2], [3, 4]])("for %d %d", ([a, b], { task }) => { expect(b).toBe(a + 1); console.log(task.name); });
  test.fails("fails", () => { expect(1).toBe(2); });
  test("fails in earnest", ({ onTestFailed }) => { onTestFailed(() => console.log("failed!")); expect(1).toBe(2); });
});
TS
file globals.test.ts <<'TS'
beforeEach(({ task }) => { console.log("global", task.name); });
test("takes its argument apart", async ({ task: { name } }) => { expect(name).toBe("takes its argument apart"); });
test("calls back", (done) => { setTimeout(done, 1); });
TS
t
