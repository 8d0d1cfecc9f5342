// mock.module, vi.mock, jest.mock: other exports for a module, of any kind and whether it is loaded or not.
// https://bun.com/docs/test/mocks#module-mocks-with-mock-module
//
// Static imports run before the call that mocks what they import, so what is loaded already has to change in place:
//   - ES modules are compiled, from the first file on whose text looks as if it mocked something, with a function that assigns
//     their exports (libs/transpile, assignable.rs); so are the ES modules around CommonJS, built-in and data modules;
//   - the exports object of a CommonJS module gets the mock's properties, and `require` gives the mock.
// What is not loaded yet is answered by the loader's hooks: with a module of its own whose exports are the mock's.
// Built-in modules keep their own object, which the runtime uses itself.
import type { Later, Source } from "internal/module/types";
import { cache } from "internal/module/cjs";
import { callerPath } from "internal/util/call_sites";
import { moduleMocks, nodeHooks, resolveAlone } from "internal/module/loader_hooks";
import { currentContext } from "internal/test/bun_test/expect";
import { inFile, leaving, onRestore } from "internal/test/bun_test/file_cleanup";
import { runner } from "internal/test/bun_test/state";

const loader = native("loader");

/** Assigns an export: the old value; or where the name leads; or the modules that all names are exported from. */
type Assign = (
  name: string,
  value: unknown,
) => { old: unknown } | [specifier: string, name: string] | { stars: string[] };

/** Functions that assign the exports of loaded modules, by path or built-in name. */
const assigners = new Map<string, { assign: Assign; isMock: boolean; isOfFile: boolean }[]>();

let isPrepared = false;

/** Has modules that are loaded from now on compiled so that their exports can be mocked. */
function prepare(): void {
  if (isPrepared) return;
  isPrepared = true;
  native("test").makeAssignable();
}

/** Called by the loader for the `import.meta` of every module while exports are assignable. */
export function addMeta(meta: unknown, path: string): void {
  const isMock = path.startsWith("mock:");
  Object.defineProperty(meta, "$assignable", {
    configurable: true,
    value(assign: Assign) {
      const key = isMock ? path.replace(/^mock:\d+:/, "") : path;
      const list = assigners.get(key);
      const entry = { assign, isMock, isOfFile: inFile() };
      if (list === undefined) assigners.set(key, [entry]);
      else list.push(entry);
    },
  });
}

/** What a module exports, or a mock of it. */
type Exports = Record<string, unknown>;

interface Mock {
  key: string;
  specifier: string;
  number: number;
  factory: () => unknown;
  /** What the factory gave. */
  made: unknown;
  isMade: boolean;
  /** What undoes the changes to loaded modules, and the values from before by name. */
  undo: (() => void)[];
  originals: Map<string, unknown>;
  /** The exports of a CommonJS module before. */
  commonjs: { value: unknown; properties: Map<PropertyKey, PropertyDescriptor | undefined> } | undefined;
}

const mocks = new Map<string, Mock>();
/** Mocks of what cannot be resolved, by {@link virtualKey}. */
const virtual = new Map<string, Mock>();
let count = 0;
/** Mocks whose factories have not given their exports yet. */
const pending = new Set<Promise<void>>();

/** For the runner, between loading a file and its first test: undefined, or a promise of the mocks that are on their way. */
function pendingMocks(): Promise<unknown> | undefined {
  return pending.size === 0 ? undefined : Promise.all(pending);
}

runner.pendingMocks = pendingMocks;
// Modules of a preload stay.
runner.forgetExports = (all = false) => {
  if (all) return assigners.clear();
  for (const [key, list] of assigners) {
    const kept = list.filter((one) => !one.isOfFile);
    if (kept.length === 0) assigners.delete(key);
    else assigners.set(key, kept);
  }
};

/** Modules that are asked for as they are. */
const actual = new Set<string>();

const isPromise = (value: unknown) => require("internal/util/types").isPromise(value);

