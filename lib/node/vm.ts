/**
 * node:vm, https://nodejs.org/docs/latest-v25.x/api/vm.html
 *
 * A context is a realm of its own. Scripts in it look names up in the contextified object first, then in the realm's
 * global object; what they declare is carried over to the object when they end.
 */

import { codes } from "internal/errors";
import {
  kValidateObjectAllowArray,
  kValidateObjectAllowNullable,
  validateArray,
  validateBoolean,
  validateBuffer,
  validateInt32,
  validateObject,
  validateOneOf,
  validateString,
  validateStringArray,
  validateUint32,
} from "internal/validators";
import { carryOver, contextify, contextOf, contexts, isContext, makeContext, makeRealm } from "internal/vm/context";
import { checkImportOption, importHolder } from "internal/vm/import";

const ops = native("vm");
const { ERR_INVALID_ARG_TYPE } = codes as any;

const USE_MAIN_CONTEXT_DEFAULT_LOADER = Symbol("vm_dynamic_import_main_context_default");
const DONT_CONTEXTIFY = Symbol("vm_context_no_contextify");

const released = new FinalizationRegistry<number>((script) => ops.release(script));

function notImplemented(what: string): never {
  const error: any = new Error(`${what} is not implemented in bao yet`);
  error.code = "ERR_METHOD_NOT_IMPLEMENTED";
  throw error;
}

let count = 0;

/** Contextifies an object. */
function createContext(contextObject: any = {}, options: any = {}) {
  const vanilla = contextObject === DONT_CONTEXTIFY;
  if (!vanilla) validateObject(contextObject, "object", kValidateObjectAllowArray);
  if (!vanilla && contexts.has(contextObject)) return contextObject;
  validateObject(options, "options");
  const { name = `VM Context ${++count}`, origin, codeGeneration, microtaskMode, importModuleDynamically } = options;
  validateString(name, "options.name");
  if (origin !== undefined) validateString(origin, "options.origin");
  let strings = true;
  let wasm = true;
  if (codeGeneration !== undefined) {
    validateObject(codeGeneration, "options.codeGeneration");
    ({ strings = true, wasm = true } = codeGeneration);
    validateBoolean(strings, "options.codeGeneration.strings");
    validateBoolean(wasm, "options.codeGeneration.wasm");
  }
  validateOneOf(microtaskMode, "options.microtaskMode", ["afterEvaluate", undefined]);
  checkImportOption(importModuleDynamically, USE_MAIN_CONTEXT_DEFAULT_LOADER);
  // Asked for by code without a file only (`import()` in an indirect eval), which the program's own loader answers here.
  if (typeof importModuleDynamically === "function") notImplemented("vm.createContext's importModuleDynamically");
  const settings = { strings, wasm, ownMicrotasks: microtaskMode === "afterEvaluate" };
  if (vanilla) {
    const global = makeRealm(settings);
    contexts.set(global, makeContext(global, true));
    return global;
  }
  contexts.set(contextObject, contextify(contextObject, settings));
  return contextObject;
}

/** Milliseconds that a script may take, 0 for any time, and whether SIGINT ends it. */
function runOptions(options: any): [timeout: number, sigint: boolean] {
  validateObject(options, "options");
  const { timeout, displayErrors, breakOnSigint = false } = options;
  if (timeout !== undefined) validateUint32(timeout, "options.timeout", true);
  if (displayErrors !== undefined) validateBoolean(displayErrors, "options.displayErrors");
  validateBoolean(breakOnSigint, "options.breakOnSigint");
  return [timeout ?? 0, breakOnSigint];
}

/** A compiled script. */
class Script {
  #source: string;
  #filename: string;
  #line: number;
  #column: number;
  /** Whether `import()` loads as the program's modules do. */
  #defaultLoader: boolean;
  /** Answers its `import()` calls. */
  #holder: any;
  /** Numbers of the compiled forms: for a realm as it is, and for one with a contextified object. */
  #plain = 0;
  #inContext = 0;
  cachedDataRejected: boolean | undefined;
  cachedDataProduced: boolean | undefined;
  cachedData: Buffer | undefined;
  sourceMapURL: string | undefined;

