/**
 * node:vm, https://nodejs.org/docs/latest-v25.x/api/vm.html
 *
 * A context is a realm of its own. Code in it looks names up in the contextified object first, then among the language's own;
 * what it declares and assigns are properties of that object at once.
 */

import { codes } from "internal/core/errors";
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
} from "internal/core/validators";
import type { Holder, ImportCallback } from "internal/vm/import";
import { contextOf, contexts, isContext, makeContext } from "internal/vm/context";
import { checkImportOption, importHolder } from "internal/vm/import";
import { sinks } from "internal/core/trace_sinks";

const ops = native("vm");
const { ERR_INVALID_ARG_TYPE, ERR_VM_DYNAMIC_IMPORT_CALLBACK_MISSING } = codes;

const USE_MAIN_CONTEXT_DEFAULT_LOADER = Symbol("vm_dynamic_import_main_context_default");
const DONT_CONTEXTIFY = Symbol("vm_context_no_contextify");

const released = new FinalizationRegistry<number>((script) => ops.release(script));

let count = 0;

/** Contextifies an object. */
function createContext(contextObject: unknown = {}, options: ContextOptions = {}): object {
  const vanilla = contextObject === DONT_CONTEXTIFY;
  if (!vanilla) validateObject(contextObject, "object", kValidateObjectAllowArray);
  if (!vanilla && contexts.has(contextObject as object)) return contextObject as object;
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
  // Asked by code that has no script behind it (`import()` in an indirect eval that a promise calls).
  const holder =
    typeof importModuleDynamically === "function"
      ? importHolder(importModuleDynamically, () => contextObject)
      : importModuleDynamically === undefined
        ? { load: missingCallback }
        : undefined;
  const settings = { strings, wasm, ownMicrotasks: microtaskMode === "afterEvaluate", holder };
  const context = makeContext(settings, vanilla ? undefined : (contextObject as object));
  if (vanilla) contextObject = context.global;
  contexts.set(contextObject as object, context);
  return contextObject as object;
}

function missingCallback(): never {
  throw new ERR_VM_DYNAMIC_IMPORT_CALLBACK_MISSING();
}

/** Milliseconds that a script may take, 0 for any time, and whether SIGINT ends it. */
function runOptions(options: unknown): [timeout: number, sigint: boolean] {
  validateObject(options, "options");
  const { timeout, displayErrors, breakOnSigint = false } = options;
  if (timeout !== undefined) validateUint32(timeout, "options.timeout", true);
  if (displayErrors !== undefined) validateBoolean(displayErrors, "options.displayErrors");
  validateBoolean(breakOnSigint, "options.breakOnSigint");
  return [timeout ?? 0, breakOnSigint];
}

/** What scripts and functions are compiled with. */
interface CompileOptions {
  filename?: string;
  lineOffset?: number;
  columnOffset?: number;
  cachedData?: ArrayBufferView;
  produceCachedData?: boolean;
  importModuleDynamically?: ImportCallback | symbol;
}

interface ScriptOptions extends CompileOptions, RunOptions {}

interface FunctionOptions extends CompileOptions {
  parsingContext?: object;
  contextExtensions?: (object | null)[];
}

/** A compiled script. */
class Script {
  #source: string;
  /** Whether `import()` loads as the program's modules do. */
  #defaultLoader: boolean;
  /** Answers its `import()` calls. */
  #holder: Holder | undefined;
  /** Number of the compiled form. */
  #compiled = 0;
  cachedDataRejected: boolean | undefined;
  cachedDataProduced: boolean | undefined;
  cachedData: Buffer | undefined;
  sourceMapURL: string | undefined;

