// bun:test (https://bun.com/docs/test). `@jest/globals` and `vitest` are this module under `bao test`.
//
// The tree of tests is in ext/test/bun_test/tree.ts, their running in run.ts; what is called inside of tests (expect, mocks,
// timers) is loaded when it is asked for.
import { describe, hook, onTestFinished, setDefaultTimeout, test, xdescribe, xtest } from "internal/test/bun_test/tree";

const objects = () => require("internal/test/bun_test/jest");

export default {
  test,
  it: test,
  describe,
  suite: describe,
  xtest,
  xit: xtest,
  xdescribe,
  beforeAll: hook("beforeAll"),
  beforeEach: hook("beforeEach"),
  afterEach: hook("afterEach"),
  afterAll: hook("afterAll"),
  onTestFinished,
  setDefaultTimeout,
  get expect() {
    return require("internal/test/bun_test/expect").expect;
  },
  get expectTypeOf() {
    return require("internal/test/bun_test/expect_type_of").expectTypeOf;
  },
  get mock() {
    return objects().mock;
  },
  get spyOn() {
    return objects().spyOn;
  },
  get setSystemTime() {
    return objects().setSystemTime;
  },
  get jest() {
    return objects().jest;
  },
  get vi() {
    return objects().vi;
  },
};