  constructor(code: any, options: any = {}) {
    code = `${code}`;
    if (typeof options === "string") options = { filename: options };
    else validateObject(options, "options");
    const {
      filename = "evalmachine.<anonymous>",
      lineOffset = 0,
      columnOffset = 0,
      cachedData,
      produceCachedData = false,
      importModuleDynamically,
    } = options;
    validateString(filename, "options.filename");
    validateInt32(lineOffset, "options.lineOffset");
    validateInt32(columnOffset, "options.columnOffset");
    if (cachedData !== undefined && !ArrayBuffer.isView(cachedData)) {
      throw new ERR_INVALID_ARG_TYPE("options.cachedData", ["Buffer", "TypedArray", "DataView"], cachedData);
    }
    validateBoolean(produceCachedData, "options.produceCachedData");
    this.#source = code;
    this.#filename = filename;
    this.#line = lineOffset + 1;
    this.#column = columnOffset + 1;
    checkImportOption(importModuleDynamically, USE_MAIN_CONTEXT_DEFAULT_LOADER);
    this.#defaultLoader = importModuleDynamically === USE_MAIN_CONTEXT_DEFAULT_LOADER;
    if (typeof importModuleDynamically === "function") this.#holder = importHolder(importModuleDynamically, () => this);
    // Compiled at once, so that a syntax error is thrown here.
    this.#plain = this.#compile(false, cachedData);
    if (produceCachedData) {
      this.cachedData = this.createCachedData();
      this.cachedDataProduced = this.cachedData !== undefined;
    }
    const mapping = /\/\/[#@] sourceMappingURL=(\S+)\s*$/.exec(code);
    if (mapping !== null) this.sourceMapURL = mapping[1];
  }

  #compile(environment: boolean, cachedData?: ArrayBufferView): number {
    const bytes = cachedData === undefined
      ? undefined
      : new Uint8Array(cachedData.buffer, cachedData.byteOffset, cachedData.byteLength);
    const [script, rejected] = ops.compile(
      this.#source, this.#filename, this.#line, this.#column, environment, this.#defaultLoader, bytes);
    if (cachedData !== undefined) this.cachedDataRejected = rejected;
    released.register(this, script);
    return script;
  }

  runInThisContext(options: any = {}) {
    const [timeout, sigint] = runOptions(options);
    return ops.run(this.#plain, timeout, sigint, this.#holder);
  }

  runInContext(contextifiedObject: any, options: any = {}) {
    const context = contextOf(contextifiedObject);
    const [timeout, sigint] = runOptions(options);
    if (context.vanilla) return ops.runIn(this.#plain, context.global, timeout, sigint, this.#holder);
    this.#inContext ||= this.#compile(true);
    try {
      return ops.runWith(
        this.#inContext, context.global, contextifiedObject, timeout, sigint, this.#holder);
    } finally {
      carryOver(context, contextifiedObject);
    }
  }

  runInNewContext(contextObject: any, options: any = {}) {
    return this.runInContext(createContext(contextObject, contextOptions(options)), options);
  }

  createCachedData(): Buffer {
    const { Buffer } = require("node:buffer");
    const bytes = ops.cachedData(this.#plain, this.#source, false);
    return bytes === undefined ? Buffer.alloc(0) : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }
}
Object.defineProperty(Script.prototype, Symbol.toStringTag, { value: "Script", configurable: true });

/** Options of the context among those of a run in a new one. */
function contextOptions(options: any): any {
  if (options === undefined || options === null || typeof options !== "object") return {};
  const { contextName: name, contextOrigin: origin, contextCodeGeneration: codeGeneration, microtaskMode } = options;
  if (name !== undefined) validateString(name, "options.contextName");
  if (origin !== undefined) validateString(origin, "options.contextOrigin");
  if (codeGeneration !== undefined) validateObject(codeGeneration, "options.contextCodeGeneration");
  const given: any = { origin, codeGeneration, microtaskMode };
  if (name !== undefined) given.name = name;
  return given;
}

function scriptFor(code: any, options: any) {
  if (typeof options === "string") options = { filename: options };
  return [new Script(code, options), options] as const;
}

/** Runs code in the current realm, without the caller's local names. */
function runInThisContext(code: any, options: any = {}) {
  const [script, rest] = scriptFor(code, options);
  return script.runInThisContext(rest);
}

/** Runs code in a context. */
function runInContext(code: any, contextifiedObject: any, options: any = {}) {
  contextOf(contextifiedObject);
  const [script, rest] = scriptFor(code, options);
  return script.runInContext(contextifiedObject, rest);
}

/** Contextifies an object and runs code in it. */
function runInNewContext(code: any, contextObject: any, options: any = {}) {
  if (typeof options === "string") options = { filename: options };
  const context = createContext(contextObject, contextOptions(options));
  return runInContext(code, context, options);
}

function createScript(code: any, options: any) {
  return new Script(code, options);
}

/** Compiles code as the body of a function. */
function compileFunction(code: any, params: any, options: any = {}) {
  validateString(code, "code");
  validateObject(options, "options");
  if (params !== undefined) validateStringArray(params, "params");
  const {
    filename = "",
    columnOffset = 0,
    lineOffset = 0,
    cachedData,
    produceCachedData = false,
    parsingContext,
    contextExtensions = [],
    importModuleDynamically,
  } = options;
  validateString(filename, "options.filename");
  validateInt32(columnOffset, "options.columnOffset");
  validateInt32(lineOffset, "options.lineOffset");
  if (cachedData !== undefined) validateBuffer(cachedData, "options.cachedData");
  validateBoolean(produceCachedData, "options.produceCachedData");
  if (parsingContext !== undefined) {
    if (parsingContext === null || typeof parsingContext !== "object" || !contexts.has(parsingContext)) {
      throw new ERR_INVALID_ARG_TYPE("options.parsingContext", "Context", parsingContext);
    }
  }
  validateArray(contextExtensions, "options.contextExtensions");
  contextExtensions.forEach((extension: any, index: number) => {
    validateObject(extension, `options.contextExtensions[${index}]`, kValidateObjectAllowNullable);
  });
  checkImportOption(importModuleDynamically, USE_MAIN_CONTEXT_DEFAULT_LOADER);
  const list = (params ?? []).join(",");
  // The parser of the language decides whether parameters and body are what they claim to be.
  Function(...(params ?? []), code);
  // The body begins on a line of its own, whose number is the given one.
  const text = `(function (${list}) {\n${code}\n})`;
  let result: any;
  const holder = typeof importModuleDynamically === "function"
    ? importHolder(importModuleDynamically, () => result)
    : undefined;
  const context = parsingContext === undefined ? undefined : contextOf(parsingContext);
  const environments = contextExtensions.filter((extension: any) => extension !== null);
  if (environments.length > 1 || (environments.length === 1 && context !== undefined)) {
    notImplemented("vm.compileFunction with several scopes");
  }
  const withObject = environments[0] ?? (context === undefined || context.vanilla ? undefined : parsingContext);
  const bytes = cachedData === undefined
    ? undefined
    : new Uint8Array(cachedData.buffer, cachedData.byteOffset, cachedData.byteLength);
  const environment = withObject !== undefined;
  const [script, rejected] = ops.compile(
    text, filename, lineOffset, columnOffset + 1, environment,
    importModuleDynamically === USE_MAIN_CONTEXT_DEFAULT_LOADER, bytes);
  try {
    if (environment) result = ops.runWith(script, context?.global ?? globalThis, withObject, 0, false, holder);
    else if (context !== undefined) result = ops.runIn(script, context.global, 0, false, holder);
    else result = ops.run(script, 0, false, holder);
    if (cachedData !== undefined) result.cachedDataRejected = rejected;
    if (produceCachedData) {
      const data = ops.cachedData(script, text, environment);
      result.cachedDataProduced = data !== undefined;
      if (data !== undefined) {
        result.cachedData = require("node:buffer").Buffer.from(data.buffer, data.byteOffset, data.byteLength);
      }
    }
    return result;
  } finally {
    ops.release(script);
  }
}

/**
 * Bytes of the heap, after a full collection. The engine counts them for the thread as a whole and not for each context, so
 * there is no `detailed` answer.
 */
function measureMemory(options: any = {}) {
  const { emitExperimentalWarning } = require("internal/util");
  emitExperimentalWarning("vm.measureMemory");
  validateObject(options, "options");
  const { mode = "summary", execution = "default" } = options;
  validateOneOf(mode, "options.mode", ["summary", "detailed"]);
  validateOneOf(execution, "options.execution", ["default", "eager"]);
  return new Promise((resolve) => {
    if (mode === "detailed") notImplemented("vm.measureMemory's detailed mode");
    setImmediate(() => {
      const [before, after] = ops.collect();
      resolve({ total: { jsMemoryEstimate: after, jsMemoryRange: [after, Math.max(after, before)] } });
    });
  });
}

const constants = Object.freeze({ __proto__: null, USE_MAIN_CONTEXT_DEFAULT_LOADER, DONT_CONTEXTIFY });

const vm: any = {
  Script,
  createContext,
  createScript,
  runInContext,
  runInNewContext,
  runInThisContext,
  isContext,
  compileFunction,
  measureMemory,
  constants,
};

// As in Node, the classes are there with the flag only.
if (native("process").cliOption("--experimental-vm-modules") === true) {
  const { Module, SourceTextModule, SyntheticModule } = require("internal/vm/module");
  Object.assign(vm, { Module, SourceTextModule, SyntheticModule });
}

export default vm;
