// Matchers of lists and objects: what they contain, how long they are, which properties they have.
import {
  addMatcher,
  addMatchers,
  type Expectation,
  fail,
  showExpected,
  showReceived,
  text,
} from "internal/test/bun_test/expect";
import { equals } from "internal/test/bun_test/equality";
import { isAnyArrayBuffer } from "internal/util/types";
import { difference } from "internal/test/bun_test/matchers_values";

const { hasOwnProperty } = Object.prototype;
const isObject = (value: unknown): value is object =>
  (typeof value === "object" && value !== null) || typeof value === "function";
const notContainer = () =>
  new Error("Received value must be an array type, or both received and expected values must be strings.");

function itemsOf(value: unknown): unknown[] | undefined {
  if (Array.isArray(value)) return value;
  if (isObject(value) && typeof (value as Partial<Iterable<unknown>>)[Symbol.iterator] === "function")
    return [...(value as Iterable<unknown>)];
  return undefined;
}

/** "Expected to (not) contain: …" and what was received. */
function containDetails(e: Expectation, verb: string, expected: unknown, received: unknown = e.value): string {
  return `Expected to ${e.isNot ? "not " : ""}${verb}: ${showExpected(expected)}\nReceived: ${showReceived(received)}\n`;
}

/** Matchers of keys and values that take a list. */
function ofList(
  name: string,
  verb: string,
  needsObject: boolean,
  test: (value: object, expected: unknown[]) => boolean,
  shown?: (value: object) => unknown,
): void {
  addMatcher(name, "expected", function (this: Expectation, expected: unknown) {
    const { value, isNot } = this;
    if (!Array.isArray(expected)) throw new TypeError(`Expected expected to be a array for '${name}'.`);
    if (needsObject && !isObject(value))
      throw new TypeError(`Expected value must be an object\nReceived: ${text(value)}`);
    // Primitives have the keys of their objects: those of a text are its indices.
    const pass = value !== undefined && value !== null && test(Object(value), expected);
    if (pass === isNot)
      fail(
        this,
        name,
        "expected",
        containDetails(this, verb, expected, shown !== undefined && isObject(value) ? shown(value) : value),
      );
  });
}

/** Length as `toHaveLength` sees it: as in Bun, of collections, blobs and files it is their size. */
function lengthOf(value: unknown): unknown {
  if (value instanceof Map || value instanceof Set || value instanceof URLSearchParams) return value.size;
  if (value instanceof Headers || value instanceof FormData) return [...(value as Iterable<unknown>)].length;
  if (value instanceof Blob) {
    const { name } = value as { name?: unknown };
    if (require("bun/file").isBunFile(value) && !require("node:fs").existsSync(name as string))
      throw new Error(`Received value does not exist: ${text(value)}`);
    return value.size;
  }
  if (isAnyArrayBuffer(value)) return (value as ArrayBuffer).byteLength;
  return (value as { length?: unknown } | null | undefined)?.length;
}

const has = (value: unknown, key: unknown): boolean => hasOwnProperty.call(value, key as PropertyKey);

/**
 * The steps of a path: `a.b[0]` or a list of keys. As in Bun, brackets only separate, and a dot at an end or beside another one
 * has an empty name beside it; a path without a name has no steps, which is undefined.
 */
function stepsOf(path: unknown): (string | symbol | number)[] | undefined {
  if (Array.isArray(path)) return path;
  const text = `${path}`;
  if (text === "") return [""];
  const steps: string[] = [];
  if (text[0] === ".") steps.push("");
  for (const [part] of text.matchAll(/[[\].]+|[^[\].]+/g)) {
    if (!/^[[\].]/.test(part)) {
      steps.push(part);
      continue;
    }
    for (let i = 1; i < part.length; i++) if (part[i] === "." && part[i - 1] === ".") steps.push("");
  }
  if (text.endsWith(".")) steps.push("");
  return steps.length === 0 ? undefined : steps;
}

/** The value at the end of a path; `found` false where there is none. */
function atPath(value: unknown, path: unknown): { found: boolean; value: unknown } {
  const at = follow(value, stepsOf(path));
  // As in Vitest, a key may have the whole path as its name.
  if (!at.found && typeof path === "string" && isObject(value) && path.includes(".") && path in value)
    return { found: true, value: (value as Record<string, unknown>)[path] };
  return at;
}

function follow(value: unknown, steps: (string | symbol | number)[] | undefined): { found: boolean; value: unknown } {
  if (steps === undefined) return { found: false, value: undefined };
  for (const step of steps) {
    if (value === null || value === undefined) return { found: false, value: undefined };
    const next = isObject(value) ? step in value : Object(value)[step] !== undefined;
    if (!next) return { found: false, value: undefined };
    value = (value as Record<PropertyKey, unknown>)[step];
  }
  return { found: true, value };
}

