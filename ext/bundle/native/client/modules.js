// The registry of modules: what the browser's half of the development server and the server of an app run modules in. The server
// puts this text, and behind it the other files of this folder, into a function of `config` and `modules`; see
// ext/bundle/dev/chunks.ts. What they say to pages and to tests (the element `bun-hmr`, the words of the console) is Bun's.
//
// `config` in browsers: { main, version, generation, refresh, console, errors }; `modules`: { id: definition }. A definition is
// [flags, specifiers and ids of what it imports, those of what it requires or imports later, function]. An id is a path from the
// root of the server; "" is a module without exports. What has no definition is loaded from outside: `isOutside`, `loadOutside`.

/* global config, modules, isOutside, loadOutside, importOutside, metaOf, namesOf, reportError, invalidate */
"use strict";
const ES = 1;
const ASYNC = 2;
const REFRESH = 4;
const { console } = globalThis;
// The server lowers `using`, and what programs name their methods by has to be there, too.
for (const name of ["dispose", "asyncDispose"]) {
  if (Symbol[name] === undefined) Object.defineProperty(Symbol, name, { value: Symbol(`Symbol.${name}`) });
}
const nativeError = console.error;
const nativeInfo = console.info;

// ---- modules

const NEW = 0;
const RUNNING = 1;
const READY = 2;
const FAILED = 3;
const registry = new Map();
const listeners = new Map();
let refreshRuntime = undefined;
/** What a module was refused for: `require` of a module that waits. */
class MustWait extends Error {
  constructor(id) {
    super(`${id} uses top-level await`);
    this.id = id;
  }
}

function emit(event, data) {
  for (const listener of [...(listeners.get(event) ?? [])]) {
    try {
      listener(data);
    } catch (error) {
      reportError(error, false);
    }
  }
}

const eventName = (event) => (event.startsWith("vite:") ? `bun:${event.slice(5)}` : event);

/** import.meta.hot of a module: https://bun.com/docs/bundler/hot-reloading */
class Hot {
  constructor(record) {
    this.record = record;
    this.data = {};
  }
  accept(callback, more) {
    if (more !== undefined || typeof callback === "string" || Array.isArray(callback)) {
      throw new Error(
        '"import.meta.hot.accept" must be directly called with string literals for the specifiers. This way, the bundler can pre-process the arguments.',
      );
    }
    if (callback !== undefined && typeof callback !== "function")
      throw new Error("import.meta.hot.accept requires a callback function");
    this.record.accepts = callback ?? true;
  }
  acceptDependencies(specifiers, callback) {
    const { record } = this;
    const list = typeof specifiers === "string" ? [specifiers] : specifiers;
    const ids = list.map((specifier) => record.ids[specifier]);
    const accept = { ids, callback, single: typeof specifiers === "string" };
    for (const id of ids) record.accepted.set(id, accept);
  }
  dispose(callback) {
    this.record.disposers.push(callback);
  }
  prune(callback) {
    this.record.pruners.push(callback);
  }
  /** Vite: there for the sake of older programs. */
  decline() {}
  invalidate(message) {
    emit("bun:invalidate", { path: this.record.id, message });
    queueMicrotask(() => invalidate(this.record));
  }
  on(event, listener) {
    const name = eventName(event);
    if (!listeners.has(name)) listeners.set(name, new Set());
    listeners.get(name).add(listener);
    this.record.listening.push([name, listener]);
  }
  off(event, listener) {
    listeners.get(eventName(event))?.delete(listener);
  }
  send() {
    throw new Error("import.meta.hot.send is not implemented: the server has nobody who listens");
  }
}
// A proxy answers for all uses of `import.meta.hot` that the server cannot see through.
Hot.prototype.indirect = new Proxy(
  {},
  {
    get(_, property) {
      if (typeof property === "symbol") return undefined;
      throw new Error(`import.meta.hot.${property} cannot be used indirectly.`);
    },
    set() {
      throw new Error("The import.meta.hot object cannot be mutated.");
    },
  },
);

