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
  validateFunction,
  validateInt32,
  validateObject,
  validateOneOf,
  validateString,
  validateStringArray,
  validateUint32,
} from "internal/validators";

const ops = native("vm");
const { ERR_INVALID_ARG_TYPE } = codes as any;

const USE_MAIN_CONTEXT_DEFAULT_LOADER = Symbol("vm_dynamic_import_main_context_default");
const DONT_CONTEXTIFY = Symbol("vm_context_no_contextify");

interface Context {
  /** Global object of the realm. */
  global: any;
  /** What the realm's global object has of itself. */
  own: Set<PropertyKey>;
  /** Declarations that were carried over, with the value they had. */
  carried: Map<PropertyKey, unknown>;
  /** Whether the object is the realm's global object itself. */
  vanilla: boolean;
}

const contexts = new WeakMap<object, Context>();
const released = new FinalizationRegistry<number>((script) => ops.release(script));

function notImplemented(what: string): never {
  const error: any = new Error(`${what} is not implemented in bao yet`);
  error.code = "ERR_METHOD_NOT_IMPLEMENTED";
  throw error;
}

/** An object that reads through to the contextified object and the realm: what `globalThis` is inside. */
function globalView(sandbox: any, global: any): any {
  return new Proxy(sandbox, {
    get: (_target, key) => (key in sandbox ? sandbox[key] : global[key]),
    has: (_target, key) => key in sandbox || key in global,
    set(_target, key, value) {
      sandbox[key] = value;
      return true;
    },
    getOwnPropertyDescriptor(_target, key) {
      const own = Reflect.getOwnPropertyDescriptor(sandbox, key);
      if (own !== undefined) return own;
      const below = Reflect.getOwnPropertyDescriptor(global, key);
      // A proxy may not report properties as fixed that its target does not have.
      return below === undefined ? undefined : { ...below, configurable: true };
    },
    getPrototypeOf: () => Reflect.getPrototypeOf(global),
  });
}

function contextify(sandbox: any): Context {
  const global = ops.createRealm();
  const context: Context = { global, own: new Set(Reflect.ownKeys(global)), carried: new Map(), vanilla: false };
  const objectPrototype = global.Object.prototype;
  Object.defineProperty(global, "globalThis", {
    value: globalView(sandbox, global),
    writable: true,
    enumerable: false,
    configurable: true,
  });
  // `this` of a sloppy function is the realm's global object: it sees the contextified object through its prototype.
  Object.setPrototypeOf(
    global,
    new Proxy(objectPrototype, {
      get: (_target, key, receiver) => (key in sandbox ? sandbox[key] : Reflect.get(objectPrototype, key, receiver)),
      has: (_target, key) => key in sandbox || key in objectPrototype,
      getPrototypeOf: () => Reflect.getPrototypeOf(objectPrototype),
      set(_target, key, value, receiver) {
        if (key in sandbox) {
          sandbox[key] = value;
          return true;
        }
        return Reflect.defineProperty(receiver, key, { value, writable: true, enumerable: true, configurable: true });
      },
    }),
  );
  return context;
}

/** Carries what a script declared over to the contextified object. */
function carryOver(context: Context, sandbox: any) {
  const { global, own, carried } = context;
  for (const key of Reflect.ownKeys(global)) {
    if (own.has(key)) continue;
    const descriptor = Reflect.getOwnPropertyDescriptor(global, key)!;
    if (descriptor.get !== undefined || descriptor.set !== undefined) {
      if (!carried.has(key)) Reflect.defineProperty(sandbox, key, { ...descriptor, configurable: true });
      carried.set(key, undefined);
      continue;
    }
    const { value } = descriptor;
    if (carried.has(key) && Object.is(carried.get(key), value)) continue;
    carried.set(key, value);
    // A variable that was only declared: the object may have had the name before.
    if (value === undefined && key in sandbox) continue;
    sandbox[key] = value;
  }
}

function contextOf(object: any): Context {
  validateObject(object, "object", kValidateObjectAllowArray);
  const context = contexts.get(object);
  if (context === undefined) throw new ERR_INVALID_ARG_TYPE("contextifiedObject", "vm.Context", object);
  return context;
}

/** Whether an object has been contextified. */
function isContext(object: any): boolean {
  validateObject(object, "object", kValidateObjectAllowArray);
  return contexts.has(object);
}

let count = 0;

