// The browser's half of the development server: the registry of modules, hot replacement, style sheets, the overlay of errors,
// the console's echo. The server puts this text into a function of `config` and `modules`, behind it both; see
// ext/bundle/dev/chunks.ts. What it says to pages and to tests (the element `bun-hmr`, the words of the console) is Bun's.
//
// `config`: { main, version, generation, refresh, console, errors }; `modules`: { id: definition }. A definition is
// [flags, specifiers and ids of what it imports, those of what it requires or imports later, function]. An id is a path from the
// root of the server; "" is a module without exports, and one with a scheme is loaded by the browser.

/* global config, modules */
"use strict";
const ES = 1;
const ASYNC = 2;
const REFRESH = 4;
const { console, document, location } = globalThis;
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
let refreshRuntime;
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
const isElsewhere = (id) => /^(?:[a-z][a-z0-9+.-]*:)?\/\//i.test(id) || /^(?:data|blob):/.test(id);

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
  if (isElsewhere(id)) {
    if (!mayWait) throw new MustWait(id);
    record.state = RUNNING;
    record.promise = import(/* @vite-ignore */ id).then(
      (namespace) => {
        record.namespace = namespace;
        record.state = READY;
        return record;
      },
      (error) => fail(record, error),
    );
    return record.promise;
  }
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
    if (id === undefined) return options === undefined ? import(specifier) : import(specifier, options);
    return namespaceOf(await load(id, record));
  };
  if ((flags & ES) === 0) {
    const exports = {};
    const module = (record.module = { id: record.id, exports, require });
    record.isBare = false;
    if (record.namespace !== undefined) clear(record.namespace);
    body.call(exports, module, exports, require, later);
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
  const meta = {
    url: `${location.origin}/${record.id}`,
    main: false,
    require,
    get hot() {
      throw new Error("import.meta.hot cannot be used indirectly.");
    },
  };
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

// ---- replacement

let isReloading = false;

function reloadPage(message) {
  if (isReloading) return;
  isReloading = true;
  emit("bun:beforeFullReload", null);
  if (message !== undefined) {
    console.warn(message);
    try {
      sessionStorage.setItem("bun:hmr:message", JSON.stringify({ kind: "warn", message }));
    } catch {
      // Storage is off.
    }
  }
  location.reload();
}

const acceptsItself = (record) => {
  if (record.accepts === undefined && Object.keys(record.hot?.data ?? {}).length !== 0) record.accepts = true;
  return record.accepts !== undefined;
};

/**
 * Where a change of a module ends. Adds to `stale` what has to run again and to `calls` the callbacks that want its new version;
 * false if it reaches a module that nobody imports.
 */
function spread(record, stale, calls, skipsOwn = false, seen = new Set()) {
  if (seen.has(record)) return true;
  seen.add(record);
  stale.add(record);
  const stops = !skipsOwn && acceptsItself(record);
  if (!stops && record.importers.size === 0) return false;
  for (const importer of record.importers) {
    const accept = importer.accepted.get(record.id);
    if (accept !== undefined) calls.push({ accept, id: record.id });
    else if (!stops && !spread(importer, stale, calls, false, seen)) return false;
  }
  return true;
}

/** A list of paths from a module to the roots, for the message about a reload. */
function pathToRoot(record) {
  const path = [];
  const seen = new Set();
  for (let at = record; at !== undefined && !seen.has(at); at = [...at.importers][0]) {
    seen.add(at);
    path.push(at.id);
  }
  return path;
}

async function replace(changed) {
  emit("bun:beforeUpdate", null);
  const stale = new Set();
  const calls = [];
  const unaccepted = [];
  for (const id of changed) {
    const record = registry.get(id);
    if (record === undefined || record.state === NEW) continue;
    if (!spread(record, stale, calls)) unaccepted.push(record);
  }
  if (unaccepted.length !== 0) {
    const lines = unaccepted.map((record) => {
      const path = pathToRoot(record);
      return path.length === 1
        ? `Module "${record.id}" is a root module that does not self-accept.`
        : `Module "${record.id}" is not accepted by ${path[1]}:\n  ${path.join("\n  < ")}`;
    });
    reloadPage(
      "[Bun] Hot update was not accepted because it or its importers do not call `import.meta.hot.accept`. To prevent full page reloads, call `import.meta.hot.accept` in one of the following files to handle the update:\n\n" +
        lines.join("\n"),
    );
    return;
  }
  const before = new Map();
  const waits = [];
  for (const record of stale) {
    for (const dispose of record.disposers.splice(0)) waits.push(guarded(() => dispose(record.hot.data)));
    before.set(record, { ids: Object.values(record.ids), accepts: record.accepts });
  }
  const slow = waits.filter((wait) => typeof wait?.then === "function");
  if (slow.length !== 0) await Promise.all(slow);
  for (const record of stale) {
    for (const { 0: event, 1: listener } of record.listening.splice(0)) listeners.get(event)?.delete(listener);
    for (const id of record.imports) registry.get(id)?.importers.delete(record);
    record.state = NEW;
    record.error = undefined;
    record.promise = undefined;
    record.accepts = undefined;
    record.accepted = new Map();
    record.pruners = [];
    // Importers of a module that takes its own new version keep the old one.
    if (typeof before.get(record).accepts === "function") record.namespace = undefined;
    else if (record.module === undefined && record.namespace !== undefined) clear(record.namespace);
  }
  const failed = new Set();
  let error;
  for (const record of stale) {
    if (record.state !== NEW) continue;
    try {
      const loading = load(record.id, undefined);
      if (typeof loading.then === "function") await loading;
    } catch (problem) {
      failed.add(record.id);
      error ??= { problem };
    }
  }
  const current = (id) => (failed.has(id) ? undefined : namespaceOf(registry.get(id)));
  for (const { 0: record, 1: old } of before) {
    if (typeof old.accepts === "function") guarded(() => old.accepts(current(record.id)));
  }
  const called = new Set();
  for (const { accept } of calls) {
    if (called.has(accept)) continue;
    called.add(accept);
    const mine = calls.filter((call) => call.accept === accept).map((call) => call.id);
    if (accept.callback === undefined) continue;
    const values = accept.ids.map((id) => (mine.includes(id) ? current(id) : undefined));
    guarded(() => accept.callback(accept.single ? values[0] : values));
  }
  if (refreshRuntime !== undefined) refreshRuntime.performReactRefresh();
  const hasLost = ({ 0: record, 1: old }) => {
    const ids = Object.values(record.ids);
    return old.ids.some((id) => !ids.includes(id));
  };
  if ([...before].some(hasLost)) prune();
  if (error !== undefined) {
    nativeError.call(console, error.problem);
    reportError(error.problem, true);
    return;
  }
  hideRuntimeError();
  emit("bun:afterUpdate", null);
}

function guarded(act) {
  try {
    const result = act();
    if (typeof result?.then === "function") return result.then(undefined, (error) => reportError(error, true));
    return result;
  } catch (error) {
    nativeError.call(console, error);
    reportError(error, true);
    return undefined;
  }
}

/** Forgets modules that the page no longer needs: nothing that it runs imports them, now or later. */
function prune() {
  const needed = new Set();
  const queue = [config.main, config.refresh];
  while (queue.length !== 0) {
    const record = registry.get(queue.pop());
    if (record === undefined || needed.has(record)) continue;
    needed.add(record);
    queue.push(...Object.values(record.ids));
  }
  const gone = [...registry.values()].filter((record) => !needed.has(record));
  if (gone.length === 0) return;
  emit("bun:beforePrune", null);
  for (const record of gone) {
    registry.delete(record.id);
    for (const id of Object.values(record.ids)) registry.get(id)?.importers.delete(record);
    for (const dispose of record.disposers) guarded(() => dispose(record.hot.data));
    for (const pruner of record.pruners) guarded(() => pruner(record.hot.data));
    for (const { 0: event, 1: listener } of record.listening) listeners.get(event)?.delete(listener);
  }
}

let updating = Promise.resolve();

function invalidate(record) {
  updating = updating.then(async () => {
    const stale = new Set();
    if (!spread(record, stale, [], true)) {
      reloadPage(`[Bun] Hot update of "${record.id}" was given back by import.meta.hot.invalidate()`);
      return;
    }
    stale.delete(record);
    record.accepts = undefined;
    await replace([record.id]);
  });
}

// Updates are scripts that call this.
globalThis[Symbol.for("bun:hmr")] = (update, changed) => {
  Object.assign(modules, update);
  updating = updating
    .then(() => replace(changed))
    .catch((error) => {
      nativeError.call(console, error);
      reloadPage();
    });
};

function takeScript(code) {
  const script = document.createElement("script");
  const url = URL.createObjectURL(new Blob([code], { type: "application/javascript" }));
  script.src = url;
  script.onload = () => {
    URL.revokeObjectURL(url);
    script.remove();
  };
  script.onerror = (event) => {
    nativeError.call(console, "[Bun] The script of a hot update cannot be run", event);
    reloadPage();
  };
  document.head.appendChild(script);
}

// ---- style sheets

const sheetId = (element) =>
  element.dataset?.bunCss ?? /\/_bun\/asset\/([0-9a-f]{16})\.css/.exec(element.href ?? "")?.[1];

function sheets() {
  const found = new Map();
  for (const element of document.querySelectorAll('link[rel="stylesheet"], style[data-bun-css]')) {
    const id = sheetId(element);
    if (id !== undefined) found.set(id, element);
  }
  return found;
}

/** Puts the text of style sheets into the place of what was there; `order`: all sheets of the page. */
function takeSheets(texts, order) {
  const known = sheets();
  const put = (id, text, after) => {
    let element = known.get(id);
    if (element?.tagName !== "STYLE") {
      const style = document.createElement("style");
      style.setAttribute("data-bun-css", id);
      if (element !== undefined) {
        element.parentNode.insertBefore(style, element);
        element.remove();
      } else if (after !== undefined) after.parentNode.insertBefore(style, after.nextSibling);
      else document.head.insertBefore(style, null);
      element = style;
      known.set(id, element);
    }
    element.textContent = text;
  };
  let last;
  for (const id of order) {
    if (texts[id] !== undefined) put(id, texts[id], last);
    last = known.get(id) ?? last;
  }
  for (const { 0: id, 1: element } of known) if (!order.includes(id)) element.remove();
}

// ---- the overlay

let overlay;
let buildErrors = config.errors ?? [];
let runtimeErrors = [];
/** Whether the page has never run, so that it has to be loaded when its errors are gone. */
const isBroken = buildErrors.length !== 0;

const STYLE = `
  :host { position: fixed; inset: 0; z-index: 2147483647; background: #0008; overflow: auto; font: 14px/1.5 ui-monospace, monospace; }
  .root { max-width: 1000px; margin: 6vh auto; background: #181818; color: #eee; border-top: 4px solid #e5484d; border-radius: 6px;
    padding: 20px 24px; box-shadow: 0 12px 40px #000a; }
  h1 { font-size: 16px; margin: 0 0 12px; color: #ff6b6b; } .b-group { margin: 0 0 18px; }
  .file-name { background: none; border: 0; padding: 0; font: inherit; color: #7cc7ff; cursor: pointer; text-decoration: underline; }
  .log-label { color: #ff6b6b; font-weight: bold; } .log-label.warn { color: #ffc53d; } .b-msg { margin: 8px 0; white-space: pre-wrap; }
  .code-line { display: flex; white-space: pre; overflow-x: auto; background: #0d0d0d; padding: 4px 8px; border-radius: 4px; }
  .gutter { color: #777; margin-right: 12px; user-select: none; } .highlight-wrap { color: #ff6b6b; white-space: pre; }
  .space { visibility: hidden; } .trace { color: #aaa; white-space: pre-wrap; margin: 8px 0; } .dismiss { float: right; background: none;
    border: 1px solid #555; color: #aaa; border-radius: 4px; cursor: pointer; }`;

function element(tag, className, text, ...children) {
  const made = document.createElement(tag);
  if (className !== "") made.className = className;
  if (text !== undefined) made.textContent = text;
  for (const child of children) if (child !== undefined) made.appendChild(child);
  return made;
}

/** A name that opens the place in the editor. */
function place(file, line, column) {
  const button = element("button", "file-name", file);
  button.addEventListener("click", () => {
    const query = new URLSearchParams({ file, line: `${line ?? 1}`, column: `${column ?? 1}` });
    fetch(`/_bun/open-in-editor?${query}`, { method: "POST" });
  });
  return button;
}

function excerpt({ line, column, length, lineText }) {
  const code = element(
    "div",
    "code-line",
    undefined,
    element("span", "gutter", `${line}`),
    element("span", "", lineText),
  );
  const marks = element(
    "div",
    "highlight-wrap",
    undefined,
    element("span", "space", " ".repeat(Math.max(column - 1, 0))),
    element("span", "mark", "^".repeat(Math.max(length ?? 1, 1))),
  );
  return element("div", "excerpt", undefined, code, marks);
}

function draw() {
  const isShown = buildErrors.length !== 0 || runtimeErrors.length !== 0;
  if (overlay === undefined) {
    if (!isShown) return;
    overlay = document.createElement("bun-hmr");
    overlay.attachShadow({ mode: "open" });
    document.body.appendChild(overlay);
  }
  overlay.style.display = isShown ? "block" : "none";
  const root = element("div", "root");
  const dismiss = element("button", "dismiss", "Esc");
  dismiss.addEventListener("click", hide);
  root.appendChild(dismiss);
  if (buildErrors.length !== 0) {
    root.appendChild(
      element("h1", "", buildErrors.length === 1 ? "1 build error" : `${buildErrors.length} build errors`),
    );
    const groups = Map.groupBy?.(buildErrors, (error) => error.file) ?? grouped(buildErrors);
    for (const { 0: file, 1: errors } of groups) {
      const group = element("div", "b-group", undefined, place(file, errors[0].line, errors[0].column));
      for (const error of errors) {
        const message = element("div", "b-msg");
        message.appendChild(element("span", `log-label ${error.level}`, error.level));
        message.appendChild(element("span", "log-colon", ": "));
        message.appendChild(element("span", "log-text", error.text));
        if (error.line > 0) message.appendChild(excerpt(error));
        for (const note of error.notes ?? []) message.appendChild(element("div", "note", `note: ${note}`));
        group.appendChild(message);
      }
      root.appendChild(group);
    }
  }
  for (const { name, message, frames, shown } of runtimeErrors) {
    const box = element("div", "r-error");
    const head = element("h1", "message-desc", `${name}: ${message}`);
    box.appendChild(head);
    if (shown !== undefined) box.appendChild(excerpt(shown));
    for (const frame of frames) {
      const line = element("div", "trace", `at ${frame.name === "" ? "" : `${frame.name} `}`);
      line.appendChild(place(`${frame.file}:${frame.line}:${frame.column}`, frame.line, frame.column));
      box.appendChild(line);
    }
    root.appendChild(box);
  }
  overlay.shadowRoot.replaceChildren(element("style", "", STYLE), root);
}

function grouped(errors) {
  const groups = new Map();
  for (const error of errors) groups.set(error.file, [...(groups.get(error.file) ?? []), error]);
  return groups;
}

function hide() {
  if (overlay !== undefined) overlay.style.display = "none";
}

function hideRuntimeError() {
  if (runtimeErrors.length === 0) return;
  runtimeErrors = [];
  draw();
}

/** Shows an error of the program, with its places in the sources, and tells the server's terminal. */
function reportError(value, isShown, isRejection = false) {
  const isError = value instanceof Error || (typeof value === "object" && value !== null && "stack" in value);
  const name = isError ? (value.name ?? "Error") : "error";
  const message = isError ? String(value.message) : `Uncaught ${inspect(value)}`;
  const stack = isError ? String(value.stack ?? "") : "";
  emit("bun:error", value);
  const error = { name: isError && name === "Error" ? "error" : name, message, frames: [], shown: undefined };
  if (isShown) {
    runtimeErrors = [error];
    draw();
  }
  const body = JSON.stringify({ name, message, stack, url: location.href, isRejection });
  fetch("/_bun/report_error", { method: "POST", headers: { "content-type": "application/json" }, body })
    .then((response) => response.json())
    .then((mapped) => {
      error.frames = mapped.frames ?? [];
      error.shown = mapped.shown;
      if (runtimeErrors.includes(error)) draw();
    })
    .catch(() => {});
}

globalThis.addEventListener("error", (event) => {
  const value = event.error ?? event.message;
  if (value !== undefined && value !== null && value !== "") reportError(value, true);
});
globalThis.addEventListener("unhandledrejection", (event) => reportError(event.reason, true, true));
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") hide();
});

