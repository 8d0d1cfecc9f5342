// Asymmetric matchers: values that decide themselves whether another value equals them.
// https://jestjs.io/docs/expect#asymmetric-matchers
import { equals } from "internal/test/bun_test/equality";

const type = Symbol.for("jest.asymmetricMatcher");
const inspect = Symbol.for("nodejs.util.inspect.custom");

const print = (value: unknown): string => require("internal/test/bun_test/format").format(value, "diff");

export type { AsymmetricMatcher };
class AsymmetricMatcher<T = unknown> {
  declare $$typeof: symbol;
  declare sample: T;
  declare inverse: boolean;

  constructor(sample: T, inverse: boolean) {
    this.sample = sample;
    this.inverse = inverse;
  }

  asymmetricMatch(_: unknown): boolean {
    return false;
  }

  /** What a diff or snapshot shows for it. */
  toAsymmetricMatcher(): string {
    return this.toString();
  }

  [inspect](): string {
    return this.toAsymmetricMatcher();
  }
}
Object.defineProperty(AsymmetricMatcher.prototype, "$$typeof", { value: type });

class Any extends AsymmetricMatcher<Function> {
  override asymmetricMatch(other: unknown): boolean {
    switch (this.sample) {
      case String:
        return typeof other === "string" || other instanceof String;
      case Number:
        return typeof other === "number" || other instanceof Number;
      case Function:
        return typeof other === "function";
      case Boolean:
        return typeof other === "boolean" || other instanceof Boolean;
      case BigInt:
        return typeof other === "bigint" || other instanceof BigInt;
      case Symbol:
        return typeof other === "symbol" || other instanceof Symbol;
      case Object:
        // As in Jest, null is one.
        return typeof other === "object";
      case Array:
        return Array.isArray(other);
    }
    return other instanceof this.sample;
  }

  override toString(): string {
    return "Any";
  }

  override toAsymmetricMatcher(): string {
    return `Any<${this.sample.name || "(anonymous)"}>`;
  }
}

class Anything extends AsymmetricMatcher {
  override asymmetricMatch(other: unknown): boolean {
    return other !== undefined && other !== null;
  }

  override toString(): string {
    return "Anything";
  }
}

class ArrayContaining extends AsymmetricMatcher<unknown[]> {
  override asymmetricMatch(other: unknown): boolean {
    const { sample } = this;
    const result = Array.isArray(other) && sample.every((item) => other.some((candidate) => equals(candidate, item)));
    return this.inverse ? !result : result;
  }

  override toString(): string {
    return this.inverse ? "ArrayNotContaining" : "ArrayContaining";
  }

  override toAsymmetricMatcher(): string {
    return `${this} ${print(this.sample)}`;
  }
}

type Keyed = Record<PropertyKey, unknown>;

class ObjectContaining extends AsymmetricMatcher<object> {
  override asymmetricMatch(other: unknown): boolean {
    const { sample } = this;
    let result = other !== null && (typeof other === "object" || typeof other === "function");
    if (result) {
      for (const key of Reflect.ownKeys(sample)) {
        if (!Object.prototype.propertyIsEnumerable.call(sample, key)) continue;
        if (!(key in (other as Keyed)) || !equals((other as Keyed)[key], (sample as Keyed)[key])) {
          result = false;
          break;
        }
      }
    }
    return this.inverse ? !result : result;
  }

  override toString(): string {
    return this.inverse ? "ObjectNotContaining" : "ObjectContaining";
  }

  override toAsymmetricMatcher(): string {
    return `${this} ${print(this.sample)}`;
  }
}

class StringContaining extends AsymmetricMatcher<string> {
  override asymmetricMatch(other: unknown): boolean {
    const result = (typeof other === "string" || other instanceof String) && other.includes(this.sample);
    return this.inverse ? !result : result;
  }

  override toString(): string {
    return this.inverse ? "StringNotContaining" : "StringContaining";
  }

  override toAsymmetricMatcher(): string {
    return `${this} ${print(this.sample)}`;
  }
}

class StringMatching extends AsymmetricMatcher<string | RegExp> {
  override asymmetricMatch(other: unknown): boolean {
    const { sample } = this;
    let result = typeof other === "string" || other instanceof String;
    // A copy: one with the flag g would go on where it stopped.
    if (result)
      result =
        typeof sample === "string" ? (other as string).includes(sample) : new RegExp(sample).test(other as string);
    return this.inverse ? !result : result;
  }

