// vitest's chai assertions: `expect(x).to.equal(y)`, `.to.be.a("string")`, `.to.have.property("a")`. https://www.chaijs.com/api/bdd/
//
// The words are getters and methods of the object that `expect` gives, so that they go together with `not`, `resolves`, `soft` and the
// other matchers. Words that say how to compare (`deep`, `own`) leave a mark on the object, which the word that asserts reads.
import { addMatcher, Expectation, failure } from "internal/test/bun_test/expect";
import { equals } from "internal/test/bun_test/equality";

const DEEP = 1;
const NESTED = 2;
const OWN = 4;
const ORDERED = 8;
const ANY = 16;
const ALL = 32;
const CONTAINS = 64;
/** `length` stood before: what is compared is the length. */
const LENGTH = 128;

/** An assertion with what the words before left. */
interface Chain extends Expectation {
  /** Whether `itself` stood before. */
  itself_?: boolean;
  /** Of `change` and the like: by how much. */
  delta?: number;
}

/** What has an order; the assertions of it are for numbers and dates. */
type Comparable = number | bigint | Date;

type Keyed = Record<PropertyKey, unknown>;

/** A value in a message, on one line. */
function show(value: unknown): string {
  if (typeof value === "string") return value.length > 200 ? `'${value.slice(0, 200)}…'` : `'${value}'`;
  if (typeof value === "function") return `[Function ${value.name || "anonymous"}]`;
  return require("node:util").inspect(value, { breakLength: Infinity, depth: 3 });
}

/** Throws where `pass` is not what is wanted. `said`: the end of "expected X …", with `NOT` where a negation goes. */
function check(chain: Chain, pass: unknown, said: string, value: unknown = chain.value): void {
  if (Boolean(pass) !== chain.isNot) return;
  const { label } = chain;
  const message = `expected ${show(value)} ${said.replace("NOT ", chain.isNot ? "not " : "")}`;
  const error = failure(label === undefined ? message : `${label}: ${message}`);
  error.name = "AssertionError";
  throw error;
}

/** As Jest compares strictly, whatever the classes: what chai calls deep. */
const deepEqual = (a: unknown, b: unknown): boolean => {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return equals(a, b);
  const keys = (value: object) => Object.keys(value).length;
  return (
    equals(a, b) &&
    Array.isArray(a) === Array.isArray(b) &&
    (a instanceof Map || a instanceof Set || keys(a) === keys(b))
  );
};

const same = (chain: Chain, a: unknown, b: unknown): boolean =>
  chain.flags & DEEP ? deepEqual(a, b) : a === b || (a !== a && b !== b);

/** chai's name of the type of a value: "array", "null", "date"; `Symbol.toStringTag` counts. */
function typeOf(value: unknown): string {
  if (value === null || value === undefined) return `${value}`;
  const kind = typeof value;
  if (kind !== "object") return kind;
  return Object.prototype.toString.call(value).slice(8, -1).toLowerCase();
}

/** The value that numbers are compared with: of the length, where `length` was said. */
function measured(chain: Pick<Chain, "value" | "flags">): unknown {
  if (!(chain.flags & LENGTH)) return chain.value;
  return chain.value instanceof Map || chain.value instanceof Set
    ? chain.value.size
    : (chain.value as ArrayLike<unknown>).length;
}

function compare(name: string, said: string, pass: (value: Comparable, bound: Comparable) => boolean) {
  return function (this: Chain, bound: Comparable) {
    const value = measured(this);
    if (typeof value !== "number" && typeof value !== "bigint" && !(value instanceof Date)) {
      throw failure(`expected ${show(value)} to be a number or a date`);
    }
    const what = this.flags & LENGTH ? "to NOT have a length " : "to NOT be ";
    check(this, pass(value, bound), `${what}${said} ${show(bound)}`);
    void name;
  };
}

const above = compare("above", "above", (a, b) => a > b);
const least = compare("least", "at least", (a, b) => a >= b);
const below = compare("below", "below", (a, b) => a < b);
const most = compare("most", "at most", (a, b) => a <= b);

/** `a.b[0].c` as a list of names; a backslash takes a dot or bracket for what it is. */
function pathOf(path: string): string[] {
  const names: string[] = [];
  for (const match of path.matchAll(/\[(\d+)\]|((?:\\.|[^.[\]\\])+)/g))
    names.push(match[1] ?? match[2]!.replace(/\\(.)/g, "$1"));
  return names;
}

