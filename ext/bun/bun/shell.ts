/**
 * `Bun.$` (https://bun.com/docs/runtime/shell), so far only its names: programs that import it start, and whoever calls it is told
 * that it is not implemented.
 */
import { constructorOnly, notImplemented } from "bun/util";

/** The error of a command that failed. Nothing makes one yet; `instanceof` works. */
class ShellError extends Error {
  constructor() {
    super();
    throw notImplemented("Bun.$.ShellError");
  }
}

/** What `Bun.$` gives. */
class ShellPromise extends Promise<unknown> {
  constructor() {
    super(() => {});
    throw notImplemented("Bun.$.ShellPromise");
  }
  static override get [Symbol.species]() {
    return Promise;
  }
}

/** A shell with settings of its own. */
class Shell {
  constructor() {
    throw notImplemented("Bun.$.Shell");
  }
}

function shell(): never {
  throw notImplemented("Bun.$");
}

export const $ = Object.assign(shell, {
  Shell: constructorOnly(Shell),
  ShellError,
  ShellPromise,
  braces(): never {
    throw notImplemented("Bun.$.braces");
  },
  escape(): never {
    throw notImplemented("Bun.$.escape");
  },
});
Object.defineProperty(shell, "name", { value: "BunShell" });