function newRecord(id) {
  return {
    id,
    state: NEW,
    error: undefined,
    promise: undefined,
    /** The namespace that importers hold. */
    namespace: undefined,
    /** `module` of a CommonJS module. */
    module: undefined,
    /** Whether it has exported nothing, not even by `module.exports`: it may be an ES module without exports as well. */
    isBare: false,
    /** Specifiers to ids. */
    ids: {},
    imports: [],
    importers: new Set(),
    stars: new Set(),
    hot: undefined,
    accepts: undefined,
    accepted: new Map(),
    disposers: [],
    pruners: [],
    listening: [],
  };
}

const nothing = Object.freeze({});
const newNamespace = () => Object.defineProperty({}, Symbol.toStringTag, { value: "Module" });

function define(namespace, key, get) {
  Object.defineProperty(namespace, key, { enumerable: true, configurable: true, get });
}

function clear(namespace) {
  for (const key of Object.keys(namespace)) delete namespace[key];
}

/** The namespace of a CommonJS module: its default, and what it exports by name. */
function interop(record) {
  const namespace = (record.namespace ??= newNamespace());
  clear(namespace);
  const value = record.module.exports;
  const isObject = (typeof value === "object" && value !== null) || typeof value === "function";
  if (isObject) {
    for (const key in value) {
      if (key !== "default" && key !== "__esModule") define(namespace, key, () => record.module.exports[key]);
    }
  }
  const isModule = isObject && value.__esModule && "default" in value;
  if (!record.isBare)
    define(namespace, "default", () => (isModule ? record.module.exports.default : record.module.exports));
  return namespace;
}

function namespaceOf(record) {
  return record.namespace ?? interop(record);
}

/** What `require` gives of a module. */
function exportsOf(record) {
  if (record.module !== undefined) return record.module.exports;
  return (record.required ??= Object.create(record.namespace, { __esModule: { value: true } }));
}

function takeStars(record) {
  for (const star of record.stars) {
    const from = namespaceOf(star);
    for (const key of Object.keys(from)) {
      if (key !== "default" && !Object.hasOwn(record.namespace, key)) {
        define(record.namespace, key, () => namespaceOf(star)[key]);
      }
    }
  }
}

/** Loads a module and what it imports: the record, or a promise of it if something waits. */
function load(id, importer, mayWait = true) {
  let record = registry.get(id);
  if (record === undefined) registry.set(id, (record = newRecord(id)));
  if (importer !== undefined) record.importers.add(importer);
  switch (record.state) {
    case FAILED:
      throw record.error;
    case READY:
      return record;
    case RUNNING:
      if (record.promise !== undefined && !mayWait) throw new MustWait(id);
      // In a cycle nobody waits for itself.
      return record.promise === undefined || isAbove(record, importer) ? record : record.promise;
  }
  if (id === "") {
    record.module = { id, exports: {} };
    record.state = READY;
    return record;
  }
  if (isOutside(id)) return loadOutside(record, mayWait);
  const definition = modules[id];
  if (definition === undefined) throw new Error(`Module "${id}" has not been loaded by the development server`);
  const { 0: flags, 1: imports, 2: others } = definition;
  if ((flags & ASYNC) !== 0 && !mayWait) throw new MustWait(id);
  record.state = RUNNING;
  record.ids = {};
  record.imports = [];
  record.stars.clear();
  for (let i = 0; i < others.length; i += 2) record.ids[others[i]] = others[i + 1];
  for (let i = 0; i < imports.length; i += 2) record.ids[imports[i]] = imports[i + 1];
  if ((flags & ES) !== 0) {
    record.namespace ??= newNamespace();
    record.module = undefined;
  }
  const waits = [];
  try {
    for (let i = 1; i < imports.length; i += 2) {
      const loaded = load(imports[i], record, mayWait);
      record.imports.push(imports[i]);
      if (typeof loaded.then === "function") waits.push(loaded);
    }
    if (waits.length === 0) {
      const running = run(record, definition);
      if (running === undefined) return record;
      return (record.promise = running.then(
        () => ready(record, definition),
        (error) => fail(record, error),
      ));
    }
  } catch (error) {
    if (error instanceof MustWait) record.state = NEW;
    else {
      record.state = FAILED;
      record.error = error;
    }
    throw error;
  }
  return (record.promise = Promise.all(waits)
    .then(() => run(record, definition))
    .then(
      () => (record.state === READY ? record : ready(record, definition)),
      (error) => fail(record, error),
    ));
}

