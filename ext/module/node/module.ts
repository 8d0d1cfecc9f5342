/** node:module, https://nodejs.org/docs/latest-v25.x/api/module.html */

import type { CompileCacheResult, ModuleConstructor } from "internal/module/types";
import { lazyProperties, lazyProperty } from "internal/core/lazy";
import { Module, enterCurrentGraph, makeRequire, wrapping } from "internal/module/cjs";

const loader = native("loader");
const M = Module as unknown as ModuleConstructor;

const wrapper = ["(function (exports, require, module, __filename, __dirname) { ", "\n});"];

/** A `require` that resolves from `filename` (path or file URL). */
function createRequire(filename: string | URL) {
  if ((filename as unknown) instanceof String) filename = `${filename}`;
  let path = filename as string;
  if (filename instanceof URL || (typeof filename === "string" && filename.startsWith("file:"))) {
    path = require("node:url").fileURLToPath(filename);
  } else if (typeof filename !== "string" || !filename.startsWith("/")) {
    const { codes } = require("internal/core/errors");
    throw new codes.ERR_INVALID_ARG_VALUE(
      "filename",
      filename,
      "must be a file URL object, file URL string, or absolute path string",
    );
  }
  const module = new M(path);
  enterCurrentGraph(module);
  if (path.endsWith("/")) {
    module.filename = path + "noop.js";
    module.path = path.slice(0, -1) || "/";
  } else {
    module.filename = path;
  }
  return makeRequire(module);
}

function isBuiltin(name: string): boolean {
  return typeof name === "string" && loader.builtinId(name) !== undefined && name !== "bun";
}

/** Path of the package.json of a package or of the scope that a file is in. */
function findPackageJSON(specifier: string | URL, base?: string | URL): string | undefined {
  const { codes } = require("internal/core/errors");
  if (typeof specifier === "symbol") throw new codes.ERR_INVALID_ARG_TYPE("specifier", "string", specifier);
  if (base === undefined && !(specifier instanceof URL) && !/^(file:|\/|\.)/.test(`${specifier}`)) {
    if (`${specifier}` === "") throw new codes.ERR_UNSUPPORTED_RESOLVE_REQUEST("", "data:");
    throw new codes.ERR_INVALID_URL(`${specifier}`);
  }
  const toPath = (value: string | URL): string =>
    typeof value === "object" || /^file:/.test(value) ? require("node:url").fileURLToPath(value) : value;
  const text = `${specifier}`;
  if (base === undefined || /^(\.\.?\/|\/|file:)/.test(text)) {
    const path =
      /^\.\.?\//.test(text) && base !== undefined
        ? require("node:path").resolve(require("node:path").dirname(toPath(base)), text)
        : toPath(specifier);
    return loader.packageJsonPath(path);
  }
  const name = text.startsWith("@") ? text.split("/").slice(0, 2).join("/") : text.split("/")[0];
  const fs = require("node:fs");
  for (const dir of loader.lookupPaths(require("node:path").dirname(toPath(base)))) {
    const candidate = `${dir}/${name}/package.json`;
    if (fs.existsSync(candidate)) return candidate;
  }
  return undefined;
}

M.Module = M;
M.createRequire = createRequire;
M.isBuiltin = isBuiltin;
M.findPackageJSON = findPackageJSON;
M._nodeModulePaths = (from: string) => {
  const env = loader.lookupPaths(require("node:path").resolve(from));
  return env;
};
M._resolveLookupPaths = (request, parent) => {
  if (loader.builtinId(request) !== undefined) return null;
  if (!/^\.\.?(\/|$)/.test(request)) {
    const paths = [...(parent?.paths ?? []), ...M.globalPaths];
    return paths.length > 0 ? paths : null;
  }
  return parent?.id && parent.filename ? [require("node:path").dirname(parent.filename)] : ["."];
};
M._findPath = (request: string, paths: string[]) => {
  try {
    return loader.resolve(request, `${process.cwd()}/[eval]`, true, paths)[1];
  } catch {
    return false;
  }
};
M._initPaths = () => {
  const { env, execPath } = process;
  const { delimiter, resolve } = require("node:path");
  const listed = env.NODE_PATH ? env.NODE_PATH.split(delimiter).filter(Boolean) : [];
  const home = env.HOME ? [resolve(env.HOME, ".node_modules"), resolve(env.HOME, ".node_libraries")] : [];
  M.globalPaths = [...listed, ...home, resolve(execPath, "..", "..", "lib", "node")];
};
M._preloadModules = (list) => list?.forEach((id) => createRequire(`${process.cwd()}/`)(id));
Object.defineProperty(M, "_stat", {
  configurable: true,
  writable: true,
  value: (path: string) => {
    const stat = require("node:fs").statSync(path, { throwIfNoEntry: false });
    return stat === undefined ? -2 : stat.isDirectory() ? 1 : 0;
  },
});
M._initPaths();

