// Equality as `expect` sees it: Bun.deepEquals with asymmetric matchers and the testers of `expect.addEqualityTesters`.
import { deepEqualsBy, deepMatchBy } from "bun/equals";

const asymmetricType = Symbol.for("jest.asymmetricMatcher");

type Tester = (this: { equals: typeof equals }, a: unknown, b: unknown, testers: Tester[]) => boolean | undefined;
const testers: Tester[] = [];
const forget = () => void (testers.length = 0);

export function addEqualityTesters(list: unknown): void {
  if (!Array.isArray(list)) throw new TypeError("expect.customEqualityTesters: Must be set to an array of Testers");
  require("internal/test/bun_test/file_cleanup").atRenewal.add(forget);
  testers.push(...list);
}

export const customTesters = (): Tester[] => testers;

/** An asymmetric matcher, by Jest's convention. */
export interface Asymmetric {
  $$typeof: symbol;
  asymmetricMatch(other: unknown): unknown;
  toAsymmetricMatcher?(): string;
  sample?: unknown;
}

/** Whether a value is an asymmetric matcher, of ours or of another library that follows Jest. */
export function isAsymmetric(value: unknown): value is Asymmetric {
  return (
    typeof value === "object" &&
    value !== null &&
    (value as Partial<Asymmetric>).$$typeof === asymmetricType &&
    typeof (value as Partial<Asymmetric>).asymmetricMatch === "function"
  );
}

const context = { equals };
const { getPrototypeOf, prototype: objectPrototype } = Object;
const { prototype: arrayPrototype } = Array;

/** Whether a value may be a matcher: an object that is neither plain (without a mark) nor a list. */
function isOdd(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const prototype = getPrototypeOf(value);
  return prototype !== arrayPrototype && (prototype !== objectPrototype || "$$typeof" in value);
}

function judge(a: unknown, b: unknown): boolean | undefined {
  if (testers.length === 0 && !isOdd(b) && !isOdd(a)) return undefined;
  if (typeof b === "object" && b !== null && (b as Asymmetric).$$typeof === asymmetricType) {
    // Two matchers are compared as objects.
    if (a === b) return true;
    if (!isAsymmetric(a)) return Boolean((b as Asymmetric).asymmetricMatch(a));
    return undefined;
  }
  if (
    typeof a === "object" &&
    a !== null &&
    (a as Asymmetric).$$typeof === asymmetricType &&
    typeof (a as Asymmetric).asymmetricMatch === "function"
  ) {
    return Boolean((a as Asymmetric).asymmetricMatch(b));
  }
  if (a instanceof Date && b instanceof Date && Number.isNaN(a.getTime()) && Number.isNaN(b.getTime())) return true;
  for (const tester of testers) {
    const answer = tester.call(context, a, b, testers);
    if (answer !== undefined) return answer;
  }
  return undefined;
}

/** `toEqual` (or `toStrictEqual`) of a received and an expected value. */
export function equals(received: unknown, expected: unknown, strict: boolean = false): boolean {
  const kind = typeof expected;
  if (
    (kind !== "object" || expected === null) &&
    kind !== "function" &&
    (typeof received !== "object" || received === null) &&
    testers.length === 0
  ) {
    return Object.is(received, expected);
  }
  return deepEqualsBy(received, expected, strict === true, judge, testers.length === 0);
}

/** Maps and Sets that are being compared further up, with what they are compared to: cycles end there. */
const open: unknown[] = [];

function within(a: unknown, b: unknown, compare: () => boolean): boolean {
  for (let i = 0; i < open.length; i += 2) if (open[i] === a && open[i + 1] === b) return true;
  open.push(a, b);
  try {
    return compare();
  } finally {
    open.length -= 2;
  }
}

/** What is in a subset besides its properties: as Jest has it; Bun looks at properties only. */
function judgeSubset(a: unknown, b: unknown): boolean | undefined {
  const answer = judge(a, b);
  if (answer !== undefined || typeof b !== "object" || b === null) return answer;
  const prototype = getPrototypeOf(b);
  if (prototype === objectPrototype || prototype === arrayPrototype || prototype === null) return undefined;
  if (b instanceof Map) {
    if (!(a instanceof Map) || a.size !== b.size) return false;
    return within(a, b, () => {
      for (const [key, value] of b) if (!a.has(key) || !matchesSubset(a.get(key), value)) return equals(a, b);
      return true;
    });
  }
  if (b instanceof Set) {
    if (!(a instanceof Set) || a.size !== b.size) return false;
    const items = [...a];
    return within(a, b, () =>
      [...b].every((value) => a.has(value) || items.some((item) => matchesSubset(item, value))),
    );
  }
  if (b instanceof Error) return a instanceof Error && a.message === b.message ? undefined : false;
  if (b instanceof URL) return a instanceof URL && a.href === b.href;
  return undefined;
}

/** `toMatchObject`: whether the received value has all that is in `subset`. */
export function matchesSubset(received: unknown, subset: unknown): boolean {
  return deepMatchBy(subset, received, judgeSubset);
}