function equal(this: Chain, expected: unknown): void {
  if (this.flags & DEEP) return eql.call(this, expected);
  check(this, this.value === expected, `to NOT equal ${show(expected)}`);
}

function eql(this: Chain, expected: unknown): void {
  check(this, deepEqual(this.value, expected), `to NOT deeply equal ${show(expected)}`);
}

function property(this: Chain, name: PropertyKey, ...rest: unknown[]): Chain | undefined {
  const { flags, value } = this;
  let target = value as Keyed | null | undefined;
  let last = name;
  if (flags & NESTED) {
    const names = pathOf(name as string);
    last = names.pop()!;
    for (const step of names) target = target?.[step] as Keyed | null | undefined;
  }
  const isThere =
    target !== null && target !== undefined && (flags & OWN ? Object.hasOwn(target, last) : last in Object(target));
  const what = `${flags & DEEP ? "deep " : ""}${flags & NESTED ? "nested " : ""}${flags & OWN ? "own " : ""}property ${show(name)}`;
  const found = isThere ? target![last] : undefined;
  if (rest.length === 0) check(this, isThere, `to NOT have ${what}`);
  else {
    if (!this.isNot && !isThere) check(this, false, `to have ${what}`);
    check(
      this,
      isThere && same(this, found, rest[0]),
      `to NOT have ${what} of ${show(rest[0])}, but got ${show(found)}`,
    );
  }
  // What follows is about the property's value.
  return this.isNot ? undefined : next(this, found);
}

const ownProperty = function (this: Chain, ...args: [name: PropertyKey, ...rest: unknown[]]): Chain | undefined {
  return property.apply(marked(this, OWN), args);
};

function include(this: Chain, expected: unknown): void {
  const { value } = this;
  const said = `to NOT ${this.flags & DEEP ? "deep " : ""}include ${show(expected)}`;
  if (typeof value === "string") return check(this, value.includes(expected as string), said);
  if (Array.isArray(value) || ArrayBuffer.isView(value))
    return check(
      this,
      [...(value as Uint8Array)].some((item) => same(this, item, expected)),
      said,
    );
  if (value instanceof Set)
    return check(
      this,
      [...value].some((item) => same(this, item, expected)),
      said,
    );
  if (value instanceof Map)
    return check(
      this,
      [...value.values()].some((item) => same(this, item, expected)),
      said,
    );
  if (value instanceof WeakSet) return check(this, value.has(expected as WeakKey), said);
  if (typeof expected !== "object" || expected === null || value === null || value === undefined) {
    throw failure(
      `the given combination of arguments (${typeOf(value)} and ${typeOf(expected)}) is invalid for this assertion`,
    );
  }
  const holds = (name: string | symbol) => {
    try {
      property.call(
        Object.assign(next(this, value), { flags: this.flags, isNot: false }),
        name,
        (expected as Keyed)[name],
      );
      return true;
    } catch {
      return false;
    }
  };
  check(this, Reflect.ownKeys(expected).every(holds), said);
}

function keys(this: Chain, ...args: unknown[]): void {
  const { value, flags } = this;
  const isList = value instanceof Map || value instanceof Set;
  const first = args[0];
  const wanted = Array.isArray(first)
    ? first
    : first !== null && typeof first === "object" && !isList
      ? Object.keys(first)
      : args;
  const had = isList
    ? [...value.keys()]
    : Reflect.ownKeys(value as object).filter((key) => Object.prototype.propertyIsEnumerable.call(value, key));
  const has = (key: unknown) =>
    had.some((one) => (isList ? same(this, one, key) : one === (typeof key === "symbol" ? key : `${key}`)));
  let pass: boolean;
  if (flags & ANY) pass = wanted.some(has);
  else pass = wanted.every(has) && (flags & CONTAINS ? true : had.length === wanted.length);
  const listed = wanted.map((key) => show(key)).join(flags & ANY ? " or " : ", ");
  check(this, pass, `to NOT ${flags & CONTAINS ? "contain" : "have"} ${wanted.length > 1 ? "keys" : "key"} ${listed}`);
}

