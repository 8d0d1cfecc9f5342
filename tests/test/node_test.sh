# Tests of node:test are tests of the file.
. support/lib.sh
file a.test.mjs <<'JS'
import { test, describe, it, before, after, beforeEach } from "node:test";
import assert from "node:assert";
before(() => console.log("before"));
after(() => console.log("after"));
test("plain", () => { assert.ok(true); });
test("subtests", async (t) => {
  console.log(t.name, typeof t.mock, typeof t.assert);
  await t.test("inner", (t) => { console.log("inner ran", t.name); });
});
test("a subtest fails", async (t) => { await t.test("inner", () => { throw new Error("inner error"); }); });
describe("suite", () => {
  beforeEach(() => console.log("beforeEach"));
  it("in it", () => {});
  it.skip("skipped", () => {});
  it("skipped by option", { skip: true }, () => {});
  it("to do by option", { todo: "later" }, () => {});
  it("waits", { timeout: 20 }, async () => { await new Promise((resolve) => setTimeout(resolve, 200)); });
});
test("skips itself", (t) => { t.skip("why"); });
test("is to be done", (t) => { t.todo("why"); });
test("calls back", (t, done) => { setTimeout(done, 1); });
test("plans", (t) => { t.plan(1); t.assert.ok(1); });
test("plans too much", (t) => { t.plan(2); t.assert.ok(1); });
JS
t
