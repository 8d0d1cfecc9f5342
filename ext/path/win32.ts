// The Windows flavour of `node:path` (https://nodejs.org/api/path.html): drives, UNC shares, device paths, both slashes.
// It works on every platform; only `resolve` and `relative` look at the process (its directory and the "=C:" variables
// in which Windows keeps one directory per drive).
import { formatWith } from "internal/path/posix";
import { validateString } from "internal/core/validators";

const BACKSLASH = 92;
const COLON = 58;
const DOT = 46;
const SLASH = 47;

function isSeparator(code: number): boolean {
  return code === SLASH || code === BACKSLASH;
}

function isDriveLetter(code: number): boolean {
  const lower = code | 32;
  return lower >= 97 && lower <= 122;
}

/** Index of the first separator of either kind at or after `from`, or the length. */
function separatorAt(path: string, from: number): number {
  let i = from;
  while (i < path.length && !isSeparator(path.charCodeAt(i))) i++;
  return i;
}

/** Index of the first character at or after `from` that is no separator. */
function pastSeparators(path: string, from: number): number {
  let i = from;
  while (i < path.length && isSeparator(path.charCodeAt(i))) i++;
  return i;
}

/** Index of the last separator in front of `before`, or -1. */
function lastSeparator(path: string, before: number): number {
  let i = before - 1;
  while (i >= 0 && !isSeparator(path.charCodeAt(i))) i--;
  return i;
}

interface Root {
  /** "C:", "\\server\share", "\\." or "\\?"; "" without one. */
  device: string;
  /** How many characters of the path belong to the root, with the separator after a drive. */
  end: number;
  absolute: boolean;
  /** "." or "?" for \\.\ and \\?\ paths. */
  namespace: string;
  /** For "\\server\share" and nothing after it: the two names as written, "" otherwise. */
  bareShare: string;
}

/** Takes the root off a path. */
function rootOf(path: string): Root {
  const root: Root = { device: "", end: 0, absolute: false, namespace: "", bareShare: "" };
  const length = path.length;
  if (length === 0) return root;
  const first = path.charCodeAt(0);
  if (isSeparator(first)) {
    root.absolute = true;
    root.end = 1;
    if (length < 2 || !isSeparator(path.charCodeAt(1))) return root;
    const serverEnd = separatorAt(path, 2);
    if (serverEnd === 2 || serverEnd === length) return root;
    const shareStart = pastSeparators(path, serverEnd);
    if (shareStart === length) return root;
    const server = path.slice(2, serverEnd);
    const shareEnd = separatorAt(path, shareStart);
    if (server === "." || server === "?") {
      root.namespace = server;
      root.device = `\\\\${server}`;
      root.end = 4;
    } else {
      root.device = `\\\\${server}\\${path.slice(shareStart, shareEnd)}`;
      root.end = shareEnd;
      if (shareEnd === length) root.bareShare = path.slice(shareStart);
    }
  } else if (length > 1 && isDriveLetter(first) && path.charCodeAt(1) === COLON) {
    root.device = path.slice(0, 2);
    root.end = 2;
    if (length > 2 && isSeparator(path.charCodeAt(2))) {
      root.absolute = true;
      root.end = 3;
    }
  }
  return root;
}

let reserved: Set<string> | undefined;

/** Whether the text in front of the colon is a DOS device name. Without a colon Node looks at all but the last character. */
function isReservedName(path: string, colon: number): boolean {
  if (reserved === undefined) {
    reserved = new Set(["CON", "PRN", "AUX", "NUL"]);
    for (const digit of "123456789\u00b9\u00b2\u00b3") reserved.add(`COM${digit}`).add(`LPT${digit}`);
  }
  return reserved.has(path.slice(0, colon).toUpperCase());
}

/** Removes empty and "." segments and applies ".."; the result has no separators at its ends. */
function collapse(path: string, keepLeading: boolean): string {
  const kept: string[] = [];
  let removable = 0;
  let i = 0;
  while (i < path.length) {
    const end = separatorAt(path, i);
    const segment = path.slice(i, end);
    i = end + 1;
    if (segment === "" || segment === ".") continue;
    if (segment !== "..") {
      kept.push(segment);
      removable++;
    } else if (removable > 0) {
      kept.pop();
      removable--;
    } else if (keepLeading) {
      kept.push(segment);
    }
  }
  return kept.join("\\");
}

