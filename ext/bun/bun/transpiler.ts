// Bun.Transpiler (https://bun.com/docs/runtime/transpiler): TypeScript and JSX to JavaScript, and what a module asks for.
import { bytesOf, blobBytes, constructorOnly, invalidType, notImplemented } from "bun/util";

const ops = native("bun_data");

const loaders = ["js", "jsx", "tsx", "ts"];
const otherLoaders = ["css", "json", "jsonc", "json5", "toml", "yaml", "xml", "text", "wasm", "md"];

function loaderOf(name: string): string {
  if (loaders.includes(name)) return name;
  if (otherLoaders.includes(name)) throw notImplemented(`Bun.Transpiler with the loader "${name}"`);
  throw invalidType(
    "invalid loader - must be js, jsx, tsx, ts, css, json, jsonc, json5, toml, yaml, xml, text, wasm, or md",
  );
}

function textOf(code: unknown): string {
  if (typeof code === "string") return code;
  const bytes = typeof code === "object" && code !== null ? (bytesOf(code) ?? blobBytes(code)) : undefined;
  if (bytes === undefined) throw invalidType("code must be a string, ArrayBuffer, ArrayBufferView or Blob");
  return new TextDecoder().decode(bytes);
}

/** The error of the parser as a BuildMessage. */
function failure(error: unknown, text: string, loader: string): unknown {
  if (!(error instanceof SyntaxError)) return error;
  const [message, line, column, lineText] = error.message.split("\0");
  if (line === undefined) return error;
  let start = 0;
  for (let i = 1; i < Number(line); i++) start = text.indexOf("\n", start) + 1;
  return require("bun/messages").buildMessage(message!, {
    lineText: lineText!,
    file: `input.${loader}`,
    namespace: "file",
    line: Number(line),
    column: Number(column),
    // The parser names a place, not a range.
    length: 0,
    offset: start + Number(column) - 1,
  });
}

function attempt<T>(text: string, loader: string, fn: () => T): T {
  try {
    return fn();
  } catch (error) {
    throw failure(error, text, loader);
  }
}

/** Settings that change the output and that bao does not have. */
const missing = ["deadCodeElimination", "inline"];
const CLASSIC = 2;
const AUTOMATIC = 4;

/** The options that bao has; others are looked up by their names. */
interface TranspilerOptions {
  loader?: string;
  define?: object;
  minify?: unknown;
  minifyWhitespace?: unknown;
  /** Modules, and of each the functions that are macros with the module that has them; `false` leaves macros as they are. */
  macro?: unknown;
  exports?: unknown;
  /** An object, or its text. */
  tsconfig?: string | TsConfig;
  [name: string]: unknown;
}

interface TsConfig {
  compilerOptions?: { jsx?: string; jsxImportSource?: string; jsxFactory?: string; jsxFragmentFactory?: string };
}

function isObject(value: unknown): value is { [name: string]: unknown } {
  return typeof value === "object" && value !== null;
}

/** `macro`: module and name as imported, module that has it, in threes; undefined if macros stay as they are. */
function macrosOf(macro: unknown): string[] | undefined {
  if (macro === undefined || macro === null || macro === true) return [];
  if (macro === false) return undefined;
  if (typeof macro === "string") {
    try {
      macro = require("bun/data").JSONC.parse(macro);
    } catch {
      throw new SyntaxError(`Unexpected ${String(macro)}`);
    }
  }
  if (!isObject(macro)) throw invalidType("macro must be an object");
  const sources: string[] = [];
  for (const [module, names] of Object.entries(macro)) {
    if (!isObject(names)) throw invalidType(`macro "${module}" must be an object of names and modules`);
    for (const [name, target] of Object.entries(names)) {
      if (typeof target !== "string") throw invalidType(`macro "${module}.${name}" must be the path of a module`);
      sources.push(module, name, target);
    }
  }
  return sources;
}

/** `exports`: what goes, and what comes in its place as name, new name and JavaScript. */
function exportsOf(exports: unknown): { eliminate: string[]; replace: string[] } {
  const changes: { eliminate: string[]; replace: string[] } = { eliminate: [], replace: [] };
  if (exports === undefined || exports === null) return changes;
  if (!isObject(exports)) throw invalidType("exports must be an object");
  const { eliminate = [], replace = {} } = exports;
  if (!Array.isArray(eliminate) || eliminate.some((name) => typeof name !== "string")) {
    throw invalidType("exports.eliminate must be an array of strings");
  }
  if (!isObject(replace)) throw invalidType("exports.replace must be an object");
  changes.eliminate = eliminate as string[];
  for (const [name, value] of Object.entries(replace)) {
    const [to, literal] = Array.isArray(value) ? (value as unknown[]) : [name, value];
    if (typeof to !== "string" || !/^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(to)) {
      throw invalidType(`exports.replace "${name}" must be a value, or an array of a name and a value`);
    }
    if (isObject(literal) || typeof literal === "function" || typeof literal === "symbol") {
      throw invalidType(`exports.replace "${name}": the value must be a string, number, boolean, null or undefined`);
    }
    changes.replace.push(name, to, literal === undefined ? "undefined" : JSON.stringify(literal));
  }
  return changes;
}

/** A line of a REPL as a script whose value is `{ value }` of its last expression, or a promise of that. */
function replScript(code: string): string {
  const { check, sessionScript, topLevelAwait } = native("repl");
  // An object, where the language would see a block.
  const text = code.trim();
  const isWrapped = text.startsWith("{") && !text.endsWith(";") && check(`(${text})`, true) === undefined;
  const [script, mistake] = sessionScript(isWrapped ? `(${text})` : code);
  if (mistake !== undefined || script === undefined) throw new SyntaxError(mistake?.[0] ?? "Unexpected end of input");
  const [awaiting] = topLevelAwait(script);
  if (awaiting !== undefined) return awaiting;
  // The same for code that waits for nothing, without the function being async.
  const mark = "await 0;";
  const [made] = topLevelAwait(`${mark}${script}\n`);
  return made === undefined ? script : made.replace(`(async () => { ${mark}`, "(() => { ");
}

