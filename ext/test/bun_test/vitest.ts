// What `import "vitest"` gives under `bao test`: bun:test, with tests and hooks that get vitest's context instead of a callback.

import { FAIL } from "internal/test/bun_test/sequence";
import { runner } from "internal/test/bun_test/state";
import { hook, vitestDescribe, vitestTest } from "internal/test/bun_test/tree";
import { cleanup } from "internal/test/bun_test/vitest_context";

const api = require("bun/test");

const own = {
  test: vitestTest,
  it: vitestTest,
  describe: vitestDescribe,
  suite: vitestDescribe,
  beforeAll: hook("beforeAll", true),
  beforeEach: hook("beforeEach", true),
  afterEach: hook("afterEach", true),
  afterAll: hook("afterAll", true),
  onTestFailed(callback: Function) {
    const sequence = runner.file?.currentSequence();
    if (sequence === undefined) throw new Error("onTestFailed() is called outside of a test");
    sequence.addLast(cleanup(() => (sequence.result >= FAIL ? callback(sequence.context) : undefined)));
  },
  /** Types are checked elsewhere. */
  assertType() {},
};

// The other names are bun:test's, and what is behind them is loaded when it is asked for.
function unsupported(): never {
  const { codes } = require("internal/core/errors");
  throw new codes.ERR_NOT_IMPLEMENTED("chai.use");
}

const lazy: Record<string, () => unknown> = {
  assert: () => require("internal/test/bun_test/chai_assert").assert,
  chai: () => ({ expect: api.expect, assert: require("internal/test/bun_test/chai_assert").assert, use: unsupported }),
};
const exported = Object.create(null, Object.getOwnPropertyDescriptors(api));
for (const [name, value] of Object.entries(own))
  Object.defineProperty(exported, name, { value, enumerable: true, configurable: true, writable: true });
for (const name of Object.keys(lazy)) {
  Object.defineProperty(exported, name, {
    enumerable: true,
    configurable: true,
    get() {
      const value = lazy[name]!();
      Object.defineProperty(exported, name, { value, enumerable: true, configurable: true, writable: true });
      return value;
    },
  });
}
Object.defineProperty(exported, "vitest", Object.getOwnPropertyDescriptor(api, "vi")!);

export default exported;
