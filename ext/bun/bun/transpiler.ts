// Bun.Transpiler (https://bun.com/docs/runtime/transpiler): TypeScript and JSX to JavaScript, and what a module asks for.
import { bytesOf, blobBytes, constructorOnly, invalidType, notImplemented } from "bun/util";

const ops = native("bun_data");

const loaders = ["js", "jsx", "tsx", "ts"];
/** Which messages a program wants. Errors are thrown in any case, and there are no others. */
const logLevels: readonly unknown[] = ["verbose", "debug", "info", "warn", "error"];
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

/** The errors of the parser as a BuildMessage, or an AggregateError of several. */
function failure(error: unknown, text: string, loader: string): unknown {
  if (!(error instanceof SyntaxError) || !error.message.includes("\0")) return error;
  const messages = error.message.split("\u0001").map((fields) => {
    const [message, line, column, length, lineText] = fields.split("\0");
    let start = 0;
    for (let i = 1; i < Number(line); i++) start = text.indexOf("\n", start) + 1;
    return require("bun/messages").buildMessage(message!, {
      lineText: lineText!,
      file: `input.${loader}`,
      namespace: "file",
      line: Number(line),
      column: Number(column),
      length: Number(length),
      offset: start + Number(column) - 1,
    });
  });
  return messages.length === 1 ? messages[0] : new AggregateError(messages, "Parse error");
}

function attempt<T>(text: string, loader: string, fn: () => T): T {
  try {
    return fn();
  } catch (error) {
    throw failure(error, text, loader);
  }
}

/** Bits of what the native half is asked for, with the same names in ext/bun/native/data.rs. */
const NO_WHITESPACE = 1;
const CLASSIC = 2;
const AUTOMATIC = 4;
const MINIFY_SYNTAX = 8;
const MINIFY_IDENTIFIERS = 16;
const FOLD = 32;
const REMOVE_DEAD_CODE = 64;
const TRIM_IMPORTS = 128;
const REPL_MODE = 256;
const KEEP_IMPORTS = 512;
const LEGACY_DECORATORS = 1024;
const DECORATOR_METADATA = 2048;
const ASSIGNED_FIELDS = 4096;

function minifyFlags(minify: unknown): number {
  if (minify === true) return NO_WHITESPACE | MINIFY_SYNTAX | MINIFY_IDENTIFIERS;
  if (minify === undefined || minify === null || minify === false) return 0;
  if (typeof minify !== "object") throw invalidType("TranspilerMinifyOptions must be an object");
  const { whitespace, syntax, identifiers } = minify as { [name: string]: unknown };
  return (whitespace ? NO_WHITESPACE : 0) | (syntax ? MINIFY_SYNTAX : 0) | (identifiers ? MINIFY_IDENTIFIERS : 0);
}