// ---- the connection

const decoder = new TextDecoder();
let socket;
let waiting = [];
let tries = 0;
let hasConnected = false;

function send(text) {
  if (socket !== undefined && socket.readyState === 1) socket.send(text);
  else if (waiting.length < 1000) waiting.push(text);
}

function take(data) {
  const bytes = new Uint8Array(data);
  const kind = String.fromCharCode(bytes[0]);
  const text = () => decoder.decode(bytes.subarray(1));
  if (kind === "V") {
    if (text() !== config.version || hasConnected) {
      reloadPage();
      return;
    }
    hasConnected = true;
    nativeInfo.call(console, "[Bun] Hot-module-reloading socket connected, waiting for changes...");
    emit("bun:ws:connect", null);
    send("she");
    send(`n${location.pathname}`);
    // What has changed since the page was made.
    send(`i${config.generation}`);
  } else if (kind === "u") {
    const size = new DataView(bytes.buffer, bytes.byteOffset).getUint32(1, true);
    const head = JSON.parse(decoder.decode(bytes.subarray(5, 5 + size)));
    // There are new versions only of what has no errors.
    buildErrors = [];
    if (head.reload || isBroken) {
      reloadPage();
      return;
    }
    draw();
    if (head.sheets !== undefined) takeSheets(head.sheets, head.order);
    if (bytes.length > 5 + size) takeScript(decoder.decode(bytes.subarray(5 + size)));
    else emit("bun:afterUpdate", null);
  } else if (kind === "e") {
    buildErrors = JSON.parse(text());
    if (isBroken && buildErrors.length === 0) reloadPage();
    else {
      if (buildErrors.length !== 0) emit("bun:error", buildErrors);
      draw();
    }
  }
}

