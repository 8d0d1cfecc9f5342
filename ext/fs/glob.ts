// fs.glob, fs.globSync, promises.glob (https://nodejs.org/api/fs.html#fsglobpattern-options-callback).
//
// A pattern is a list of segments. Walking down, each directory has a set of positions in the pattern: those segments
// that its entries may match. What needs the file system is yielded by a generator, so that one algorithm serves the
// synchronous and the asynchronous functions.
//
// Links, as in Node: names written out in the pattern are followed; "*" and the like are not when more segments follow;
// "**" ends at a link if the pattern starts with "." or if the link's own name matches what comes after "**".

import path from "node:path";
import { codes } from "internal/core/errors";
import { compileGlob, GLOBSTAR, matchName, matchesGlob } from "internal/path/glob";
import type { Segment } from "internal/path/glob";
import { validateObject, validateString, validateStringArray } from "internal/core/validators";
import { Dirent } from "internal/fs/dirent";
import { pathOf, toPathIfFileURL } from "internal/fs/utils";
import { DIRENT_DIR, DIRENT_LINK, STATUS_MAYBE, STATUS_NO_FOLLOW } from "internal/fs/native_constants";

const binding = native("fs");

/** File types by the upper bits of the mode. */
const KINDS: Record<number, number> = {
  0o100000: 1,
  0o040000: DIRENT_DIR,
  0o120000: DIRENT_LINK,
  0o010000: 4,
  0o140000: 5,
  0o020000: 6,
  0o060000: 7,
};

type Step = ["list" | "kind", string];
type Entry = [name: string, kind: number];
type Steps = Generator<Step, void, unknown>;

/** Positions in a pattern that the entries of a directory may match. */
interface Work {
  pattern: Segment[];
  positions: Set<number>;
}

/** The sum of the entries of a directory, or the kind of a file (undefined: not there). Errors mean "nothing". */
function stepSync([what, at]: Step) {
  try {
    if (what === "list") return entriesOf(binding.readdirTypesSync(at, false));
    const out = new Float64Array(14);
    return binding.statSync(at, out, STATUS_NO_FOLLOW | STATUS_MAYBE) ? kindOf(out) : undefined;
  } catch {
    return what === "list" ? [] : undefined;
  }
}

function stepAsync([what, at]: Step): Promise<unknown> {
  return new Promise((resolve) => {
    if (what === "list") {
      binding.readdirTypes(at, false, (error, lists) => resolve(error ? [] : entriesOf(lists)));
    } else {
      binding.stat(at, STATUS_NO_FOLLOW | STATUS_MAYBE, (error, bytes) =>
        resolve(error || bytes === undefined ? undefined : kindOf(new Float64Array(bytes.buffer))),
      );
    }
  });
}

function kindOf(status: Float64Array): number {
  return KINDS[status[1]! & 0o170000] ?? 0;
}

function entriesOf([names, types]: [string | Uint8Array, Uint8Array]): Entry[] {
  const { decodeNames } = require("internal/fs/utils");
  return decodeNames(names, undefined).map((name, i) => [name, types[i]!]);
}

/** One search. Options: `cwd` (string or URL), `exclude` (function or patterns), `withFileTypes`. */
export class Glob {
  #root: string;
  #full: string;
  #patterns: Segment[][][];
  #withFileTypes: boolean;
  #excludeFunction: ((item: unknown) => unknown) | undefined;
  #excludePatterns: string[] = [];
  #found = new Set<string>();
  #results: unknown[] = [];
  #lists = new Map<string, Entry[]>();
  #kinds = new Map<string, number | undefined>();
  #stack: Array<[directory: string, work: Work[]]> = [];