/** path.win32.normalize(): "" gives "."; separators become "\", one trailing separator survives. */
function normalize(path: string): string {
  validateString(path, "path");
  const length = path.length;
  if (length === 0) return ".";
  if (length === 1) return path === "/" ? "\\" : path;
  const root = rootOf(path);
  let { device, end } = root;
  if (root.bareShare !== "") return `${device}\\`;
  const colon = path.indexOf(":");
  if (root.namespace !== "") {
    // \\.\COM1: is a device; keep it out of the reach of "..".
    const name = path.slice(4, colon + 1);
    if (isReservedName(name, name.length - 1)) {
      device = `\\\\?\\${name}`;
      end = 4 + name.length;
    }
  } else if (device === "" && !root.absolute && colon > 0 && isReservedName(path, colon)) {
    device = path.slice(0, colon + 1);
    end = colon + 1;
  }
  let tail = end < length ? collapse(path.slice(end), !root.absolute) : "";
  if (tail === "" && !root.absolute) tail = ".";
  if (tail !== "" && isSeparator(path.charCodeAt(length - 1))) tail += "\\";
  if (!root.absolute && device === "" && colon !== -1) {
    // A relative path that only now starts like a drive, or that has a colon in front of a separator or at its end,
    // must not become a path on another drive.
    if (tail.length >= 2 && isDriveLetter(tail.charCodeAt(0)) && tail.charCodeAt(1) === COLON) return `.\\${tail}`;
    for (let at = colon; at !== -1; at = path.indexOf(":", at + 1)) {
      if (at === length - 1 || isSeparator(path.charCodeAt(at + 1))) return `.\\${tail}`;
    }
  }
  if (isReservedName(path, colon)) return `.\\${device}${tail}`;
  return root.absolute ? `${device}\\${tail}` : `${device}${tail}`;
}

function isAbsolute(path: string): boolean {
  validateString(path, "path");
  if (path.length === 0) return false;
  const first = path.charCodeAt(0);
  if (isSeparator(first)) return true;
  return path.length > 2 && isDriveLetter(first) && path.charCodeAt(1) === COLON && isSeparator(path.charCodeAt(2));
}

/** path.win32.join(): joins the non-empty arguments with "\" and normalises. */
function join(...args: string[]): string {
  let joined = "";
  let first = "";
  for (const arg of args) {
    validateString(arg, "path");
    if (arg.length === 0) continue;
    if (joined === "") joined = first = arg;
    else joined += `\\${arg}`;
  }
  if (joined === "") return ".";
  // Only a first argument that is itself a UNC path may give a UNC path: join("\\", "a") must not become a server.
  const slashes = pastSeparators(first, 0);
  if (!(slashes === 2 && first.length > 2)) {
    const leading = pastSeparators(joined, 0);
    if (leading >= 2) joined = `\\${joined.slice(leading)}`;
  }
  // Normalising could move a reserved device name to the front, where it would name the device.
  for (const part of joined.split("\\")) {
    const colon = part.indexOf(":");
    if (colon !== -1 && isReservedName(part, colon)) return joined.replaceAll("/", "\\");
  }
  return normalize(joined);
}

/** The directory that a path relative to `device` starts from; "" asks for the current directory. */
function directoryFor(device: string): string {
  if (device === "") return process.cwd();
  const path = process.env[`=${device}`] || process.cwd();
  // A directory of another drive does not count: then the root of the drive.
  if (path.slice(0, 2).toLowerCase() !== device.toLowerCase() && path.charCodeAt(2) === BACKSLASH) return `${device}\\`;
  return path;
}

/** path.win32.resolve(): from the right, until both a drive (or share) and a root are known. */
function resolve(...args: string[]): string {
  let device = "";
  let tail = "";
  let absolute = false;
  for (let i = args.length - 1; i >= -1; i--) {
    let path: string;
    if (i >= 0) {
      path = args[i]!;
      validateString(path, `paths[${i}]`);
      if (path.length === 0) continue;
    } else {
      path = directoryFor(device);
    }
    const root = rootOf(path);
    if (root.device !== "") {
      if (device === "") device = root.device;
      else if (root.device.toLowerCase() !== device.toLowerCase()) continue;
    }
    if (absolute) {
      if (device !== "") break;
    } else {
      tail = `${path.slice(root.end)}\\${tail}`;
      absolute = root.absolute;
      if (absolute && device !== "") break;
    }
  }
  tail = collapse(tail, !absolute);
  return absolute ? `${device}\\${tail}` : `${device}${tail}` || ".";
}