function validIdentifier(name: unknown): string {
  const text = `${name as string}`;
  if (text === "default" || /^[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*$/u.test(text)) return text;
  throw invalidType(`"${text}" is not a valid ECMAScript identifier`);
}

/** The source text of a value that stands in the place of an export. */
function literalOf(value: unknown): string {
  if (value === undefined || value === null || typeof value === "boolean") return String(value);
  // -0 is one too; NaN and Infinity are names.
  if (typeof value === "number") return Object.is(value, -0) ? "-0" : String(value);
  if (typeof value === "string") return JSON.stringify(value);
  throw invalidType("exports.replace values can only be string, null, undefined, number or boolean");
}

/** `exports` as the native half takes it: in turns an export, its new name or "", and the text in its place or "". */
function exportsOf(exports: unknown): string[] {
  if (exports === undefined || exports === null) return [];
  if (typeof exports !== "object") throw invalidType("TranspilerExports must be an object");
  const { eliminate, replace } = exports as { eliminate?: unknown; replace?: unknown };
  const list: string[] = [];
  if (replace !== undefined && replace !== null) {
    if (typeof replace !== "object") throw invalidType("replace must be an object");
    for (const [name, wish] of Object.entries(replace as { [name: string]: unknown })) {
      const [other, value] = Array.isArray(wish) ? (wish as [unknown, unknown]) : ["", wish];
      if (Array.isArray(wish) && wish.length !== 2) literalOf(wish);
      list.push(validIdentifier(name), other === "" ? "" : validIdentifier(other), literalOf(value));
    }
  }
  if (eliminate !== undefined && eliminate !== null) {
    if (!Array.isArray(eliminate)) throw invalidType("exports.eliminate must be an array");
    // What is replaced comes first, and counts.
    for (const name of eliminate) list.push(`${name as string}`, "", "");
  }
  return list;
}

function isObject(value: unknown): value is { [name: string]: unknown } {
  return typeof value === "object" && value !== null;
}

/** `macro`: module and name as imported, module that has it, in threes; undefined if macros are disabled. */
function macrosOf(macro: unknown): string[] | undefined {
  if (macro === undefined || macro === null || macro === true || macro === "") return [];
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

/** The options that bao has; others are looked up by their names. */
interface TranspilerOptions {
  loader?: string;
  define?: object;
  logLevel?: unknown;
  minify?: unknown;
  /** Modules, and of each the functions that are macros with the module that has them; `false` makes calls of macros an error. */
  macro?: unknown;
  /** An object, or its text. */
  tsconfig?: string | TsConfig;
  [name: string]: unknown;
}

interface TsConfig {
  compilerOptions?: {
    jsx?: string;
    jsxImportSource?: string;
    jsxFactory?: string;
    jsxFragmentFactory?: string;
    experimentalDecorators?: boolean;
    emitDecoratorMetadata?: boolean;
    useDefineForClassFields?: boolean;
    verbatimModuleSyntax?: boolean;
  };
}

class Transpiler {
  #loader = "jsx";
  #define: string[] = [];
  #flags = REMOVE_DEAD_CODE | KEEP_IMPORTS;
  #jsx: string[] = [];
  #exports: string[] = [];
  #macros: string[] | undefined = [];
  /** Whether a program wants that `scan` tells of imports that nobody uses, too. */
  #scansUnused = false;

  /**
   * @param options `loader`, `define`, `minify` (or its parts), `macro`, `exports` (`eliminate`, `replace`), `trimUnusedImports`,
   *   `inline`, `deadCodeElimination` (true), `replMode`, `tsconfig` (its `jsx*`, decorators, class fields, `verbatimModuleSyntax`), `target`
   *   and others
   */
  constructor(options?: TranspilerOptions | null) {
    if (options === undefined || options === null) return;
    if (typeof options !== "object") throw invalidType("Expected options to be an object");
    if (options.loader !== undefined) this.#loader = loaderOf(options.loader);
    if (options.define !== undefined) {
      if (typeof options.define !== "object") throw invalidType("define must be an object");
      // A name without letters is none, as in Bun.
      for (const name of Object.keys(options.define))
        if (name !== "") this.#define.push(name, `${(options.define as { [name: string]: unknown })[name]}`);
    }
    const { logLevel } = options;
    if (logLevel !== undefined && logLevel !== null && logLevel !== "" && !logLevels.includes(logLevel))
      throw invalidType('logLevel must be one of "verbose", "debug", "info", "warn", or "error"');
    this.#flags |= minifyFlags(options.minify);
    if (options.minifyWhitespace) this.#flags |= NO_WHITESPACE;
    if (options.inline) this.#flags |= FOLD;
    const { deadCodeElimination = true } = options;
    // What a line of a session gives may be all that it is for.
    if (!deadCodeElimination || options.replMode) this.#flags &= ~REMOVE_DEAD_CODE;
    if (options.trimUnusedImports || options.treeShaking) this.#flags = (this.#flags & ~KEEP_IMPORTS) | TRIM_IMPORTS;
    this.#scansUnused = options.trimUnusedImports === false;
    if (options.replMode) this.#flags |= REPL_MODE;
    this.#exports = exportsOf(options.exports);
    this.#macros = macrosOf(options.macro);
    let { tsconfig } = options;
    if (typeof tsconfig === "string") tsconfig = require("bun/data").JSONC.parse(tsconfig) as TsConfig;
    const settings = tsconfig?.compilerOptions;
    if (settings !== undefined) {
      if (settings.verbatimModuleSyntax && !(this.#flags & TRIM_IMPORTS)) this.#scansUnused = true;
      if (settings.jsx === "react") this.#flags |= CLASSIC;
      else if (settings.jsx === "react-jsx") this.#flags |= AUTOMATIC;
      if (settings.experimentalDecorators ?? settings.emitDecoratorMetadata) this.#flags |= LEGACY_DECORATORS;
      if (settings.emitDecoratorMetadata) this.#flags |= DECORATOR_METADATA;
      if (settings.useDefineForClassFields === false) this.#flags |= ASSIGNED_FIELDS;
      this.#jsx = [settings.jsxImportSource, settings.jsxFactory, settings.jsxFragmentFactory].map(
        (value) => value ?? "",
      );
    }
  }

  /** JavaScript for `code`, at once. */
  transformSync(code: unknown, loader?: unknown): string {
    const name = typeof loader === "string" ? loaderOf(loader) : this.#loader;
    return this.#transformed(textOf(code), name, this.#flags);
  }

  #transformed(text: string, loader: string, flags: number): string {
    return attempt(text, loader, () =>
      ops.transform(this.#expanded(text, loader), loader, this.#define, flags, this.#jsx, this.#exports),
    );
  }

  /** The text with the results of its macros. Throws a BuildMessage about one that cannot be called. */
  #expanded(text: string, loader: string): string {
    const { expandText, failureOf, MacroError, messageOf } = require("internal/module/macros");
    const file = `input.${loader}`;
    const macros = this.#macros;
    try {
      return expandText(text, require("node:path").resolve(file), loader, macros ?? [], macros !== undefined) ?? text;
    } catch (error) {
      if (error instanceof MacroError) throw messageOf(error, text, file);
      const { message, ...place } = failureOf(error, text);
      throw place.line === 0 ? error : messageOf(new MacroError(message, place), text, file);
    }
  }

  /** Promise of the same, made on another thread. */
  transform(code: unknown, loader?: unknown): Promise<string> {
    const text = textOf(code);
    const name = typeof loader === "string" ? loaderOf(loader) : this.#loader;
    return new Promise((resolve, reject) => {
      const expanded = attempt(text, name, () => this.#expanded(text, name));
      ops.transformLater(
        expanded,
        name,
        this.#define,
        this.#flags,
        this.#jsx,
        this.#exports,
        (error, value: string) => {
          if (error) reject(failure(error, text, name));
          else resolve(value);
        },
      );
    });
  }

  /** `{ exports, imports }` of a module, as `exports` and `trimUnusedImports` leave it. */
  scan(code: unknown) {
    const [exports, flat] = this.#scanned(code);
    return { exports: exports.sort(), imports: importsOf(flat) };
  }

  #scanned(code: unknown): [exports: string[], imports: string[]] {
    const isReshaped = this.#exports.length > 0 || this.#scansUnused || (this.#flags & TRIM_IMPORTS) !== 0;
    const flags = this.#scansUnused ? this.#flags : this.#flags & ~KEEP_IMPORTS;
    const text = isReshaped ? this.#transformed(textOf(code), this.#loader, flags) : textOf(code);
    const loader = isReshaped ? "js" : this.#loader;
    return attempt(text, loader, () => ops.scanModule(text, loader));
  }

  /** The imports of a module: `[{ kind, path }]`. */
  scanImports(code: unknown): unknown[] {
    return importsOf(this.#scanned(code)[1]);
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