class Transpiler {
  #macros: string[] | undefined = [];
  #changes = exportsOf(undefined);
  #trims = false;
  #minify: [whitespace: boolean, syntax: boolean, identifiers: boolean] = [false, false, false];
  #isRepl = false;
  #loader = "jsx";
  #define: string[] = [];
  #flags = 0;
  #jsx: string[] = [];

  /** @param options `loader`, `define`, `minify`, `macro`, `exports`, `replMode`, `tsconfig` (its `jsx*` settings), `target` and others */
  constructor(options?: TranspilerOptions | null) {
    if (options === undefined || options === null) return;
    if (typeof options !== "object") throw invalidType("Expected options to be an object");
    if (options.loader !== undefined) this.#loader = loaderOf(options.loader);
    if (options.define !== undefined) {
      if (typeof options.define !== "object") throw invalidType("define must be an object");
      for (const name of Object.keys(options.define))
        this.#define.push(name, `${(options.define as { [name: string]: unknown })[name]}`);
    }
    const { minify } = options;
    const all = minify === true;
    const given = isObject(minify) ? minify : {};
    this.#minify = [
      all || !!given["whitespace"] || !!options.minifyWhitespace,
      all || !!given["syntax"],
      all || !!given["identifiers"],
    ];
    if (this.#minify[0]) this.#flags |= 1;
    this.#macros = macrosOf(options.macro);
    this.#changes = exportsOf(options.exports);
    this.#trims = !!options["trimUnusedImports"];
    this.#isRepl = !!options["replMode"];
    for (const name of missing) {
      // The minifier puts constants in where they are used.
      if (name === "inline" && this.#minify[1]) continue;
      if (options[name] !== undefined && options[name] !== false)
        throw notImplemented(`Bun.Transpiler with \`${name}\``);
    }
    let { tsconfig } = options;
    if (typeof tsconfig === "string") tsconfig = require("bun/data").JSONC.parse(tsconfig) as TsConfig;
    const settings = tsconfig?.compilerOptions;
    if (settings !== undefined) {
      if (settings.jsx === "react") this.#flags |= CLASSIC;
      else if (settings.jsx === "react-jsx") this.#flags |= AUTOMATIC;
      this.#jsx = [settings.jsxImportSource, settings.jsxFactory, settings.jsxFragmentFactory].map(
        (value) => value ?? "",
      );
    }
  }

  /** JavaScript for `code`, at once. */
  transformSync(code: unknown, loader?: unknown): string {
    const text = textOf(code);
    const name = typeof loader === "string" ? loaderOf(loader) : this.#loader;
    return attempt(text, name, () =>
      this.#smaller(ops.transform(this.#prepared(text, name), name, this.#define, this.#flags, this.#jsx)),
    );
  }

  /** The text with macros and exports replaced. */
  #prepared(text: string, loader: string): string {
    if (this.#isRepl) return replScript(text);
    const { eliminate, replace } = this.#changes;
    if (eliminate.length !== 0 || replace.length !== 0 || this.#trims) {
      text = ops.changeExports(text, loader, eliminate, replace, this.#trims);
    }
    const macros = this.#macros;
    if (macros === undefined || (macros.length === 0 && !/["']macro["']/.test(text))) return text;
    const path = require("node:path").resolve(`input.${loader}`);
    return require("internal/module/macros").expandText(text, path, loader, macros) ?? text;
  }

  #smaller(code: string): string {
    const [whitespace, syntax, identifiers] = this.#minify;
    return syntax || identifiers ? native("bundle").minify(code, whitespace, syntax, identifiers) : code;
  }

  /** Promise of the same, made on another thread. */
  transform(code: unknown, loader?: unknown): Promise<string> {
    const text = textOf(code);
    const name = typeof loader === "string" ? loaderOf(loader) : this.#loader;
    return new Promise((resolve, reject) => {
      const prepared = attempt(text, name, () => this.#prepared(text, name));
      ops.transformLater(prepared, name, this.#define, this.#flags, this.#jsx, (error, value: string) => {
        if (error) reject(failure(error, text, name));
        else resolve(this.#smaller(value));
      });
    });
  }

  /** `{ exports, imports }` of a module. */
  scan(code: unknown) {
    const text = textOf(code);
    const [exports, flat] = attempt(text, this.#loader, () => ops.scanModule(text, this.#loader));
    return { exports: exports.sort(), imports: importsOf(flat) };
  }

  /** The imports of a module: `[{ kind, path }]`. */
  scanImports(code: unknown): unknown[] {
    const text = textOf(code);
    return importsOf(attempt(text, this.#loader, () => ops.scanModule(text, this.#loader))[1]);
  }
}
Object.defineProperty(Transpiler, "length", { value: 0 });
Object.defineProperty(Transpiler.prototype, Symbol.toStringTag, { value: "Transpiler", configurable: true });

const kinds: Record<string, string> = { s: "import-statement", d: "dynamic-import", r: "require-call" };

function importsOf(flat: string[]): { kind: string; path: string }[] {
  const imports = [];
  for (let i = 0; i < flat.length; i += 2) imports.push({ kind: kinds[flat[i]!], path: flat[i + 1] });
  return imports;
}

const PublicTranspiler = constructorOnly(Transpiler);
Object.defineProperty(Transpiler.prototype, "constructor", {
  value: PublicTranspiler,
  configurable: true,
  writable: true,
});
export { PublicTranspiler as Transpiler };