  override toString(): string {
    return this.inverse ? "StringNotMatching" : "StringMatching";
  }

  override toAsymmetricMatcher(): string {
    return `${this} ${print(this.sample)}`;
  }
}

class CloseTo extends AsymmetricMatcher<number> {
  declare precision: number;

  constructor(sample: number, inverse: boolean, precision: number) {
    super(sample, inverse);
    this.precision = precision;
  }

  override asymmetricMatch(other: unknown): boolean {
    if (typeof other !== "number") return false;
    const result = other === this.sample || Math.abs(this.sample - other) < 10 ** -this.precision / 2;
    return this.inverse ? !result : result;
  }

  override toString(): string {
    return this.inverse ? "NumberNotCloseTo" : "NumberCloseTo";
  }

  override toAsymmetricMatcher(): string {
    return `${this} ${this.sample} (${this.precision} digit${this.precision === 1 ? "" : "s"})`;
  }
}

/**
 * What a promise has been fulfilled with, or is when the microtasks that wait have run: a comparison cannot wait any longer. Throws
 * what it was rejected with.
 */
function settledValue(promise: Promise<unknown>, what: string): unknown {
  promise.then(undefined, () => {});
  const { promiseDetails } = native("inspect");
  let [state, value] = promiseDetails(promise)!;
  if (state === 0) {
    native("loop").runMicrotasks();
    [state, value] = promiseDetails(promise)!;
  }
  if (state === 0) throw new Error(`${what}: a matcher that waits for the event loop cannot be used as a value`);
  if (state === 2) throw value;
  return value;
}

/** A matcher of `expect.extend` used as a value. */
class Custom extends AsymmetricMatcher<unknown[]> {
  declare name: string;
  declare matcher: Function;
  declare makeContext: (isNot: boolean) => unknown;

  constructor(
    name: string,
    matcher: Function,
    args: unknown[],
    inverse: boolean,
    makeContext: (isNot: boolean) => unknown,
  ) {
    super(args, inverse);
    this.name = name;
    this.matcher = matcher;
    this.makeContext = makeContext;
  }

  override asymmetricMatch(other: unknown): boolean {
    let result: { pass: boolean } = this.matcher.call(this.makeContext(this.inverse), other, ...this.sample);
    if (require("internal/util/types").isPromise(result))
      result = settledValue(result, `expect.${this.name}`) as typeof result;
    return this.inverse ? !result.pass : result.pass;
  }

  override toString(): string {
    return `${this.inverse ? "not." : ""}${this.name}`;
  }

  override toAsymmetricMatcher(): string {
    return `${this}<${this.sample.map((item) => print(item)).join(", ")}>`;
  }
}

/** `expect.resolvesTo.any(Number)`: what another matcher says of the value of a promise that has settled. */
class Settled extends AsymmetricMatcher<AsymmetricMatcher> {
  declare state: number;

  constructor(inner: AsymmetricMatcher, inverse: boolean, state: number) {
    super(inner, inverse);
    this.state = state;
  }

  override asymmetricMatch(other: unknown): boolean {
    let result = false;
    if (require("internal/util/types").isPromise(other)) {
      const [state, value] = native("inspect").promiseDetails(other)!;
      if (state === this.state) result = this.sample.asymmetricMatch(value);
      // Its rejection has been looked at, or will come too late for this comparison.
      if (state !== 1) other.then(undefined, () => {});
    }
    return this.inverse ? !result : result;
  }

  override toString(): string {
    return this.state === 1 ? "ResolvesTo" : "RejectsTo";
  }

  override toAsymmetricMatcher(): string {
    return `${this} ${this.sample.toAsymmetricMatcher()}`;
  }
}

/** What `expect.resolvesTo.X(...)` makes of the matcher that `expect.X(...)` gives. */
export const settled = (inner: AsymmetricMatcher, inverse: boolean, rejected: boolean): AsymmetricMatcher =>
  new Settled(inner, inverse, rejected ? 2 : 1);

