// The POSIX flavour of `node:path` (https://nodejs.org/api/path.html). Pure string work: only `resolve` and `relative`
// look at the current directory, and only when no absolute path was given. Every function throws
// ERR_INVALID_ARG_TYPE for an argument that is not a string; String objects are strings, as in Bun.
import { validateObject, textOf } from "internal/core/validators";

const SLASH = 47;
const DOT = 46;

/**
 * Removes empty and "." segments and applies ".." in `path` from index `start`. The result has no leading or
 * trailing slash. With `rooted`, ".." at the root vanishes; otherwise it stays in front.
 *
 * Kept text is tracked as one run [from, to) of `path`, so that a path with few dots costs few slices.
 */
function collapse(path: string, start: number, rooted: boolean): string {
  const n = path.length;
  let out = "";
  let depth = 0; // how many trailing segments a ".." may still remove
  let from = -1; // the run that follows `out`; from === -1: none
  let to = -1;
  let i = start;
  while (i < n) {
    let end = path.indexOf("/", i);
    if (end === -1) end = n;
    const length = end - i;
    if (length === 0 || (length === 1 && path.charCodeAt(i) === DOT)) {
      // nothing to keep
    } else if (length === 2 && path.charCodeAt(i) === DOT && path.charCodeAt(i + 1) === DOT) {
      if (depth > 0) {
        depth--;
        if (from === -1) {
          const cut = out.lastIndexOf("/");
          out = cut === -1 ? "" : out.slice(0, cut);
        } else {
          const cut = path.lastIndexOf("/", to - 1);
          if (cut > from) to = cut;
          else from = -1;
        }
      } else if (!rooted) {
        if (from !== -1) {
          const run = path.slice(from, to);
          out = out === "" ? run : `${out}/${run}`;
          from = -1;
        }
        out = out === "" ? ".." : `${out}/..`;
      }
    } else {
      depth++;
      if (from === -1) {
        from = i;
      } else if (to + 1 !== i) {
        const run = path.slice(from, to);
        out = out === "" ? run : `${out}/${run}`;
        from = i;
      }
      to = end;
    }
    i = end + 1;
  }
  if (from === -1) return out;
  const run = path.slice(from, to);
  return out === "" ? run : `${out}/${run}`;
}

/** True if nothing in an absolute or relative path needs collapsing; "/." also catches names such as "/.git". */
function isPlain(path: string): boolean {
  return path.charCodeAt(0) !== DOT && !path.includes("/.") && !path.includes("//");
}

/** path.normalize(): "" gives ".", one trailing slash survives. */
function normalize(path: string): string {
  if (typeof path !== "string") path = textOf(path, "path");
  if (path.length === 0) return ".";
  if (isPlain(path)) return path;
  const rooted = path.charCodeAt(0) === SLASH;
  const trailing = path.charCodeAt(path.length - 1) === SLASH;
  const out = collapse(path, 0, rooted);
  if (out.length === 0) {
    if (rooted) return "/";
    return trailing ? "./" : ".";
  }
  if (rooted) return trailing ? `/${out}/` : `/${out}`;
  return trailing ? `${out}/` : out;
}

function isAbsolute(path: string): boolean {
  if (typeof path !== "string") path = textOf(path, "path");
  return path.charCodeAt(0) === SLASH;
}

/** path.join(): joins the non-empty arguments with "/" and normalises. */
function join(...args: string[]): string {
  let joined = "";
  for (let i = 0; i < args.length; i++) {
    let arg = args[i]!;
    if (typeof arg !== "string") arg = textOf(arg, "path");
    if (arg.length > 0) joined = joined.length === 0 ? arg : `${joined}/${arg}`;
  }
  return joined.length === 0 ? "." : normalize(joined);
}

/** The current directory as a POSIX path; on Windows process.cwd() is translated and the drive dropped. */
function currentDirectory(): string {
  const cwd = process.cwd();
  if (process.platform !== "win32") return cwd;
  const slashed = cwd.replaceAll("\\", "/");
  return slashed.slice(slashed.indexOf("/"));
}

