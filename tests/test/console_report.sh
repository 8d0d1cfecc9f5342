# What is printed for each kind of test, and the summary. Recorded with Bun.
. support/lib.sh
file a.test.ts <<'TS'
import { test, expect, describe, it } from "bun:test";
describe("group", () => {
  it("passes", () => expect(1).toBe(1));
  describe("inner", () => {
    it("passes too", async () => {
      await null;
      expect([1]).toEqual([1]);
    });
  });
});
test.skip("is skipped", () => {});
test.todo("is to be written");
test.todo("has a function", () => { throw 1; });
test.failing("is known to fail", () => { throw new Error("x"); });
test.failing("passes, but is said to fail", () => {});
test.if(false)("if", () => {});
test.skipIf(true)("skipIf", () => {});
test.todoIf(true)("todoIf", () => {});
test.skipIf(false)("runs", () => {});
describe.skip("skipped group", () => { test("in it", () => {}); });
describe.todo("group to do", () => { test("in it", () => {}); });
test("waits too long", async () => { await Bun.sleep(2000); }, 20);
test("never calls done", (done) => {}, 20);
test("calls done", (done) => { setTimeout(done, 1); });
test("prints", () => { console.log("to stdout"); console.error("to stderr"); });
test(() => {});
test("asserts too little", () => { expect.assertions(2); expect(1).toBe(1); });
test("asserts nothing", () => { expect.hasAssertions(); });
TS
file b.test.js <<'JS'
describe("globals", () => {
  test("are there", () => { expect(typeof it + typeof jest + typeof vi + typeof beforeEach).toBe("functionobjectobjectfunction"); });
});
console.log("NODE_ENV", process.env.NODE_ENV, new Date(0).getTimezoneOffset(), process.argv.length);
JS
echo 'console.log("no tests");' >c.test.js
t
t --todo a
t --dots
t --only-failures
t -t "inner|prints"
t -t "nothing like it"
