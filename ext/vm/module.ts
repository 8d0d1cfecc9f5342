/**
 * vm.Module, vm.SourceTextModule and vm.SyntheticModule, https://nodejs.org/docs/latest-v25.x/api/vm.html#class-vmmodule
 *
 * Each has a module record of the engine's. What a record imports is asked of its holder, which looks it up among the modules
 * that were linked. A synthetic module is two records: one has the exports as variables and a function that sets them, which
 * works as soon as the record is linked; the other exports them again and calls the evaluation steps.
 */

import { codes } from "internal/core/errors";
import { emitExperimentalWarning } from "internal/core/util";
import {
  validateArray,
  validateBoolean,
  validateFunction,
  validateInt32,
  validateObject,
  validateString,
  validateUint32,
} from "internal/core/validators";
import { contexts, type Context } from "internal/vm/context";
import { importThrough, modules, noSource, type Holder } from "internal/vm/import";

const ops = native("vm");
const {
  ERR_INVALID_ARG_TYPE,
  ERR_INVALID_ARG_VALUE,
  ERR_INVALID_THIS,
  ERR_MODULE_LINK_MISMATCH,
  ERR_VM_DYNAMIC_IMPORT_CALLBACK_MISSING,
  ERR_VM_MODULE_ALREADY_LINKED,
  ERR_VM_MODULE_CACHED_DATA_REJECTED,
  ERR_VM_MODULE_CANNOT_CREATE_CACHED_DATA,
  ERR_VM_MODULE_DIFFERENT_CONTEXT,
  ERR_VM_MODULE_LINK_FAILURE,
  ERR_VM_MODULE_NOT_MODULE,
  ERR_VM_MODULE_STATUS,
} = codes;

const customInspect = Symbol.for("nodejs.util.inspect.custom");

interface Request {
  specifier: string;
  attributes: Record<string, string>;
  phase: string;
}

/** What belongs to a module and is not for the program. */
interface Internals {
  record: Native.ModuleRecord;
  identifier: string;
  /** The contextified object; undefined for the main realm. */
  contextObject: unknown;
  context: Context | undefined;
  /** Of a SourceTextModule: what it was compiled from. */
  source?: [text: string, line: number, column: number];
  requests?: readonly Request[];
  specifiers?: readonly string[];
  /** Modules by request, once linked. */
  linked?: Map<string, unknown>;
  /** Set while the linker is being asked. */
  linking?: boolean;
  /** What the linking failed with. */
  error?: { value: unknown };
  /** Of a SyntheticModule: sets an export by its index. */
  set?: (index: number, value: unknown) => void;
  names?: string[];
}

function internalsOf(module: unknown, type = "Module"): Internals {
  const known = module !== null && typeof module === "object" ? modules.get(module) : undefined;
  if (known === undefined) throw new ERR_INVALID_THIS(type);
  return known as Internals;
}

function isModule(value: unknown): boolean {
  return value !== null && typeof value === "object" && modules.has(value);
}

function linkFailure(message: string, cause?: unknown) {
  const error = new ERR_VM_MODULE_LINK_FAILURE(message);
  if (cause !== undefined) error.cause = cause;
  return error;
}

/** One name for requests that have to be answered by the same module. */
function requestKey(specifier: string, type: string | undefined): string {
  return `${type ?? ""}:${specifier}`;
}

let unnamed = 0;

/** Checks what both classes share and gives [context, its object, the identifier]. */
function settingsOf(options: { context?: unknown; identifier?: unknown }): [Context | undefined, unknown, string] {
  const { context: contextObject, identifier } = options;
  let context: Context | undefined;
  if (contextObject !== undefined) {
    validateObject(contextObject, "context");
    context = contexts.get(contextObject);
    if (context === undefined) throw new ERR_INVALID_ARG_TYPE("options.context", "vm.Context", contextObject);
  }
  if (identifier !== undefined) {
    validateString(identifier, "options.identifier");
    return [context, contextObject, identifier];
  }
  const number = context === undefined ? unnamed++ : context.modules++;
  return [context, contextObject, `vm:module(${number})`];
}

/** Status in the engine's view. */
function engineStatus(self: Internals): string {
  return ops.moduleStatus(self.record);
}

function statusOf(self: Internals): string {
  if (self.error !== undefined) return "errored";
  return self.linking ? "linking" : engineStatus(self);
}

