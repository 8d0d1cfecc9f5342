/**
 * `cc` of `bun:ffi`: C source compiled by the system's compiler into a library.
 *
 * Libraries are kept in the cache folder by a hash of everything that goes in: the source, the options, the compiler, the environment
 * that compilers read. Beside each are the files that it was made of, with size and time, so that a changed header is noticed.
 */
import { codes } from "internal/core/errors";
import { type FFI, describe, open } from "internal/ffi/library";
import { isURL } from "internal/fs/utils";

const fs = require("node:fs");
const path = require("node:path");

interface Options {
  source?: unknown;
  symbols?: unknown;
  library?: unknown;
  include?: unknown;
  define?: unknown;
  flags?: unknown;
}

/** Programs that are tried, after that of the environment variable `CC`. */
const COMPILERS = ["cc", "gcc", "clang", "tcc"];
/** What compilers read of the environment. */
const VARIABLES = ["C_INCLUDE_PATH", "CPATH", "LIBRARY_PATH", "GCC_EXEC_PREFIX", "COMPILER_PATH", "SOURCE_DATE_EPOCH"];

/** A list of strings that may be one string. */
function strings(value: unknown, name: string): string[] {
  if (value === undefined || value === null) return [];
  if (typeof value === "string") return [value];
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value as string[];
  throw new codes.ERR_INVALID_ARG_TYPE(name, "array of strings", value);
}

