// What the command line says to node:test: https://nodejs.org/api/cli.html#--test

import type { Settings } from "internal/test/node_test/types";
import type { Test } from "internal/test/node_test/tree";
import { codes } from "internal/core/errors";

const option = native("process").cliOption;

/** An option that may be given several times; undefined where it was not given. */
function list(name: string): string[] {
  const value = option(name);
  return Array.isArray(value) ? value : typeof value === "string" ? [value] : [];
}

/** The number of an option, or undefined. */
export function numberOf(name: string): number | undefined {
  const value = option(name);
  return typeof value === "string" ? Number(value) : undefined;
}

/** The text of an option, or undefined. */
export function textOf(name: string): string | undefined {
  const value = option(name);
  return typeof value === "string" ? value : undefined;
}

export { list as listOf };

/** What `NODE_TEST_CONTEXT` says: a file of a run tells its parent its events (`child-v8`) or prints TAP (`child`). */
export function context(): string | undefined {
  return process.env.NODE_TEST_CONTEXT;
}

/** Reads the options. A process that a run has started reports to its parent, whatever it was told itself. */
export function settings(): Settings {
  const found: Settings = {
    only: option("--test-only") === true,
    forceExit: option("--test-force-exit") === true,
    updateSnapshots: option("--test-update-snapshots") === true,
    names: list("--test-name-pattern").map((text) => pattern(text, "--test-name-pattern")),
    skips: list("--test-skip-pattern").map((text) => pattern(text, "--test-skip-pattern")),
    reporters: [],
    destinations: [],
  };
  const timeout = numberOf("--test-timeout");
  if (timeout !== undefined) found.timeout = timeout;
  const where = context();
  if (where === "child-v8" || where === "child") {
    found.reporters.push(where === "child" ? "tap" : "frames");
    found.destinations.push("stdout");
  } else {
    found.reporters.push(...list("--test-reporter"));
    found.destinations.push(...list("--test-reporter-destination"));
  }
  setFilter(found);
  return found;
}

/** Makes `filter` of the patterns. */
export function setFilter(found: Settings): void {
  if (found.names.length > 0 || found.skips.length > 0) found.filter = (test: Test) => selected(test, found);
}

/** `/text/flags` or the source of a regular expression. */
export function pattern(text: string, name: string): RegExp {
  const literal = /^\/(.*)\/([a-z]*)$/.exec(text);
  try {
    return literal === null ? new RegExp(text) : new RegExp(literal[1]!, literal[2]);
  } catch (error) {
    throw new codes.ERR_INVALID_ARG_VALUE(
      name,
      text,
      `is an invalid regular expression.${error === null ? "" : ` ${(error as Error).message}`}`,
    );
  }
}

// A suite is there for the sake of the tests below it, which are not known yet: it is filtered by its name only for skipping.
function selected(test: Test, { names, skips }: Settings): boolean {
  const matches = (all: RegExp[], text: string) => all.some((one) => ((one.lastIndex = 0), one.test(text)));
  if (skips.length > 0 && (matches(skips, test.name) || matches(skips, test.fullName))) return false;
  if (names.length === 0 || test.type === "suite") return true;
  for (let above: Test | null = test; above !== null && above.parent !== null; above = above.parent) {
    if (matches(names, above.name) || matches(names, above.fullName)) return true;
  }
  return false;
}
