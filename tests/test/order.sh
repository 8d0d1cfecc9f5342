# The order of hooks and tests in what was found by comparing random files: recorded with Bun, but for the last part.
. support/lib.sh
file a.test.ts <<'TS'
import { test, describe, beforeAll, beforeEach, afterEach, afterAll, onTestFinished } from "bun:test";
const log = (text: string) => console.log(text);
describe("waits for hooks after a failure", () => {
  afterEach(async () => { log("after each"); await Bun.sleep(2); log("after each is over"); });
  test("fails", () => { throw new Error("fails"); });
  test("fails later", async () => { await Bun.sleep(1); throw new Error("fails later"); });
  test("timer", async () => { setTimeout(() => { throw new Error("timer"); }, 1); await Bun.sleep(5); });
  test("passes", () => { onTestFinished(async () => { await 1; log("finished"); }); });
});
describe.concurrent("together over blocks", () => {
  describe("one", () => {
    test("a", async () => { log("a"); await new Promise((resolve) => setImmediate(resolve)); log("a is over"); });
  });
  test("b", async () => { log("b"); await null; log("b is over"); });
  describe("two", () => {
    test("c", async () => { log("c"); await null; log("c is over"); });
    afterAll(() => log("after two"));
  });
  describe("three", () => {
    beforeAll(() => log("before three"));
    test("d", () => { log("d"); });
  });
});
TS
file b.test.ts <<'TS'
import { test, describe, beforeAll, afterAll, beforeEach } from "bun:test";
describe("without only", () => {
  beforeAll(() => console.log("never"));
  test("is not chosen", () => {});
  describe("within", () => { afterAll(() => console.log("never")); test("nor this", () => {}); });
});
describe("with only", () => {
  beforeAll(() => console.log("before"));
  test.only("is chosen", () => { console.log("chosen"); });
});
TS
t ./a.test.ts
t --only ./b.test.ts
# Bun counts the hooks of blocks that are skipped as tests.
file c.test.ts <<'TS'
import { test, describe, beforeAll, afterAll, beforeEach, afterEach } from "bun:test";
for (const word of ["skip", "todo"] as const) {
  describe[word](word, () => {
    beforeAll(() => { throw new Error("never"); });
    beforeEach(() => { throw new Error("never"); });
    afterEach(() => { throw new Error("never"); });
    afterAll(() => { throw new Error("never"); });
    test("is not run", () => { throw new Error("never"); });
  });
}
test("is run", () => {});
TS
t ./c.test.ts
echo 'beforeAll(() => console.log("a file without tests"));' >d.test.ts
t -t nothing ./d.test.ts
