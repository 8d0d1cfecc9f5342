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
const missing = ["macro", "exports", "deadCodeElimination", "inline", "replMode"];
const CLASSIC = 2;
const AUTOMATIC = 4;

/** The options that bao has; others are looked up by their names. */
interface TranspilerOptions {
  loader?: string;
  define?: object;
  minify?: unknown;
  minifyWhitespace?: unknown;
  /** An object, or its text. */
  tsconfig?: string | TsConfig;
  [name: string]: unknown;
}

interface TsConfig {
  compilerOptions?: { jsx?: string; jsxImportSource?: string; jsxFactory?: string; jsxFragmentFactory?: string };
}

class Transpiler {
  #loader = "jsx";
  #define: string[] = [];
  #flags = 0;
  #jsx: string[] = [];

  /** @param options `loader`, `define`, `minifyWhitespace`, `tsconfig` (its `jsx*` settings), `target` and others */
  constructor(options?: TranspilerOptions | null) {
    if (options === undefined || options === null) return;
    if (typeof options !== "object") throw invalidType("Expected options to be an object");
    if (options.loader !== undefined) this.#loader = loaderOf(options.loader);
    if (options.define !== undefined) {
      if (typeof options.define !== "object") throw invalidType("define must be an object");
      for (const name of Object.keys(options.define))
        this.#define.push(name, `${(options.define as { [name: string]: unknown })[name]}`);
    }
    if (options.minifyWhitespace) this.#flags |= 1;
    if (options.minify === true) throw notImplemented("Bun.Transpiler with `minify`");
    for (const name of missing) {
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
    return attempt(text, name, () => ops.transform(text, name, this.#define, this.#flags, this.#jsx));
  }

  /** Promise of the same, made on another thread. */
  transform(code: unknown, loader?: unknown): Promise<string> {
    const text = textOf(code);
    const name = typeof loader === "string" ? loaderOf(loader) : this.#loader;
    return new Promise((resolve, reject) => {
      ops.transformLater(text, name, this.#define, this.#flags, this.#jsx, (error, value: string) => {
        if (error) reject(failure(error, text, name));
        else resolve(value);
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
