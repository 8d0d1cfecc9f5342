// toMatchSnapshot, toMatchInlineSnapshot and their counterparts for errors.
import {
  currentContext,
  currentTest,
  type Expectation,
  fail,
  later,
  showReceived,
  text,
} from "internal/test/bun_test/expect";
import { diffTexts } from "internal/test/bun_test/diff";
import { isAsymmetric, matchesSubset } from "internal/test/bun_test/equality";
import { Formatter, type Style } from "internal/test/bun_test/format";
import { messageOf, outcomeOf, type Outcome } from "internal/test/bun_test/matchers_errors";
import { ownMessages } from "internal/test/bun_test/snapshot_custom_messages";
import { framed, normalized, type SnapshotState, stateOf } from "internal/test/bun_test/snapshot";

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null;

/** The snapshots of the file. `isInline`: those in its source need no test. */
function state(isInline = false): SnapshotState {
  const context = currentContext();
  if (context === undefined || (currentTest() === undefined && !isInline))
    throw new Error("Snapshot matchers cannot be used outside of a test");
  context.usesSnapshots = true;
  return stateOf(context);
}

/** Texts of a value that other runners give, for snapshots that they wrote. */
function* otherTexts(value: unknown, style: Style, error: unknown): Generator<string> {
  yield normalized(new Formatter(style === "bun" ? "jest" : "bun").value(value, ""));
  const named = new Formatter("jest");
  named.namesPlain = true;
  yield normalized(named.value(value, ""));
  // vitest shows the error and not its message; texts may stand without quotes.
  if (error !== undefined) yield normalized(new Formatter("jest").value(error, ""));
  if (typeof value === "string") yield normalized(value);
  const own = typeof error === "object" && error !== null ? ownMessages.get(error) : undefined;
  if (own !== undefined)
    for (const kind of ["bun", "jest"] as Style[]) yield normalized(new Formatter(kind).value(own, ""));
}

function isSame(stored: string, shown: string, value: unknown, style: Style, error: unknown): boolean {
  if (stored === shown) return true;
  for (const other of otherTexts(value, style, error)) if (stored === other) return true;
  return false;
}

type Keyed = Record<PropertyKey, unknown>;

/** The received object with the matchers in place of what they match. */
function withMatchers(value: Keyed, properties: Keyed): unknown {
  const merged = Array.isArray(value) ? [...value] : Object.assign(Object.create(Object.getPrototypeOf(value)), value);
  for (const key of Reflect.ownKeys(properties)) {
    const matcher = properties[key];
    merged[key] =
      isObject(matcher) && !isAsymmetric(matcher) && isObject(value[key])
        ? withMatchers(value[key] as Keyed, matcher as Keyed)
        : matcher;
  }
  return merged;
}

/** Takes the arguments apart: `(properties?, text?)` or `(text?)`. `isWriting`: the text is written anew, whatever it was. */
function splitArguments(
  e: Expectation,
  name: string,
  args: unknown[],
  isWriting = false,
): { properties: object | undefined; given: string | undefined } {
  if (e.isNot) fail(e, name, "", "Matcher error: Snapshot matchers cannot be used with not\n");
  const [first, second] = args;
  if (args.length === 0 || (first === undefined && args.length < 2)) return { properties: undefined, given: undefined };
  if (typeof first === "string") {
    if (args.length > 1) fail(e, name, "properties, hint", "Matcher error: Expected properties must be an object\n");
    return { properties: undefined, given: first };
  }
  if (!isObject(first) && first !== undefined)
    throw new Error("\n\nMatcher error: Expected first argument to be a string or object\n");
  if (second !== undefined && typeof second !== "string" && !isWriting)
    throw new Error("\n\nMatcher error: Expected second argument to be a string\n");
  if (first === undefined) return { properties: undefined, given: second === undefined ? undefined : String(second) };
  const { value } = e;
  if (!isObject(value))
    fail(
      e,
      name,
      "properties, hint",
      "Matcher error: received values must be an object when the matcher has properties\n",
    );
  if (!matchesSubset(value, first)) {
    fail(
      e,
      name,
      "propertyMatchers",
      `Expected propertyMatchers to match properties from received object\n\nReceived: ${showReceived(value)}\n`,
    );
  }
  return { properties: first as object, given: second === undefined ? undefined : String(second) };
}

