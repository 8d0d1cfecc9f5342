// expectTypeOf: assertions about types, which the type checker makes (https://bun.com/docs/test, https://vitest.dev/api/expect-typeof).
// At run time they hold, whatever is asked; only the words of the interface exist.

/** Words that lead to further ones, as properties. */
const PROPERTIES = [
  "asserts",
  "branded",
  "constructorParameters",
  "guards",
  "instance",
  "items",
  "not",
  "parameters",
  "resolves",
  "returns",
  "thisParameter",
] as const;

/** The same, as functions. Bun 1.4.5 gives undefined, against its own types. */
const CHAINED = [
  "exclude",
  "extract",
  "map",
  "omit",
  "parameter",
  "pick",
  "toBeCallableWith",
  "toBeConstructibleWith",
  "toHaveProperty",
] as const;

/** Words that end an assertion. `toBeNullable` is Vitest's. */
const ASSERTIONS = [
  "toBeAny",
  "toBeArray",
  "toBeBigInt",
  "toBeBoolean",
  "toBeFunction",
  "toBeNever",
  "toBeNull",
  "toBeNullable",
  "toBeNumber",
  "toBeObject",
  "toBeString",
  "toBeSymbol",
  "toBeUndefined",
  "toBeUnknown",
  "toBeVoid",
  "toEqualTypeOf",
  "toExtend",
  "toMatchObjectType",
  "toMatchTypeOf",
] as const;

class TypeExpectation {}

const { prototype } = TypeExpectation;

function check(value: unknown): void {
  if (value instanceof TypeExpectation && value !== prototype) return;
  throw require("internal/test/bun_test/receiver").invalidThis("ExpectTypeOf", value);
}

for (const name of PROPERTIES) {
  Object.defineProperty(prototype, name, {
    configurable: false,
    enumerable: true,
    get(this: unknown) {
      if (!(this instanceof TypeExpectation) || this === prototype) {
        throw new TypeError(`The ExpectTypeOf.${name} getter can only be used on instances of ExpectTypeOf`);
      }
      return this;
    },
  });
}
for (const name of CHAINED) {
  const method = {
    [name](this: unknown, _argument: unknown): unknown {
      check(this);
      return this;
    },
  }[name];
  Object.defineProperty(prototype, name, { value: method, configurable: false, enumerable: true, writable: true });
}
for (const name of ASSERTIONS) {
  const method = {
    [name](this: unknown, _argument: unknown): void {
      check(this);
    },
  }[name];
  Object.defineProperty(prototype, name, { value: method, configurable: false, enumerable: true, writable: true });
}
Object.defineProperty(prototype, Symbol.toStringTag, { value: "ExpectTypeOf" });

/** `expectTypeOf(value)` or `expectTypeOf<Type>()`. */
export const expectTypeOf = function (_value?: unknown): unknown {
  if (new.target !== undefined) throw new Error("expectTypeOf() cannot be called with new");
  return new TypeExpectation();
};
Object.defineProperty(expectTypeOf, "name", { value: "ExpectTypeOf" });
Object.defineProperty(expectTypeOf, "prototype", { value: prototype, writable: false });
Object.defineProperty(prototype, "constructor", { value: expectTypeOf });