function fail(record, error) {
  record.state = FAILED;
  record.error = error;
  record.promise = undefined;
  throw error;
}

/** Whether a module that is being loaded is among those that `below` is loaded for. */
function isAbove(record, below, seen = new Set()) {
  if (below === undefined || seen.has(below)) return false;
  if (below === record) return true;
  seen.add(below);
  for (const importer of below.importers)
    if (importer.state === RUNNING && isAbove(record, importer, seen)) return true;
  return false;
}

function requireOf(record) {
  const require = (specifier) => {
    const id = record.ids[specifier];
    if (id === undefined) {
      const error = new Error(`Cannot find module '${specifier}' from '${record.id}'`);
      error.code = "MODULE_NOT_FOUND";
      throw error;
    }
    try {
      return exportsOf(load(id, record, false));
    } catch (error) {
      if (error instanceof MustWait) {
        throw new Error(
          `Cannot require "${id}" because "${error.id}" uses top-level await, but 'require' is a synchronous operation.`,
        );
      }
      throw error;
    }
  };
  require.resolve = (specifier) => record.ids[specifier] ?? specifier;
  return require;
}

/** Calls the function of a module: a promise if it waits. */
function run(record, definition) {
  const { 0: flags, 3: body } = definition;
  record.hot ??= new Hot(record);
  const require = requireOf(record);
  const later = async (specifier, options) => {
    const id = record.ids[specifier];
    if (id === undefined) return importOutside(record, specifier, options);
    return namespaceOf(await load(id, record));
  };
  if ((flags & ES) === 0) {
    const exports = {};
    const module = (record.module = { id: record.id, exports, require });
    record.isBare = false;
    if (record.namespace !== undefined) clear(record.namespace);
    body.call(exports, module, exports, require, later, ...namesOf(record));
    record.isBare = module.exports === exports && Object.keys(exports).length === 0;
    if (record.namespace !== undefined) interop(record);
    record.state = READY;
    return undefined;
  }
  const { namespace } = record;
  // What a barrel passes on and nobody wants is not there.
  const bring = (specifier) =>
    record.ids[specifier] === undefined ? nothing : namespaceOf(registry.get(record.ids[specifier]));
  const star = (from) => {
    for (const id of record.imports) {
      const other = registry.get(id);
      if (other !== undefined && namespaceOf(other) === from) record.stars.add(other);
    }
    takeStars(record);
  };
  const meta = metaOf(record, require);
  let register;
  let sign;
  if ((flags & REFRESH) !== 0) {
    register = (type, name) => refreshRuntime?.register(type, `${record.id}:${name}`);
    sign = () => refreshRuntime?.createSignatureFunctionForTransform() ?? ((type) => type);
  }
  const running = body.call(undefined, bring, namespace, star, later, meta, record.hot, require, register, sign);
  if (running !== undefined) return running;
  ready(record, definition);
  return undefined;
}

function ready(record, definition) {
  record.state = READY;
  record.promise = undefined;
  record.required = undefined;
  if (record.stars.size !== 0) takeStars(record);
  for (const importer of record.importers) if (importer.stars.has(record)) takeStars(importer);
  if ((definition[0] & REFRESH) !== 0 && refreshRuntime !== undefined) {
    registerExports(record);
    if (isBoundary(record.namespace)) record.accepts ??= true;
  }
  return record;
}

/** Components that have no name but that of their export. */
function registerExports({ id, namespace }) {
  for (const key of Object.keys(namespace)) {
    const value = namespace[key];
    if (refreshRuntime.isLikelyComponentType(value)) refreshRuntime.register(value, `${id}:${key}`);
  }
}

/** Whether all that a module exports are components, so that React can take new ones. */
function isBoundary(namespace) {
  const keys = Object.keys(namespace);
  return keys.length !== 0 && keys.every((key) => refreshRuntime.isLikelyComponentType(namespace[key]));
}
