// chai's `assert`, which vitest exports: functions over the words of chai.ts. https://www.chaijs.com/api/assert/
import { expect, failure } from "internal/test/bun_test/expect";

/** Functions of one value: the words that ask. */
const ASK: Record<string, string> = {
  isOk: "ok",
  ok: "ok",
  isTrue: "true",
  isFalse: "false",
  isNull: "null",
  isUndefined: "undefined",
  isNaN: "NaN",
  exists: "exist",
  isEmpty: "empty",
  isExtensible: "extensible",
  extensible: "extensible",
  isSealed: "sealed",
  sealed: "sealed",
  isFrozen: "frozen",
  frozen: "frozen",
  isFinite: "finite",
  isCallable: "callable",
  isNumeric: "numeric",
  isIterable: "iterable",
};

const NOT_ASK: Record<string, string> = {
  isNotOk: "ok",
  notOk: "ok",
  isNotTrue: "true",
  isNotFalse: "false",
  isNotNull: "null",
  isDefined: "undefined",
  isNotNaN: "NaN",
  notExists: "exist",
  isNotEmpty: "empty",
  isNotExtensible: "extensible",
  notExtensible: "extensible",
  isNotSealed: "sealed",
  notSealed: "sealed",
  isNotFrozen: "frozen",
  notFrozen: "frozen",
  isNotCallable: "callable",
  isNotNumeric: "numeric",
  isNotIterable: "iterable",
};

const TYPES = ["Function", "Object", "Array", "String", "Number", "Boolean", "Symbol", "BigInt", "Date", "Error"];

/** Functions of a value and `count` arguments: the words before, and the method. A name with "not" in it has its opposite. */
const CALLS: [names: string, opposite: string, path: string, count: number][] = [
  ["strictEqual", "notStrictEqual", "equal", 1],
  ["deepEqual deepStrictEqual", "notDeepEqual", "eql", 1],
  ["isAbove", "", "above", 1],
  ["isAtLeast", "", "least", 1],
  ["isBelow", "", "below", 1],
  ["isAtMost", "", "most", 1],
  ["typeOf", "notTypeOf", "a", 1],
  ["instanceOf", "notInstanceOf", "instanceOf", 1],
  ["include", "notInclude", "include", 1],
  ["deepInclude", "notDeepInclude", "deep.include", 1],
  ["nestedInclude", "notNestedInclude", "nested.include", 1],
  ["deepNestedInclude", "notDeepNestedInclude", "deep.nested.include", 1],
  ["ownInclude", "notOwnInclude", "own.include", 1],
  ["deepOwnInclude", "notDeepOwnInclude", "deep.own.include", 1],
  ["match", "notMatch", "match", 1],
  ["property", "notProperty", "property", 1],
  ["propertyVal", "notPropertyVal", "property", 2],
  ["deepPropertyVal", "notDeepPropertyVal", "deep.property", 2],
  ["ownProperty", "notOwnProperty", "own.property", 1],
  ["ownPropertyVal", "notOwnPropertyVal", "own.property", 2],
  ["deepOwnPropertyVal", "notDeepOwnPropertyVal", "deep.own.property", 2],
  ["nestedProperty", "notNestedProperty", "nested.property", 1],
  ["nestedPropertyVal", "notNestedPropertyVal", "nested.property", 2],
  ["deepNestedPropertyVal", "notDeepNestedPropertyVal", "deep.nested.property", 2],
  ["lengthOf", "", "lengthOf", 1],
  ["hasAnyKeys", "doesNotHaveAnyKeys", "any.keys", 1],
  ["hasAllKeys", "doesNotHaveAllKeys", "all.keys", 1],
  ["containsAllKeys", "", "contain.all.keys", 1],
  ["hasAnyDeepKeys", "doesNotHaveAnyDeepKeys", "any.deep.keys", 1],
  ["hasAllDeepKeys", "doesNotHaveAllDeepKeys", "all.deep.keys", 1],
  ["containsAllDeepKeys", "", "contain.all.deep.keys", 1],
  ["closeTo approximately", "", "closeTo", 2],
  ["sameMembers", "notSameMembers", "members", 1],
  ["sameDeepMembers", "notSameDeepMembers", "deep.members", 1],
  ["sameOrderedMembers", "notSameOrderedMembers", "ordered.members", 1],
  ["sameDeepOrderedMembers", "notSameDeepOrderedMembers", "deep.ordered.members", 1],
  ["includeMembers", "notIncludeMembers", "include.members", 1],
  ["includeDeepMembers", "notIncludeDeepMembers", "deep.include.members", 1],
  ["includeOrderedMembers", "notIncludeOrderedMembers", "include.ordered.members", 1],
  ["includeDeepOrderedMembers", "notIncludeDeepOrderedMembers", "deep.include.ordered.members", 1],
  ["oneOf", "", "oneOf", 1],
  ["containSubset containsSubset", "doesNotContainSubset", "containSubset", 1],
];

