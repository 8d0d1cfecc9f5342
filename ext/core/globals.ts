/** Small globals that need no module of their own. */

const loop = native("loop");

/** HTML's queueMicrotask. */
export function queueMicrotask(callback: () => void) {
  if (typeof callback !== "function") {
    const { codes } = require("internal/core/errors");
    throw new codes.ERR_INVALID_ARG_TYPE("callback", "Function", callback);
  }
  loop.enqueueMicrotask(() => callback());
}

/** HTML's reportError: an uncaught exception without throwing. */
export function reportError(error: unknown) {
  if (arguments.length === 0) {
    const { codes } = require("internal/core/errors");
    throw new codes.ERR_MISSING_ARGS("error");
  }
  loop.triggerUncaughtException(error, false);
}

export class Navigator {
  #brand = true;

  static #check(value: unknown): void {
    if (typeof value === "object" && value !== null && #brand in value) return;
    const { codes } = require("internal/core/errors");
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
  get locks() {
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