// `Module.wrap` and `Module.wrapper` can be replaced; from then on modules are compiled as the text that comes out.
let wrap = (script: string) => M.wrapper[0] + script + M.wrapper[1];
const standardWrap = wrap;
// Its two texts can be replaced one by one as well.
const watchedWrapper = new Proxy(wrapper, {
  set(target, key, value) {
    wrapping.own = (source) => M.wrap(source);
    return Reflect.set(target, key, value);
  },
  defineProperty(target, key, descriptor) {
    wrapping.own = (source) => M.wrap(source);
    return Reflect.defineProperty(target, key, descriptor);
  },
});
let currentWrapper = watchedWrapper;
const applyWrapping = () => {
  wrapping.own = wrap === standardWrap && currentWrapper === watchedWrapper ? undefined : (source) => M.wrap(source);
};
Object.defineProperties(M, {
  wrap: {
    configurable: false,
    enumerable: false,
    get: () => wrap,
    set(value: typeof wrap) {
      wrap = value;
      applyWrapping();
    },
  },
  wrapper: {
    configurable: false,
    enumerable: false,
    get: () => currentWrapper,
    set(value: string[]) {
      currentWrapper = value;
      applyWrapping();
    },
  },
});
M.runMain = Object.assign((main: string = process.argv[1]!) => require("internal/module/cjs").runMainFile(main), {
  isOwn: true,
});
Object.defineProperty(M.runMain, "isOwn", { enumerable: false });
M.syncBuiltinESMExports = () => loader.syncBuiltins();
M.stripTypeScriptTypes = (code: string, options: { mode?: string; sourceUrl?: string } = {}) => {
  if (typeof code !== "string") {
    const { codes } = require("internal/core/errors");
    throw new codes.ERR_INVALID_ARG_TYPE("code", "string", code);
  }
  const out = loader.stripTypes(code);
  return options.sourceUrl ? `${out}\n\n//# sourceURL=${options.sourceUrl}` : out;
};
M.register = (specifier, parent, options) => {
  require("internal/module/node_hooks").register(specifier, parent, options);
};
M.registerHooks = (options) => require("internal/module/node_hooks").registerHooks(options);
M.findSourceMap = (path) => require("internal/module/source_map").findSourceMap(path);
M.enableCompileCache = (options) => {
  let directory: unknown = options;
  let portable: boolean | undefined;
  if (options !== null && typeof options === "object") ({ directory, portable } = options);
  if (directory !== undefined && typeof directory !== "string") {
    const error: NodeError = new TypeError("cacheDir should be a string");
    error.code = "ERR_INVALID_ARG_TYPE";
    throw error;
  }
  portable ??= process.env.NODE_COMPILE_CACHE_PORTABLE === "1";
  directory ??=
    process.env.NODE_COMPILE_CACHE || require("node:path").join(require("node:os").tmpdir(), "node-compile-cache");
  directory = require("node:path").resolve(directory as string);
  const [status, text]: [number, string | undefined] = loader.enableCompileCache(
    directory as string,
    Boolean(portable),
  );
  const { ENABLED, ALREADY_ENABLED } = M.constants.compileCacheStatus;
  if (status === ENABLED) return { status, directory } as CompileCacheResult;
  return status === ALREADY_ENABLED ? { status, directory: text } : { status, message: text };
};
M.getCompileCacheDir = () => loader.compileCacheDir();
M.flushCompileCache = () => loader.flushCompileCache();
M.getSourceMapsSupport = () => ({ __proto__: null, ...require("internal/process/methods").sourceMapsSupport() });
M.setSourceMapsSupport = (enabled: unknown, options: { nodeModules?: boolean; generatedCode?: boolean } = {}) => {
  const { validateBoolean, validateObject } = require("internal/core/validators") as Checks;
  validateBoolean(enabled, "enabled");
  validateObject(options, "options");
  const { nodeModules = false, generatedCode = false } = options;
  validateBoolean(nodeModules, "options.nodeModules");
  validateBoolean(generatedCode, "options.generatedCode");
  require("internal/process/methods").setSourceMapsSupport(enabled as boolean, nodeModules, generatedCode);
};
M.constants = Object.freeze({
  __proto__: null,
  compileCacheStatus: Object.freeze({ __proto__: null, FAILED: 0, ENABLED: 1, ALREADY_ENABLED: 2, DISABLED: 3 }),
});

lazyProperty(M, "builtinModules", () => Object.freeze(loader.builtinNames()));
lazyProperties(M, () => require("internal/module/source_map"), ["SourceMap"]);

export default M;