/** path.resolve(): from the right, until the path is absolute; the current directory is the last resort. */
function resolve(...args: string[]): string {
  let resolved = "";
  for (let i = args.length - 1; i >= 0; i--) {
    let path = args[i]!;
    if (typeof path !== "string") path = textOf(path, `paths[${i}]`);
    if (path.length === 0) continue;
    resolved = resolved.length === 0 ? path : `${path}/${resolved}`;
    if (path.charCodeAt(0) === SLASH) return absolute(resolved);
  }
  const cwd = currentDirectory();
  resolved = resolved.length === 0 ? cwd : `${cwd}/${resolved}`;
  if (resolved.charCodeAt(0) === SLASH) return absolute(resolved);
  // Only when process.cwd() was replaced by something odd.
  return collapse(resolved, 0, false) || ".";
}

/** Normalises an absolute path and drops a trailing slash. */
function absolute(path: string): string {
  if (isPlain(path)) {
    const last = path.length - 1;
    return last > 0 && path.charCodeAt(last) === SLASH ? path.slice(0, last) : path;
  }
  return `/${collapse(path, 1, true)}`;
}

/** path.relative(): both paths are resolved first; "" when they are the same. */
function relative(from: string, to: string): string {
  if (typeof from !== "string") from = textOf(from, "from");
  if (typeof to !== "string") to = textOf(to, "to");
  if (from === to) return "";
  from = resolve(from);
  to = resolve(to);
  if (from === to) return "";

  // Length of the common prefix that ends at a segment boundary in both ("/" itself counts as empty text).
  const fromEnd = from.length === 1 ? 0 : from.length;
  const toEnd = to.length === 1 ? 0 : to.length;
  const shorter = fromEnd < toEnd ? fromEnd : toEnd;
  let i = 0;
  let boundary = 0;
  for (; i < shorter; i++) {
    const code = from.charCodeAt(i);
    if (code !== to.charCodeAt(i)) break;
    if (code === SLASH) boundary = i;
  }
  if (i === shorter) {
    const onBoundary =
      (fromEnd === shorter || from.charCodeAt(shorter) === SLASH) &&
      (toEnd === shorter || to.charCodeAt(shorter) === SLASH);
    if (onBoundary) boundary = shorter;
  }
  let up = "";
  if (boundary < fromEnd) {
    up = "..";
    for (let at = from.indexOf("/", boundary + 1); at !== -1; at = from.indexOf("/", at + 1)) up += "/..";
  }
  if (boundary >= toEnd) return up;
  const down = to.slice(boundary + 1);
  return up === "" ? down : `${up}/${down}`;
}

/** path.toNamespacedPath(): only Windows has such a notion; returns the argument, whatever it is. */
function toNamespacedPath(path: string): string {
  return path;
}

/** Index just past the last character of `path` that is not a slash; 0 if there is none. */
function trimmedEnd(path: string): number {
  let end = path.length;
  while (end > 0 && path.charCodeAt(end - 1) === SLASH) end--;
  return end;
}

function dirname(path: string): string {
  if (typeof path !== "string") path = textOf(path, "path");
  if (path.length === 0) return ".";
  const end = trimmedEnd(path);
  if (end === 0) return "/";
  const slash = path.lastIndexOf("/", end - 1);
  if (slash === -1) return ".";
  if (slash === 0) return "/";
  // Exactly "//" in front of a single name is kept whole, as POSIX gives it a meaning of its own.
  if (slash === 1 && path.charCodeAt(0) === SLASH) return "//";
  return path.slice(0, slash);
}

/** path.basename(): the last segment, without `suffix` if it ends with it and is longer. */
function basename(path: string, suffix?: string): string {
  if (suffix !== undefined && typeof suffix !== "string") suffix = textOf(suffix, "suffix");
  if (typeof path !== "string") path = textOf(path, "path");
  const end = trimmedEnd(path);
  const start = end === 0 ? 0 : path.lastIndexOf("/", end - 1) + 1;
  if (suffix === undefined || suffix.length === 0 || suffix.length > path.length) return path.slice(start, end);
  if (suffix === path) return "";
  return path.slice(start, suffixEnd(path, suffix, start, end));
}