function members(this: Chain, expected: unknown): void {
  const { value, flags } = this;
  const list = [...(value as Iterable<unknown>)];
  const wanted = [...(expected as Iterable<unknown>)];
  let pass: boolean;
  if (flags & ORDERED)
    pass =
      wanted.every((item, at) => at < list.length && same(this, list[at], item)) &&
      (flags & CONTAINS ? true : list.length === wanted.length);
  else {
    const left = [...list];
    pass =
      wanted.every((item) => {
        const at = left.findIndex((one) => same(this, one, item));
        if (at < 0) return false;
        // A superset may ask for one of its members several times.
        if (!(flags & CONTAINS)) left.splice(at, 1);
        return true;
      }) && (flags & CONTAINS ? true : list.length === wanted.length);
  }
  const subject = flags & CONTAINS ? "to NOT be a superset of" : "to NOT have the same members as";
  check(this, pass, `${subject} ${show(expected)}`);
}

function throws(this: Chain, ...args: unknown[]): Chain {
  const { value } = this;
  if (typeof value !== "function") throw failure(`expected ${show(value)} to be a function`);
  let threw = false;
  let error: unknown;
  try {
    value();
  } catch (thrown) {
    threw = true;
    error = thrown;
  }
  const [first, second] = args;
  const isPattern = first instanceof RegExp || typeof first === "string";
  const kind = isPattern ? undefined : first;
  const pattern = (isPattern ? first : second) as RegExp | string | undefined;
  const message = (error as Partial<Error> | null | undefined)?.message ?? `${error}`;
  let pass = threw;
  if (pass && kind !== undefined && kind !== null)
    pass = typeof kind === "function" ? error instanceof kind : error === kind;
  if (pass && pattern !== undefined)
    pass = typeof pattern === "string" ? message.includes(pattern) : pattern.test(message);
  const wanted = kind === undefined || kind === null ? "an error" : typeof kind === "function" ? kind.name : show(kind);
  const said =
    pattern === undefined
      ? wanted
      : `${wanted} ${typeof pattern === "string" ? "including" : "matching"} ${show(pattern)}`;
  check(this, pass, `to NOT throw ${said}${threw ? ` but ${show(error)} was thrown` : ""}`);
  return next(this, error);
}

function change(word: string, holds: (delta: number, value: number, before: number) => boolean) {
  return function (this: Chain, subject: unknown, name?: PropertyKey): Chain {
    const { value } = this as { value: () => unknown };
    const read = () => (name === undefined ? (subject as () => unknown)() : (subject as Keyed)[name]) as number;
    const before = read();
    value();
    const after = read();
    check(
      this,
      holds(after - before, after, before),
      `to NOT ${word} ${name === undefined ? "what the function gives" : `.${String(name)}`}`,
      value,
    );
    const delta = next(this, after - before);
    delta.delta = Math.abs(after - before);
    return delta;
  };
}

/** Of a mock function: its calls. */
const callsOf = (chain: Chain): unknown[][] => {
  const { value } = chain as { value: Function & { mock?: { calls: unknown[][] } } };
  if (typeof value !== "function" || value.mock === undefined)
    throw new TypeError(`${show(value)} is not a spy or a call to a spy!`);
  return value.mock.calls;
};

const within = function (this: Chain, from: Comparable, to: Comparable) {
  const value = measured(this) as Comparable;
  check(this, value >= from && value <= to, `to NOT be within ${show(from)}..${show(to)}`);
};

const lengthOf = function (this: Chain, expected: unknown) {
  const length = measured({ value: this.value, flags: LENGTH });
  check(this, length === expected, `to NOT have a length of ${expected} but got ${length}`);
};

const closeTo = function (this: Chain, expected: number, delta: number) {
  if (typeof this.value !== "number" || typeof delta !== "number")
    throw failure("A `delta` value is required for `closeTo`");
  check(this, Math.abs(this.value - expected) <= delta, `to NOT be close to ${expected} +/- ${delta}`);
};

const satisfy = function (this: Chain, predicate: (value: unknown) => unknown) {
  check(this, predicate(this.value), `to NOT satisfy ${show(predicate)}`);
};

const instance = function (this: Chain, constructor: unknown) {
  if (typeof constructor !== "function")
    throw failure("The instanceof assertion needs a constructor but " + typeOf(constructor) + " was given.");
  check(
    this,
    this.value instanceof constructor,
    `to NOT be an instance of ${constructor.name || "an unnamed constructor"}`,
  );
};

const increase = change("increase", (delta) => delta > 0);
const decrease = change("decrease", (delta) => delta < 0);
const changes = change("change", (_, after, before) => after !== before);