function compareWithFile(e: Expectation, name: string, value: unknown, hint: string, error: unknown): void {
  const snapshots = state();
  const { updateSnapshots, ci } = currentContext()!.options;
  const key = snapshots.key(currentTest()!.fullName, hint);
  const stored = snapshots.get(key);
  const { style } = snapshots;
  const shown = normalized(new Formatter(style).value(value, ""));
  if (stored !== undefined) {
    if (isSame(stored, framed(shown), value, style, error) || isSame(unframed(stored), shown, value, style, error)) {
      snapshots.matched++;
      return;
    }
    if (!updateSnapshots) {
      snapshots.failed++;
      fail(e, name, "expected", diffTexts(unframed(stored), shown));
    }
  } else if (ci && !updateSnapshots) {
    snapshots.failed++;
    throw new Error(
      "Snapshot creation is disabled in CI environments unless --update-snapshots is used\n" +
        `To override, set the environment variable CI=false.\n\nSnapshot name: "${key}"\nReceived: ${framed(shown)}\n`,
    );
  }
  snapshots.set(key, framed(shown));
}

const unframed = (stored: string): string =>
  stored.startsWith("\n") && stored.endsWith("\n") && stored.length > 1 ? stored.slice(1, -1) : stored;

/** The first place of the program on the stack. */
export function callSite(): { file: string; line: number; column: number } {
  const { captureCallSites } = require("internal/util/call_sites");
  for (const site of captureCallSites(callSite, 30)) {
    let file = site.getFileName();
    if (typeof file !== "string") continue;
    if (file.startsWith("file://")) file = require("node:url").fileURLToPath(file);
    if (!file.startsWith("/")) continue;
    const { BAO_LIB } = process.env;
    if (BAO_LIB !== undefined && BAO_LIB !== "" && file.startsWith(`${BAO_LIB}/`)) continue;
    return { file, line: site.getLineNumber()!, column: site.getColumnNumber()! };
  }
  throw new Error("Failed to update inline snapshot: the call is in no file");
}

function compareInline(
  e: Expectation,
  name: string,
  value: unknown,
  given: string | undefined,
  hasProperties: boolean,
  error: unknown,
  site: { file: string; line: number; column: number } | undefined,
): void {
  const snapshots = state(true);
  const { testPath, options } = currentContext()!;
  const { updateSnapshots, ci } = options;
  // They have numbers like the others, as in Jest.
  const test = currentTest();
  if (test !== undefined) snapshots.count(test.fullName, test.fullName);
  const { dedent, InlineSnapshots } = require("internal/test/bun_test/snapshot_inline");
  const shown = normalized(new Formatter("bun").value(value, ""));
  if (given !== undefined) {
    const stored = dedent(given);
    if (isSame(stored, shown, value, "bun", error) || isSame(stored.trim(), shown.trim(), value, "bun", error)) {
      snapshots.matched++;
      return;
    }
    if (!updateSnapshots) {
      snapshots.failed++;
      fail(e, name, "expected", diffTexts(stored, shown));
    }
  } else if (ci && !updateSnapshots) {
    snapshots.failed++;
    fail(
      e,
      name,
      "",
      "Matcher error: Inline snapshot creation is disabled in CI environments unless --update-snapshots is used.\n" +
        `To override, set the environment variable CI=false.\n\nReceived: ${shown}`,
    );
  }
  site ??= callSite();
  if (site.file !== testPath) {
    fail(
      e,
      name,
      "",
      "Matcher error: Inline snapshot matchers must be called from the test file:\n" +
        `  Expected to be called from file: ${JSON.stringify(testPath)}\n  ${name} called from file: ${JSON.stringify(site.file)}\n`,
    );
  }
  snapshots.inline ??= new InlineSnapshots();
  snapshots.inline.note(site, name, hasProperties ? 1 : 0, shown);
  if (given === undefined) snapshots.added++;
  else snapshots.updated++;
}

