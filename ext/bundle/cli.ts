// `bao build`: the words of the command line become the options of Bun.build.
import path from "node:path";
import fs from "node:fs";
import { addBytecode, run, writeArtifacts, writeMetafile } from "internal/bundle/build";
import type { RawOutput } from "internal/bundle/build";
import { markdownOf, sizeOf } from "internal/bundle/analysis";
import { foldersOf, hasChangedSince, isBelow } from "internal/bundle/watched_folders";
import { check } from "internal/bundle/options";
import type { BuildConfig } from "internal/bundle/options";
import { Plugins } from "internal/bundle/plugins";

const { basename, dirname, relative, resolve } = path;

const { statSync, watch } = fs;

/** The options as the help shows them: sections of rows. */
const sections: readonly (readonly [title: string, rows: readonly (readonly [words: string, text: string])[]])[] = [
  [
    "Results",
    [
      ["--outdir DIR", "where the results go"],
      ["--outfile FILE", "the name of the only result"],
      ["--target T", "browser (default), bun or node"],
      ["--format F", "esm (default), cjs or iife"],
      ["--splitting", "modules that several entry points use, and import(), get chunks of their own"],
      ["--no-split-require", "with --splitting: what is required stays in the chunk that requires it"],
      ["--min-chunk-size BYTES", "with --splitting: smaller chunks without side effects go into others"],
      ["--no-module-preload", "with --splitting: no links and calls that load what a chunk imports at once"],
      ["--css-chunking", "sheets that several entry points have in common are one result"],
      [
        "--manual-chunk NAME=PART",
        "with --splitting: a chunk of the modules of a package, or whose path has PART in it",
      ],
      ["--sourcemap [KIND]", "linked (default), inline, external or none"],
      ["--declarations", "a .d.ts of each TypeScript module (isolatedDeclarations)"],
      ["--banner TEXT, --footer TEXT", "goes before or behind the code"],
      ["--legal-comments none", "drops comments of licences"],
      ["--global-name NAME", "the variable with the exports of an iife"],
    ],
  ],
  [
    "Size",
    [
      ["--production", 'minify, and process.env.NODE_ENV is "production"'],
      ["--minify", "all of the three that follow"],
      ["--minify-syntax", "shorter syntax"],
      ["--minify-whitespace", "no white space"],
      ["--minify-identifiers", "short names"],
      ["--keep-names", "names of functions and classes stay"],
      ["--drop NAME", 'drops calls of a function; debugger statements by "debugger"'],
      ["--optimize-imports NAME", "a package of whose index only what is imported is read"],
      ["--ignore-dce-annotations", "code that is marked as pure stays"],
      ["--bytecode", "writes compiled code beside each result (FILE.jsc), for bao and this place"],
      ["--analyze", "prints what is in the results"],
      ["--metafile[=FILE], --metafile-md[=FILE]", "writes what is in the results, as JSON or Markdown"],
    ],
  ],
  [
    "Modules",
    [
      ["-e, --external NAME", "the specifier stays an import; * stands for any text"],
      ["--packages external", "all packages stay imports"],
      ["--alias NAME=SPECIFIER", "imports another module instead"],
      ["--inject FILE", "exports of the file stand for free names of their names"],
      ["--conditions NAME", "a further condition of package.json's exports"],
      ["--allow-unresolved SHAPE", 'import() of unknown specifiers of this shape only; "<empty>" for any expression'],
      ["--reject-unresolved", "no import() of unknown specifiers"],
      ["--no-bundle", "translates the entry points only"],
    ],
  ],
  [
    "Sources",
    [
      ["-d, --define NAME=VALUE", "replaces a name by an expression"],
      ["--env inline|PREFIX*", "puts variables of the environment into the code"],
      ["--feature NAME", 'feature("NAME") of "bun:bundle" is true'],
      ["-l, --loader .EXT=LOADER", "what files of an extension are"],
      ["--syntax-target T", "the oldest syntax of the results: es2020, chrome100, ..."],
      ["--jsx-runtime R", "automatic (default), classic or preserve"],
      ["--jsx-import-source S", "the package of the automatic runtime"],
      ["--jsx-factory F, --jsx-fragment F", "the functions of the classic runtime"],
      ["--jsx-side-effects", "JSX that nobody uses stays"],
      ["--react-fast-refresh", "registers components for React Fast Refresh"],
      ["--tsconfig-override FILE", "another tsconfig.json"],
      ["--no-macros", "calls of macros are errors"],
    ],
  ],
  [
    "Names",
    [
      ["--root DIR", "what [dir] of entry points is relative to"],
      ["--entry-naming, --chunk-naming, --asset-naming TEMPLATE", "of [dir], [name], [hash] and [ext]"],
      ["--public-path PREFIX", "before paths of chunks and assets"],
    ],
  ],
  [
    "Work",
    [
      ["--watch", "builds anew when a source changes"],
      ["--no-clear-screen", "leaves the terminal as it is while watching"],
      ["-h, --help", "this text"],
    ],
  ],
  [
    "Executables",
    [
      ["--compile", "makes an executable: bao with the program in it"],
      ["--compile --target browser", "makes pages that are one file, with all that they need in them"],
      ["--target bun-linux-x64", "the machine that it is for"],
      ["--compile-exec-argv TEXT", "options of bao that it runs with"],
      ["--asset PATH", "puts in a file or folder under its own name"],
      ["--[no-]compile-autoload-dotenv", "whether it reads .env (default), and with -bunfig bunfig.toml (default)"],
      ["--[no-]compile-autoload-tsconfig", "whether it reads tsconfig.json, and with -package-json package.json"],
      [
        "--bytecode-order FILE",
        "puts functions in that a run of the last build has used (BUN_BYTECODE_ORDER_OUT=FILE)",
      ],
      ["--compile-jit-policy N", "code stays in the interpreter N times longer, see Bun.unsafe.setJITPolicy"],
      ["--compile-executable-path FILE", "another bao to put the program into"],
    ],
  ],
];