function instantiate(self: Internals) {
  if (self.source !== undefined && self.linked === undefined) throw linkFailure("module is not linked");
  ops.linkModule(self.record);
}

class Module {
  constructor() {
    emitExperimentalWarning("VM Modules");
    if (new.target === Module) throw new TypeError("Module is not a constructor");
  }

  get identifier() {
    return internalsOf(this).identifier;
  }

  get context() {
    return internalsOf(this).contextObject;
  }

  get namespace() {
    const self = internalsOf(this);
    const status = engineStatus(self);
    if (status === "unlinked" || status === "linking") {
      throw new ERR_VM_MODULE_STATUS("must not be unlinked or linking");
    }
    return ops.moduleNamespace(self.record);
  }

  get status() {
    return statusOf(internalsOf(this));
  }

  get error() {
    const self = internalsOf(this);
    if (self.error !== undefined) return self.error.value;
    if (engineStatus(self) !== "errored") throw new ERR_VM_MODULE_STATUS("must be errored");
    // An errored module is not evaluated again: this only gives its error.
    return ops.evaluateModule(self.record, self.context?.global ?? globalThis, 0, false)[1];
  }

  /** Links the module and what it imports, as `linker(specifier, module, { attributes })` answers. */
  async link(linker: unknown) {
    const self = internalsOf(this);
    validateFunction(linker, "linker");
    const status = statusOf(self);
    if (status === "linked") throw new ERR_VM_MODULE_ALREADY_LINKED();
    if (status !== "unlinked") throw new ERR_VM_MODULE_STATUS("must be unlinked");
    await askLinker(this, self, linker);
    instantiate(self);
  }

