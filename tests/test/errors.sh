# Errors with their place: thrown, rejected, thrown later, from hooks, values that are no errors. Recorded with Bun.
. support/lib.sh
file a.test.ts <<'TS'
import { test, expect, describe } from "bun:test";

function helper(value: number) {
  expect(value).toBe(1);
}

test("in a helper", () => {
  helper(2);
});
test("thrown", () => {
  throw new Error("thrown");
});
test("a class of its own", () => {
  class Own extends Error {}
  throw new Own("own");
});
test("texts", () => { throw "text"; });
test("null", () => { throw null });
test("several lines", () => { throw new Error("first\nsecond"); });
test("rejected text", async () => { throw "abc"; });
test("rejected object", async () => { throw { a: 1 }; });
test("later", async () => {
  setTimeout(() => { throw new Error("in a timer"); }, 1);
  await Bun.sleep(50);
});
test("not caught", () => { Promise.reject(new Error("not caught")); });
test("not", () => { expect(1).not.toBe(1); });
test("by done", (done) => { setTimeout(() => done(new Error("by done")), 1); });
describe("a block", () => {
  test("before", () => {});
  throw new Error("in a block");
});
test("after", () => {});
TS
t
export GITHUB_ACTIONS=true CI=false
t -t "in a helper|thrown"