const examples = [
  "bao build ./src/index.tsx --outdir dist --minify --splitting",
  "bao build ./server.ts --target bun --outfile server.js",
  "bao build ./src/lib.ts --outdir dist --packages external --declarations",
];

/** The text of `bao build --help`. */
function help(): string {
  const bold = (text: string) => paint("1", text, 1);
  const lines = [
    `Usage: ${bold("bao build")} [options] ENTRY...`,
    "",
    "Bundles modules of JavaScript, TypeScript, JSX and CSS, and copies what else they import.",
  ];
  for (const [title, rows] of sections) {
    lines.push("", bold(`${title}:`));
    for (const [words, text] of rows) {
      const row = `  ${paint("36", words, 1)}`;
      // Words that are longer than their column have their text in the next line.
      if (words.length > 24) lines.push(row, `${" ".repeat(28)}${text}`);
      else lines.push(`${row}${" ".repeat(26 - words.length)}${text}`);
    }
  }
  lines.push("", bold("Examples:"), ...examples.map((example) => `  ${example}`), "");
  return lines.join("\n");
}

/** A mistake on the command line. */
class Usage extends Error {}

/** Options without a value, and the option of Bun.build that they set. */
const switches: { [word: string]: (config: BuildConfig) => void } = {
  "--splitting": (config) => (config["splitting"] = true),
  "--minify": (config) =>
    (config["minify"] = { ...minifyOf(config), whitespace: true, syntax: true, identifiers: true }),
  "--minify-syntax": (config) => (minifyOf(config)["syntax"] = true),
  "--minify-whitespace": (config) => (minifyOf(config)["whitespace"] = true),
  "--minify-identifiers": (config) => (minifyOf(config)["identifiers"] = true),
  "--keep-names": (config) => (minifyOf(config)["keepNames"] = true),
  "--production": (config) => {
    config["production"] = true;
    Object.assign(minifyOf(config), { whitespace: true, syntax: true, identifiers: true });
  },
  "--react-fast-refresh": (config) => (config["reactFastRefresh"] = true),
  "--ignore-dce-annotations": (config) => (config["ignoreDCEAnnotations"] = true),
  "--jsx-side-effects": (config) => (jsxOf(config)["sideEffects"] = true),
  // What happens anyway.
  "--bundle": () => {},
  // Everything that is imported stays outside, and nothing is left out.
  "--no-bundle": (config) => {
    push(config, "external", "*");
    config["treeShaking"] = false;
  },
  "--declarations": (config) => (config["declarations"] = true),
  "--no-split-require": (config) => (config["splitRequire"] = false),
  "--no-module-preload": (config) => (config["modulePreload"] = false),
  "--no-deprecated-namespace-object-setters": (config) => (config["deprecatedNamespaceObjectSetters"] = false),
  "--no-optimize-bytecode": (config) => (config["optimize"] = { bytecode: false }),
  "--css-chunking": (config) => (config["cssChunking"] = true),
  "--reject-unresolved": (config) => (config["allowUnresolved"] = []),
  "--emit-dce-annotations": (config) => (config["emitDCEAnnotations"] = true),
  "--compile": (config) => void compileOf(config),
  "--compile-autoload-dotenv": (config) => (compileOf(config)["autoloadDotenv"] = true),
  "--no-compile-autoload-dotenv": (config) => (compileOf(config)["autoloadDotenv"] = false),
  "--compile-autoload-bunfig": (config) => (compileOf(config)["autoloadBunfig"] = true),
  "--no-compile-autoload-bunfig": (config) => (compileOf(config)["autoloadBunfig"] = false),
  "--compile-autoload-tsconfig": (config) => (compileOf(config)["autoloadTsconfig"] = true),
  "--no-compile-autoload-tsconfig": (config) => (compileOf(config)["autoloadTsconfig"] = false),
  "--compile-autoload-package-json": (config) => (compileOf(config)["autoloadPackageJson"] = true),
  "--no-compile-autoload-package-json": (config) => (compileOf(config)["autoloadPackageJson"] = false),
  "--bytecode": (config) => {
    config["bytecode"] = true;
    config["target"] ??= "bun";
  },
  "--check": (config) => (config["check"] = true),
  "--react-compiler": (config) => (config["reactCompiler"] = true),
};

