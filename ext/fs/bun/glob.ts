// Bun.Glob (https://bun.com/docs/runtime/glob): patterns for paths, and the files below a directory that match.
import { unboxed } from "internal/core/validators";
import { constructorOnly, invalidType } from "bun/util";

const ops = native("bun");

/** Native patterns of globs that are gone. */
let registry: FinalizationRegistry<number> | undefined;

interface Scan {
  cwd: string;
  prefix: string;
  bits: number;
}

/** The options of scan(); also just the directory. */
interface GlobScanOptions {
  cwd?: string | String;
  absolute?: unknown;
  dot?: unknown;
  followSymlinks?: unknown;
  throwErrorOnBrokenSymlink?: unknown;
  onlyFiles?: unknown;
}

function scanOf(options: string | GlobScanOptions | null | undefined): Scan {
  let cwd = "";
  let absolute = false;
  // Only files, unless the caller says otherwise.
  let bits = 8;
  if (typeof options === "string") {
    cwd = options;
  } else if (options !== undefined && options !== null) {
    if (typeof options !== "object") throw invalidType("GlobScanOptions must be an object");
    if (options.cwd !== undefined) {
      const given = options.cwd instanceof String ? unboxed(options.cwd) : options.cwd;
      if (typeof given !== "string") throw invalidType("GlobScanOptions.cwd must be a string");
      cwd = given;
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

/** After so many paths a pattern is worth a regular expression. */
const OFTEN = 100;
/** Longer paths are left to the native matcher, whose time does not grow with the square of the length. */
const LONG = 512;

/**
 * A regular expression for the plain patterns: ASCII text, at most two stars, and choices of texts. It is compiled to
 * machine code, and there is no call out of it. Null for other patterns.
 */
function regExpOf(pattern: string): RegExp | null {
  if (!/^[\w\-. /,{}*@#%=~:+]+$/.test(pattern) || /[@+*]\(/.test(pattern)) return null;
  let source = "";
  let stars = 0;
  let inChoice = false;
  let nameStart = true;
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern[at]!;
    if (char === "*") {
      if (inChoice || ++stars > 2) return null;
      const end = at + (pattern[at + 1] === "*" ? 2 : 1);
      if (pattern[end] === "*") return null;
      if (end === at + 1) {
        source += "[^/]*";
        nameStart = false;
      } else {
        // Two stars that are a name of their own; as a part of one they are left to the native matcher.
        if (!nameStart || pattern[end] !== "/" || end + 1 === pattern.length) return null;
        // Not before nothing: "a/**/" does not match "a/".
        source += "(?:[^]*/)?(?=[^])";
        at = end;
      }
      continue;
    }
    nameStart = char === "/";
    if (char === "{") {
      const end = pattern.indexOf("}", at);
      const choice = end < 0 ? "" : pattern.slice(at + 1, end);
      // Choices in choices, of paths or of numbers are not plain.
      if (!choice.includes(",") || /[{/*]|\.\./.test(choice)) return null;
      inChoice = true;
      source += "(?:";
    } else if (char === "}") {
      if (!inChoice) return null;
      inChoice = false;
      source += ")";
    } else if (char === "," && inChoice) {
      source += "|";
    } else {
      source += /\w/.test(char) ? char : `\\${char}`;
    }
  }
  return new RegExp(`^${source}$`);
}

/** What a pattern was compiled to. Globs of one pattern share it. */
class Compiled {
  readonly #pattern: string;
  readonly #slot: number;
  #matched = 0;
  #regExp: RegExp | null = null;

  constructor(pattern: string) {
    this.#pattern = pattern;
    this.#slot = ops.globCompile(pattern);
    (registry ??= new FinalizationRegistry(ops.globFree)).register(this, this.#slot);
  }

  match(path: string): boolean {
    if (this.#regExp !== null && path.length < LONG) return this.#regExp.test(path);
    if (this.#matched++ === OFTEN) this.#regExp = regExpOf(this.#pattern);
    return ops.globMatch(this.#slot, path);
  }
}

/** The patterns compiled last: programs make globs of a few patterns again and again. */
const compiled = new Map<string, Compiled>();
const KEPT = 32;

function compile(pattern: string): Compiled {
  let found = compiled.get(pattern);
  if (found === undefined) {
    found = new Compiled(pattern);
    if (compiled.size === KEPT) compiled.delete(compiled.keys().next().value!);
    compiled.set(pattern, found);
  }
  return found;
}

class Glob {
  #pattern: string;
  #compiled: Compiled | undefined;

  /** @param pattern `?`, `*`, `**`, `[a-z]`, `{a,b}`, `@(a|b)` and their like; a leading `!` negates */
  constructor(pattern: unknown) {
    if (typeof pattern !== "string") throw invalidType("pattern must be a string");
    this.#pattern = pattern;
  }

  /** Whether the pattern matches all of `path`. */
  match(path: unknown): boolean {
    if (typeof path !== "string") throw invalidType("str must be a string");
    return (this.#compiled ??= compile(this.#pattern)).match(path);
  }

  /**
   * An async iterator of the paths that match, in no order.
   * @param options the directory to start from, or `cwd`, `dot`, `absolute`, `followSymlinks`,
   *   `throwErrorOnBrokenSymlink`, `onlyFiles`
   */
  scan(options?: unknown): AsyncIterableIterator<string> {
    return found(this.#pattern, scanOf(options as string | GlobScanOptions));
  }

  /** The same at once: an iterator. */
  scanSync(options?: unknown): IterableIterator<string> {
    const scan = scanOf(options as string | GlobScanOptions);
    const paths = pathsOf(ops.globScanSync(this.#pattern, scan.cwd, scan.prefix, scan.bits), scan);
    return paths.values();
  }
}
Object.defineProperty(Glob.prototype, Symbol.toStringTag, { value: "Glob", configurable: true });

async function* found(pattern: string, scan: Scan): AsyncIterableIterator<string> {
  const text: string = await new Promise((resolve, reject) => {
    ops.globScan(pattern, scan.cwd, scan.prefix, scan.bits, (error, value: string) => {
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