/** What a snapshot keeps of what was thrown: the message; undefined if that has none, as in Jest. */
function snapshotOf(error: unknown): unknown {
  const isObject = (typeof error === "object" && error !== null) || typeof error === "function";
  return isObject && "message" in error ? messageOf(error) : undefined;
}

/** What the received function throws, for the matchers of errors. */
function thrownBy(e: Expectation, name: string, then: (error: unknown) => void) {
  if (e.isNot) fail(e, name, "", "Matcher error: Snapshot matchers cannot be used with not\n");
  const check = ({ threw, error }: Outcome) => {
    if (!threw) fail(e, name, "", "Matcher error: Received function did not throw\n");
    then(error);
  };
  const outcome = outcomeOf(e);
  if (outcome instanceof Promise) return later(() => outcome.then(check));
  return check(outcome);
}

export function toMatchSnapshot(e: Expectation, args: unknown[]): void {
  const { properties, given } = splitArguments(e, "toMatchSnapshot", args);
  const value = properties === undefined ? e.value : withMatchers(e.value as Keyed, properties as Keyed);
  compareWithFile(e, "toMatchSnapshot", value, given ?? "", undefined);
}

export function toMatchInlineSnapshot(e: Expectation, args: unknown[]): void {
  const name = "toMatchInlineSnapshot";
  const { properties, given } = splitArguments(e, name, args, currentContext()?.options.updateSnapshots);
  const value = properties === undefined ? e.value : withMatchers(e.value as Keyed, properties as Keyed);
  return compareInline(e, name, value, given, properties !== undefined, undefined, e.site);
}

export function toThrowErrorMatchingSnapshot(e: Expectation, [hint]: unknown[]): unknown {
  const name = "toThrowErrorMatchingSnapshot";
  if (hint !== undefined && typeof hint !== "string")
    throw new Error("\n\nMatcher error: Expected first argument to be a string\n");
  return thrownBy(e, name, (error) => compareWithFile(e, name, snapshotOf(error), hint ?? "", error));
}

export function toThrowErrorMatchingInlineSnapshot(e: Expectation, [given]: unknown[]): unknown {
  const name = "toThrowErrorMatchingInlineSnapshot";
  if (given !== undefined && typeof given !== "string")
    throw new Error("\n\nMatcher error: Expected first argument to be a string\n");
  // Where the call is; once a promise has settled, the stack no longer says so.
  const site =
    e.site ?? (given === undefined || currentContext()?.options.updateSnapshots === true ? callSite() : undefined);
  return thrownBy(e, name, (error) => compareInline(e, name, snapshotOf(error), given, false, error, site));
}

/** vitest's snapshot in a file of its own, named relative to the test file. */
export function toMatchFileSnapshot(e: Expectation, [file, hint]: unknown[]) {
  const name = "toMatchFileSnapshot";
  if (e.isNot) fail(e, name, "", "Matcher error: Snapshot matchers cannot be used with not\n");
  if (typeof file !== "string") throw new TypeError(`toMatchFileSnapshot() requires the path of a file: ${text(file)}`);
  const snapshots = state();
  const { updateSnapshots, ci } = currentContext()!.options;
  const { dirname, resolve } = require("node:path");
  const target = resolve(dirname(currentContext()!.testPath), file);
  const shown = typeof e.value === "string" ? e.value : new Formatter("jest").value(e.value, "");
  return later(async () => {
    let stored: string | undefined;
    try {
      stored = require("node:fs").readFileSync(target, "utf8");
    } catch (error) {
      if ((error as NodeError).code !== "ENOENT") throw error;
    }
    if (stored !== undefined && normalized(stored) === normalized(shown)) {
      snapshots.matched++;
      return;
    }
    if (!updateSnapshots && (stored !== undefined || ci)) {
      snapshots.failed++;
      fail(
        e,
        name,
        hint === undefined ? "file" : "file, hint",
        stored === undefined ? `There is no ${target}, and in CI none is written\n` : diffTexts(stored, shown),
      );
    }
    require("internal/test/bun_test/snapshot").writeWhole(target, shown);
    if (stored === undefined) snapshots.added++;
    else snapshots.updated++;
  });
}