/** Options with a value. */
const values: { [word: string]: (config: BuildConfig, value: string) => void } = {
  "--outdir": (config, value) => (config["outdir"] = value),
  "--outfile": (config, value) => (config["outfile"] = value),
  "--target": (config, value) => (config["target"] = value),
  "--format": (config, value) => (config["format"] = value),
  "--root": (config, value) => (config["root"] = value),
  "--external": (config, value) => push(config, "external", value),
  "-e": (config, value) => push(config, "external", value),
  "--packages": (config, value) => (config["packages"] = value),
  "--entry-naming": (config, value) => (namingOf(config)["entry"] = value),
  "--chunk-naming": (config, value) => (namingOf(config)["chunk"] = value),
  "--asset-naming": (config, value) => (namingOf(config)["asset"] = value),
  "--public-path": (config, value) => (config["publicPath"] = value),
  "--define": (config, value) => pair(config, "define", value, /[=:]/),
  "-d": (config, value) => pair(config, "define", value, /[=:]/),
  "--drop": (config, value) => push(config, "drop", value),
  "--env": (config, value) => (config["env"] = value),
  "--loader": (config, value) => pair(config, "loader", value, /[=:]/),
  "-l": (config, value) => pair(config, "loader", value, /[=:]/),
  "--conditions": (config, value) => push(config, "conditions", value),
  "--alias": (config, value) => pair(config, "alias", value, /=/),
  "--syntax-target": (config, value) => value.split(",").forEach((one) => push(config, "syntaxTarget", one)),
  "--global-name": (config, value) => (config["globalName"] = value),
  "--banner": (config, value) => (config["banner"] = value),
  "--footer": (config, value) => (config["footer"] = value),
  "--legal-comments": (config, value) => (config["legalComments"] = value),
  "--feature": (config, value) => push(config, "features", value),
  "--jsx-runtime": (config, value) => (jsxOf(config)["runtime"] = value),
  "--jsx-import-source": (config, value) => (jsxOf(config)["importSource"] = value),
  "--jsx-factory": (config, value) => (jsxOf(config)["factory"] = value),
  "--jsx-fragment": (config, value) => (jsxOf(config)["fragment"] = value),
  "--tsconfig-override": (config, value) => (config["tsconfig"] = value),
  "--inject": (config, value) => push(config, "inject", value),
  "--allow-unresolved": (config, value) => push(config, "allowUnresolved", value === "<empty>" ? "" : value),
  "--manual-chunk": (config, value) => {
    const at = value.indexOf("=");
    if (at <= 0) throw new Usage(`--manual-chunk "${value}": expected NAME=PART`);
    push(objectAt(config, "manualChunks"), value.slice(0, at), value.slice(at + 1));
  },
  "--compile-exec-argv": (config, value) => (compileOf(config)["execArgv"] = wordsOf(value)),
  "--compile-executable-path": (config, value) => (compileOf(config)["executablePath"] = value),
  "--compile-jit-policy": (config, value) => {
    const scale = Number(value);
    if (!(scale >= 1) || scale === Infinity || value.trim() === "") {
      throw new Usage(`Invalid value for --compile-jit-policy: "${value}". Must be a number >= 1`);
    }
    config["jitPolicy"] = scale;
  },
  "--bytecode-order": (config, value) => value.split(",").forEach((file) => push(config, "bytecodeOrder", file)),
  "--bytecode-depth": (config, value) => (config["bytecodeDepth"] = countOf("--bytecode-depth", value)),
  "--asset": (config, value) => push(config, "asset", value),
  "--min-chunk-size": (config, value) => {
    config["minChunkSize"] = countOf("--min-chunk-size", value);
  },
  "--optimize-imports": (config, value) => push(config, "optimizeImports", value),
};