/** The file whose code called. */
function callerFile(): string {
  return callerPath(callerFile) ?? currentContext()?.testPath ?? `${process.cwd()}/[eval]`;
}

/** The key of a module that cannot be resolved: a relative specifier means another one in another folder. */
function virtualKey(specifier: string, importer: string): string {
  if (!/^\.{0,2}\//.test(specifier)) return `virtual:${specifier}`;
  const { dirname, resolve } = require("node:path");
  const from = importer.startsWith("file:") ? require("node:url").fileURLToPath(importer) : importer;
  return `virtual:${resolve(dirname(from), specifier)}`;
}

/** The path of a mock of a relative or absolute specifier without a file, for what resolves without loading. */
function virtualPath(specifier: string, importer: string): string | undefined {
  const key = virtualKey(specifier, importer);
  return virtual.has(key) && key.startsWith("virtual:/") ? key.slice("virtual:".length) : undefined;
}

/** Has `require.resolve` and `import.meta.resolveSync` find the mocks of paths without a file. */
function makeResolvable(): void {
  if (moduleMocks.path !== undefined) return;
  moduleMocks.path = virtualPath;
  const { hooks } = require("internal/module/cjs");
  const before = hooks.resolve;
  hooks.resolve = (request, importer, paths) =>
    (paths === undefined ? virtualPath(request, importer) : undefined) ?? before?.(request, importer, paths);
}

const keyOf = (source: Source | null | undefined): string | undefined => source?.builtin ?? source?.file;

/** The modules that a specifier stands for, for `import` and `require`. */
function keysOf(specifier: string, importer: string): string[] {
  const keys = new Set<string>();
  for (const kind of ["import-statement", "require-call"]) {
    const key = keyOf(resolveAlone(specifier, importer, kind));
    if (key !== undefined) keys.add(key);
  }
  return [...keys];
}

function pathOf(specifier: unknown): string {
  if (specifier instanceof URL) specifier = specifier.href;
  if (typeof specifier !== "string") throw new TypeError("mock(module, fn) requires a module name string");
  // As in Bun, "file:./a" is the relative path.
  if (/^file:\.{1,2}\//.test(specifier)) return specifier.slice("file:".length);
  return specifier.startsWith("file:") ? require("node:url").fileURLToPath(specifier) : specifier;
}

/** Assigns the exports of what is loaded as `key`; follows exports that belong to other modules. */
function assignAll(
  key: string,
  names: Iterable<[string, unknown]>,
  note: (list: Assign, name: string, old: unknown) => void,
): void {
  for (const [name, value] of names) assignOne(key, name, value, note, new Set());
}

function assignOne(
  key: string,
  name: string,
  value: unknown,
  note: (list: Assign, name: string, old: unknown) => void,
  seen: Set<string>,
): boolean {
  if (seen.has(key)) return false;
  seen.add(key);
  let found = false;
  for (const { assign } of assigners.get(key) ?? []) {
    let answer: ReturnType<Assign>;
    try {
      answer = assign(name, value);
    } catch {
      // Not initialized yet: the module itself will do so.
      continue;
    }
    if (Array.isArray(answer)) {
      const [specifier, other] = answer;
      const next = keyOf(resolveAlone(specifier, key, "import-statement"));
      if (next !== undefined && other !== "*") found = assignOne(next, other, value, note, seen) || found;
    } else if ("old" in answer) {
      note(assign, name, answer.old);
      found = true;
    } else if (name !== "default") {
      for (const specifier of answer.stars) {
        const next = keyOf(resolveAlone(specifier, key, "import-statement"));
        if (next !== undefined && assignOne(next, name, value, note, seen)) {
          found = true;
          break;
        }
      }
    }
  }
  return found;
}

function exportsOf(made: unknown): [string, unknown][] {
  if ((typeof made !== "object" && typeof made !== "function") || made === null) {
    throw new TypeError("mock(module, fn) requires a function that returns an object");
  }
  const entries: [string, unknown][] = Object.keys(made).map((name) => [name, (made as Exports)[name]]);
  return entries;
}

/** Puts a mock's exports into what is loaded. */
function apply(mock: Mock, made: Exports): void {
  const { key } = mock;
  const entries = exportsOf(made);
  const isBuiltin = loader.builtinId(key) !== undefined;
  const module = isBuiltin ? undefined : cache[key];
  // Where the original or the mock is no ES module, the default export is all of it.
  if (!("default" in made) && (module !== undefined || isBuiltin || typeof made === "function"))
    entries.push(["default", made]);
  assignAll(key, entries, (assign, name, old) => {
    if (!mock.originals.has(name)) mock.originals.set(name, old);
    mock.undo.push(() => void assign(name, old));
  });
  if (module === undefined) return;
  const { exports } = module;
  mock.commonjs = { value: exports, properties: new Map() };
  module.exports =
    made.__esModule === true || !("default" in made) || typeof exports !== "function" ? made : made.default;
  mock.undo.push(() => (module.exports = exports));
  if ((typeof exports !== "object" && typeof exports !== "function") || exports === null || Array.isArray(exports))
    return;
  // `require` of an ES module gives its namespace, whose exports have been assigned.
  if (require("internal/util/types").isModuleNamespaceObject(exports)) return;
  for (const [name, value] of entries) {
    if (name === "default" && !("default" in exports)) continue;
    const before = Object.getOwnPropertyDescriptor(exports, name);
    if (before !== undefined && !before.configurable && !("writable" in before && before.writable)) continue;
    mock.commonjs.properties.set(name, before);
    if (before !== undefined && !before.configurable) (exports as Exports)[name] = value;
    else Object.defineProperty(exports, name, { value, configurable: true, enumerable: true, writable: true });
    mock.undo.push(() => {
      if (before === undefined) delete (exports as Exports)[name];
      else Object.defineProperty(exports, name, before);
    });
  }
}

const isLoaded = (key: string): boolean => cache[key] !== undefined || assigners.has(key);

/** Calls the factory, once for a mock. */
function make(mock: Mock): unknown {
  if (mock.isMade) return mock.made;
  mock.isMade = true;
  const made = mock.factory();
  mock.made = made;
  if (isPromise(made)) {
    return made.then((value) => {
      exportsOf(value);
      return (mock.made = value);
    });
  }
  exportsOf(made);
  return made;
}

/** The answer of the loader's hooks for a mocked module. */
function sourceOf(mock: Mock, kind: string) {
  const answer = (made: Exports) => {
    let exports: unknown = made;
    if (kind === "require-call") {
      if (
        "default" in made &&
        made.__esModule !== true &&
        typeof made.default === "function" &&
        Object.keys(made).length === 1
      )
        exports = made.default;
    } else if (!("default" in made) && (typeof made === "function" || !isModuleFile(mock.key)))
      exports = { ...made, default: made };
    const key = `mock:${mock.number}:${mock.key}`;
    return { key: kind === "require-call" ? `${key}:cjs` : key, path: key, url: key, exports };
  };
  const made = make(mock);
  return isPromise(made) ? (made as Promise<Exports>).then(answer) : answer(made as Exports);
}

function isModuleFile(key: string): boolean {
  if (!key.startsWith("/")) return false;
  try {
    return loader.moduleKind(key) === "module";
  } catch {
    return false;
  }
}

/** `jest.enableAutomock`: whether modules are mocked that nobody named, and which are not. */
let automocks = false;
const unmockedKeys = new Set<string>();
/** How many automatic mocks are being made: what their originals load is not mocked. */
let generating = 0;
/** Functions of `jest.onGenerateMock`. */
export const changes: ((path: string, made: unknown) => unknown)[] = [];

export function setAutomock(on: boolean): void {
  if (on === automocks) return;
  automocks = on;
  if (!on) return;
  prepare();
  moduleMocks.activate();
  moduleMocks.ask = ask;
  onRestore("module", () => {
    automocks = false;
    unmockedKeys.clear();
    changes.length = 0;
    if (mocks.size + virtual.size === 0) moduleMocks.ask = undefined;
  });
}

/** The automatic mock of a file. */
function generated(key: string, specifier: string, importer: string): Mock {
  const mock = add(key, specifier, () => {
    generating++;
    try {
      const original = requireActualFrom(specifier, importer);
      let made = require("internal/test/bun_test/automock").automock(original);
      for (const change of changes) made = change(key, made);
      return spread(made);
    } finally {
      generating--;
    }
  });
  const forget = onRestore("module", () => remove(mock));
  mock.undo.unshift(() => void forget());
  return mock;
}

/** What the loader asks first. */
function ask(specifier: string, importer: string, kind: string): Later<Source | undefined> {
  let mock = virtual.size === 0 ? undefined : virtual.get(virtualKey(specifier, importer));
  if (mock === undefined) {
    if (mocks.size === 0 && !automocks) return undefined;
    const key = keyOf(resolveAlone(specifier, importer, kind));
    if (key === undefined || actual.has(key)) return undefined;
    mock = mocks.get(key);
    // Built-in modules are not mocked automatically, nor what libraries load, nor data.
    if (
      mock === undefined &&
      automocks &&
      generating === 0 &&
      !unmockedKeys.has(key) &&
      /\.[cm]?[jt]sx?$/.test(key) &&
      !importer.includes("/node_modules/")
    ) {
      mock = generated(key, specifier, importer);
    }
  }
  return mock === undefined ? undefined : (sourceOf(mock, kind) as Later<Source>);
}

function remove(mock: Mock): void {
  if (mocks.get(mock.key) === mock) mocks.delete(mock.key);
  if (virtual.get(mock.key) === mock) virtual.delete(mock.key);
  for (let i = mock.undo.length - 1; i >= 0; i--) mock.undo[i]!();
  mock.undo = [];
  forgetMocked(mock);
  if (mocks.size + virtual.size === 0 && !automocks) moduleMocks.ask = undefined;
}

/**
 * Importers that were loaded while the module was mocked are bound to the mock. They get the original's exports where those can
 * be had at once; at the end of a file everything is loaded anew for the next one.
 */
function forgetMocked(mock: Mock): void {
  for (const suffix of ["", ":cjs"]) delete cache[`mock:${mock.number}:${mock.key}${suffix}`];
  const list = assigners.get(mock.key);
  if (list === undefined || !list.some((one) => one.isMock)) return;
  if (leaving.file) {
    resetModules();
    return;
  }
  let original: Exports | null | undefined;
  try {
    original = require("node:module").createRequire(mock.key.startsWith("/") ? mock.key : `${process.cwd()}/[eval]`)(
      mock.key,
    ) as Exports;
  } catch {
    return;
  }
  const made = typeof mock.made === "object" && mock.made !== null ? mock.made : {};
  for (const { assign, isMock } of list) {
    if (!isMock) continue;
    for (const name of Object.keys(made)) assign(name, original?.[name]);
    if (!("default" in made)) assign("default", original?.default ?? original);
  }
}

function add(key: string, specifier: string, factory: () => unknown): Mock {
  const before = mocks.get(key);
  const mock: Mock = {
    key,
    specifier,
    number: ++count,
    factory,
    made: undefined,
    isMade: false,
    undo: [],
    originals: new Map(),
    commonjs: undefined,
  };
  if (before !== undefined) {
    // The second mock of a module stands on the first: both are undone together.
    mock.undo = before.undo;
    mock.originals = before.originals;
    mock.commonjs = before.commonjs;
  }
  mocks.set(key, mock);
  return mock;
}

/** `mock.module(id, factory)`. Without a factory as jest.mock: the file in `__mocks__`, or functions that do nothing. */
export function mockModule(id: unknown, given: unknown): Promise<void> | void {
  const specifier = pathOf(id instanceof Promise ? undefined : id);
  const importer = callerFile();
  if (given !== undefined && typeof given !== "function" && typeof given !== "object") {
    throw new TypeError("mock(module, fn) requires a function");
  }
  prepare();
  moduleMocks.activate();
  moduleMocks.ask = ask;
  const keys = keysOf(specifier, importer);
  const factory = factoryOf(given, specifier, importer, keys[0]);
  const made: Mock[] = [];
  if (keys.length === 0) {
    const mock = add(virtualKey(specifier, importer), specifier, factory);
    virtual.set(mock.key, mock);
    makeResolvable();
    made.push(mock);
  }
  for (const key of keys) made.push(add(key, specifier, factory));
  share(made);
  const loaded = made.filter((mock) => isLoaded(mock.key));
  for (const mock of made) {
    const forget = onRestore("module", () => remove(mock));
    mock.undo.unshift(() => void forget());
  }
  if (loaded.length === 0) return;
  let exports: unknown;
  try {
    exports = make(loaded[0]!);
  } catch (error) {
    for (const mock of made) remove(mock);
    throw error;
  }
  if (isPromise(exports)) {
    const applied = exports.then((value) => {
      for (const mock of loaded) if (mocks.get(mock.key) === mock) apply(mock, value as Exports);
    });
    const done = applied.catch(() => {}).then(() => void pending.delete(done));
    pending.add(done);
    return applied;
  }
  for (const mock of loaded) apply(mock, exports as Exports);
}

/** Mocks of one call share what its factory gives. */
function share(made: Mock[]): void {
  const [first] = made;
  for (const mock of made.slice(1)) mock.factory = () => make(first!);
}

function factoryOf(given: unknown, specifier: string, importer: string, key: string | undefined): () => unknown {
  if (typeof given === "function") return () => given(() => importActualFrom(specifier, importer));
  const { automock } = require("internal/test/bun_test/automock");
  const keepsImplementations = (given as { spy?: unknown } | undefined)?.spy === true;
  return () => {
    if (key !== undefined && given === undefined) {
      const { basename, dirname, join } = require("node:path");
      const beside = key.startsWith("/") ? join(dirname(key), "__mocks__", basename(key)) : undefined;
      if (beside !== undefined && require("node:fs").existsSync(beside))
        return spread(requireUnmocked(beside, importer));
    }
    const original = requireActualFrom(specifier, importer);
    return spread(
      keepsImplementations
        ? require("internal/test/bun_test/automock").spies(original as { [key: string]: unknown })
        : automock(original),
    );
  };
}

const spread = (value: unknown): unknown =>
  typeof value === "object" && value !== null ? { ...value } : { default: value };

export function unmock(id: unknown): void {
  const specifier = pathOf(id);
  const importer = callerFile();
  for (const key of keysOf(specifier, importer)) {
    unmockedKeys.add(key);
    const mock = mocks.get(key);
    if (mock !== undefined) remove(mock);
  }
  const mock = virtual.get(virtualKey(specifier, importer));
  if (mock !== undefined) remove(mock);
}

function requireUnmocked(path: string, importer: string): unknown {
  return require("node:module").createRequire(importer)(path);
}

/** The module as it is without mocks. */
function unmocked(specifier: string, importer: string, load: () => unknown): unknown {
  const keys = keysOf(specifier, importer);
  const restored = (value: unknown): unknown => {
    // What was changed in place has its values from before in the mock.
    for (const key of keys) {
      const mock = mocks.get(key);
      if (mock === undefined) continue;
      const isNamespace = require("internal/util/types").isModuleNamespaceObject(value);
      if (mock.commonjs !== undefined && !isNamespace) {
        const copy = (
          typeof mock.commonjs.value === "object" ? { ...mock.commonjs.value } : mock.commonjs.value
        ) as Record<PropertyKey, unknown>;
        for (const [name, descriptor] of mock.commonjs.properties) {
          if (descriptor === undefined) delete copy[name];
          else Object.defineProperty(copy, name, { ...descriptor, configurable: true });
        }
        return copy;
      }
      if (mock.originals.size > 0) {
        const copy: Exports = { ...(value as Exports) };
        for (const [name, old] of mock.originals) copy[name] = old;
        return copy;
      }
    }
    return value;
  };
  for (const key of keys) actual.add(key);
  let isLater = false;
  const end = () => {
    for (const key of keys) actual.delete(key);
  };
  try {
    const value = load();
    if (!isPromise(value)) return restored(value);
    isLater = true;
    return value.then(restored).finally(end);
  } finally {
    if (!isLater) end();
  }
}

function requireActualFrom(specifier: string, importer: string): unknown {
  return unmocked(specifier, importer, () => requireUnmocked(specifier, importer));
}

function importActualFrom(specifier: string, importer: string): Promise<unknown> {
  return Promise.resolve(unmocked(specifier, importer, () => importFrom(specifier, importer)));
}

function importFrom(specifier: string, importer: string) {
  const load = loader.runScript("(specifier) => import(specifier)", importer) as (
    specifier: string,
  ) => Promise<unknown>;
  return load(specifier);
}

export const requireActual = (id: unknown): unknown => requireActualFrom(pathOf(id), callerFile());
export const requireFrom = (id: unknown): unknown => requireUnmocked(pathOf(id), callerFile());
export const importActual = (id: unknown): Promise<unknown> => importActualFrom(pathOf(id), callerFile());

/** `jest.resetModules`: what is asked for from now on is loaded anew. */
export function resetModules(): void {
  for (const key of Object.keys(cache)) if (!key.includes("/node_modules/")) delete cache[key];
  loader.resetModules();
  nodeHooks.loads.clear();
  assigners.clear();
}

/** `jest.isolateModules`: what `run` loads is its own. */
export function isolate(run: () => unknown) {
  const before = { ...cache };
  for (const key of Object.keys(cache)) delete cache[key];
  const end = () => {
    for (const key of Object.keys(cache)) delete cache[key];
    Object.assign(cache, before);
  };
  let result: unknown;
  try {
    result = run();
  } catch (error) {
    end();
    throw error;
  }
  if (isPromise(result)) return result.finally(end);
  end();
}

/** Assigns an export of an ES module by its namespace object: what undoes it, or undefined where that cannot be. */
export function setExport(namespace: unknown, name: PropertyKey, value: unknown): (() => void) | undefined {
  if (!require("internal/util/types").isModuleNamespaceObject(namespace) || typeof name !== "string") return undefined;
  const before = (namespace as Exports)[name];
  if (before === value) return () => {};
  for (const [key, list] of assigners) {
    // The one whose assignment shows in the namespace is its module.
    for (const { assign } of list) {
      const undo: (() => void)[] = [];
      const note = (other: Assign, otherName: string, old: unknown) => undo.push(() => void other(otherName, old));
      const restore = () =>
        undo
          .splice(0)
          .reverse()
          .forEach((one) => one());
      assignOnly(assign, key, name, value, note);
      if ((namespace as Exports)[name] !== value) {
        restore();
        continue;
      }
      // A built-in module has a module around it for each importer.
      for (const other of list) if (other.assign !== assign) assignOnly(other.assign, key, name, value, note);
      return restore;
    }
  }
  return undefined;
}

function assignOnly(
  assign: Assign,
  key: string,
  name: string,
  value: unknown,
  note: (assign: Assign, name: string, old: unknown) => void,
): void {
  let answer: ReturnType<Assign>;
  try {
    answer = assign(name, value);
  } catch {
    return;
  }
  if (Array.isArray(answer)) {
    const next = keyOf(resolveAlone(answer[0], key, "import-statement"));
    if (next !== undefined && answer[1] !== "*") assignOne(next, answer[1], value, note, new Set([key]));
  } else if ("old" in answer) note(assign, name, answer.old);
}