function connect() {
  const url = new URL("/_bun/hmr", location.href);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  socket = new WebSocket(url.href);
  socket.binaryType = "arraybuffer";
  socket.onopen = () => {
    tries = 0;
    for (const text of waiting.splice(0)) socket.send(text);
  };
  socket.onmessage = (event) => take(event.data);
  socket.onclose = () => {
    if (isReloading) return;
    if (tries === 0) {
      emit("bun:ws:disconnect", null);
      console.warn("[Bun] Hot-module-reloading socket disconnected, reconnecting...");
    }
    setTimeout(connect, Math.min(250 * 2 ** tries++, 5000));
  };
}

for (const name of ["pushState", "replaceState"]) {
  const native = globalThis.History?.prototype[name];
  if (native === undefined) continue;
  History.prototype[name] = function (...values) {
    native.apply(this, values);
    send(`n${location.pathname}`);
  };
}

// ---- the console

function inspect(value, depth = 0, seen = new Set()) {
  if (typeof value === "string") return depth === 0 ? value : JSON.stringify(value);
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "function") return `[Function${value.name ? `: ${value.name}` : ""}]`;
  if (typeof value !== "object" || value === null) return String(value);
  if (seen.has(value)) return "[Circular]";
  if (value instanceof Error) return String(value.stack ?? value);
  if (globalThis.Element !== undefined && value instanceof Element) return `<${value.tagName.toLowerCase()}>`;
  if (value instanceof Date) return value.toISOString();
  if (value instanceof RegExp) return String(value);
  if (depth > 3) return Array.isArray(value) ? "[Array]" : "[Object]";
  seen.add(value);
  const inside = (item) => inspect(item, depth + 1, seen);
  let text;
  if (Array.isArray(value)) text = value.length === 0 ? "[]" : `[ ${value.slice(0, 100).map(inside).join(", ")} ]`;
  else if (value instanceof Map)
    text = `Map { ${[...value].map(([k, v]) => `${inside(k)} => ${inside(v)}`).join(", ")} }`;
  else if (value instanceof Set) text = `Set { ${[...value].map(inside).join(", ")} }`;
  else {
    const entries = Object.entries(value).map(([key, item]) => `${key}: ${inside(item)}`);
    const name = value.constructor?.name;
    text = `${name === undefined || name === "Object" ? "" : `${name} `}${entries.length === 0 ? "{}" : `{ ${entries.join(", ")} }`}`;
  }
  seen.delete(value);
  return text;
}

