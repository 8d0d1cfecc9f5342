// An object like another one whose functions do nothing: jest.createMockFromModule, vi.mockObject.
import { fn, isMockFunction } from "internal/test/bun_test/mock";

export function automock(value: unknown, seen = new Map<unknown, unknown>()): unknown {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return value;
  if (seen.has(value) || isMockFunction(value)) return seen.get(value) ?? value;
  if (Array.isArray(value)) return [];
  let made: object;
  if (typeof value === "function") {
    made = fn() as Function;
    Object.defineProperty(made, "name", { value: value.name, configurable: true });
    seen.set(value, made);
    const { prototype } = value;
    if (typeof prototype === "object" && prototype !== null) copy(prototype, (made as Function).prototype, seen);
  } else {
    const prototype = Object.getPrototypeOf(value);
    if (
      value instanceof Date ||
      value instanceof RegExp ||
      value instanceof Map ||
      value instanceof Set ||
      value instanceof Promise
    )
      return value;
    made = Object.create(
      prototype === null || prototype === Object.prototype ? Object.prototype : (automock(prototype, seen) as object),
    );
    seen.set(value, made);
  }
  copy(value, made, seen);
  return made;
}

function copy(from: object, to: unknown, seen: Map<unknown, unknown>): void {
  for (const key of Reflect.ownKeys(from)) {
    if (
      key === "constructor" ||
      key === "prototype" ||
      key === "length" ||
      key === "name" ||
      key === Symbol.toStringTag
    )
      continue;
    const descriptor = Object.getOwnPropertyDescriptor(from, key)!;
    let value: unknown;
    try {
      value = "value" in descriptor ? descriptor.value : from === to ? undefined : descriptor.get?.call(from);
    } catch {
      continue;
    }
    Object.defineProperty(to, key, {
      value: automock(value, seen),
      configurable: true,
      enumerable: descriptor.enumerable!,
      writable: true,
    });
  }
}

/** The same object with spies in place of its functions. */
export function spies(value: { [key: string]: unknown }): { [key: string]: unknown } {
  const made: { [key: string]: unknown } = {};
  for (const key of Object.keys(value)) made[key] = typeof value[key] === "function" ? fn(value[key]) : value[key];
  return made;
}
