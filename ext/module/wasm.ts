// WebAssembly modules that are imported: https://webassembly.github.io/esm-integration/js-api/
//
// What such a module imports are ES modules, which are linked and evaluated before it. One whose imports nobody can find ("env") is
// given as a WebAssembly.Module, as with Bun's loader.

/** What is used here of WebAssembly: https://webassembly.github.io/spec/js-api/ */
interface Engine {
  LinkError: new (message: string) => Error;
  Global: new () => { value: unknown };
  Module: {
    new (bytes: Uint8Array, options: object): object;
    imports(module: object): { module: string; name: string }[];
    exports(module: object): { name: string }[];
  };
  Instance: new (module: object, imports: object) => { exports: Record<string, unknown> };
}

const { Global, Instance, LinkError, Module } = (globalThis as unknown as { WebAssembly: Engine }).WebAssembly;

/** A compiled file; the loader makes an ES module of it. */
interface Opened {
  module: object;
  /** Specifiers of what it imports, each once. */
  specifiers: string[];
  /** Names of what it exports. */
  names: string[];
  /** Instantiates it with the namespaces of `specifiers`: its exports, and those of globals as their values. */
  link(namespaces: Record<string, unknown>[]): object;
}

/** Names that the standard keeps for itself. */
const isReserved = (name: string) => name.startsWith("wasm:") || name.startsWith("wasm-js:");

function refuse(kind: string, name: string, path: string): never {
  throw new LinkError(`Invalid Wasm ${kind} name '${name}' in ${path}`);
}

let hasWarned = false;
/**
 * The exports of instances, by the function that linked them: what a WebAssembly module imports of another one is the global itself and
 * not its value.
 */
const instances = new WeakMap<object, Record<string, unknown>>();

const options = { builtins: ["js-string"], importedStringConstants: "wasm:js/string-constants" };

/** Compiles a file. Its imports are looked at by the loader. */
export function open(path: string): Opened {
  const bytes = require("node:fs").readFileSync(path);
  const module = new Module(bytes, options);
  const wanted = Module.imports(module);
  for (const { module: from, name } of wanted) {
    if (from.startsWith("wasm-js:")) refuse("import", from, path);
    if (isReserved(name)) refuse("import", name, path);
  }
  const names = Module.exports(module).map(({ name }) => name);
  for (const name of names) if (isReserved(name)) refuse("export", name, path);
  const specifiers = [...new Set(wanted.map((one) => one.module))];
  return {
    module,
    specifiers,
    names,
    link(namespaces) {
      if (!hasWarned && specifiers.length > 0) {
        hasWarned = true;
        require("node:process").emitWarning(
          "Importing WebAssembly module instances is an experimental feature and might change at any time",
          "ExperimentalWarning",
        );
      }
      const imports: Record<string, object> = { __proto__: null as never };
      specifiers.forEach((specifier, index) => {
        const namespace = namespaces[index]!;
        const raw = instances.get(namespace.default as object);
        imports[specifier] = { ...namespace, ...raw };
      });
      const { exports } = new Instance(module, imports);
      if (!Object.values(exports).some((value) => value instanceof Global)) return exports;
      const values: Record<string, unknown> = { __proto__: null };
      for (const [name, value] of Object.entries(exports)) values[name] = valueOf(value);
      instances.set(values, exports);
      return values;
    },
  };
}

/** The value of a global; undefined for one that JavaScript has no value for (v128). */
function valueOf(value: unknown): unknown {
  if (!(value instanceof Global)) return value;
  try {
    return value.value;
  } catch {
    return undefined;
  }
}
