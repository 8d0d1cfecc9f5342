// What --isolate does to globals that a file leaves behind. `test`, `expect` and the like are in ext/test/native/lib.rs.

let before: Map<string | symbol, PropertyDescriptor> | undefined;
/** Environment, working directory and listeners of the process, as they were. */
let outside:
  | {
      own: Map<string | symbol, PropertyDescriptor>;
      env: Record<string, string | undefined>;
      cwd: string;
      umask: number;
      listeners: Map<string | symbol, Function[]>;
    }
  | undefined;

/** Remembers the global object, and what is outside of it, as it is. */
export function snapshotGlobals(): void {
  before = propertiesOf(globalThis);
  outside = {
    own: propertiesOf(process),
    env: { ...process.env },
    cwd: process.cwd(),
    umask: process.umask(),
    listeners: listenersOfProcess(),
  };
}

function listenersOfProcess(): Map<string | symbol, Function[]> {
  const found = new Map<string | symbol, Function[]>();
  for (const name of process.eventNames()) found.set(name, process.rawListeners(name));
  return found;
}

/** What a file changed of the process is undone; its timers and what it left open end with it. */
export function restoreProcess(): void {
  if (outside === undefined) return;
  const { own, env, cwd, umask, listeners } = outside;
  restoreProperties(process, own);
  const now = process.env;
  const names = Object.keys(env);
  for (const name of names) if (now[name] !== env[name]) now[name] = env[name];
  const present = Object.keys(now);
  if (present.length > names.length) for (const name of present) if (!Object.hasOwn(env, name)) delete now[name];
  try {
    if (process.cwd() !== cwd) process.chdir(cwd);
  } catch {
    process.chdir(cwd);
  }
  process.umask(umask);
  if (process.eventNames().length > 0 || listeners.size > 0) restoreListeners(listeners);
  require("internal/test/bun_test/open_handles").closeLeft();
}

function restoreListeners(listeners: Map<string | symbol, Function[]>): void {
  for (const name of process.eventNames()) {
    const known = listeners.get(name) ?? [];
    for (const listener of process.rawListeners(name))
      if (!known.includes(listener)) process.removeListener(name, listener);
  }
  for (const [name, known] of listeners) {
    const present = process.rawListeners(name);
    for (const listener of known) if (!(present as Function[]).includes(listener)) process.on(name, listener as never);
  }
}

function propertiesOf(object: object): Map<string | symbol, PropertyDescriptor> {
  const found = new Map<string | symbol, PropertyDescriptor>();
  for (const key of Reflect.ownKeys(object)) found.set(key, Object.getOwnPropertyDescriptor(object, key)!);
  return found;
}

/** Takes away what was added to the global object and the environment, and puts back what was changed or removed. */
export function restoreGlobals(): void {
  if (before !== undefined) restoreProperties(globalThis, before);
}

function restoreProperties(object: object, properties: Map<string | symbol, PropertyDescriptor>): void {
  const keys = Reflect.ownKeys(object);
  let found = 0;
  for (const key of keys) {
    const known = properties.get(key);
    if (known === undefined) {
      Reflect.deleteProperty(object, key);
      continue;
    }
    found++;
    // Looked at without a descriptor for each where that can be: this runs after every file.
    if ("value" in known) {
      if (!Object.is((object as Record<PropertyKey, unknown>)[key], known.value)) redefine(object, key, known);
    } else if (object === globalThis) {
      // What was only a getter may have become its value.
      const now = Object.getOwnPropertyDescriptor(object, key)!;
      if (!("value" in now) && now.get !== known.get) redefine(object, key, known);
    }
  }
  if (found === properties.size) return;
  for (const [key, known] of properties) if (!Object.hasOwn(object, key)) redefine(object, key, known);
}

function redefine(object: unknown, key: string | symbol, descriptor: PropertyDescriptor): void {
  try {
    Object.defineProperty(object, key, descriptor);
  } catch {
    // Made so that nothing can change it: it stays.
  }
}