/** Splits flags at spaces outside of quotes, as a shell does. */
function splitFlags(text: string): string[] {
  const words = text.match(/(?:[^\s"']+|"(?:\\.|[^"\\])*"|'[^']*')+/g) ?? [];
  return words.map((word) =>
    word.replace(/"((?:\\.|[^"\\])*)"|'([^']*)'/g, (_, double: string | undefined, single: string | undefined) =>
      double === undefined ? single! : double.replace(/\\(.)/g, "$1"),
    ),
  );
}

function sourcesOf(value: unknown): string[] {
  const list = Array.isArray(value) ? value : [value];
  if (list.length === 0 || value === undefined) throw new Error("Expected source to be a string to a file path");
  return list.map((item) => {
    if (isURL(item)) return require("node:url").fileURLToPath(item);
    if (require("bun/file").isBunFile(item)) item = (item as { name?: unknown }).name;
    if (typeof item !== "string") throw new codes.ERR_INVALID_ARG_TYPE("source", "string", item);
    return item.startsWith("file:") ? require("node:url").fileURLToPath(item) : item;
  });
}

/** What is passed to the compiler beside the source and the output. */
function argumentsOf({ library, include, define, flags }: Options): { before: string[]; after: string[] } {
  const before: string[] = [];
  if (define !== undefined && define !== null) {
    if (typeof define !== "object") throw new codes.ERR_INVALID_ARG_TYPE("define", "object", define);
    for (const [name, value] of Object.entries(define)) {
      before.push(value === undefined || value === null || value === "" ? `-D${name}` : `-D${name}=${String(value)}`);
    }
  }
  for (const folder of strings(include, "include")) before.push(`-I${folder}`);
  if (flags !== undefined && flags !== null && typeof flags !== "string" && !Array.isArray(flags)) {
    throw new codes.ERR_INVALID_ARG_TYPE("flags", "string", flags);
  }
  for (const text of strings(flags, "flags")) before.push(...splitFlags(text));
  const after = strings(library, "library").map((name) => (name.includes("/") ? name : `-l${name}`));
  return { before, after };
}

/** The compiler's path; a word without a slash is searched for. */
function findCompiler(): string {
  const asked = process.env["CC"];
  for (const name of asked ? [asked, ...COMPILERS] : COMPILERS) {
    const found = name.includes("/") ? (fs.existsSync(name) ? name : undefined) : search(name);
    if (found !== undefined) return found;
  }
  throw new Error(
    `cc() needs a C compiler, and there is none: looked for ${COMPILERS.join(", ")} in PATH. Install one (Debian: apt install gcc, or tcc), or name one with the environment variable CC`,
  );
}

function search(name: string): string | undefined {
  for (const folder of (process.env["PATH"] ?? "").split(":")) {
    const file = path.join(folder || ".", name);
    try {
      fs.accessSync(file, fs.constants.X_OK);
      return file;
    } catch {
      // Somewhere else.
    }
  }
  return undefined;
}

/** Where libraries are kept; undefined if the cache is switched off or there is no folder to have one in. */
function cacheFolder(): string | undefined {
  const asked = process.env["BAO_CACHE"];
  if (asked === "0") return undefined;
  let base = asked;
  if (!base) {
    const home = process.env["XDG_CACHE_HOME"] || (process.env["HOME"] && path.join(process.env["HOME"], ".cache"));
    if (!home) return undefined;
    base = path.join(home, "bao");
  }
  const folder = path.join(base, "cc");
  try {
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    fs.accessSync(folder, fs.constants.W_OK);
    // What somebody else can write to is not run.
    const status = fs.statSync(folder);
    return status.uid === process.getuid!() && (status.mode & 0o022) === 0 ? folder : undefined;
  } catch {
    return undefined;
  }
}

type Dependency = [file: string, size: number, time: number];

function stateOf(file: string): Dependency {
  const status = fs.statSync(file);
  return [file, status.size, status.mtimeMs];
}

/** Whether a library was made of files that are still the same. */
function isFresh(list: string): boolean {
  try {
    const dependencies = JSON.parse(fs.readFileSync(list, "utf8")) as Dependency[];
    return dependencies.every(([file, size, time]) => {
      const status = fs.statSync(file);
      return status.size === size && status.mtimeMs === time;
    });
  } catch {
    return false;
  }
}

/** The files of a rule in make's syntax, which compilers write. */
function readDependencies(file: string): string[] {
  try {
    const text: string = fs.readFileSync(file, "utf8");
    const rule = text.slice(text.indexOf(":") + 1).replaceAll("\\\n", " ");
    return (rule.match(/(?:\\.|\S)+/g) ?? []).map((word) => word.replace(/\\(.)/g, "$1"));
  } catch {
    return [];
  }
}

/** Compiles and links; the message of a failure is the compiler's. */
function compile(compiler: string, words: string[], sources: string[]): void {
  const { spawnSync } = require("node:child_process");
  const result = spawnSync(compiler, words, { encoding: "utf8" });
  if (result.error) throw new Error(`cc() cannot run ${compiler}: ${result.error.message}`);
  if (result.status === 0) return;
  const text = `${result.stderr}${result.stdout}`.trimEnd();
  const count = Math.max(text.match(/\berror:/g)?.length ?? 0, 1);
  const ended = result.signal ? `\n${compiler} was ended by ${result.signal}` : "";
  throw new Error(`${count} error${count > 1 ? "s" : ""} while compiling ${sources.join(", ")}\n${text}${ended}`);
}

/** Makes the library of the sources, or takes it from the cache; `use` is given a copy that is removed afterwards. */
function withLibrary<T>(options: Options, sources: string[], use: (file: string) => T): T {
  const { before, after } = argumentsOf(options);
  const compiler = findCompiler();
  const temporary: string = fs.mkdtempSync(path.join(require("node:os").tmpdir(), "bao-cc-"));
  try {
    const made = path.join(temporary, "library.so");
    const folder = cacheFolder();
    let kept: string | undefined;
    if (folder !== undefined) {
      const hash = require("node:crypto").createHash("sha256");
      const variables = VARIABLES.map((name) => process.env[name] ?? null);
      const texts = sources.map((file) => (fs.existsSync(file) ? fs.readFileSync(file, "latin1") : null));
      const files = sources.map((file) => path.resolve(file));
      hash.update(JSON.stringify([stateOf(compiler), files, texts, before, after, variables, process.cwd()]));
      kept = path.join(folder, hash.digest("hex"));
    }
    if (kept !== undefined && fs.existsSync(`${kept}.so`) && isFresh(`${kept}.json`)) {
      // A copy of its own for each call: the system gives two openings of one file the same variables.
      fs.copyFileSync(`${kept}.so`, made);
      return use(made);
    }
    const rule = path.join(temporary, "library.d");
    const output = ["-MD", "-MF", rule, "-o", made];
    const fixed = ["-std=gnu11", "-O2", "-fPIC", "-shared", "-w"];
    compile(compiler, [...fixed, ...before, ...output, ...sources, ...after], sources);
    if (kept !== undefined) keep(kept, made, readDependencies(rule));
    return use(made);
  } finally {
    fs.rmSync(temporary, { recursive: true, force: true });
  }
}

/** Keeps a library: written beside its place and renamed, so that nobody sees half of one. */
function keep(place: string, made: string, dependencies: string[]): void {
  if (dependencies.length === 0) return;
  const part = `${place}.${process.pid}.${Math.random().toString(36).slice(2)}`;
  try {
    const states = dependencies.map((file) => stateOf(path.resolve(file)));
    fs.copyFileSync(made, part);
    fs.renameSync(part, `${place}.so`);
    fs.writeFileSync(part, JSON.stringify(states));
    fs.renameSync(part, `${place}.json`);
  } catch {
    // The cache is full or gone: the next call compiles again.
    fs.rmSync(part, { force: true });
  }
}

/**
 * Compiles C source and makes functions of its symbols.
 *
 * @throws Error with the compiler's messages, or with the name of a symbol that the source has not; an Error that says so if
 * there is no compiler
 */
export function cc(options: unknown): FFI {
  if (typeof options !== "object" || options === null) throw new Error("Expected options to be an object");
  const { source, symbols } = options as Options;
  const sources = sourcesOf(source);
  if (typeof symbols !== "object" || symbols === null) {
    throw new codes.ERR_INVALID_ARG_TYPE("symbols", "object", symbols);
  }
  const functions = describe(symbols, true);
  if (functions.length === 0) throw new Error("Expected at least one exported symbol");
  const missing = (symbol: string) =>
    new Error(`"${symbol}" is missing from ${sources.join(", ")}. Was it included in the source code?`);
  return withLibrary(options, sources, (file) => open(file, functions, missing));
}
