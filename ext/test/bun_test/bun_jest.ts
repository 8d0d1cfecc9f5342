// `Bun.jest(path)`: what `import ... from "bun:test"` gives, for modules that run inside and outside of tests
// (https://bun.com/docs/test). Declaring functions find the file that is being loaded by themselves, so the object is the same
// for every path.
import { runner } from "internal/test/bun_test/state";

/**
 * The interface of `bun:test`. `path` is the absolute path of the test file; `bao test` throws an Error if it is missing or
 * relative, as Bun does. Outside of `bao test` it is not looked at, and `test` and its like throw when they are called.
 */
export function jest(path: unknown): BuiltinModules["bun/test"] {
  if (runner.active) {
    if (typeof path !== "string") throw new Error("Bun.jest() expects a string filename");
    if (!require("node:path").isAbsolute(path))
      throw new Error(`Bun.jest() expects an absolute file path, got '${path}'`);
  }
  return require("bun/test");
}