/** What comes after a word. */
type Chain = Record<string, (...args: unknown[]) => unknown>;

/** `expect(value, message).to.a.b.c` */
function along(value: unknown, message: string | undefined, path: string[]): Chain {
  return path.reduce((at, word) => at[word] as unknown as Chain, expect(value, message) as unknown as Chain);
}

interface Assert {
  (value: unknown, message?: unknown): void;
  [name: string]: unknown;
}

export const assert: Assert = function assert(value: unknown, message?: unknown): void {
  if (!value) throw failure(typeof message === "function" ? message() : (message ?? "expected a truthy value"));
} as Assert;

const define = (name: string, call: (...args: never[]) => unknown): void => {
  assert[name] = Object.defineProperty(call, "name", { value: name });
};

for (const name of Object.keys(ASK))
  define(name, (value: unknown, message: string) => void along(value, message, ["to", "be", ASK[name]!]));
for (const name of Object.keys(NOT_ASK))
  define(name, (value: unknown, message: string) => void along(value, message, ["not", NOT_ASK[name]!]));
for (const type of TYPES) {
  define(
    `is${type}`,
    (value: unknown, message: string) => void along(value, message, ["to", "be"]).a!(type.toLowerCase()),
  );
  define(
    `isNot${type}`,
    (value: unknown, message: string) => void along(value, message, ["not"]).a!(type.toLowerCase()),
  );
}
for (const [names, opposite, path, count] of CALLS) {
  const words = path.split(".");
  const method = words.pop()!;
  for (const name of names.split(" ")) {
    define(
      name,
      (value: unknown, ...args: unknown[]) =>
        void along(value, args[count] as string, words)[method]!(...args.slice(0, count)),
    );
  }
  if (opposite !== "")
    define(
      opposite,
      (value: unknown, ...args: unknown[]) =>
        void along(value, args[count] as string, ["not", ...words])[method]!(...args.slice(0, count)),
    );
}

define("fail", (actual: unknown, expected: unknown, message: unknown) => {
  // One argument is the message.
  const given = expected === undefined && message === undefined ? actual : message;
  throw failure(typeof given === "string" ? given : "assert.fail()");
});
// oxlint-disable-next-line eqeqeq
define("equal", (actual: unknown, expected: unknown, message: unknown) =>
  assert(actual == expected, message ?? (() => `expected ${String(actual)} to equal ${String(expected)}`)),
);
// oxlint-disable-next-line eqeqeq
define("notEqual", (actual: unknown, expected: unknown, message: unknown) =>
  assert(actual != expected, message ?? (() => `expected ${String(actual)} to not equal ${String(expected)}`)),
);
for (const name of ["throws", "throw", "Throw"]) {
  define(name, (call: unknown, ...args: unknown[]) => {
    // Its last argument is a message, if a kind and a pattern stand before it.
    along(call, args[2] as string, ["to"]).throw!(...args.slice(0, 2));
  });
}
define(
  "doesNotThrow",
  (call: unknown, ...args: unknown[]) => void along(call, args[2] as string, ["not"]).throw!(...args.slice(0, 2)),
);
define("operator", (a: string, operator: string, b: string, message: unknown) => {
  const answers: Record<string, () => boolean> = {
    // oxlint-disable-next-line eqeqeq
    "==": () => a == b,
    "===": () => a === b,
    ">": () => a > b,
    ">=": () => a >= b,
    "<": () => a < b,
    "<=": () => a <= b,
    // oxlint-disable-next-line eqeqeq
    "!=": () => a != b,
    "!==": () => a !== b,
  };
  const answer = answers[operator];
  if (answer === undefined) throw failure(`Invalid operator "${operator}"`);
  assert(answer(), message ?? (() => `expected ${String(a)} to be ${operator} ${String(b)}`));
});
for (const [name, word] of [
  ["changes", "change"],
  ["increases", "increase"],
  ["decreases", "decrease"],
] as const) {
  define(
    name,
    (call: unknown, subject: unknown, property: unknown) =>
      void along(call, undefined, ["to"])[word]!(subject, property),
  );
}
define("rejects", async (promise: unknown) => {
  await expect(typeof promise === "function" ? promise() : promise).rejects.toBeDefined();
});
