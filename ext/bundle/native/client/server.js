// The registry in the process of the server: what it takes from outside are built-in modules and addons, and new versions of
// modules make those run again that import them, when somebody next asks for them.
//
// `config`: { require(id), import(specifier, importer), resolve(specifier, importer), report(error), urlOf(path), pathOf(id),
// dirname(path), env }. Gives { load, replace }.

/* global config, modules, registry, NEW, RUNNING, READY, load, clear, namespaceOf, invalidate */

function isOutside(id) {
  return modules[id] === undefined;
}

function loadOutside(record) {
  record.module = { id: record.id, exports: config.require(record.id) };
  record.state = READY;
  return record;
}

/** `import()` of a specifier that is computed: the id of a module, or what the process finds. */
async function importOutside(record, specifier) {
  if (modules[specifier] !== undefined) return namespaceOf(await load(specifier, record));
  return config.import(specifier, config.pathOf(record.id));
}

function namesOf(record) {
  const path = config.pathOf(record.id);
  return [path, config.dirname(path)];
}

function metaOf(record, require) {
  const path = config.pathOf(record.id);
  const dirname = config.dirname(path);
  return {
    url: config.urlOf(path),
    path,
    filename: path,
    dir: dirname,
    dirname,
    file: path.slice(dirname === "/" ? 1 : dirname.length + 1),
    env: config.env,
    main: false,
    require,
    resolve: (specifier) => config.resolve(specifier, path),
    // Nothing is replaced in its place here.
    hot: undefined,
  };
}

function reportError(error) {
  config.report(error);
}

function invalidate(record) {
  forget([record.id]);
}

/** Has modules and all that import them run again, once somebody asks for them. */
function forget(ids) {
  const stale = new Set();
  const queue = ids.map((id) => registry.get(id)).filter((record) => record !== undefined);
  while (queue.length !== 0) {
    const record = queue.pop();
    if (stale.has(record)) continue;
    stale.add(record);
    queue.push(...record.importers);
  }
  for (const record of stale) {
    for (const dispose of record.disposers.splice(0)) {
      try {
        dispose(record.hot.data);
      } catch (error) {
        config.report(error);
      }
    }
    for (const id of record.imports) registry.get(id)?.importers.delete(record);
    // A run that goes on ends in a record that nobody asks for any more.
    if (record.state === RUNNING) {
      registry.delete(record.id);
      continue;
    }
    record.state = NEW;
    record.error = undefined;
    record.promise = undefined;
    record.accepts = undefined;
    record.accepted = new Map();
    if (record.module === undefined && record.namespace !== undefined) clear(record.namespace);
  }
}

return {
  load: async (id) => namespaceOf(await load(id)),
  replace(definitions, gone) {
    const changed = Object.keys(definitions);
    forget([...changed, ...gone]);
    Object.assign(modules, definitions);
    for (const id of gone) {
      delete modules[id];
      registry.delete(id);
    }
  },
};
