// Glob patterns for path.matchesGlob and fs.glob: "*", "?", "[a-z]", POSIX classes, "**", braces and the extended groups
// ?(a|b) *(a|b) +(a|b) @(a|b) !(a|b). As in Node: a backslash in a pattern separates segments and escapes nothing, a
// wildcard never matches the dot in front of a name, and "**" does not descend into names that start with a dot.
import { validateString } from "internal/core/validators";

const binding = native("path");

/** A pattern for one name, compiled. */
type NamePattern = Native.Name;

/** A segment of a pattern: a name to compare, a test for a name, or "**". */
export type Segment = string | NamePattern | typeof GLOBSTAR;

export const GLOBSTAR = Symbol("**");

const MAX_PATTERN_LENGTH = 65536;

/** Kinds of segments that `compileGlob` of the binding tells. */
const ANY = 0;
const EXACT = 1;

/**
 * Whether all of `path` matches `pattern`. With `windows`, "\" separates segments in the path, too.
 * Throws ERR_INVALID_ARG_TYPE for arguments that are not strings, TypeError for a pattern over 65,536 characters.
 */
export function matchesGlob(path: string, pattern: string, windows: boolean): boolean {
  validateString(path, "path");
  validateString(pattern, "pattern");
  checkLength(pattern);
  return binding.matchesGlob(path, pattern, windows);
}

/** The alternatives (by braces) of a pattern, each a list of segments. */
export function compileGlob(pattern: string, windows: boolean): Segment[][] {
  checkLength(pattern);
  return binding
    .compileGlob(pattern, windows)
    .map((parts) => parts.map(([kind, text, name]) => (kind === ANY ? GLOBSTAR : kind === EXACT ? text : name!)));
}

/** Whether a name matches a compiled segment. */
export function matchName(segment: NamePattern, name: string): boolean {
  return binding.matchName(segment, name);
}

function checkLength(pattern: string): void {
  if (pattern.length > MAX_PATTERN_LENGTH) throw new TypeError("pattern is too long");
}
