// expectTypeOf: assertions about types, which the type checker makes. At run time they hold, whatever is asked.

const noop = () => {};

/** Answers every property and every call with itself. */
const chain: unknown = new Proxy(noop, {
  get(target, name) {
    // Not a promise, nor anything that is printed property by property.
    if (name === "then" || typeof name === "symbol") return undefined;
    if (name === "prototype") return Reflect.get(target, name);
    return chain;
  },
  apply: () => chain,
});

/** `expectTypeOf(value)` or `expectTypeOf<Type>()`. */
export function expectTypeOf(_value?: unknown): unknown {
  return chain;
}
