// Bun.Glob (https://bun.com/docs/runtime/glob): patterns for paths, and the files below a directory that match.
import { constructorOnly, invalidType } from "bun/util";

const ops = native("bun");

/** Native patterns of globs that are gone. */
let registry: FinalizationRegistry<number> | undefined;

interface Scan {
  cwd: string;
  prefix: string;
  bits: number;
}

function scanOf(options: any): Scan {
  let cwd = "";
  let absolute = false;
  // Only files, unless the caller says otherwise.
  let bits = 8;
  if (typeof options === "string") {
    cwd = options;
  } else if (options !== undefined && options !== null) {
    if (typeof options !== "object") throw invalidType("GlobScanOptions must be an object");
    if (options.cwd !== undefined) {
      if (typeof options.cwd !== "string") throw invalidType("GlobScanOptions.cwd must be a string");
      cwd = options.cwd;
    }
    absolute = Boolean(options.absolute);
    if (options.dot) bits |= 1;
    if (options.followSymlinks) bits |= 2;
    if (options.throwErrorOnBrokenSymlink) bits |= 4;
    if (options.onlyFiles !== undefined && !options.onlyFiles) bits &= ~8;
  }
  let prefix = "";
  if (absolute) {
    prefix = require("node:path").resolve(cwd);
    if (!prefix.endsWith("/")) prefix += "/";
  }
  return { cwd, prefix, bits };
}

function pathsOf(text: string, scan: Scan): string[] {
  if (text === "") return [];
  const paths = text.split("\0");
  paths.pop();
  // "." and ".." that the pattern has are for relative paths only.
  if (scan.prefix !== "" && /\/\.\.?\//.test(text)) return paths.map(require("node:path").normalize);
  return paths;
}

class Glob {
  #pattern: string;
  #slot = -1;

  /** @param pattern `?`, `*`, `**`, `[a-z]`, `{a,b}`, `@(a|b)` and their like; a leading `!` negates */
  constructor(pattern: any) {
    if (typeof pattern !== "string") throw invalidType("pattern must be a string");
    this.#pattern = pattern;
  }

  /** Whether the pattern matches all of `path`. */
  match(path: any): boolean {
    if (typeof path !== "string") throw invalidType("str must be a string");
    if (this.#slot < 0) {
      this.#slot = ops.globCompile(this.#pattern);
      (registry ??= new FinalizationRegistry(ops.globFree)).register(this, this.#slot);
    }
    return ops.globMatch(this.#slot, path);
  }

  /**
   * An async iterator of the paths that match, in no order.
   * @param options the directory to start from, or `cwd`, `dot`, `absolute`, `followSymlinks`,
   *   `throwErrorOnBrokenSymlink`, `onlyFiles`
   */
  scan(options?: any): AsyncIterableIterator<string> {
    return found(this.#pattern, scanOf(options));
  }

  /** The same at once: an iterator. */
  scanSync(options?: any): IterableIterator<string> {
    const scan = scanOf(options);
    const paths = pathsOf(ops.globScanSync(this.#pattern, scan.cwd, scan.prefix, scan.bits), scan);
    return paths.values();
  }
}
Object.defineProperty(Glob.prototype, Symbol.toStringTag, { value: "Glob", configurable: true });

async function* found(pattern: string, scan: Scan): AsyncIterableIterator<string> {
  const text: string = await new Promise((resolve, reject) => {
    ops.globScan(pattern, scan.cwd, scan.prefix, scan.bits, (error: any, value: string) => {
      if (error) reject(error);
      else resolve(value);
    });
  });
  // Promises of strings would only be unwrapped again: one at a time as it comes.
  yield* pathsOf(text, scan);
}

const PublicGlob = constructorOnly(Glob);
Object.defineProperty(Glob.prototype, "constructor", { value: PublicGlob, configurable: true, writable: true });
export { PublicGlob as Glob };