  constructor(code: string, options: string | ScriptOptions = {}) {
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
    checkImportOption(importModuleDynamically, USE_MAIN_CONTEXT_DEFAULT_LOADER);
    this.#defaultLoader = importModuleDynamically === USE_MAIN_CONTEXT_DEFAULT_LOADER;
    if (typeof importModuleDynamically === "function") this.#holder = importHolder(importModuleDynamically, () => this);
    const bytes =
      cachedData === undefined
        ? undefined
        : new Uint8Array(cachedData.buffer, cachedData.byteOffset, cachedData.byteLength);
    const traced = sinks.vm?.("ContextifyScript::New", filename);
    try {
      // Compiled at once, so that a syntax error is thrown here.
      const [script, rejected] = ops.compile(
        code,
        filename,
        lineOffset + 1,
        columnOffset + 1,
        false,
        this.#defaultLoader,
        bytes,
      );
      this.#compiled = script;
      if (cachedData !== undefined) this.cachedDataRejected = rejected;
    } finally {
      traced?.();
    }
    released.register(this, this.#compiled);
    if (produceCachedData) {
      this.cachedData = this.createCachedData();
      this.cachedDataProduced = this.cachedData !== undefined;
    }
    const mapping = /\/\/[#@] sourceMappingURL=(\S+)\s*$/.exec(code);
    if (mapping !== null) this.sourceMapURL = mapping[1];
  }

  runInThisContext(options: unknown = {}) {
    const [timeout, sigint] = runOptions(options);
    return ops.run(this.#compiled, timeout, sigint, this.#holder);
  }

  runInContext(contextifiedObject: unknown, options: unknown = {}) {
    const context = contextOf(contextifiedObject);
    const [timeout, sigint] = runOptions(options);
    const traced = sinks.vm?.("RunInContext");
    try {
      return ops.runIn(this.#compiled, context.global, timeout, sigint, this.#holder);
    } finally {
      traced?.();
    }
  }

  runInNewContext(contextObject: unknown, options: ScriptOptions = {}) {
    return this.runInContext(createContext(contextObject, contextOptions(options)), options);
  }

  createCachedData(): Buffer {
    const { Buffer } = require("node:buffer");
    const bytes = ops.cachedData(this.#compiled, this.#source, false);
    return bytes === undefined ? Buffer.alloc(0) : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }
}
Object.defineProperty(Script.prototype, Symbol.toStringTag, { value: "Script", configurable: true });

interface ContextOptions {
  name?: unknown;
  origin?: unknown;
  codeGeneration?: { strings?: boolean; wasm?: boolean };
  microtaskMode?: unknown;
  importModuleDynamically?: ImportCallback | symbol;
}

/** The options of a run in a new context that are for the context. */
interface RunOptions {
  contextName?: unknown;
  contextOrigin?: unknown;
  contextCodeGeneration?: { strings?: boolean; wasm?: boolean };
  microtaskMode?: unknown;
}

/** Options of the context among those of a run in a new one. */
function contextOptions(options: RunOptions | null | undefined): ContextOptions {
  if (options === undefined || options === null || typeof options !== "object") return {};
  const { contextName: name, contextOrigin: origin, contextCodeGeneration: codeGeneration, microtaskMode } = options;
  if (name !== undefined) validateString(name, "options.contextName");
  if (origin !== undefined) validateString(origin, "options.contextOrigin");
  if (codeGeneration !== undefined) validateObject(codeGeneration, "options.contextCodeGeneration");
  const given: ContextOptions = { origin, codeGeneration, microtaskMode };
  if (name !== undefined) given.name = name;
  return given;
}

function scriptFor(code: string, options: string | ScriptOptions) {
  if (typeof options === "string") options = { filename: options };
  return [new Script(code, options), options] as const;
}

/** Runs code in the current realm, without the caller's local names. */
function runInThisContext(code: string, options: string | ScriptOptions = {}) {
  const [script, rest] = scriptFor(code, options);
  return script.runInThisContext(rest);
}

/** Runs code in a context; its value is anything, as that of `eval`. */
function runInContext(code: string, contextifiedObject: unknown, options: string | ScriptOptions = {}): any {
  contextOf(contextifiedObject);
  const [script, rest] = scriptFor(code, options);
  return script.runInContext(contextifiedObject, rest);
}

/** Contextifies an object and runs code in it. */
function runInNewContext(code: string, contextObject: unknown, options: string | ScriptOptions = {}) {
  if (typeof options === "string") options = { filename: options };
  const context = createContext(contextObject, contextOptions(options));
  return runInContext(code, context, options);
}

function createScript(code: string, options?: string | ScriptOptions) {
  return new Script(code, options);
}

/** What vm.compileFunction() gives. */
interface Compiled extends Function {
  cachedDataRejected?: boolean;
  cachedDataProduced?: boolean;
  cachedData?: Buffer;
}

/** Compiles code as the body of a function. */
function compileFunction(code: unknown, params: unknown, options: FunctionOptions = {}) {
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
  contextExtensions.forEach((extension, index) => {
    validateObject(extension, `options.contextExtensions[${index}]`, kValidateObjectAllowNullable);
  });
  checkImportOption(importModuleDynamically, USE_MAIN_CONTEXT_DEFAULT_LOADER);
  const list = (params ?? []).join(",");
  // The parser of the language decides whether parameters and body are what they claim to be.
  Function(...(params ?? []), code);
  // The body begins on a line of its own, whose number is the given one.
  const text = `(function (${list}) {\n${ops.countedBody(code, filename) ?? code}\n})`;
  let result: Compiled;
  const holder =
    typeof importModuleDynamically === "function" ? importHolder(importModuleDynamically, () => result) : undefined;
  const context = parsingContext === undefined ? undefined : contextOf(parsingContext);
  const environments = contextExtensions.filter((extension): extension is object => extension !== null);
  const bytes =
    cachedData === undefined
      ? undefined
      : new Uint8Array(cachedData.buffer, cachedData.byteOffset, cachedData.byteLength);
  const environment = environments.length > 0;
  const [script, rejected] = ops.compile(
    text,
    filename,
    lineOffset,
    columnOffset + 1,
    environment,
    importModuleDynamically === USE_MAIN_CONTEXT_DEFAULT_LOADER,
    bytes,
  );
  try {
    if (environment) result = ops.runWith(script, context?.global ?? globalThis, environments, holder) as Compiled;
    else if (context !== undefined) result = ops.runIn(script, context.global, 0, false, holder) as Compiled;
    else result = ops.run(script, 0, false, holder) as Compiled;
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

/** Bytes: an estimate, and between which it is certain to be. */
interface Estimate {
  jsMemoryEstimate: number;
  jsMemoryRange: number[];
}

interface Memory {
  total: Estimate;
  /** This realm and the others; with `detailed`. */
  current?: Estimate;
  other?: Estimate[];
}

/**
 * Bytes of the heap, after a full collection. The engine knows the realm of objects, but not of what they share (strings, the
 * shapes of objects): that makes the ranges of `detailed` wide.
 */
function measureMemory(options: unknown = {}) {
  const { emitExperimentalWarning } = require("internal/core/util");
  emitExperimentalWarning("vm.measureMemory");
  validateObject(options, "options");
  const { mode = "summary", execution = "default" } = options;
  validateOneOf(mode, "options.mode", ["summary", "detailed"]);
  validateOneOf(execution, "options.execution", ["default", "eager"]);
  return new Promise((resolve) => {
    setImmediate(() => {
      const [total, current, others]: [number, number, number[]] = ops.measure();
      const shared = total - current - others.reduce((sum, bytes) => sum + bytes, 0);
      const entry = (bytes: number, most: number) => ({ jsMemoryEstimate: bytes, jsMemoryRange: [bytes, most] });
      const result: Memory = { total: entry(total, total) };
      if (mode === "detailed") {
        result.current = entry(current, current + shared);
        result.other = others.map((bytes) => entry(bytes, bytes + shared));
      }
      resolve(result);
    });
  });
}

const constants = Object.freeze({ __proto__: null, USE_MAIN_CONTEXT_DEFAULT_LOADER, DONT_CONTEXTIFY });

const vm = {
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

/** The classes of modules, as in Bun without a flag too; loaded when they are used. */
type ModuleClasses = typeof import("internal/vm/module");

for (const name of ["Module", "SourceTextModule", "SyntheticModule"] as const) {
  const define = (value: unknown) =>
    Object.defineProperty(vm, name, { value, writable: true, enumerable: true, configurable: true });
  Object.defineProperty(vm, name, {
    get() {
      const value = require("internal/vm/module")[name];
      define(value);
      return value;
    },
    set: define,
    enumerable: true,
    configurable: true,
  });
}

export default vm as typeof vm & ModuleClasses;