/** path.win32.relative(): compares without case; across drives the answer is `to`, resolved. */
function relative(from: string, to: string): string {
  validateString(from, "from");
  validateString(to, "to");
  if (from === to) return "";
  const source = resolve(from);
  const target = resolve(to);
  if (source === target) return "";
  const fromLower = source.toLowerCase();
  const toLower = target.toLowerCase();
  if (fromLower === toLower) return "";
  // Lower-casing changes the length of some letters, then offsets do not carry over and names are compared one by one.
  if (fromLower.length !== source.length || toLower.length !== target.length) return relativeByName(source, target);

  const [fromStart, fromEnd] = trimmed(fromLower);
  const [toStart, toEnd] = trimmed(toLower);
  const fromLength = fromEnd - fromStart;
  const toLength = toEnd - toStart;
  const shorter = Math.min(fromLength, toLength);
  let common = -1; // offset of the last separator that both share
  let i = 0;
  for (; i < shorter; i++) {
    const code = fromLower.charCodeAt(fromStart + i);
    if (code !== toLower.charCodeAt(toStart + i)) break;
    if (code === BACKSLASH) common = i;
  }
  if (i !== shorter) {
    if (common === -1) return target;
  } else {
    if (toLength > shorter) {
      if (toLower.charCodeAt(toStart + i) === BACKSLASH) return target.slice(toStart + i + 1);
      if (i === 2) return target.slice(toStart + i); // "C:" against "C:name"
    }
    if (fromLength > shorter) {
      if (fromLower.charCodeAt(fromStart + i) === BACKSLASH) common = i;
      else if (i === 2) common = 3;
    }
    if (common === -1) common = 0;
  }
  let up = "";
  for (let at = fromStart + common + 1; at <= fromEnd; at++) {
    if (at === fromEnd || fromLower.charCodeAt(at) === BACKSLASH) up += up === "" ? ".." : "\\..";
  }
  const rest = toStart + common;
  if (up !== "") return `${up}${target.slice(rest, toEnd)}`;
  return target.slice(target.charCodeAt(rest) === BACKSLASH ? rest + 1 : rest, toEnd);
}

/** Range of `path` without backslashes at its ends. */
function trimmed(path: string): [number, number] {
  let start = 0;
  while (start < path.length && path.charCodeAt(start) === BACKSLASH) start++;
  let end = path.length;
  while (end - 1 > start && path.charCodeAt(end - 1) === BACKSLASH) end--;
  return [start, end];
}

function relativeByName(source: string, target: string): string {
  const from = source.split("\\");
  const to = target.split("\\");
  if (from[from.length - 1] === "") from.pop();
  if (to[to.length - 1] === "") to.pop();
  const shorter = Math.min(from.length, to.length);
  let same = 0;
  while (same < shorter && from[same]!.toLowerCase() === to[same]!.toLowerCase()) same++;
  if (same === 0) return target;
  return [...Array(from.length - same).fill(".."), ...to.slice(same)].join("\\");
}

/** path.win32.toNamespacedPath(): the \\?\ form of a drive or UNC path; anything else is returned unchanged. */
function toNamespacedPath(path: string): string {
  if (typeof path !== "string" || path.length === 0) return path;
  const resolved = resolve(path);
  if (resolved.length <= 2) return path;
  if (resolved.charCodeAt(0) === BACKSLASH) {
    const third = resolved.charCodeAt(2);
    if (resolved.charCodeAt(1) === BACKSLASH && third !== DOT && resolved[2] !== "?")
      return `\\\\?\\UNC\\${resolved.slice(2)}`;
  } else if (
    isDriveLetter(resolved.charCodeAt(0)) &&
    resolved.charCodeAt(1) === COLON &&
    resolved.charCodeAt(2) === BACKSLASH
  ) {
    return `\\\\?\\${resolved}`;
  }
  return resolved;
}

/**
 * The root as dirname and parse see it, which (unlike normalize) do not treat \\.\ specially: its length with the
 * separator after it. -1: there is none.
 */