  /** Evaluates a linked module. `timeout` in milliseconds; `breakOnSigint`: SIGINT ends the evaluation. */
  evaluate(options: unknown = {}): Promise<undefined> {
    try {
      const self = internalsOf(this);
      validateObject(options, "options");
      const { timeout, breakOnSigint = false } = options;
      if (timeout !== undefined) validateUint32(timeout, "options.timeout", true);
      validateBoolean(breakOnSigint, "options.breakOnSigint");
      const status = engineStatus(self);
      if (status !== "linked" && status !== "evaluated" && status !== "errored") {
        throw new ERR_VM_MODULE_STATUS("must be one of linked, evaluated, or errored");
      }
      return evaluateRecord(self, timeout ?? 0, breakOnSigint);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  [customInspect](depth: number, options: object) {
    const self = internalsOf(this);
    const constructor = this.constructor ?? Module;
    if (typeof depth === "number" && depth < 0) return `[${constructor.name}]`;
    const { inspect } = require("internal/util/inspect");
    const shown = { status: this.status, identifier: self.identifier, context: self.contextObject };
    Object.setPrototypeOf(shown, Object.getPrototypeOf(this));
    Object.defineProperty(shown, Symbol.toStringTag, { value: constructor.name });
    return inspect(shown, { ...options, customInspect: false });
  }
}

function evaluateRecord(self: Internals, timeout: number, sigint: boolean): Promise<undefined> {
  const [state, value, promise] = ops.evaluateModule(self.record, self.context?.global ?? globalThis, timeout, sigint);
  if (state === 1) return Promise.resolve(undefined);
  if (state === 2) return Promise.reject(value);
  // A promise of this realm: those of another may wait for microtasks that are run by nobody.
  return new Promise((resolve, reject) => {
    Promise.prototype.then.call(promise, () => resolve(undefined), reject);
  });
}

async function askLinker(module: unknown, self: Internals, linker: (...values: unknown[]) => unknown) {
  if (self.source === undefined) return;
  self.linking = true;
  try {
    const answers = requestsOf(self).map(async ({ specifier, attributes }) => {
      const found = await linker(specifier, module, { attributes, assert: attributes });
      if (!isModule(found)) throw new ERR_VM_MODULE_NOT_MODULE();
      const other = internalsOf(found);
      if (other.contextObject !== self.contextObject) throw new ERR_VM_MODULE_DIFFERENT_CONTEXT();
      const status = statusOf(other);
      if (status === "errored") {
        throw linkFailure(`request for '${specifier}' resolved to an errored module`, (found as Module).error);
      }
      if (status === "unlinked" && other.linked === undefined) await askLinker(found, other, linker);
      return found;
    });
    enter(self, await Promise.all(answers));
  } catch (error) {
    self.error = { value: error };
    throw error;
  } finally {
    self.linking = false;
  }
}

/** Notes which modules answer the requests of another. */
function enter(self: Internals, found: unknown[]) {
  const requests = requestsOf(self);
  if (found.length !== requests.length) {
    throw new ERR_MODULE_LINK_MISMATCH(`Expected ${requests.length} modules, got ${found.length}`);
  }
  const linked = new Map<string, unknown>();
  requests.forEach(({ specifier, attributes }, index) => {
    const key = requestKey(specifier, attributes.type);
    if (linked.has(key) && linked.get(key) !== found[index]) {
      throw new ERR_MODULE_LINK_MISMATCH(`Module request '${specifier}' must be linked to the same module`);
    }
    linked.set(key, found[index]);
  });
  self.linked = linked;
}

function requestsOf(self: Internals): readonly Request[] {
  return (self.requests ??= Object.freeze(
    ops.moduleRequests(self.record).map(([specifier, type, source]) => {
      const attributes: Record<string, string> = { __proto__: null as never };
      if (type !== undefined) attributes.type = type;
      const request = { __proto__: null } as unknown as Request;
      request.specifier = specifier;
      request.attributes = Object.freeze(attributes);
      request.phase = source ? "source" : "evaluation";
      return Object.freeze(request);
    }),
  ) as readonly Request[]);
}

/** A module of JavaScript text. */
class SourceTextModule extends Module {
  constructor(sourceText: string, options: unknown = {}) {
    validateString(sourceText, "sourceText");
    validateObject(options, "options");
    const { lineOffset = 0, columnOffset = 0, initializeImportMeta, importModuleDynamically, cachedData } = options;
    validateInt32(lineOffset, "options.lineOffset");
    validateInt32(columnOffset, "options.columnOffset");
    if (initializeImportMeta !== undefined) validateFunction(initializeImportMeta, "options.initializeImportMeta");
    if (importModuleDynamically !== undefined) {
      validateFunction(importModuleDynamically, "options.importModuleDynamically");
    }
    if (cachedData !== undefined && !ArrayBuffer.isView(cachedData)) {
      throw new ERR_INVALID_ARG_TYPE("options.cachedData", ["Buffer", "TypedArray", "DataView"], cachedData);
    }
    super();
    const [context, contextObject, identifier] = settingsOf(options);
    const bytes =
      cachedData === undefined
        ? undefined
        : new Uint8Array(cachedData.buffer, cachedData.byteOffset, cachedData.byteLength);
    const source: [string, number, number] = [sourceText, lineOffset + 1, columnOffset + 1];
    const holder: Holder = {
      load: (specifier, type, dynamic, isSource) => {
        if (!dynamic) return linkedRecord(self, specifier, type, isSource);
        if (importModuleDynamically === undefined) throw new ERR_VM_DYNAMIC_IMPORT_CALLBACK_MISSING();
        return importThrough(importModuleDynamically, this, specifier, type, isSource);
      },
      meta: (meta) => initializeImportMeta?.(meta, this),
    };
    const [record, rejected] = ops.compileModule(
      sourceText,
      identifier,
      source[1],
      source[2],
      context?.global ?? globalThis,
      holder,
      bytes,
    );
    if (rejected) throw new ERR_VM_MODULE_CACHED_DATA_REJECTED();
    const self: Internals = { record, identifier, contextObject, context, source };
    modules.set(this, self);
  }

  /** Links to modules in the order of `moduleRequests`. */
  linkRequests(found: unknown[]) {
    const self = internalsOf(this, "SourceTextModule");
    if (statusOf(self) !== "unlinked") throw new ERR_VM_MODULE_STATUS("must be unlinked");
    validateArray(found, "modules");
    for (const module of found) if (!isModule(module)) throw new ERR_VM_MODULE_NOT_MODULE();
    enter(self, found);
  }

  /** Connects imports and exports of the linked graph. */
  instantiate() {
    const self = internalsOf(this, "SourceTextModule");
    if (statusOf(self) !== "unlinked") throw new ERR_VM_MODULE_STATUS("must be unlinked");
    instantiate(self);
  }

  get dependencySpecifiers() {
    const self = internalsOf(this, "SourceTextModule");
    return (self.specifiers ??= Object.freeze(requestsOf(self).map((request) => request.specifier)));
  }

  get moduleRequests() {
    return requestsOf(internalsOf(this, "SourceTextModule"));
  }

  get status() {
    return statusOf(internalsOf(this, "SourceTextModule"));
  }

  get error() {
    internalsOf(this, "SourceTextModule");
    return super.error;
  }

  /** Whether anything of the linked graph has a top-level await. */
  hasAsyncGraph(): boolean {
    const self = internalsOf(this, "SourceTextModule");
    const status = engineStatus(self);
    if (status === "unlinked" || status === "linking") throw new ERR_VM_MODULE_STATUS("must be instantiated");
    const seen = new Set<Internals>([self]);
    for (const module of seen) {
      if (module.source !== undefined && ops.moduleHasAwait(module.record)) return true;
      for (const other of module.linked?.values() ?? []) seen.add(internalsOf(other));
    }
    return false;
  }

  /** Whether the module's own text has a top-level await. */
  hasTopLevelAwait(): boolean {
    return ops.moduleHasAwait(internalsOf(this, "SourceTextModule").record);
  }

  /** Compiled code for the option `cachedData`. */
  createCachedData() {
    const self = internalsOf(this, "SourceTextModule");
    const status = statusOf(self);
    if (status === "evaluating" || status === "evaluated" || status === "errored") {
      throw new ERR_VM_MODULE_CANNOT_CREATE_CACHED_DATA();
    }
    const [text, line, column] = self.source!;
    const data = ops.moduleCachedData(text, self.identifier, line, column);
    const { Buffer } = require("node:buffer");
    return data === undefined ? Buffer.alloc(0) : Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  }
}

/** The engine asks what answers a request. */
function linkedRecord(self: Internals, specifier: string, type: string | undefined, isSource: boolean): object {
  const module = self.linked?.get(requestKey(specifier, type));
  if (module === undefined) {
    throw linkFailure(
      `request for '${specifier}' can not be resolved on module '${self.identifier}' that is not linked`,
    );
  }
  if (isSource) throw noSource(module);
  return internalsOf(module).record;
}

/** A module whose exports are set by the program. */
class SyntheticModule extends Module {
  constructor(exportNames: unknown, evaluateCallback: unknown, options: unknown = {}) {
    if (!Array.isArray(exportNames) || exportNames.some((name) => typeof name !== "string")) {
      throw new ERR_INVALID_ARG_TYPE("exportNames", "Array of unique strings", exportNames);
    }
    exportNames.forEach((name, index) => {
      if (exportNames.indexOf(name, index + 1) !== -1) {
        throw new ERR_INVALID_ARG_VALUE(`exportNames.${name}`, name, "is duplicated");
      }
    });
    validateFunction(evaluateCallback, "evaluateCallback");
    validateObject(options, "options");
    super();
    const [context, contextObject, identifier] = settingsOf(options);
    const global = context?.global ?? globalThis;
    const names: string[] = [...exportNames];
    const cases = names.map((_, index) => `case ${index}: v${index} = value; break;`).join(" ");
    const variables = names.map((_, index) => `export var v${index};`).join(" ");
    const [inner] = ops.compileModule(
      `${variables} export function set(index, value) { switch (index) { ${cases} } }`,
      identifier,
      1,
      1,
      global,
      { load: () => undefined } as Holder,
      undefined,
    );
    ops.linkModule(inner);
    const again = names.map((name, index) => `v${index} as ${JSON.stringify(name)}`).join(", ");
    const self = this;
    const holder: Holder = {
      load: () => inner,
      meta(meta: { evaluate?: () => void }) {
        meta.evaluate = () => {
          Reflect.apply(evaluateCallback, self, []);
        };
      },
    };
    const [record] = ops.compileModule(
      `export { ${again} } from ""; import.meta.evaluate();`,
      identifier,
      1,
      1,
      global,
      holder,
      undefined,
    );
    ops.linkModule(record);
    const { set } = ops.moduleNamespace(inner);
    modules.set(this, { record, identifier, contextObject, context, names, set } as Internals);
  }

  /** There is nothing to link. */
  // It returns nothing, unlike that of its base.
  override link(): any {
    internalsOf(this, "SyntheticModule");
  }

  /** Sets the value of an export, at any time. */
  setExport(name: string, value: unknown) {
    const self = internalsOf(this, "SyntheticModule");
    if (self.set === undefined) throw new ERR_INVALID_THIS("SyntheticModule");
    validateString(name, "name");
    const index = self.names!.indexOf(name);
    if (index === -1) throw new ReferenceError(`Export '${name}' is not defined in module`);
    self.set(index, value);
  }
}

export { Module, SourceTextModule, SyntheticModule };