/** Methods by their names; several names for one are separated by spaces. */
const METHODS: Record<string, (this: Chain, ...args: never[]) => unknown> = {
  "equal equals eq": equal,
  "eql eqls": eql,
  "above gt greaterThan": above,
  "least gte greaterThanOrEqual": least,
  "below lt lessThan": below,
  "most lte lessThanOrEqual": most,
  within,
  "instanceof instanceOf": instance,
  property,
  "ownProperty haveOwnProperty": ownProperty,
  "ownPropertyDescriptor haveOwnPropertyDescriptor"(name: PropertyKey, expected?: unknown) {
    const found = Object.getOwnPropertyDescriptor(Object(this.value), name);
    if (arguments.length > 1)
      check(
        this,
        found !== undefined && deepEqual(found, expected),
        `to NOT have the own property descriptor ${show(expected)} of ${show(name)}`,
      );
    else check(this, found !== undefined, `to NOT have an own property descriptor for ${show(name)}`);
    return next(this, found);
  },
  "match matches"(pattern: RegExp) {
    check(this, pattern.test(this.value as string), `to NOT match ${pattern}`);
  },
  string(part: string) {
    check(this, typeof this.value === "string" && this.value.includes(part), `to NOT contain ${show(part)}`);
  },
  "keys key": keys,
  "throw throws Throw": throws,
  "respondTo respondsTo"(name: PropertyKey) {
    const { value } = this;
    const holder = typeof value === "function" && !this.itself_ ? value.prototype : value;
    check(this, typeof (holder as Keyed | null | undefined)?.[name] === "function", `to NOT respond to ${show(name)}`);
  },
  "satisfy satisfies": satisfy,
  "closeTo approximately": closeTo,
  members,
  oneOf(list: unknown[]) {
    const pass =
      this.flags & CONTAINS
        ? list.some((item) => (this.value as unknown[]).includes(item))
        : list.some((item) => same(this, this.value, item));
    check(this, pass, `to NOT be one of ${show(list)}`);
  },
  containSubset(subset: unknown) {
    check(
      this,
      require("internal/test/bun_test/equality").matchesSubset(this.value, subset),
      `to NOT contain subset ${show(subset)}`,
    );
  },
  "change changes": changes,
  "increase increases": increase,
  "decrease decreases": decrease,
  by(amount: number) {
    check(this, this.delta === amount, `to NOT be changed by ${amount}, but it was by ${this.delta}`);
  },
  callCount(times: number) {
    const calls = callsOf(this);
    check(this, calls.length === times, `to NOT have been called ${times} times, but got ${calls.length}`);
  },
  calledWith(...args: unknown[]) {
    check(
      this,
      callsOf(this).some((one) => args.every((arg, at) => equals(one[at], arg))),
      `to NOT have been called with ${args.map(show).join(", ")}`,
    );
  },
  calledOnceWith(...args: unknown[]) {
    const calls = callsOf(this);
    check(
      this,
      calls.length === 1 && equals(calls[0], args),
      `to NOT have been called once with ${args.map(show).join(", ")}`,
    );
  },
};

/** Words that assert something when they are read. */
const QUESTIONS: Record<string, (this: Chain) => void> = {
  ok() {
    check(this, this.value, "to NOT be truthy");
  },
  true() {
    check(this, this.value === true, "to NOT be true");
  },
  false() {
    check(this, this.value === false, "to NOT be false");
  },
  callable() {
    check(this, typeof this.value === "function", "to NOT be a callable function");
  },
  null() {
    check(this, this.value === null, "to NOT be null");
  },
  undefined() {
    check(this, this.value === undefined, "to NOT be undefined");
  },
  NaN() {
    check(this, Number.isNaN(this.value), "to NOT be NaN");
  },
  "exist exists"() {
    check(this, this.value !== null && this.value !== undefined, "to NOT exist");
  },
  numeric() {
    check(this, ["number", "bigint"].includes(typeof this.value), "to NOT be numeric");
  },
  iterable() {
    check(
      this,
      typeof (this.value as Partial<Iterable<unknown>> | null | undefined)?.[Symbol.iterator] === "function",
      "to NOT be an iterable",
    );
  },
  empty() {
    const { value } = this;
    if (
      value === null ||
      value === undefined ||
      typeof value === "number" ||
      typeof value === "boolean" ||
      typeof value === "function"
    ) {
      throw failure(`.empty was passed non-string primitive ${show(value)}`);
    }
    const size =
      value instanceof Map || value instanceof Set
        ? value.size
        : typeof value === "string" || Array.isArray(value)
          ? value.length
          : Object.keys(value).length;
    check(this, size === 0, "to NOT be empty");
  },
  "arguments Arguments"() {
    check(this, typeOf(this.value) === "arguments", "to NOT be arguments");
  },
  extensible() {
    check(this, Object.isExtensible(this.value), "to NOT be extensible");
  },
  sealed() {
    check(this, Object.isSealed(this.value), "to NOT be sealed");
  },
  frozen() {
    check(this, Object.isFrozen(this.value), "to NOT be frozen");
  },
  finite() {
    check(this, Number.isFinite(this.value), "to NOT be a finite number");
  },
  called() {
    check(this, callsOf(this).length > 0, "to NOT have been called");
  },
  calledOnce() {
    check(this, callsOf(this).length === 1, `to NOT have been called once, but got ${callsOf(this).length}`);
  },
  calledTwice() {
    check(this, callsOf(this).length === 2, `to NOT have been called twice, but got ${callsOf(this).length}`);
  },
  calledThrice() {
    check(this, callsOf(this).length === 3, `to NOT have been called thrice, but got ${callsOf(this).length}`);
  },
};