function rootLength(path: string): number {
  const length = path.length;
  const first = path.charCodeAt(0);
  if (isSeparator(first)) {
    if (length < 2 || !isSeparator(path.charCodeAt(1))) return 1;
    const serverEnd = separatorAt(path, 2);
    if (serverEnd === 2 || serverEnd === length) return 1;
    const shareStart = pastSeparators(path, serverEnd);
    if (shareStart === length) return 1;
    const shareEnd = separatorAt(path, shareStart);
    return shareEnd === length ? length : shareEnd + 1;
  }
  if (length > 1 && isDriveLetter(first) && path.charCodeAt(1) === COLON) {
    return length > 2 && isSeparator(path.charCodeAt(2)) ? 3 : 2;
  }
  return -1;
}

/** Index just past the last character that is no separator, not below `floor`. */
function trimmedEnd(path: string, floor: number): number {
  let end = path.length;
  while (end > floor && isSeparator(path.charCodeAt(end - 1))) end--;
  return end;
}

function dirname(path: string): string {
  validateString(path, "path");
  if (path.length === 0) return ".";
  if (path.length === 1) return isSeparator(path.charCodeAt(0)) ? path : ".";
  const root = rootLength(path);
  const floor = Math.max(root, 0);
  const cut = lastSeparator(path, trimmedEnd(path, floor));
  if (cut >= floor && trimmedEnd(path, floor) > floor) return path.slice(0, cut);
  return root === -1 ? "." : path.slice(0, root);
}

/** Where names may start: after "C:". */
function nameFloor(path: string): number {
  return path.length >= 2 && isDriveLetter(path.charCodeAt(0)) && path.charCodeAt(1) === COLON ? 2 : 0;
}

/** path.win32.basename(): the last segment, without `suffix` if it ends with it and is longer. */
function basename(path: string, suffix?: string): string {
  if (suffix !== undefined) validateString(suffix, "suffix");
  validateString(path, "path");
  const floor = nameFloor(path);
  const end = trimmedEnd(path, floor);
  const start = Math.max(lastSeparator(path, end) + 1, floor);
  if (suffix === undefined || suffix.length === 0 || suffix.length > path.length) return path.slice(start, end);
  if (suffix === path) return "";
  const length = end - start;
  if (suffix.length < length) return path.slice(start, path.endsWith(suffix, end) ? end - suffix.length : end);
  // As in the POSIX flavour: a longer suffix that ends with the name leaves the trailing separators on.
  if (suffix.length > length && suffix.endsWith(path.slice(start, end))) return path.slice(start);
  return path.slice(start, end);
}

/** Index of the dot that starts the extension of the name [start, end), or -1. */
function extensionDot(path: string, start: number, end: number): number {
  const dot = path.lastIndexOf(".", end - 1);
  if (dot <= start) return -1;
  return dot === start + 1 && dot === end - 1 && path.charCodeAt(start) === DOT ? -1 : dot;
}

function extname(path: string): string {
  validateString(path, "path");
  const floor = nameFloor(path);
  const end = trimmedEnd(path, floor);
  const start = Math.max(lastSeparator(path, end) + 1, floor);
  const dot = end === floor ? -1 : extensionDot(path, start, end);
  return dot === -1 ? "" : path.slice(dot, end);
}

/** path.win32.format(): the inverse of parse; `base` wins over `name` + `ext`, `dir` over `root`. */
function format(pathObject: any): string {
  return formatWith("\\", pathObject);
}

function parse(path: string) {
  validateString(path, "path");
  const result = { root: "", dir: "", base: "", ext: "", name: "" };
  if (path.length === 0) return result;
  const floor = Math.max(rootLength(path), 0);
  result.root = result.dir = path.slice(0, floor);
  const end = trimmedEnd(path, floor);
  if (end === floor) return result;
  const start = Math.max(lastSeparator(path, end) + 1, floor);
  result.base = path.slice(start, end);
  const dot = extensionDot(path, start, end);
  result.name = dot === -1 ? result.base : path.slice(start, dot);
  if (dot !== -1) result.ext = path.slice(dot, end);
  if (start > floor) result.dir = path.slice(0, start - 1);
  return result;
}

/** path.win32.matchesGlob(): as on POSIX, with both separators; "\" separates in the pattern, too. */
function matchesGlob(path: string, pattern: string): boolean {
  const { matchesGlob: matches } = require("internal/path/glob");
  return matches(path, pattern, true);
}

Object.defineProperty(format, "name", { value: "bound _format", configurable: true });

export const win32: any = {
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
  sep: "\\",
  delimiter: ";",
  win32: null,
  posix: null,
  _makeLong: toNamespacedPath,
};