export function install(): void {
  addMatchers("expected", {
    toContain(expected: unknown) {
      const { value, isNot } = this;
      let pass: boolean;
      if (typeof value === "string") {
        if (typeof expected !== "string") throw notContainer();
        pass = value.includes(expected);
      } else {
        const items = itemsOf(value);
        if (items === undefined) throw notContainer();
        pass = items.includes(expected);
      }
      if (pass === isNot) fail(this, "toContain", "expected", containDetails(this, "contain", expected));
    },
    toContainEqual(expected: unknown) {
      const { value, isNot } = this;
      let pass: boolean;
      const items = typeof value === "string" ? [...value] : itemsOf(value);
      if (items === undefined) throw notContainer();
      pass = items.some((item) => equals(item, expected));
      if (pass !== isNot) return;
      fail(
        this,
        "toContainEqual",
        "expected",
        isNot ? `Expected to not contain: ${showExpected(expected)}\n` : containDetails(this, "contain", expected),
      );
    },
    toBeOneOf(expected: unknown) {
      const { value, isNot } = this;
      const items = typeof expected === "string" ? [...expected] : itemsOf(expected);
      if (items === undefined) throw notContainer();
      const pass =
        typeof expected === "string" && typeof value === "string"
          ? expected.includes(value)
          : items.some((item) => equals(value, item));
      if (pass === isNot)
        fail(
          this,
          "toBeOneOf",
          "expected",
          `Expected to ${isNot ? "not " : ""}be one of: ${showExpected(expected)}\nReceived: ${showReceived(value)}\n`,
        );
    },
    toContainKey(expected: unknown) {
      const { value, isNot } = this;
      if (!isObject(value)) throw new TypeError(`Expected value must be an object\nReceived: ${text(value)}`);
      if (has(value, expected) === isNot)
        fail(this, "toContainKey", "expected", containDetails(this, "contain", expected));
    },
    toContainValue(expected: unknown) {
      const { value, isNot } = this;
      const pass = isObject(value) && Object.values(value).some((item) => equals(item, expected));
      if (pass === isNot) fail(this, "toContainValue", "expected", containDetails(this, "contain", expected));
    },
    toHaveLength(expected: unknown) {
      const { value, isNot } = this;
      if (typeof expected !== "number" || !Number.isInteger(expected) || expected < 0) {
        throw new Error(`Expected value must be a non-negative integer: ${text(expected)}`);
      }
      const length = lengthOf(value);
      if ((typeof value !== "string" && !isObject(value)) || length === undefined) {
        throw new Error(`Received value does not have a length property: ${text(value)}`);
      }
      if (typeof length !== "number")
        throw new Error(`Received value has non-number length property: ${text(Number(length))}`);
      if ((length === expected) !== isNot) return;
      fail(
        this,
        "toHaveLength",
        "expected",
        isNot
          ? `Expected length: not ${showExpected(expected)}\n`
          : `Expected length: ${showExpected(expected)}\nReceived length: ${showReceived(length)}\n`,
      );
    },
  });

  ofList("toContainKeys", "contain", false, (value, expected) => expected.every((key) => has(value, key)));
  ofList(
    "toContainAllKeys",
    "contain all keys",
    false,
    (value, expected) => {
      const names = Reflect.ownKeys(value).filter((key) => Object.prototype.propertyIsEnumerable.call(value, key));
      return names.length === expected.length && expected.every((key) => has(value, key));
    },
    (value) => Object.keys(value),
  );
  ofList("toContainAnyKeys", "contain", false, (value, expected) => expected.some((key) => has(value, key)));
  const hasValue = (value: object, expected: unknown) => Object.values(value).some((item) => equals(item, expected));
  ofList("toContainValues", "contain", false, (value, expected) => expected.every((item) => hasValue(value, item)));
  ofList("toContainAllValues", "contain all values", false, (value, expected) => {
    return Object.values(value).length === expected.length && expected.every((item) => hasValue(value, item));
  });
  ofList("toContainAnyValues", "contain any of the following values", false, (value, expected) =>
    expected.some((item) => hasValue(value, item)),
  );

  addMatcher("toHaveProperty", "path", function (this: Expectation, path: unknown, expected: unknown) {
    const { value, isNot } = this;
    const given = arguments.length;
    if (given === 0) throw new TypeError("toHaveProperty() requires at least 1 argument");
    if (typeof path !== "string" && typeof path !== "number" && !Array.isArray(path))
      throw new Error("Expected path must be a string or an array");
    const at = atPath(value, path);
    const params = given > 1 ? "path, value" : "path";
    const pass = at.found && (given < 2 || equals(at.value, expected));
    if (pass !== isNot) return;
    const shownPath = showExpected(path);
    if (given < 2) {
      fail(
        this,
        "toHaveProperty",
        params,
        isNot
          ? `Expected path: not ${shownPath}\n\nReceived value: ${showReceived(at.value)}\n`
          : `Expected path: ${shownPath}\n\nUnable to find property\n`,
      );
    }
    if (isNot)
      fail(
        this,
        "toHaveProperty",
        params,
        `Expected path: ${shownPath}\n\nExpected value: not ${showExpected(expected)}\n`,
      );
    fail(
      this,
      "toHaveProperty",
      params,
      at.found
        ? difference(expected, at.value)
        : `Expected path: ${shownPath}\n\nExpected value: ${showExpected(expected)}\n\nUnable to find property\n`,
    );
  });
}
