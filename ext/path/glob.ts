// Glob patterns for path.matchesGlob and fs.glob: "*", "?", "[a-z]", POSIX classes, "**", braces and the extended groups
// ?(a|b) *(a|b) +(a|b) @(a|b) !(a|b). As in Node: a backslash in a pattern separates segments and escapes nothing, a
// wildcard never matches the dot in front of a name, and "**" does not descend into names that start with a dot.
import { validateString } from "internal/core/validators";

/** A segment of a pattern: a name to compare, a test for a name, or "**". */
export type Segment = string | RegExp | typeof GLOBSTAR;

export const GLOBSTAR = Symbol("**");

const MAX_PATTERN_LENGTH = 65536;
const CACHE_SIZE = 128;
const cache = new Map<string, Segment[][]>();

/**
 * Whether all of `path` matches `pattern`. With `windows`, "\" separates segments in the path, too.
 * Throws ERR_INVALID_ARG_TYPE for arguments that are not strings, TypeError for a pattern over 65,536 characters.
 */
export function matchesGlob(path: string, pattern: string, windows: boolean): boolean {
  validateString(path, "path");
  validateString(pattern, "pattern");
  if (pattern === "") return path === "";
  const names = splitName(windows ? path.replaceAll("\\", "/") : path, windows);
  return compileGlob(pattern, windows).some((segments) => matchSegments(names, 0, segments, 0));
}

/** The alternatives (by braces) of a pattern, each a list of segments. Cached. */
export function compileGlob(pattern: string, windows: boolean): Segment[][] {
  if (pattern.length > MAX_PATTERN_LENGTH) throw new TypeError("pattern is too long");
  const key = (windows ? "w" : "p") + pattern;
  let compiled = cache.get(key);
  if (compiled === undefined) {
    const slashed = pattern.replaceAll("\\", "/");
    const plain = slashed.includes("{") ? require("internal/path/braces").expandBraces(slashed) : [slashed];
    compiled = [];
    for (const one of plain) {
      for (const parts of simplify(split(one, windows))) compiled.push(parts.map(compileSegment));
    }
    if (cache.size >= CACHE_SIZE) cache.delete(cache.keys().next().value!);
    cache.set(key, compiled);
  }
  return compiled;
}

/** Splits at runs of slashes; on Windows the two slashes of a share stay visible as an extra empty name. */
function split(path: string, windows: boolean): string[] {
  const parts = path.includes("//") ? path.split(/\/+/) : path.split("/");
  if (windows && /^\/\/[^/]/.test(path)) parts.unshift("");
  return parts;
}

function splitName(path: string, windows: boolean): string[] {
  return dropDots(split(path, windows), false);
}

/** Drops "." between other names and applies ".." to the name in front of it. */
function dropDots(parts: string[], isPattern: boolean): string[] {
  if (!parts.includes(".") && !parts.includes("..")) return parts;
  let out: string[] = [];
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i]!;
    if (part === "." && out.length > 0 && i < parts.length - 1) continue;
    if (part === "..") {
      const last = out[out.length - 1];
      if (last && last !== "." && last !== ".." && last !== "**") {
        out.pop();
        if (isPattern && out.length === 0 && parts[i + 1] === "**") out.push(".");
        continue;
      }
    }
    out.push(part);
  }
  if (out.length === 2 && out[0] === "." && (out[1] === "." || out[1] === "")) out.pop();
  return out.length === 0 ? [""] : out;
}

/** As dropDots; "**" followed by ".." and names stands for both none and some directories, which makes two patterns. */
function simplify(parts: string[]): string[][] {
  const out: string[][] = [];
  const work = [parts];
  while (work.length > 0) {
    const one = work.pop()!;
    const at = one.findIndex(
      (part, i) => part === "**" && one[i + 1] === ".." && isName(one[i + 2]) && isName(one[i + 3]),
    );
    if (at === -1) {
      out.push(dropDots(one, true));
    } else {
      work.push([...one.slice(0, at), ...one.slice(at + 1)]);
      work.push([...one.slice(0, at + 1), ...one.slice(at + 2)]);
    }
  }
  return out;
}

function isName(part: string | undefined): boolean {
  return part !== undefined && part !== "" && part !== "." && part !== "..";
}

/** `failed`: what is known not to match, as place in `names` times the number of segments, plus place among them: several "**" ask for it again. */
function matchSegments(names: string[], from: number, segments: Segment[], at: number, failed?: Set<number>): boolean {
  let name = from;
  let i = at;
  for (; name < names.length && i < segments.length; name++, i++) {
    const segment = segments[i]!;
    if (segment === GLOBSTAR) {
      while (segments[i + 1] === GLOBSTAR) i++;
      const last = i === segments.length - 1;
      if (!last) failed ??= new Set();
      for (let rest = name; rest < names.length; rest++) {
        const place = rest * segments.length + i;
        if (!last && !failed!.has(place)) {
          if (matchSegments(names, rest, segments, i + 1, failed)) return true;
          failed!.add(place);
        }
        if (names[rest]!.charCodeAt(0) === 46) return false;
      }
      return last;
    }
    if (typeof segment === "string" ? segment !== names[name] : !matchName(segment, names[name]!)) return false;
  }
  if (i < segments.length) return false;
  // A slash at the end of the path needs no counterpart.
  return name === names.length || (name === names.length - 1 && names[name] === "");
}

/** Whether a name matches a compiled segment; wildcards never stand for "." and "..". */
export function matchName(segment: RegExp, name: string): boolean {
  return name !== "." && name !== ".." && segment.test(name);
}

/** Compiles one segment (no slashes in it). */
function compileSegment(text: string): Segment {
  if (text === "**") return GLOBSTAR;
  if (!/[*?[+@!]/.test(text)) return text;
  const { segmentSource } = require("internal/path/glob_segment");
  const source: string | undefined = segmentSource(text);
  if (source === undefined) return text;
  const nocase = process.platform === "darwin" || process.platform === "win32";
  return new RegExp(`^(?:${source})$`, nocase ? "isu" : "su");
}
