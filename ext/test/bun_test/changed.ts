// --changed: the test files that import, over however many steps, a file that git says has changed. --watch: the same for files
// that it has seen change.

import type { TestFile } from "internal/test/bun_test/types";

const loader = native("loader");

/** Absolute paths of changed files: those not committed, and those that differ from `ref`, where one is named. */
function changedFiles(ref: string): Set<string> {
  const { spawnSync } = require("node:child_process");
  const { resolve } = require("node:path");
  const git = (...args: string[]) => {
    const { error, status, stdout, stderr } = spawnSync("git", args, { encoding: "utf8", maxBuffer: 1 << 28 });
    if (error !== undefined || status !== 0)
      throw new Error(`--changed: git ${args.join(" ")}: ${(error?.message ?? stderr).trim()}`);
    return stdout;
  };
  const root = git("rev-parse", "--show-toplevel").trimEnd();
  let names: string;
  if (ref !== "") names = git("diff", "--name-only", "-z", ref, "--");
  else {
    let head = true;
    try {
      git("rev-parse", "--verify", "-q", "HEAD");
    } catch {
      // A repository without a commit.
      head = false;
    }
    names = head ? git("diff", "--name-only", "-z", "HEAD", "--") : git("diff", "--name-only", "-z", "--cached", "--");
  }
  const untracked = git("ls-files", "-z", "--others", "--exclude-standard", "--full-name", root);
  return new Set(
    [...names.split("\0"), ...untracked.split("\0")].filter((name) => name !== "").map((name) => resolve(root, name)),
  );
}

const LOADERS: Record<string, string> = {
  js: "js",
  cjs: "js",
  mjs: "js",
  jsx: "jsx",
  ts: "ts",
  cts: "ts",
  mts: "ts",
  tsx: "tsx",
};

/** Paths that a file imports; those of packages are left out, they change by installing. */
function importsOf(path: string): string[] {
  const kind = LOADERS[path.slice(path.lastIndexOf(".") + 1)];
  if (kind === undefined) return [];
  /** Kinds and specifiers in turns. */
  let names: string[];
  try {
    [, names] = native("bun_data").scanModule(require("node:fs").readFileSync(path, "utf8"), kind);
  } catch {
    // What cannot be parsed fails when it runs.
    return [];
  }
  const found: string[] = [];
  for (let index = 1; index < names.length; index += 2) {
    const name = names[index]!;
    try {
      const url = loader.resolveUrl(name, path);
      if (url.startsWith("file://")) {
        const file = decodeURIComponent(url.slice(7).replace(/[?#].*$/, ""));
        if (!file.includes("/node_modules/")) found.push(file);
      }
    } catch {
      // Not there: the test will say so.
    }
  }
  return found;
}

/** Test files that git says something has changed for, and a line that says how many. `watches`: --watch is to see what they load. */
export function affected(files: TestFile[], ref: string, watches: boolean): { files: TestFile[]; text: string } {
  let changed: Set<string>;
  try {
    changed = changedFiles(ref);
  } catch (error) {
    process.stderr.write(`error: ${(error as Error).message}\n`);
    process.reallyExit(1);
    throw error;
  }
  const loaded = graph();
  const seen = new Set<string>();
  const found = files.filter(([path]) => {
    const among = loaded(path);
    if (watches) for (const file of among) seen.add(file);
    return among.some((file) => changed.has(file));
  });
  // Those that do not run load nothing by themselves.
  for (const file of seen) native("test").tellWatcher(file);
  const plural = (count: number, word: string) => `${count === 1 ? word : `${word}s`}`;
  const count = `${changed.size} changed ${plural(changed.size, "file")}`;
  const text =
    changed.size === 0
      ? "no changed files, nothing to run"
      : found.length === 0
        ? `${count}, but no test files are affected`
        : `${count}, running ${found.length}/${files.length} test ${plural(files.length, "file")}`;
  return { files: found, text: `--changed: ${text}\n` };
}

/** Gives a file and all that it imports, over however many steps. */
function graph(): (path: string) => string[] {
  const imports = new Map<string, string[]>();
  return (path) => {
    const seen = new Set([path]);
    for (const at of seen) {
      let next = imports.get(at);
      if (next === undefined) imports.set(at, (next = importsOf(at)));
      for (const file of next) seen.add(file);
    }
    return [...seen];
  };
}

/**
 * What --watch runs after a change of `paths`: test files that import one of them. Undefined where that cannot be told: one of
 * them is loaded in another way, is configuration, or belongs to a module that is loaded first.
 */
export function reached(files: TestFile[], paths: string[], preload: string[]): TestFile[] | undefined {
  const changed = new Set(paths);
  const unknown = new Set(paths);
  const loaded = graph();
  const found = files.filter(([path]) => {
    const among = loaded(path).filter((file) => changed.has(file));
    for (const file of among) unknown.delete(file);
    return among.length > 0;
  });
  if (unknown.size > 0) return undefined;
  const { join } = require("node:path");
  for (const specifier of preload) {
    try {
      const url = loader.resolveUrl(specifier, join(process.cwd(), "_"));
      if (url.startsWith("file://") && loaded(require("node:url").fileURLToPath(url)).some((file) => changed.has(file)))
        return undefined;
    } catch {
      // It will be said when it is loaded.
    }
  }
  return found;
}
