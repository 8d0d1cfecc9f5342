// node:test, https://nodejs.org/api/test.html

import { after, afterEach, before, beforeEach, suite, test } from "internal/test/node_test/harness";

test.test = test;
test.it = test;
test.describe = suite;
test.suite = suite;
test.before = before;
test.after = after;
test.beforeEach = beforeEach;
test.afterEach = afterEach;
/** Runs files of tests: https://nodejs.org/api/test.html#runoptions */
test.run = function run(options) {
  return require("internal/test/node_test/run").run(options);
};

let mock: unknown;
let assertions: unknown;
let snapshot: unknown;
const lazy = (name: string, get: () => unknown) => {
  Object.defineProperty(test, name, {
    __proto__: null,
    configurable: true,
    enumerable: true,
    get,
  } as PropertyDescriptor);
};
lazy("mock", () => (mock ??= new (require("internal/test/node_test/mock").MockTracker)()));
lazy("assert", () => (assertions ??= { register: require("internal/test/node_test/assertions").register }));
lazy("snapshot", () => (snapshot ??= require("internal/test/node_test/snapshot").settings));

export default test;