/** Contextifies an object. */
function createContext(contextObject: any = {}, options: any = {}) {
  const vanilla = contextObject === DONT_CONTEXTIFY;
  if (!vanilla) validateObject(contextObject, "object", kValidateObjectAllowArray);
  if (!vanilla && contexts.has(contextObject)) return contextObject;
  validateObject(options, "options");
  const { name = `VM Context ${++count}`, origin, codeGeneration, microtaskMode } = options;
  validateString(name, "options.name");
  if (origin !== undefined) validateString(origin, "options.origin");
  if (codeGeneration !== undefined) {
    validateObject(codeGeneration, "options.codeGeneration");
    const { strings = true, wasm = true } = codeGeneration;
    validateBoolean(strings, "options.codeGeneration.strings");
    validateBoolean(wasm, "options.codeGeneration.wasm");
    if (!strings || !wasm) notImplemented("vm.createContext's codeGeneration");
  }
  validateOneOf(microtaskMode, "options.microtaskMode", ["afterEvaluate", undefined]);
  if (microtaskMode !== undefined) notImplemented("vm.createContext's microtaskMode");
  if (vanilla) {
    const global = ops.createRealm();
    contexts.set(global, { global, own: new Set(), carried: new Map(), vanilla: true });
    return global;
  }
  contexts.set(contextObject, contextify(contextObject));
  return contextObject;
}

/** The loader's view of `importModuleDynamically`. */
function importCallback(option: any, referrer: any): any {
  if (option === undefined) return undefined;
  if (option === USE_MAIN_CONTEXT_DEFAULT_LOADER) return true;
  validateFunction(option, "options.importModuleDynamically");
  return (specifier: string, type: string | undefined) => {
    const attributes: any = Object.create(null);
    if (type !== undefined) attributes.type = type;
    return Promise.resolve(option(specifier, referrer, attributes, "evaluation")).then((result: any) => {
      const namespace = result?.namespace ?? result;
      if (namespace === null || typeof namespace !== "object") {
        const error: any = new TypeError("importModuleDynamically must give a module namespace object");
        error.code = "ERR_VM_MODULE_NOT_MODULE";
        throw error;
      }
      const key = `vm:import:${++count}`;
      return native("loader").hookedModule({ key, path: key, url: key, exports: { ...namespace } }, specifier, "");
    });
  };
}

function runOptions(options: any): number {
  validateObject(options, "options");
  const { timeout, displayErrors, breakOnSigint } = options;
  if (timeout !== undefined) validateUint32(timeout, "options.timeout", true);
  if (displayErrors !== undefined) validateBoolean(displayErrors, "options.displayErrors");
  if (breakOnSigint !== undefined) {
    validateBoolean(breakOnSigint, "options.breakOnSigint");
    if (breakOnSigint) notImplemented("vm's breakOnSigint");
  }
  return timeout ?? 0;
}

/** A compiled script. */
class Script {
  #source: string;
  #filename: string;
  #line: number;
  #column: number;
  #import: any;
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
    this.#import = importCallback(importModuleDynamically, this);
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
      this.#source, this.#filename, this.#line, this.#column, environment, this.#import, bytes);
    if (cachedData !== undefined) this.cachedDataRejected = rejected;
    released.register(this, script);
    return script;
  }

  runInThisContext(options: any = {}) {
    return ops.run(this.#plain, runOptions(options));
  }

  runInContext(contextifiedObject: any, options: any = {}) {
    const context = contextOf(contextifiedObject);
    const timeout = runOptions(options);
    if (context.vanilla) return ops.runIn(this.#plain, context.global, timeout);
    this.#inContext ||= this.#compile(true);
    try {
      return ops.runWith(this.#inContext, context.global, contextifiedObject, timeout);
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
  if (cachedData !== undefined || produceCachedData) notImplemented("vm.compileFunction's cached data");
  const list = (params ?? []).join(",");
  // The parser of the language decides whether parameters and body are what they claim to be.
  Function(...(params ?? []), code);
  const holder: any = {};
  // The body begins on a line of its own, whose number is the given one.
  const text = `(function (${list}) {\n${code}\n})`;
  const callback = importCallback(importModuleDynamically, holder);
  const context = parsingContext === undefined ? undefined : contextOf(parsingContext);
  const environments = contextExtensions.filter((extension: any) => extension !== null);
  if (environments.length > 1 || (environments.length === 1 && context !== undefined)) {
    notImplemented("vm.compileFunction with several scopes");
  }
  const withObject = environments[0] ?? (context === undefined || context.vanilla ? undefined : parsingContext);
  const [script] = ops.compile(text, filename, lineOffset, columnOffset + 1, withObject !== undefined, callback, undefined);
  try {
    if (withObject !== undefined) return ops.runWith(script, context?.global ?? globalThis, withObject, 0);
    if (context !== undefined) return ops.runIn(script, context.global, 0);
    return ops.run(script, 0);
  } finally {
    ops.release(script);
  }
}

function measureMemory() {
  return new Promise(() => notImplemented("vm.measureMemory"));
}

const constants = Object.freeze({ __proto__: null, USE_MAIN_CONTEXT_DEFAULT_LOADER, DONT_CONTEXTIFY });

export default {
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