/** Options of Bun that bao does not have. */
const missing = ["--app"];

function objectAt(config: BuildConfig, name: string): { [key: string]: unknown } {
  return (config[name] ??= {}) as { [key: string]: unknown };
}
const compileOf = (config: BuildConfig) => objectAt(config, "compile");
const minifyOf = (config: BuildConfig) => objectAt(config, "minify");
const jsxOf = (config: BuildConfig) => objectAt(config, "jsx");
const namingOf = (config: BuildConfig) => objectAt(config, "naming");
const metafileOf = (config: BuildConfig) => objectAt(config, "metafile");

/** Makes an option one of `compile`, which may stand behind it on the command line. `needed`: what it needs. */
function moveToCompile(config: BuildConfig, name: string, option: string, needed: string): void {
  const { [name]: value, compile, bytecode } = config;
  if (value === undefined) return;
  if (compile === undefined || (needed.includes("--bytecode") && bytecode !== true)) {
    throw new Usage(`${option} requires ${needed}`);
  }
  delete config[name];
  compileOf(config)[name] = value;
}

/** The integer that the value of an option is, not negative. */
function countOf(option: string, value: string): number {
  if (!/^\d+$/.test(value)) throw new Usage(`Invalid value for ${option}: "${value}". Must be a non-negative integer`);
  return Number(value);
}

/** Words of a text: spaces end them unless quotes hold them together. */
function wordsOf(text: string): string[] {
  const found = text.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? [];
  return found.map((word) =>
    word.replace(/"([^"]*)"|'([^']*)'/g, (_all, double: string, single: string) => double ?? single),
  );
}

function push(config: BuildConfig, name: string, value: string): void {
  ((config[name] ??= []) as string[]).push(value);
}

function pair(config: BuildConfig, name: string, text: string, separator: RegExp): void {
  const at = text.search(separator);
  if (at <= 0) throw new Usage(`--${name} "${text}": expected NAME=VALUE`);
  objectAt(config, name)[text.slice(0, at)] = text.slice(at + 1);
}

interface CommandLine {
  config: BuildConfig;
  watch: boolean;
  clears: boolean;
  analyze: boolean;
  /** Whether calls of macros are made. */
  macros: boolean;
}

