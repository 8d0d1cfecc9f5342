/** The contexts of node:vm: realms whose global names are the properties of an object of the program's. */

import { codes } from "internal/core/errors";
import { kValidateObjectAllowArray, validateObject } from "internal/core/validators";
import type { Holder } from "internal/vm/import";

const ops = native("vm");
const { ERR_INVALID_ARG_TYPE } = codes;

export interface Context {
  /** What `globalThis` is inside. */
  global: object;
  /** Modules without a name so far. */
  modules: number;
}

/** What sets a realm apart. */
interface RealmSettings {
  /** Whether code may be made of strings. */
  strings: boolean;
  /** Whether code may be made of WebAssembly. */
  wasm: boolean;
  /** Whether it keeps its microtasks to itself. */
  ownMicrotasks: boolean;
  /** Answers `import()` in code that has no referrer. */
  holder: Holder | undefined;
}

export const contexts = new WeakMap<object, Context>();

const consoleMethods =
  "debug error info log warn dir dirxml table trace group groupCollapsed groupEnd clear count countReset assert profile " +
  "profileEnd time timeLog timeEnd timeStamp";

/** Gives a realm V8's own `console`, which only a debugger would hear: its methods do nothing. Made when it is looked at. */
function withConsole<T extends object>(names: T): T {
  Object.defineProperty(names, "console", {
    get() {
      const console: { [key: string]: unknown } = {};
      for (const name of consoleMethods.split(" ")) console[name] = { [name]() {} }[name];
      Object.defineProperty(console, Symbol.toStringTag, { value: "console", configurable: true });
      Object.defineProperty(names, "console", { value: console, writable: true });
      return console;
    },
    set(value) {
      Object.defineProperty(names, "console", { value, writable: true });
    },
    configurable: true,
  });
  return names;
}

/** Whether new realms have a `gc`: what `--expose-gc` said until setFlagsFromString() says something else, as in V8. */
let collects: boolean | undefined;

/** Tells whether realms that are made from now on have a global function `gc`. */
export function exposeCollection(exposed: boolean): void {
  collects = exposed;
}

/** Gives a realm `gc`, where it is asked for. */
function withCollection<T extends object>(names: T): T {
  collects ??= native("process").cliOption("--expose-gc") === true;
  if (!collects) return names;
  const { gc } = { gc: () => native("loop").gc() };
  return Object.defineProperty(names, "gc", { value: gc, writable: true, enumerable: true, configurable: true });
}

/** Makes a realm: with an object of the program's in front of the language's names, or a plain one. */
export function makeContext({ strings, wasm, ownMicrotasks, holder }: RealmSettings, sandbox?: object): Context {
  const names = sandbox === undefined ? undefined : withCollection(withConsole({ __proto__: null }));
  const global = ops.createRealm(strings, wasm, ownMicrotasks, sandbox, holder, names);
  return { global: names === undefined ? withCollection(withConsole(global)) : global, modules: 0 };
}

export function contextOf(object: unknown): Context {
  validateObject(object, "object", kValidateObjectAllowArray);
  const context = contexts.get(object);
  if (context === undefined) throw new ERR_INVALID_ARG_TYPE("contextifiedObject", "vm.Context", object);
  return context;
}

/** Whether an object has been contextified. */
export function isContext(object: unknown): boolean {
  validateObject(object, "object", kValidateObjectAllowArray);
  return contexts.has(object);
}