  constructor(pattern: unknown, options: unknown = {}) {
    validateObject(options, "options");
    const { cwd, exclude, withFileTypes } = options;
    this.#root = (toPathIfFileURL(cwd) as string | undefined) ?? ".";
    this.#full = path.resolve(this.#root);
    this.#withFileTypes = Boolean(withFileTypes);
    if (exclude != null) {
      if (Array.isArray(exclude)) {
        validateStringArray(exclude, "options.exclude");
        this.#excludePatterns = exclude.flatMap((one: string) => {
          const plain = one.replace(/^(?:\.\/+)+/, "");
          // What leaves out all that is in a directory leaves out the directory.
          return plain.endsWith("/**") ? [plain, plain.slice(0, -3)] : [plain];
        });
      } else if (typeof exclude === "function") {
        this.#excludeFunction = exclude as (item: unknown) => unknown;
      } else {
        throw new codes.ERR_INVALID_ARG_TYPE("options.exclude", ["function", "string[]"], exclude);
      }
    }
    if (typeof pattern === "object") validateStringArray(pattern, "patterns");
    else validateString(pattern, "patterns");
    const patterns: string[] = Array.isArray(pattern) ? pattern : [pattern];
    // Nothing has a name with a NUL.
    this.#patterns = patterns.filter((one) => !one.includes("\0")).map((one) => compileGlob(one, false));
  }

  /** All results at once. */
  globSync(): unknown[] {
    const steps = this.#search();
    let step = steps.next();
    while (!step.done) step = steps.next(stepSync(step.value));
    return this.#results;
  }

  /** The results one after the other. */
  async *glob(): AsyncGenerator<unknown> {
    const steps = this.#search();
    let given = 0;
    let step = steps.next();
    while (!step.done) {
      while (given < this.#results.length) yield this.#results[given++];
      step = steps.next(await stepAsync(step.value));
    }
    while (given < this.#results.length) yield this.#results[given++];
  }

  *#search(): Steps {
    const start: Work[] = [];
    for (const alternatives of this.#patterns) {
      for (const pattern of alternatives) {
        // A pattern of one slash is a name and an empty segment on both sides.
        if (pattern.length === 1 && pattern[0] === "") continue;
        if (pattern.length === 1 && (pattern[0] === "." || pattern[0] === "..")) continue;
        if (pattern.length === 2 && pattern[0] === "." && pattern[1] === "") continue;
        if (pattern[0] === "") {
          yield* this.#enter("/", [{ pattern, positions: new Set([1]) }]);
        } else {
          start.push({ pattern, positions: new Set([0]) });
        }
      }
    }
    if (start.length > 0) this.#stack.push([".", start]);
    while (this.#stack.length > 0) {
      const [directory, work] = this.#stack.pop()!;
      yield* this.#enter(directory, work);
    }
  }

  /** Matches the entries of a directory (or what may be one). */
  *#enter(directory: string, work: Work[]): Steps {
    const below = new Map<string, Work[]>();
    for (const { pattern, positions } of work) {
      const last = pattern.length - 1;
      let list: Entry[] | undefined;
      const open = [...positions];
      // Positions that a directory reaches without another name are added while the loop runs.
      const reach = (position: number) => {
        if (positions.has(position)) return;
        positions.add(position);
        open.push(position);
      };
      for (let n = 0; n < open.length; n++) {
        const position = open[n]!;
        const segment = pattern[position]!;
        if (segment === GLOBSTAR) {
          if (position === last) yield* this.#emitSelf(directory, pattern);
          else reach(position + 1);
        } else if (segment === "") {
          if (position === last) yield* this.#emitDirectory(directory);
          else reach(position + 1);
        } else if (segment === ".") {
          if (position < last) reach(position + 1);
          else yield* this.#emitDirectory(directory);
        } else if (segment === "..") {
          const parent = path.join(directory, "..");
          if (position === last) yield* this.#emitDirectory(parent);
          else add(below, parent, pattern, position + 1);
        } else if (typeof segment === "string") {
          yield* this.#enterName(directory, segment, pattern, position, below);
        }
      }
      for (const position of open) {
        const segment = pattern[position]!;
        if (typeof segment === "string") continue;
        list ??= (yield* this.#list(directory)) as Entry[];
        for (const [name, kind] of list) this.#matchEntry(directory, name, kind, pattern, position, below);
      }
    }
    for (const [child, childWork] of below) this.#stack.push([child, childWork]);
  }

  /** A name that the pattern spells out. */
  *#enterName(
    directory: string,
    name: string,
    pattern: Segment[],
    position: number,
    below: Map<string, Work[]>,
  ): Steps {
    const child = path.join(directory, name);
    const kind: number | undefined = yield* this.#kind(child);
    if (kind === undefined || this.#excluded(child, kind)) return;
    const last = pattern.length - 1;
    if (position === last) {
      this.#emit(child, kind);
    } else if (kind === DIRENT_DIR || kind === DIRENT_LINK) {
      add(below, child, pattern, position + 1);
    } else if (position + 1 === last && pattern[last] === GLOBSTAR) {
      // "**" may stand for nothing.
      this.#emit(child, kind);
    }
  }

  /** An entry against a wildcard or "**". */
  #matchEntry(
    directory: string,
    name: string,
    kind: number,
    pattern: Segment[],
    position: number,
    below: Map<string, Work[]>,
  ): void {
    const segment = pattern[position]!;
    const last = pattern.length - 1;
    if (segment === GLOBSTAR) {
      if (name.startsWith(".")) return;
      const child = path.join(directory, name);
      if (kind === DIRENT_DIR) {
        if (!this.#excluded(child, kind)) add(below, child, pattern, position);
      } else if (position === last) {
        if (!this.#excluded(child, kind)) this.#emit(child, kind);
      } else if (kind === DIRENT_LINK && (pattern[0] === "." || matches(pattern[position + 1]!, name))) {
        if (!this.#excluded(child, kind)) add(below, child, pattern, position + 1);
      }
      return;
    }
    if (!matches(segment, name)) return;
    const child = path.join(directory, name);
    if (position === last) {
      if (!this.#excluded(child, kind)) this.#emit(child, kind);
    } else if (kind === DIRENT_DIR) {
      if (!this.#excluded(child, kind)) add(below, child, pattern, position + 1);
    }
  }

  /** "**" at the end stands for the directory itself, too; for the starting one only if the pattern says so. */
  *#emitSelf(directory: string, pattern: Segment[]): Steps {
    if (directory === "." && pattern.length > 1 && pattern[0] !== ".") return;
    const kind: number | undefined = yield* this.#kind(directory);
    if (kind !== undefined && !this.#excluded(directory, kind)) this.#emit(directory, kind);
  }

  *#emitDirectory(directory: string): Steps {
    const kind: number | undefined = yield* this.#kind(directory);
    if ((kind === DIRENT_DIR || kind === DIRENT_LINK) && !this.#excluded(directory, kind)) this.#emit(directory, kind);
  }

  *#list(directory: string): Generator<Step, Entry[], unknown> {
    const at = path.resolve(this.#full, directory);
    let list = this.#lists.get(at);
    if (list === undefined) {
      list = (yield ["list", pathOf(at)]) as Entry[];
      this.#lists.set(at, list);
      for (const [name, kind] of list) this.#kinds.set(path.join(at, name), kind);
    }
    return list;
  }

  *#kind(file: string): Generator<Step, number | undefined, unknown> {
    const at = path.resolve(this.#full, file);
    if (this.#kinds.has(at)) return this.#kinds.get(at);
    const kind = (yield ["kind", pathOf(at)]) as number | undefined;
    this.#kinds.set(at, kind);
    return kind;
  }

  /** Whether the file, and with it what is below, is left out. */
  #excluded(file: string, kind: number): boolean {
    if (this.#excludeFunction !== undefined) {
      if (file === ".") return false;
      const item = this.#withFileTypes ? this.#dirent(file, kind) : path.basename(file);
      return Boolean(this.#excludeFunction(item));
    }
    if (this.#excludePatterns.length === 0) return false;
    const full = path.resolve(this.#full, file);
    const relative = path.relative(this.#full, full);
    return this.#excludePatterns.some((one) =>
      one.startsWith("/") ? matchesGlob(full, one, false) : relative !== "" && matchesGlob(relative, one, false),
    );
  }

  #dirent(file: string, kind: number): Dirent {
    const parent = path.dirname(file);
    return new Dirent(path.basename(file), kind, path.isAbsolute(file) ? parent : path.join(this.#root, parent));
  }

  #emit(file: string, kind: number): void {
    if (this.#found.has(file)) return;
    this.#found.add(file);
    this.#results.push(this.#withFileTypes ? this.#dirent(file, kind) : file);
  }
}

/** Whether a name matches a segment that stands for one name. */
function matches(segment: Segment, name: string): boolean {
  if (typeof segment === "string") return segment === name;
  return segment !== GLOBSTAR && matchName(segment, name);
}

function add(below: Map<string, Work[]>, child: string, pattern: Segment[], position: number): void {
  const list = below.get(child);
  if (list === undefined) {
    below.set(child, [{ pattern, positions: new Set([position]) }]);
    return;
  }
  const same = list.find((work) => work.pattern === pattern);
  if (same === undefined) list.push({ pattern, positions: new Set([position]) });
  else same.positions.add(position);
}