if (config.console) {
  const levels = { log: "l", info: "l", debug: "l", warn: "w", error: "e" };
  for (const name of Object.keys(levels)) {
    const native = console[name];
    if (typeof native !== "function") continue;
    console[name] = function (...values) {
      native.apply(this, values);
      // The place of the call, for the terminal: the frame behind this one.
      const frame = (new Error().stack ?? "").split("\n").filter((line) => line.includes("/_bun/"))[1] ?? "";
      send(`l${levels[name]}${values.map((value) => inspect(value)).join(" ")}\0${frame.trim()}`);
    };
  }
}

// ---- start

try {
  const message = JSON.parse(sessionStorage.getItem("bun:hmr:message"));
  if (message !== null) {
    sessionStorage.removeItem("bun:hmr:message");
    (message.kind === "warn" ? console.warn : console.error)(message.message);
  }
} catch {
  // Storage is off.
}
const start = async () => {
  if (config.refresh) {
    try {
      refreshRuntime = exportsOf(await load(config.refresh));
      refreshRuntime.injectIntoGlobalHook(globalThis);
    } catch (error) {
      nativeError.call(console, error);
    }
  }
  try {
    const loading = load(config.main);
    if (typeof loading.then === "function") await loading;
    emit("bun:ready", null);
  } catch (error) {
    nativeError.call(console, error);
    reportError(error, true);
  }
};
connect();
if (isBroken) draw();
else start();