/** Reads the words behind `bao build`. Throws a {@link Usage} about the first that is wrong. */
function parse(words: readonly string[]): CommandLine {
  const entrypoints: string[] = [];
  const config: BuildConfig = { entrypoints };
  const line: CommandLine = { config, watch: false, clears: true, analyze: false, macros: true };
  const rest = [...words];
  while (rest.length !== 0) {
    const word = rest.shift()!;
    if (!word.startsWith("-")) {
      entrypoints.push(word);
      continue;
    }
    if (word === "--") {
      entrypoints.push(...rest.splice(0));
      continue;
    }
    const at = word.startsWith("--") ? word.indexOf("=") : -1;
    const name = at === -1 ? word : word.slice(0, at);
    const value = at === -1 ? undefined : word.slice(at + 1);
    if (name === "--watch") line.watch = true;
    else if (name === "--no-clear-screen") line.clears = false;
    else if (name === "--analyze") line.analyze = true;
    else if (name === "--no-macros" && value === undefined) line.macros = false;
    else if (name === "--metafile") metafileOf(config)["json"] = value ?? "meta.json";
    else if (name === "--metafile-md") metafileOf(config)["markdown"] = value ?? "meta.md";
    else if (name === "--sourcemap") {
      const next = rest[0];
      const known = ["linked", "inline", "external", "none"];
      config["sourcemap"] = value ?? (next !== undefined && known.includes(next) ? rest.shift() : "linked");
    } else if (switches[name] !== undefined && value === undefined) switches[name](config);
    else if (values[name] !== undefined) {
      const given = value ?? rest.shift();
      if (given === undefined) throw new Usage(`${name} needs a value`);
      values[name](config, given);
    } else if (name.startsWith("--windows-")) {
      throw new Usage(`${name} is for executables for Windows, which bao does not make`);
    } else if (missing.includes(name)) throw new Usage(`the option "${name}" of bun build is not implemented in bao`);
    else throw new Usage(`unknown option "${name}"`);
  }
  if (entrypoints.length === 0) throw new Usage("no entry point");
  if (config["minChunkSize"] !== undefined && config["splitting"] !== true) {
    throw new Usage("--min-chunk-size requires --splitting");
  }
  moveToCompile(config, "jitPolicy", "--compile-jit-policy", "--compile");
  moveToCompile(config, "bytecodeOrder", "--bytecode-order", "--compile --bytecode");
  namingOf(config)["chunk"] ??= "[name]-[hash].[ext]";
  if (config["compile"] !== undefined) {
    if (config["outdir"] !== undefined && config["target"] !== "browser") {
      throw new Usage("an executable is one file: use --outfile instead of --outdir");
    }
  } else if (config["asset"] !== undefined) throw new Usage("--asset is for executables: use --compile");
  const jsx = config["jsx"] as { [key: string]: unknown } | undefined;
  if (jsx !== undefined && config["production"] === true) jsx["development"] = false;
  return line;
}

/** Where the results go: Bun prints a single one, several need a folder. */
function place({ config }: CommandLine): "printed" | "written" {
  if (config["outdir"] !== undefined || config["outfile"] !== undefined) return "written";
  return "printed";
}

const isTerminal = (fd: number) => require("node:tty").isatty(fd);

function paint(code: string, text: string, fd: number): string {
  return isTerminal(fd) && process.env["NO_COLOR"] === undefined ? `\x1b[${code}m${text}\x1b[0m` : text;
}

/** Prints the messages as Bun does: excerpt, caret, text, place. */
function report(raw: RawOutput): void {
  for (const { level, text, position, notes } of raw.messages) {
    const lines: string[] = [];
    if (position !== null && position.line > 0) {
      const head = `${position.line} | `;
      lines.push(
        paint("2", head, 2) + position.lineText,
        " ".repeat(head.length + position.column - 1) + paint("31", "^", 2),
      );
    }
    lines.push(`${level === "error" ? paint("31", "error", 2) : paint("33", "warn", 2)}: ${text}`);
    if (position !== null) {
      const at = position.line > 0 ? `:${position.line}:${position.column}` : "";
      lines.push(`    at ${position.file}${at}`);
    }
    for (const note of notes) lines.push(`note: ${note}`);
    process.stderr.write(`${lines.join("\n")}\n\n`);
  }
}

/** The table of the results. */
function table(raw: RawOutput, modules: number, milliseconds: number, outfile: string | undefined): void {
  const shownName = ([path, , , , , , , isEntry]: RawOutput["artifacts"][number]) =>
    isEntry && outfile !== undefined ? basename(outfile) : path;
  const width = Math.max(...raw.artifacts.map((artifact) => shownName(artifact).length));
  const kinds: { [kind: string]: string } = { "entry-point": "entry point", sourcemap: "source map" };
  const rows = raw.artifacts.map((artifact) => {
    const [, kind, , , bytes] = artifact;
    const size = raw.kept?.get(artifact[0]) ?? bytes.length;
    return [shownName(artifact).padEnd(width), sizeOf(size), `(${kinds[kind] ?? kind})`] as const;
  });
  const sizes = Math.max(...rows.map(([, size]) => size.length));
  const lines = rows.map(([name, size, kind]) => `  ${name}  ${size.padEnd(sizes)}  ${paint("2", kind, 1)}`);
  process.stdout.write(
    `Bundled ${modules} module${modules === 1 ? "" : "s"} in ${milliseconds}ms\n\n${lines.join("\n")}\n\n`,
  );
}

