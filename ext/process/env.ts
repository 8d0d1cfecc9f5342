// process.env: a plain object of strings whose changes go to the environment of the process.
//
// Reading is the common case and has no trap at all: the proxy's target holds a copy of the environment, made when
// process.env is first used. Writes coerce to string, change the copy and the real environment.

/** Names and values. */
type Environment = Record<string, string>;

const { envEntries, setenv, unsetenv } = native("process");

function toText(value: unknown): string {
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") warnAboutType();
  // Symbols throw here, as in Node.
  return `${value}`;
}

let warned = false;
function warnAboutType(): void {
  if (warned || !native("process").cliOption("--pending-deprecation")) return;
  warned = true;
  require("node:process").emitWarning(
    "Assigning any value other than a string, number, or boolean to a process.env property is deprecated. Please make " +
      "sure to convert the value to a string before setting process.env with it.",
    "DeprecationWarning",
    "DEP0104",
  );
}

function assign(target: Environment, key: string, text: string): void {
  // The system takes neither; Node ignores them as well.
  if (key === "" || key.includes("=") || key.includes("\0")) return;
  const nul = text.indexOf("\0");
  if (nul >= 0) text = text.slice(0, nul);
  if (own === undefined) setenv(key, text);
  put(target, key, text);
}

function put(target: Environment, key: string, text: string): void {
  if (key === "__proto__")
    Object.defineProperty(target, key, { value: text, writable: true, enumerable: true, configurable: true });
  else target[key] = text;
}

const handler: ProxyHandler<Environment> = {
  set(target, key, value, receiver) {
    if (receiver !== env) {
      // An object that merely inherits from process.env.
      return Reflect.defineProperty(receiver, key, { value, writable: true, enumerable: true, configurable: true });
    }
    if (typeof key === "symbol") throw new TypeError("Cannot convert a Symbol value to a string");
    assign(target, key, toText(value));
    return true;
  },
  deleteProperty(target, key) {
    if (typeof key === "string" && Object.hasOwn(target, key)) {
      if (own === undefined) unsetenv(key);
      delete target[key];
    }
    return true;
  },
  defineProperty(target, key, descriptor) {
    const { codes } = require("internal/core/errors");
    if (typeof key === "symbol") throw new TypeError("Cannot convert a Symbol value to a string");
    if ("get" in descriptor || "set" in descriptor) {
      throw new codes.ERR_INVALID_OBJECT_DEFINE_PROPERTY(
        "'process.env' does not accept an accessor(getter/setter) descriptor",
      );
    }
    if (!descriptor.configurable || !descriptor.writable || !descriptor.enumerable) {
      throw new codes.ERR_INVALID_OBJECT_DEFINE_PROPERTY(
        "'process.env' only accepts a configurable, writable, and enumerable data descriptor",
      );
    }
    assign(target, key, toText(descriptor.value));
    return true;
  },
  preventExtensions() {
    throw new TypeError("Cannot prevent extensions of process.env");
  },
};

let env: Environment;
/** The environment of a worker that does not share its parent's: changes stay in the worker. */
let own: Record<string, string> | undefined;

/** Called before anything reads process.env. */
export function setUpEnvironment(entries: Record<string, string>): void {
  own = entries;
}

/** Brings `target` up to date with the environment of the process, for one name or for all. */
function refresh(target: Environment, key: string | symbol | undefined): void {
  if (key === undefined) {
    for (const name of Object.keys(target)) delete target[name];
    const entries: string[] = envEntries();
    for (let i = 0; i < entries.length; i += 2) put(target, entries[i]!, entries[i + 1]!);
  } else if (typeof key === "string") {
    const value = native("process").getenv(key);
    if (value === undefined || value === null) delete target[key];
    else put(target, key, value);
  }
}

/** From now on other threads change the same environment (SHARE_ENV): it is asked at every access. */
export function shareEnvironment(): void {
  // A worker that has an environment of its own shares nothing with the process.
  if (own !== undefined) return;
  handler.get = (target, key, receiver) => (refresh(target, key), Reflect.get(target, key, receiver));
  handler.has = (target, key) => (refresh(target, key), Reflect.has(target, key));
  handler.ownKeys = (target) => (refresh(target, undefined), Reflect.ownKeys(target));
  handler.getOwnPropertyDescriptor = (target, key) => (
    refresh(target, key),
    Reflect.getOwnPropertyDescriptor(target, key)
  );
}

/** The process.env object. */
export function createEnv(): Environment {
  const target: Environment = {};
  if (own !== undefined) {
    for (const key of Object.keys(own)) put(target, key, own[key]!);
    return (env = new Proxy(target, handler));
  }
  const entries: string[] = envEntries();
  for (let i = 0; i < entries.length; i += 2) put(target, entries[i]!, entries[i + 1]!);
  return (env = new Proxy(target, handler));
}
