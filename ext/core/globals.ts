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

/** HTML's structuredClone: of plain data natively, of everything else on the engine's serialiser. */
export function structuredClone(value: unknown, options?: { transfer?: unknown[] }) {
  if (arguments.length === 0) {
    const { codes } = require("internal/errors");
    throw new codes.ERR_MISSING_ARGS("The \"value\" argument must be specified");
  }
  const transfer = options === undefined || options === null ? undefined : transferOf(options);
  let ours = true;
  if (transfer === undefined) {
    if (typeof value !== "object") {
      if (typeof value !== "symbol" && typeof value !== "function") return value;
    } else {
      if (value === null) return null;
      const copy = loop.clonePlain(value);
      if (typeof copy === "object") return copy;
      ours = copy === 2;
    }
  }
  const list = transfer === undefined ? undefined : [...transfer];
  if (list !== undefined) require("internal/untransferable").refuseUntransferable(list);
  if (!ours || typeof value !== "object") return serialize(value, list);
  const { pack, unpack } = require("internal/messaging/platform");
  const local: unknown[] = [];
  const packed = pack(value, list, local);
  const copy = serialize(packed, list);
  return packed === value ? copy : unpack(copy, local);
}

function transferOf(options: any): Iterable<unknown> | undefined {
  const invalid = (text: string) => {
    const error: any = new TypeError(`Failed to execute 'structuredClone': ${text}`);
    error.code = "ERR_INVALID_ARG_TYPE";
    return error;
  };
  if (typeof options !== "object" && typeof options !== "function") throw invalid("Options cannot be converted to a dictionary");
  const { transfer } = options;
  if (transfer === undefined) return undefined;
  if (typeof transfer !== "object" || typeof transfer?.[Symbol.iterator] !== "function") {
    throw invalid("transfer in Options can not be converted to sequence.");
  }
  return transfer;
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