/** Shows on a terminal that a long build is at work; gives what takes the line away. */
function progress(begun: number): () => void {
  if (!isTerminal(2)) return () => undefined;
  let isShown = false;
  const timer = setInterval(() => {
    isShown = true;
    process.stderr.write(`\r${paint("2", `Bundling... ${((performance.now() - begun) / 1000).toFixed(0)} s`, 2)}`);
  }, 1000);
  return () => {
    clearInterval(timer);
    if (isShown) process.stderr.write("\r\x1b[K");
  };
}

/**
 * One build; gives the files that it has read, and whether it has succeeded. `changed`: the files that have changed since the last
 * one, of a command line that watches; `isAll`: whether there are no others; `isStale`: whether the next build has begun to be needed,
 * so that what this one has made or found wrong is not told.
 */
async function once(
  line: CommandLine,
  changed: string[] = [],
  isAll: boolean = false,
  isStale: () => boolean = () => false,
): Promise<{ inputs: string[]; success: boolean }> {
  const begun = performance.now();
  if (line.analyze) metafileOf(line.config);
  const config = check(line.config);
  config.native.isLast = !line.watch;
  if (line.watch) config.native.changed = changed;
  config.native.changedIsAll = isAll;
  const { bytecode } = config.native;
  config.native.keepsTexts = line.watch && place(line) === "written" && config.compile === undefined && !bytecode;
  const done = progress(begun);
  const plugins = new Plugins(() => undefined);
  // Those that options stand for.
  if (config.plugins.length !== 0) await plugins.setUp(config.plugins, line.config, config.native.naming.asset);
  const raw = await run(config, plugins, line.macros).finally(done);
  const success = !raw.messages.some(({ level }) => level === "error");
  if (isStale()) return { inputs: raw.inputs, success };
  report(raw);
  if (!success) return { inputs: raw.inputs, success };
  const { outfile } = config.native;
  if (config.compile !== undefined) {
    const bundled = performance.now();
    const { writeExecutable } = require("internal/bundle/compile");
    const [made] = await writeExecutable(config.compile, config.native, raw);
    const { size } = statSync(made!.path);
    const times = [bundled - begun, performance.now() - bundled].map((time) => `${Math.round(time)}ms`);
    process.stdout.write(
      `  bundled   ${times[0]}  ${raw.inputs.length} module${raw.inputs.length === 1 ? "" : "s"}\n` +
        `  compiled  ${times[1]}  ${relative(process.cwd(), made!.path)}  ${sizeOf(size)}\n`,
    );
  } else if (place(line) === "printed") {
    const [only, ...others] = raw.artifacts;
    // The sheet of an entry point is an asset, too.
    const isText = only !== undefined && (only[1] !== "asset" || only[2] === "css");
    if (isText && others.length === 0) process.stdout.write(only[4]);
    else throw new Usage("there are several results: name a folder for them with --outdir");
  } else {
    const isBesides = ([, kind]: RawOutput["artifacts"][number]) => kind !== "sourcemap" && kind !== "bytecode";
    addBytecode(config, raw);
    if (outfile !== null && raw.artifacts.filter(isBesides).length > 1)
      throw new Usage("cannot write multiple output files without an output directory: use --outdir");
    // Objects of them would copy all bytes.
    writeArtifacts(config, raw);
    table(raw, raw.inputs.length, Math.round(performance.now() - begun), outfile ?? undefined);
  }
  writeMetafile(config, raw.metafile, process.cwd());
  if (line.analyze && raw.metafile !== null) process.stdout.write(markdownOf(JSON.parse(raw.metafile)));
  return { inputs: raw.inputs, success: true };
}

