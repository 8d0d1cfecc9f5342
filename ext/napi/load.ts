// `process.dlopen` and `require` of a `.node` file: https://nodejs.org/api/process.html#processdlopenmodule-filename-flags

import { codes } from "internal/core/errors";
import { validateString } from "internal/core/validators";

interface ModuleLike {
  exports: unknown;
}

/** RTLD_LAZY of dlopen(3), the default in Node. */
const LAZY = 1;

/** The files of addons, by what these have given. */
const files = new WeakMap<object, string>();

/** The file of the addon that has given an object; undefined for other values. */
export function fileOfAddon(exports: unknown): string | undefined {
  return typeof exports === "function" || (typeof exports === "object" && exports !== null)
    ? files.get(exports)
    : undefined;
}

/**
 * Loads the addon of a file for this thread: `module.exports` becomes what it gives.
 *
 * @param flags those of `os.constants.dlopen`
 * @throws Error with the code ERR_DLOPEN_FAILED, whose message names the file and what is wrong with it; whatever the
 * addon's start throws
 */
export function dlopen(module: unknown, filename: unknown, flags: unknown = LAZY): void {
  if (typeof module !== "object" || module === null) throw new codes.ERR_INVALID_ARG_TYPE("module", "Object", module);
  validateString(filename, "filename");
  if (!Number.isInteger(flags)) throw new codes.ERR_INVALID_ARG_TYPE("flags", "integer", flags);
  const holder = module as ModuleLike;
  const exports = native("napi").loadAddon(Object(holder.exports) as object, filename, flags as number);
  holder.exports = exports;
  if (typeof exports === "function" || (typeof exports === "object" && exports !== null)) {
    // What is relative starts where the process is now.
    files.set(exports, filename.includes("/") && !filename.startsWith("/") ? `${process.cwd()}/${filename}` : filename);
  }
}
