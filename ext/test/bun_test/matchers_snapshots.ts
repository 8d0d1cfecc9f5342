// The four matchers of snapshots; what they do is loaded by the first that is called.
import { addMatcher, type Expectation } from "internal/test/bun_test/expect";

export function install(): void {
  for (const name of [
    "toMatchSnapshot",
    "toMatchInlineSnapshot",
    "toThrowErrorMatchingSnapshot",
    "toThrowErrorMatchingInlineSnapshot",
    "toMatchFileSnapshot",
  ] as const) {
    addMatcher(name, "", function (this: Expectation, ...args: unknown[]) {
      return require("internal/test/bun_test/snapshot_matchers")[name](this, args);
    });
  }
}