/** For so long a file must not have changed before a build begins, in milliseconds: a write is several events. */
const QUIET = 1;
/**
 * So many results in a row are left out as files have changed meanwhile: an editor writes in several steps, of which builds between
 * would tell mistakes. Files that never come to rest have results all the same.
 */
const MOST_STALE = 3;

/**
 * Builds whenever a file changes that the last build has read; `first` and `begun` are what the first one has read and when it began, in
 * milliseconds since 1970.
 */
function keepBuilding(line: CommandLine, first: string[], begun: number): void {
  const watched = new Map<string, ReturnType<typeof watch>>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let files = new Set<string>();
  let changed = new Set<string>();
  let isBuilding = false;
  let stale = 0;
  let followed: string[] | undefined;
  /** Whether all that the last build has read was watched when it began. */
  let isFollowed = false;
  /** The folders of the files, and those above them. */
  let folders = new Set<string>();
  const follow = (inputs: string[], success: boolean, begun: number) => {
    isFollowed = success && inputs === followed;
    if (isFollowed) return;
    followed = inputs;
    const known = files;
    // A build that has failed early may have read less than the one before.
    files = new Set(success ? inputs : [...files, ...inputs]);
    folders = foldersOf(files, process.cwd());
    const added = new Set<string>();
    for (const folder of folders) {
      if (watched.has(folder)) continue;
      try {
        watched.set(
          folder,
          watch(folder, (_event, name) => {
            const path = name === null ? "" : resolve(folder, String(name));
            if (files.has(path)) again(path);
            else if (folders.has(path)) replaced(path);
            else if (name === null || String(name) === basename(folder)) lose(folder);
          }),
        );
        added.add(folder);
      } catch (error) {
        followed = undefined;
        // The folder above tells if it comes back.
        if ((error as NodeError).code === "ENOENT" && folders.has(dirname(folder))) continue;
        process.stderr.write(`warn: cannot watch "${folder}": ${(error as Error).message}\n`);
      }
    }
    // What was not watched yet may have changed after the build has read it.
    for (const file of files) {
      const isNew = !known.has(file) || added.has(dirname(file));
      if (isNew && hasChangedSince(file, begun)) again(file);
    }
  };
  /** Forgets a folder that has gone, or whose changes are not all told: another one may have its name. */
  const lose = (folder: string) => {
    watched.get(folder)?.close();
    watched.delete(folder);
    isFollowed = false;
    followed = undefined;
  };
  /** A folder that has come, gone or become another one. */
  const replaced = (folder: string) => {
    for (const other of [...watched.keys()]) if (isBelow(other, folder)) lose(other);
    for (const file of files) if (isBelow(file, folder)) again(file);
  };
  const again = (file: string) => {
    changed.add(file);
    clearTimeout(timer);
    timer = setTimeout(build, QUIET);
  };
  const build = () => {
    // What changes meanwhile is built after it.
    if (isBuilding || changed.size === 0) return;
    isBuilding = true;
    const begun = Date.now();
    const taken = [...changed];
    changed = new Set();
    if (line.clears && isTerminal(1)) process.stdout.write("\x1b[2J\x1b[3J\x1b[H");
    const isAll = isFollowed;
    isFollowed = false;
    const isStale = () => {
      stale = changed.size === 0 || stale === MOST_STALE ? 0 : stale + 1;
      return stale !== 0;
    };
    once(line, taken, isAll, isStale)
      .then(({ inputs, success }) => follow(inputs, success, begun), failed)
      .finally(() => {
        isBuilding = false;
        if (changed.size !== 0) build();
      });
  };
  follow(first, true, begun);
}

function failed(error: unknown): void {
  if (error instanceof Usage) process.stderr.write(`error: ${error.message}\nbao build --help shows the options\n`);
  else process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

/** The command. */
export function start(): void {
  const words = process.argv.slice(1);
  const asked = words.slice(0, words.includes("--") ? words.indexOf("--") : undefined);
  if (asked.includes("--help") || asked.includes("-h")) {
    process.stdout.write(help());
    return;
  }
  let line: CommandLine;
  try {
    line = parse(words);
  } catch (error) {
    failed(error);
    return;
  }
  const begun = Date.now();
  once(line).then(({ inputs, success }) => {
    if (line.watch) keepBuilding(line, inputs, begun);
    else if (!success) process.exitCode = 1;
  }, failed);
}
