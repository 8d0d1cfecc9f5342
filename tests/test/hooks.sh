# Hooks: their order, and what becomes of tests when they fail. Recorded with Bun.
. support/lib.sh
file order.test.ts <<'TS'
import { test, describe, beforeAll, beforeEach, afterEach, afterAll, onTestFinished } from "bun:test";
const say = (text: string) => () => console.log(text);
beforeAll(say("beforeAll file"));
afterAll(say("afterAll file"));
beforeEach(say(" beforeEach file"));
afterEach(say(" afterEach file"));
test("first", say("  first"));
describe("group", () => {
  beforeAll(say("beforeAll group"));
  beforeAll(async () => { await null; console.log("beforeAll group, second"); });
  afterAll(say("afterAll group"));
  beforeEach(say(" beforeEach group"));
  beforeEach((done) => setTimeout(() => { console.log(" beforeEach group, done"); done(); }, 1));
  afterEach(say(" afterEach group"));
  test("second", () => {
    console.log("  second");
    onTestFinished(say(" finished"));
  });
  describe("inner", () => {
    beforeEach(say(" beforeEach inner"));
    test("third", say("  third"));
    test.skip("skipped", say("  never"));
  });
});
describe("nothing runs here", () => {
  beforeAll(say("beforeAll of nothing"));
  test.skip("skipped", () => {});
});
TS
file fail.test.ts <<'TS'
import { test, describe, beforeAll, beforeEach, afterEach, afterAll } from "bun:test";
describe("beforeAll fails", () => {
  beforeAll(() => { throw new Error("beforeAll") });
  afterAll(() => { console.log("afterAll ran") });
  test("a", () => {});
  test("b", () => {});
});
describe("beforeEach fails", () => {
  beforeEach(() => { throw new Error("beforeEach") });
  afterEach(() => { console.log("afterEach ran") });
  test("a", () => { console.log("never") });
});
describe("afterEach fails", () => {
  afterEach(() => { throw new Error("afterEach") });
  test("a", () => {});
  test("b", () => { throw new Error("own") });
});
describe("afterAll fails", () => {
  afterAll(() => { throw new Error("afterAll") });
  test("a", () => {});
});
describe("a hook waits", () => {
  beforeEach(async () => { await new Promise(() => {}) }, 20);
  test("a", () => {});
});
describe("a hook of the block waits", () => {
  beforeAll(async () => { await new Promise(() => {}) }, 20);
  test("a", () => {});
});
TS
file preload.ts <<'TS'
import { beforeAll, beforeEach, afterEach, afterAll } from "bun:test";
beforeAll(() => console.log("preloaded beforeAll"));
beforeEach(() => console.log("preloaded beforeEach"));
afterEach(() => console.log("preloaded afterEach"));
afterAll(() => console.log("preloaded afterAll"));
TS
echo 'test("one", () => console.log("one"));' >one.test.js
echo 'test("two", () => console.log("two"));' >two.test.js
t ./order.test.ts
t ./fail.test.ts
t --preload ./preload.ts ./one.test.js ./two.test.js
