// Names of files that match a pattern: `*`, `?`, `[...]` within a directory, `**` across directories. Results are sorted; names
// that begin with a dot match only where the pattern says so.

import { namesOf, nativePath } from "internal/shell/bytes";
import { hasPattern, matcher, unescapePattern } from "internal/shell/pattern";

const fs = native("fs");

/** A directory that cannot be read. */
export class GlobError extends Error {
  code: string;
  path: string;

  constructor(code: string, path: string) {
    super(code);
    this.code = code;
    this.path = path;
  }
}

const DIRECTORY = 2;
const LINK = 3;

function within(cwd: string, path: string): string {
  return nativePath(path === "" ? cwd : path.startsWith("/") ? path : `${cwd}/${path}`);
}

async function entries(
  cwd: string,
  directory: string,
  typed: boolean,
  segment: string,
): Promise<{ names: string[]; types: Uint8Array }> {
  try {
    if (!typed) {
      const [start, end] = fixedEnds(segment);
      const path = within(cwd, directory);
      return { names: namesOf(await fs.readdirBetween(path, start, end)), types: new Uint8Array(0) };
    }
    const [names, types] = await fs.readdirTypes(within(cwd, directory), false);
    return { names: namesOf(names), types };
  } catch (error) {
    const { code } = error as NodeError;
    if (code === "ENOENT" || code === "ENOTDIR" || code === "ELOOP" || code === "ENAMETOOLONG")
      return { names: [], types: new Uint8Array(0) };
    throw new GlobError(code ?? "EIO", directory);
  }
}

/** Text that each name matching a segment begins and ends with: most names of a large directory are told from those without a string. */
function fixedEnds(segment: string): [string, string] {
  const ascii = /^[ -~]*$/.test(segment) && !segment.includes("\\");
  const first = segment.search(/[*?[]/);
  // A bracket expression may end anywhere: what is behind the last `*` or `?` is text only where there is none.
  const last = segment.includes("[")
    ? segment.length - 1
    : Math.max(segment.lastIndexOf("*"), segment.lastIndexOf("?"));
  return ascii && first !== -1 ? [segment.slice(0, first), segment.slice(last + 1)] : ["", ""];
}

/** The segments of a pattern, and whether it is absolute. */
function segmentsOf(pattern: string): string[] {
  return pattern.split("/");
}

async function walk(
  cwd: string,
  prefix: string,
  segments: readonly string[],
  index: number,
  found: string[],
): Promise<void> {
  // What is text needs no reading.
  while (index < segments.length - 1 && !hasPattern(segments[index]!))
    prefix += `${unescapePattern(segments[index++]!)}/`;
  const segment = segments[index]!;
  const last = index === segments.length - 1;
  if (last && !hasPattern(segment)) {
    const path = prefix + unescapePattern(segment);
    try {
      await fs.stat(within(cwd, path), 0);
      found.push(path);
    } catch {
      // It is not there.
    }
    return;
  }
  const { names, types } = await entries(cwd, prefix, !last || segment === "**", segment);
  if (segment === "**") {
    if (!last) await walk(cwd, prefix, segments, index + 1, found);
    for (let i = 0; i < names.length; i++) {
      const name = names[i]!;
      if (name[0] === ".") continue;
      if (last) found.push(prefix + name);
      if (types[i] === DIRECTORY) await walk(cwd, `${prefix}${name}/`, segments, index, found);
    }
    return;
  }
  const matches = matcher(segment);
  const hidden = segment[0] === "." || segment.startsWith("\\.");
  for (let i = 0; i < names.length; i++) {
    const name = names[i]!;
    if ((name[0] === "." && !hidden) || !matches(name)) continue;
    if (last) found.push(prefix + name);
    else if (types[i] === DIRECTORY || types[i] === LINK)
      await walk(cwd, `${prefix}${name}/`, segments, index + 1, found);
  }
}

/** The paths below `cwd` (or absolute ones) that match. Rejects with a GlobError for a directory that cannot be read. */
export async function glob(cwd: string, pattern: string): Promise<string[]> {
  const found: string[] = [];
  await walk(cwd, "", segmentsOf(pattern), 0, found);
  // Directories are read in order, but `a/` and `a.b/` are not in that of their paths.
  let sorted = true;
  for (let i = 1; i < found.length && sorted; i++) sorted = found[i - 1]! <= found[i]!;
  return sorted ? found : found.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}
