// What --isolate does to globals that a file leaves behind. `test`, `expect` and the like are in crates/runtime/src/globals.rs.

let before: Map<string | symbol, PropertyDescriptor> | undefined;
let environment: Record<string, string | undefined> = {};

/** Remembers the global object and the environment as they are. */
export function snapshotGlobals(): void {
  environment = { ...process.env };
  before = new Map();
  for (const key of Reflect.ownKeys(globalThis)) before.set(key, Object.getOwnPropertyDescriptor(globalThis, key)!);
}

/** Takes away what was added to the global object and the environment, and puts back what was changed or removed. */
export function restoreGlobals(): void {
  if (before === undefined) return;
  const { env } = process;
  for (const name of Object.keys(env)) if (!(name in environment)) delete env[name];
  for (const name of Object.keys(environment)) if (env[name] !== environment[name]) env[name] = environment[name];
  for (const key of Reflect.ownKeys(globalThis)) {
    const known = before.get(key);
    if (known === undefined) {
      Reflect.deleteProperty(globalThis, key);
      continue;
    }
    const now = Object.getOwnPropertyDescriptor(globalThis, key)!;
    if (!("value" in known)) {
      // What was only a getter may have become its value.
      if (!("value" in now) && now.get !== known.get) redefine(key, known);
      continue;
    }
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
