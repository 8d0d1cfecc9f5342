// mock.module() of node:test: https://nodejs.org/api/test.html#mockmodulespecifier-options
//
// The loader asks here before it resolves. What was bound to the module before it was mocked stays so, as in Node.

import type { Source } from "internal/module/types";
import { codes } from "internal/core/errors";
import { callerPath } from "internal/util/call_sites";
import { moduleMocks, resolveAlone } from "internal/module/loader_hooks";
import { validateBoolean, validateObject } from "internal/core/validators";

const loader = native("loader");

interface Options {
  cache?: unknown;
  exports?: unknown;
  defaultExport?: unknown;
  namedExports?: unknown;
}

/** A module that is mocked. */
interface Mocked {
  key: string;
  /** Whether the exports of an `import` are those of a CommonJS module: its `module.exports` is the default one. */
  isCommon: boolean;
  isJson: boolean;
  cache: boolean;
  hasDefault: boolean;
  defaultExport: unknown;
  namedExports: Record<string, unknown>;
  number: number;
  /** What `require` gave, if it is kept. */
  common: { value: unknown } | undefined;
}

const mocked = new Map<string, Mocked>();
let count = 0;

const keyOf = (source: Source | undefined): string | undefined => source?.builtin ?? source?.file;

/** `module.exports` of the mock, or a value like it. */
function commonOf(one: Mocked): unknown {
  if (one.common !== undefined) return one.common.value;
  const names = Object.keys(one.namedExports);
  let value: unknown = one.hasDefault ? one.defaultExport : {};
  if (names.length > 0) {
    if (value === null || (typeof value !== "object" && typeof value !== "function")) {
      throw new Error(
        `Cannot create mock of '${one.key}': named exports cannot be applied to a default export of type ` +
          (value === null ? "null" : typeof value),
      );
    }
    if (one.hasDefault) for (const name of names) (value as Record<string, unknown>)[name] = one.namedExports[name];
    else value = { ...one.namedExports };
  }
  if (one.cache) one.common = { value };
  return value;
}

function exportsOf(one: Mocked): object {
  if (!one.isCommon) {
    const exports: Record<string, unknown> = { ...one.namedExports };
    if (one.hasDefault) exports.default = one.defaultExport;
    return exports;
  }
  return { ...one.namedExports, default: commonOf(one) };
}

function ask(specifier: string, importer: string, kind: string, type?: string): Source | undefined {
  const key = keyOf(resolveAlone(specifier, importer, kind));
  const one = key === undefined ? undefined : mocked.get(key);
  if (one === undefined) return undefined;
  if (kind === "require-call") return { value: commonOf(one) };
  if (one.isJson && type !== "json") {
    const error: NodeError = new TypeError(`Module "${one.key}" needs an import attribute of "type: json"`);
    error.code = "ERR_IMPORT_ATTRIBUTE_MISSING";
    throw error;
  }
  if (!one.cache) one.number = ++count;
  const name = `mock:${one.number}:${one.key}`;
  return { key: name, path: name, url: name, exports: exportsOf(one) };
}

/** The key of what `specifier` means to the file that asks for the mock. */
function find(specifier: string): string | undefined {
  const importer = callerPath(find) ?? `${process.cwd()}/[eval]`;
  const kinds = specifier.startsWith("file:") ? ["import-statement"] : ["require-call", "import-statement"];
  for (const kind of kinds) {
    const key = keyOf(resolveAlone(specifier, importer, kind));
    if (key !== undefined) return key;
  }
  return undefined;
}

/** What undoes a mock. */
interface ModuleMock {
  restore(): void;
}

/** What the options export: `exports` has it all, or `namedExports` and `defaultExport`, which were there before it. */
function exportsFor(options: Options): Record<string, unknown> {
  const isGiven = (name: keyof Options) => name in options;
  if (isGiven("exports")) validateObject(options.exports, "options.exports");
  if (isGiven("namedExports")) validateObject(options.namedExports, "options.namedExports");
  const older = (["namedExports", "defaultExport"] as const).filter(isGiven);
  if (isGiven("exports") && older.length > 0) {
    const reason = `cannot be used with ${older.map((name) => `'options.${name}'`).join(" or ")}`;
    throw new codes.ERR_INVALID_ARG_VALUE("options.exports", options.exports, reason);
  }
  const all = { ...(options.exports as object), ...(options.namedExports as object) } as Record<string, unknown>;
  if (isGiven("defaultExport")) all.default = options.defaultExport;
  return all;
}

/** Mocks a module until `restore()` of the result is called. */
export function mockModule(given: unknown, options: unknown = {}): ModuleMock {
  if (given instanceof URL) given = given.href;
  if (typeof given !== "string") throw new codes.ERR_INVALID_ARG_TYPE("specifier", ["string", "URL"], given);
  validateObject(options, "options");
  const { cache = false } = options as Options;
  validateBoolean(cache, "options.cache");
  const exports = exportsFor(options as Options);
  const { default: defaultExport, ...namedExports } = exports;
  const key = find(given);
  if (key === undefined) {
    const error: NodeError = new Error(`Cannot find module '${given}' to mock it`);
    error.code = "ERR_MODULE_NOT_FOUND";
    throw error;
  }
  if (mocked.has(key)) throw new codes.ERR_INVALID_STATE(`Cannot mock '${given}'. The module is already mocked.`);
  const isJson = key.endsWith(".json");
  const isCommon = !isJson && (!key.startsWith("/") || isCommonFile(key));
  const one: Mocked = {
    key,
    isCommon,
    isJson,
    cache: cache as boolean,
    hasDefault: "default" in exports,
    defaultExport,
    namedExports,
    number: ++count,
    common: undefined,
  };
  mocked.set(key, one);
  moduleMocks.activate();
  moduleMocks.askNode = ask;
  return {
    restore() {
      if (mocked.get(key) === one) mocked.delete(key);
      if (mocked.size === 0) moduleMocks.askNode = undefined;
    },
  };
}

function isCommonFile(file: string): boolean {
  try {
    return loader.moduleKind(file) === "commonjs";
  } catch {
    // A file that nobody can read may still be mocked.
    return false;
  }
}
