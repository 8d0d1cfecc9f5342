/** Small globals that need no module of their own. */

const loop = native("loop");

/** HTML's queueMicrotask. */
export function queueMicrotask(callback: () => void) {
  if (typeof callback !== "function") {
    const { codes } = require("internal/errors");
    throw new codes.ERR_INVALID_ARG_TYPE("callback", "Function", callback);
  }
  loop.enqueueMicrotask(() => callback());
}

let clonePlatformObject: any;

/** A class of bao's own whose objects structured cloning copies, see lib/internal/clone_blobs. */
export interface CloneKind {
  /** The module whose export `deserialize` makes an object of what `serialize` gave. */
  module: string;
  is(value: unknown): boolean;
  /** Plain data of an object. */
  serialize(value: any): any;
}

/** The classes of which a program may have objects; `used` is set with the first. */
export const cloneBlobs: { used: boolean; kinds: CloneKind[] } = { used: false, kinds: [] };

/** HTML's structuredClone on the engine's serialiser. */
export function structuredClone(value: unknown, options?: { transfer?: unknown[] }) {
  if (arguments.length === 0) {
    const { codes } = require("internal/errors");
    throw new codes.ERR_MISSING_ARGS("The \"value\" argument must be specified");
  }
  const type = typeof value;
  const transfer = options?.transfer;
  if (transfer === undefined || transfer === null) {
    if (type === "string" || type === "number" || type === "boolean" || value === undefined || value === null) {
      return value;
    }
  }
  if (type === "object" && value !== null) {
    const copy = platformCopy(value, transfer);
    if (copy !== undefined) return copy;
  }
  const list = transfer === undefined || transfer === null ? undefined : [...transfer];
  if (list !== undefined) require("internal/untransferable").refuseUntransferable(list);
  if (cloneBlobs.used && type === "object") {
    const { cloneWithBlobs } = require("internal/clone_blobs");
    const cloned = cloneWithBlobs(value, (marked: unknown) => serialize(marked, list));
    if (cloned !== undefined) return cloned.value;
  }
  return serialize(value, list);
}

function serialize(value: unknown, transfer: unknown[] | undefined) {
  const result = loop.structuredClone(value, transfer);
  if (result[0]) return result[1];
  // The one proxy that is an ordinary object to programs.
  if (value === (globalThis as any).process?.env) return serialize({ ...(value as object) }, transfer);
  throw dataCloneError(result[1], value);
}

/** The error for a value that the engine's serialiser refused with `message`. */
export function dataCloneError(message: string, value: unknown): Error {
  const { DOMException } = require("web/dom_exception");
  const text = message === "object could not be cloned" ? require("internal/v8/serializer").uncloneableMessage(value) : message;
  return new DOMException(text, "DataCloneError");
}

/** Set with the first markAsUncloneable(): before that, no value can be marked. */
export const uncloneable = { any: false };

/** See internal/clone_platform: the copy of an object of one of bao's own classes, undefined for any other. Throws DataCloneError. */
export function platformCopy(value: object, transfer: Iterable<unknown> | null | undefined): any {
  if (uncloneable.any) require("internal/untransferable").refuseUncloneable(value);
  const prototype = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === Array.prototype || prototype === null) return undefined;
  // Objects of bao's own classes have a tag, and so have few of the engine's.
  const tag = prototype[Symbol.toStringTag];
  if (typeof tag !== "string" || tag === "Map" || tag === "Set") return undefined;
  clonePlatformObject ??= require("internal/clone_platform").clonePlatformObject;
  return clonePlatformObject(value, tag, transfer);
}

/** HTML's reportError: an uncaught exception without throwing. */
export function reportError(error: unknown) {
  if (arguments.length === 0) {
    const { codes } = require("internal/errors");
    throw new codes.ERR_MISSING_ARGS("error");
  }
  loop.triggerUncaughtException(error, false);
}

export class Navigator {
  #brand = true;

  static #check(value: any): void {
    if (typeof value === "object" && value !== null && #brand in value) return;
    const { codes } = require("internal/errors");
    throw new codes.ERR_INVALID_THIS("Navigator");
  }

  get hardwareConcurrency(): number {
    Navigator.#check(this);
    return require("node:os").availableParallelism();
  }
  get language(): string {
    Navigator.#check(this);
    return new Intl.DateTimeFormat().resolvedOptions().locale;
  }
  get languages(): string[] {
    Navigator.#check(this);
    return Object.freeze([this.language]) as string[];
  }
  /** The Web Locks of this thread. */
  get locks(): any {
    Navigator.#check(this);
    return require("web/locks").locks;
  }
  get platform(): string {
    Navigator.#check(this);
    const { arch, platform } = require("node:process");
    return platform === "darwin" ? "MacIntel" : `Linux ${arch === "x64" ? "x86_64" : "aarch64"}`;
  }
  get userAgent(): string {
    Navigator.#check(this);
    return `Bun/${require("node:process").versions.bun}`;
  }
}
for (const name of ["hardwareConcurrency", "language", "languages", "locks", "platform", "userAgent"]) {
  Object.defineProperty(Navigator.prototype, name, { enumerable: true });
}
Object.defineProperty(Navigator.prototype, Symbol.toStringTag, { value: "Navigator", configurable: true });

export const navigator = new Navigator();

export const global = globalThis;