/** Where the base name [start, end) of `path` ends once `suffix` is taken off. */
function suffixEnd(path: string, suffix: string, start: number, end: number): number {
  const base = end - start;
  if (suffix.length < base) return path.endsWith(suffix, end) ? end - suffix.length : end;
  // A suffix that is longer than the name and ends with it leaves the trailing slashes on, in Node as in Bun
  // (so basename("//", "x") is "//").
  if (suffix.length > base && suffix.endsWith(path.slice(start, end))) return path.length;
  return end;
}

/** path.extname(): from the last dot of the base name, "" if that dot comes first. */
function extname(path: string): string {
  if (typeof path !== "string") path = textOf(path, "path");
  const end = trimmedEnd(path);
  if (end === 0) return "";
  const dot = path.lastIndexOf(".", end - 1);
  if (dot === -1) return "";
  const start = path.lastIndexOf("/", end - 1) + 1;
  return hasExtension(path, start, dot, end) ? path.slice(dot, end) : "";
}

/** Whether the last dot (at `dot`) of the name [start, end) starts an extension: not in front, and not in "..". */
function hasExtension(path: string, start: number, dot: number, end: number): boolean {
  if (dot <= start) return false;
  return !(dot === start + 1 && dot === end - 1 && path.charCodeAt(start) === DOT);
}

interface ParsedPath {
  root: string;
  dir: string;
  base: string;
  ext: string;
  name: string;
}

/** path.format(): the inverse of parse; `base` wins over `name` + `ext`, `dir` over `root`. */
function format(pathObject: Partial<ParsedPath>): string {
  return formatWith("/", pathObject);
}

export function formatWith(separator: string, pathObject: Partial<ParsedPath>): string {
  validateObject(pathObject, "pathObject");
  const dir = pathObject.dir || pathObject.root;
  const ext = pathObject.ext ? `${pathObject.ext[0] === "." ? "" : "."}${pathObject.ext}` : "";
  const base = pathObject.base || `${pathObject.name || ""}${ext}`;
  if (!dir) return base;
  return dir === pathObject.root ? `${dir}${base}` : `${dir}${separator}${base}`;
}

function parse(path: string): ParsedPath {
  if (typeof path !== "string") path = textOf(path, "path");
  const result: ParsedPath = { root: "", dir: "", base: "", ext: "", name: "" };
  if (path.length === 0) return result;
  const rooted = path.charCodeAt(0) === SLASH;
  if (rooted) result.root = "/";
  const end = trimmedEnd(path);
  const slash = end === 0 ? -1 : path.lastIndexOf("/", end - 1);
  if (end > 0) {
    const start = slash + 1;
    result.base = path.slice(start, end);
    const dot = path.lastIndexOf(".", end - 1);
    // "/.." comes apart as "." and "." in Node and in Bun.
    if (hasExtension(path, start, dot, end) || (slash === 0 && result.base === "..")) {
      result.name = path.slice(start, dot);
      result.ext = path.slice(dot, end);
    } else {
      result.name = result.base;
    }
  }
  if (slash > 0) result.dir = path.slice(0, slash);
  else if (rooted) result.dir = "/";
  return result;
}

/** path.matchesGlob(): whether the whole path matches the pattern (experimental in Node). */
function matchesGlob(path: string, pattern: string): boolean {
  const { matchesGlob: matches } = require("internal/path/glob");
  return matches(path, pattern, false);
}

// Node prints the name of this one function as "bound _format".
Object.defineProperty(format, "name", { value: "bound _format", configurable: true });

export const posix: any = {
  resolve,
  normalize,
  isAbsolute,
  join,
  relative,
  toNamespacedPath,
  dirname,
  basename,
  extname,
  format,
  parse,
  matchesGlob,
  sep: "/",
  delimiter: ":",
  win32: null,
  posix: null,
  _makeLong: toNamespacedPath,
};

/**
 * Puts a property that loads on first use on a path object: few programs ever touch the flavour of the other platform.
 * It turns into a plain data property when it is read, as it is in Node.
 */
export function lazyFlavour(target: unknown, name: "posix" | "win32", load: () => unknown): void {
  Object.defineProperty(target, name, {
    configurable: true,
    enumerable: true,
    get() {
      const value = load();
      Object.defineProperty(target, name, { value, configurable: true, enumerable: true, writable: true });
      return value;
    },
    set(value) {
      Object.defineProperty(target, name, { value, configurable: true, enumerable: true, writable: true });
    },
  });
}
