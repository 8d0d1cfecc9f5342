// What --isolate does to globals that a file leaves behind. `test`, `expect` and the like are in crates/runtime/src/globals.rs.

let before: Map<string | symbol, PropertyDescriptor> | undefined;

/** Remembers the global object as it is. */
export function snapshotGlobals(): void {
  before = new Map();
  for (const key of Reflect.ownKeys(globalThis)) before.set(key, Object.getOwnPropertyDescriptor(globalThis, key)!);
}

/** Takes away what was added to the global object, and puts back what was changed or removed. */
export function restoreGlobals(): void {
  if (before === undefined) return;
  for (const key of Reflect.ownKeys(globalThis)) {
    const known = before.get(key);
    if (known === undefined) {
      Reflect.deleteProperty(globalThis, key);
      continue;
    }
    if (!("value" in known)) continue;
    const now = Object.getOwnPropertyDescriptor(globalThis, key)!;
    if (!("value" in now) || !Object.is(now.value, known.value)) redefine(key, known);
  }
  for (const [key, known] of before) if (!Object.hasOwn(globalThis, key)) redefine(key, known);
}

function redefine(key: string | symbol, descriptor: PropertyDescriptor): void {
  try {
    Object.defineProperty(globalThis, key, descriptor);
  } catch {
    // Made so that nothing can change it: it stays.
  }
}
