// Hot replacement in the browser: what the registry takes from outside of the server, and new versions of modules.

/* global config, modules, registry, listeners, NEW, READY, RUNNING, MustWait, emit, fail, load, clear, namespaceOf, refreshRuntime */
/* global reportError, hideRuntimeError, nativeError */
const { document, location } = globalThis;

/** The browser loads URLs itself. */
function isOutside(id) {
  return /^(?:[a-z][a-z0-9+.-]*:)?\/\//i.test(id) || /^(?:data|blob):/.test(id);
}

function loadOutside(record, mayWait) {
  if (!mayWait) throw new MustWait(record.id);
  record.state = RUNNING;
  record.promise = importOutside(record, record.id).then(
    (namespace) => {
      record.namespace = namespace;
      record.state = READY;
      return record;
    },
    (error) => fail(record, error),
  );
  return record.promise;
}

function importOutside(_record, specifier, options) {
  return options === undefined ? import(/* @vite-ignore */ specifier) : import(/* @vite-ignore */ specifier, options);
}

/** What a CommonJS module gets beside Node's `module`, `exports` and `require`. */
function namesOf() {
  return [];
}

function metaOf(record, require) {
  return {
    url: `${location.origin}/${record.id}`,
    main: false,
    require,
    get hot() {
      throw new Error("import.meta.hot cannot be used indirectly.");
    },
  };
}

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