/** Words that are calls, too: `a("string")` and `be.a.thing`, `include(x)` and `include.keys(x)`. */
const CALLABLE: Record<string, [flag: number, call: (this: Chain, ...args: never[]) => unknown]> = {
  "a an": [
    0,
    function (type: string | undefined) {
      const wanted = `${type}`.toLowerCase();
      const found = typeOf(this.value);
      const pass = found === wanted || (wanted === "function" && typeof this.value === "function");
      check(this, pass, `to NOT be ${/^[aeiou]/.test(wanted) ? "an" : "a"} ${wanted}`);
    },
  ],
  "include includes contain contains": [CONTAINS, include],
  "length lengthOf": [LENGTH, lengthOf],
};

const WORDS = "to be been is that which and has have with at of same but does still also";
const MARKS: Record<string, number> = { deep: DEEP, nested: NESTED, own: OWN, ordered: ORDERED, any: ANY, all: ALL };

/** The object of another value, for what follows in the chain. */
function next(chain: Chain, value: unknown): Chain {
  return new Expectation(value, false, "", chain.label, chain.isSoft);
}

/** The same assertion with a mark. */
function marked(chain: Chain, flag: number): Chain {
  const copy: Chain = new Expectation(chain.value, chain.isNot, chain.settling, chain.label, chain.isSoft);
  copy.flags = chain.flags | flag;
  copy.settled = chain.settled;
  if (chain.itself_) copy.itself_ = true;
  return copy;
}

const { prototype } = Expectation as unknown as {
  prototype: Record<string, (this: Chain, ...args: unknown[]) => unknown>;
};
const { defineProperty } = Object;

function getter(name: string, get: (this: Chain) => unknown): void {
  defineProperty(prototype, name, { configurable: true, enumerable: false, get });
}

/** Puts the words on the objects of `expect`. */
export function install(): void {
  for (const name of WORDS.split(" "))
    getter(name, function () {
      return this;
    });
  for (const name of Object.keys(MARKS))
    getter(name, function () {
      return marked(this, MARKS[name]!);
    });
  getter("itself", function () {
    return Object.assign(marked(this, 0), { itself_: true });
  });
  // A method gives what goes on in the chain.
  const goesOn = (method: (this: Chain, ...args: never[]) => unknown) =>
    function (this: Chain, ...args: unknown[]) {
      return method.apply(this, args as never[]) ?? this;
    };
  for (const names of Object.keys(METHODS)) {
    for (const name of names.split(" ")) addMatcher(name, "expected", goesOn(METHODS[names]!));
  }
  for (const names of Object.keys(QUESTIONS)) {
    for (const name of names.split(" ")) {
      const key = `chai ${name}`;
      addMatcher(key, "", goesOn(QUESTIONS[names]!));
      const ask = prototype[key]!;
      delete prototype[key];
      getter(name, function () {
        return ask.call(this);
      });
    }
  }
  for (const names of Object.keys(CALLABLE)) {
    const [flag, call] = CALLABLE[names]!;
    for (const name of names.split(" ")) {
      const key = `chai ${name}`;
      addMatcher(key, "expected", goesOn(call));
      const apply = prototype[key]!;
      delete prototype[key];
      getter(name, function () {
        const chain = this;
        const made: { (...args: unknown[]): unknown; length?: number; name?: string } = function (...args: unknown[]) {
          return apply.apply(chain, args);
        };
        // Words after it are those of the assertion.
        delete made.length;
        delete made.name;
        Object.assign(made, marked(chain, flag));
        return Object.setPrototypeOf(made, prototype);
      });
    }
  }
}
