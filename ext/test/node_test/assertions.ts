// `t.assert` of node:test: node:assert's functions, counted for `t.plan()`, and those that programs register.

import type { Test } from "internal/test/node_test/tree";
import { validateFunction, validateString } from "internal/core/validators";

const NOT_OFFERED = ["AssertionError", "CallTracker", "strict", "Assert", "default"];
let known: Map<string, Function> | undefined;

function all(): Map<string, Function> {
  if (known === undefined) {
    known = new Map();
    const assert = require("node:assert");
    for (const name of Object.keys(assert)) {
      if (!NOT_OFFERED.includes(name) && typeof assert[name] === "function") known.set(name, assert[name]);
    }
    const { fileSnapshot, snapshot } = require("internal/test/node_test/snapshot");
    known.set("snapshot", snapshot);
    known.set("fileSnapshot", fileSnapshot);
  }
  return known;
}

/** Adds an assertion to those of every test: https://nodejs.org/api/test.html#assertregistername-fn */
export function register(name: string, fn: unknown): void {
  validateString(name, "name");
  validateFunction(fn, "fn");
  all().set(name, fn);
}

type Assertions = Record<string, (...args: unknown[]) => unknown>;

/** The assertions of `test`; `count` is called at every use. */
export function assertionsOf(test: Test, count: () => void): Assertions {
  const made: Assertions = { __proto__: null as never };
  for (const [name, fn] of all()) {
    made[name] = function (...args: unknown[]) {
      count();
      const mine = name === "snapshot" || name === "fileSnapshot" ? test : test.context();
      return Reflect.apply(fn, mine, args);
    };
    Object.defineProperty(made[name]!, "name", { value: name });
  }
  return made;
}
