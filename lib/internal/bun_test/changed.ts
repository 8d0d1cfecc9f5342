// --changed: the test files that import, over however many steps, a file that git says has changed.

const loader = native("loader");

/** Absolute paths of changed files: those not committed, and those that differ from `ref`, where one is named. */
function changedFiles(ref: string): Set<string> {
  const { spawnSync } = require("node:child_process");
  const { resolve } = require("node:path");
  const git = (...args: string[]) => {
    const { error, status, stdout, stderr } = spawnSync("git", args, { encoding: "utf8", maxBuffer: 1 << 28 });
    if (error !== undefined || status !== 0) throw new Error(`--changed: git ${args.join(" ")}: ${(error?.message ?? stderr).trim()}`);
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
  return new Set([...names.split("\0"), ...untracked.split("\0")].filter((name) => name !== "").map((name) => resolve(root, name)));
}

const LOADERS: Record<string, string> = { js: "js", cjs: "js", mjs: "js", jsx: "jsx", ts: "ts", cts: "ts", mts: "ts", tsx: "tsx" };

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

/** Files that one of `paths` is in the way of. */
export function affected(files: string[][], ref: string): string[][] {
  let changed: Set<string>;
  try {
    changed = changedFiles(ref);
  } catch (error: any) {
    process.stderr.write(`error: ${error.message}\n`);
    (process as any).reallyExit(1);
    throw error;
  }
  const imports = new Map<string, string[]>();
  const reaches = (path: string): boolean => {
    const seen = new Set([path]);
    const waiting = [path];
    while (waiting.length > 0) {
      const at = waiting.pop()!;
      if (changed.has(at)) return true;
      let next = imports.get(at);
      if (next === undefined) imports.set(at, (next = importsOf(at)));
      for (const file of next) {
        if (seen.has(file)) continue;
        seen.add(file);
        waiting.push(file);
      }
    }
    return false;
  };
  return files.filter(([path]) => reaches(path!));
}