/** What `expect.NAME(...)` gives for a matcher of `expect.extend`. */
export const custom = (
  name: string,
  matcher: Function,
  args: unknown[],
  inverse: boolean,
  makeContext: (isNot: boolean) => unknown,
): AsymmetricMatcher => new Custom(name, matcher, args, inverse, makeContext);

/** https://standardschema.dev */
interface StandardSchema {
  "~standard": { validate(value: unknown): { issues?: readonly unknown[] } };
}

const noContext = () => ({});

const isText = (value: unknown) => typeof value === "string" || value instanceof String;

function wrong(call: string, problem: string, end = "\n"): Error {
  return new Error(`expect.${call}\n\n${problem}${end}`);
}

/** The factories of `expect`, or of `expect.not` with `inverse`. */
export function factories(inverse: boolean): Record<string, (...args: unknown[]) => AsymmetricMatcher> {
  const made: Record<string, (...args: unknown[]) => AsymmetricMatcher> = {
    any(constructor?: unknown) {
      if (arguments.length === 0 || constructor === undefined) {
        throw new Error(
          "any() expects to be passed a constructor function. Please pass one or use anything() to match any object.",
        );
      }
      if (typeof constructor !== "function") throw wrong("any(constructor)", "Expected a constructor");
      return new Any(constructor, false);
    },
    anything() {
      return new Anything(undefined, false);
    },
    arrayContaining(sample: unknown) {
      if (!Array.isArray(sample)) throw wrong("arrayContaining(array)", "Expected a array");
      return new ArrayContaining(sample, inverse);
    },
    objectContaining(sample: unknown) {
      if (typeof sample !== "object" || sample === null) throw wrong("objectContaining(object)", "Expected an object");
      return new ObjectContaining(sample, inverse);
    },
    stringContaining(sample: unknown) {
      if (!isText(sample)) throw wrong("stringContaining(string)", "Expected a string");
      return new StringContaining(`${sample}`, inverse);
    },
    stringMatching(sample: unknown) {
      if (!isText(sample) && !(sample instanceof RegExp))
        throw wrong("stringMatching(string)", "Expected a string or regular expression");
      return new StringMatching(sample instanceof RegExp ? sample : `${sample}`, inverse);
    },
    closeTo(sample: unknown, precision: unknown = 2) {
      if (typeof sample !== "number") throw wrong("closeTo(number, precision?)", "Expected a number value", "");
      if (typeof precision !== "number")
        throw wrong("closeTo(number, precision?)", "Precision must be a number or undefined", "");
      return new CloseTo(sample, inverse, precision);
    },
  };
  Object.assign(made, {
    arrayOf(sample: unknown) {
      return custom(
        "arrayOf",
        (other: unknown) => ({ pass: Array.isArray(other) && other.every((item) => equals(item, sample)) }),
        [sample],
        inverse,
        noContext,
      );
    },
    toBeOneOf(sample: Iterable<unknown>) {
      const isIterable = typeof sample === "object" && sample !== null && typeof sample[Symbol.iterator] === "function";
      if (!isIterable) throw wrong("toBeOneOf(values)", "Expected an array or a Set");
      return custom(
        "toBeOneOf",
        (other: unknown) => ({ pass: [...sample].some((item) => equals(other, item)) }),
        [sample],
        inverse,
        noContext,
      );
    },
    toSatisfy(predicate: unknown) {
      if (typeof predicate !== "function") throw wrong("toSatisfy(predicate)", "Expected a function");
      return custom(
        "toSatisfy",
        (other: unknown) => ({ pass: Boolean(predicate(other)) }),
        [predicate],
        inverse,
        noContext,
      );
    },
    schemaMatching(schema: StandardSchema) {
      if (typeof schema?.["~standard"]?.validate !== "function")
        throw wrong("schemaMatching(schema)", "Expected a Standard Schema");
      const check = (other: unknown) => {
        const result = schema["~standard"].validate(other);
        if (require("internal/util/types").isPromise(result))
          throw new TypeError("Async schema validation is not supported in asymmetric matchers.");
        return { pass: result.issues === undefined || result.issues.length === 0 };
      };
      return custom("schemaMatching", check, [schema], inverse, noContext);
    },
  });
  if (inverse) {
    delete made.any;
    delete made.anything;
  }
  return made;
}
