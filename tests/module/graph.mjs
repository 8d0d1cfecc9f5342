// expected: recorded from bun 1.4.5
// Bun.ModuleGraph: instances of modules with state, names and a cache of their own.
process.chdir(new URL(".", import.meta.url).pathname);
const show = (...values) => console.log(...values);
const attempt = (what, run) => {
  try {
    show(what, "gives", run());
  } catch (error) {
    show(what, error.name, error.code, error.message);
  }
};
const eventually = async (what, run) => {
  try {
    const value = await run();
    show(what, "gives", typeof value === "object" ? Object.keys(value).length > 0 : value);
  } catch (error) {
    show(what, error.code, error.code === "ERR_MODULE_NOT_FOUND" ? error.message.includes("/[module-graph]") : error.message);
  }
};
const { ModuleGraph } = Bun;

show("== arguments");
attempt("call", () => ModuleGraph());
for (const options of [5, null, "x", { globals: 5 }, { globals: null }, { globals: [1] }, { onError: 5 }, { onError: null }])
  attempt(JSON.stringify(options), () => new ModuleGraph(options));
attempt("no identifiers", () => new ModuleGraph({ globals: { "a-b": 1, if: 1, undefined: 1, await: 1, this: 2 } }) instanceof ModuleGraph);
show(ModuleGraph.name, ModuleGraph.length, ModuleGraph.current, String(new ModuleGraph()));
show(Object.keys(ModuleGraph.prototype).join(), Object.getOwnPropertyDescriptor(ModuleGraph, "current").enumerable);
show(ModuleGraph.prototype.dispose === ModuleGraph.prototype[Symbol.dispose]);

show("== instances");
const graph = new ModuleGraph({ globals: { X: 1, process: { env: { TENANT: "a" } } } });
const app = await graph.import("./support/graph/app.mjs");
const host = await import("./support/graph/app.mjs");
show(app === host, app.readFileSync === host.readFileSync, app.main, host.main);
show(app.tenant, app.x, host.x, app.dep.x, host.dep.x);
show(app.dep === host.dep, app.dep.isMain, app.dep.id.endsWith("/dep.cjs"));
show(app.count(), app.count(), host.count(), app.counter, host.counter);
show(app.typed.level, app.typed.name(), app.data === host.data, app.data.list);
show(app.viaEval(), app.viaGlobal(), app.viaFunction(), globalThis.X);
show(app.shadowed, app.dep.shadowed, app.dep.stack.includes("dep.cjs:"));
const scripts = app.dep.keys().filter((path) => path.endsWith(".cjs"));
show(scripts.map((path) => path.split("/").pop()).join(), Object.keys(require_().cache).some((path) => path.endsWith("/dep.cjs")));
show((await graph.import("./support/graph/app.mjs")) === app, (await app.load("./app.mjs")) === app);
show(app.dep.load("./dep.cjs") === app.dep, app.required("./dep.cjs") === app.dep, app.created("./dep.cjs") === app.dep);
show((await graph.import(new URL("./support/graph/app.mjs", import.meta.url).href)) === app);
show((await graph.import("node:fs")).readFileSync === app.readFileSync);

show("== a second one");
const second = new ModuleGraph({ globals: { X: 2 } });
const other = await second.import("./support/graph/app.mjs");
show(other.x, other.dep.x, other.counter, other.tenant, app.x, other.dep === app.dep, other.main);

show("== a main module of CommonJS");
const third = new ModuleGraph();
show(JSON.stringify((await third.import("./support/graph/main.cjs")).default));
show((await third.import("./support/graph/app.mjs")).main);

show("== contexts");
const { AsyncLocalStorage } = await import("node:async_hooks");
const als = new AsyncLocalStorage();
show(app.current(), graph.run(app.current) === graph, graph.run((a, b) => [a, b, ModuleGraph.current === graph], 1, 2));
show(als.run("kept", () => graph.run(() => `${als.getStore()} ${ModuleGraph.current === graph}`)));
await graph.run(async () => {
  await null;
  show("behind await", ModuleGraph.current === graph);
  await new Promise((resolve) => setTimeout(resolve, 1));
  show("behind a timer", ModuleGraph.current === graph);
  second.run(() => show("of another", ModuleGraph.current === second));
  process.nextTick(() => show("tick", ModuleGraph.current === graph));
  queueMicrotask(() => show("microtask", ModuleGraph.current === graph));
  await new Promise((resolve) => setImmediate(resolve));
  await (await import("node:fs/promises")).readFile(import.meta.filename);
  show("behind a file", ModuleGraph.current === graph);
});
show("outside", ModuleGraph.current);
for (const fn of [5, undefined]) attempt("run", () => graph.run(fn));
attempt("this", () => ModuleGraph.prototype.run.call({}, () => 1));

show("== what is not there");
for (const specifier of [5, undefined, "", "./missing.mjs"]) await eventually("import", () => graph.import(specifier));
await eventually("throws", () => graph.import("./support/graph/throws.mjs"));
await eventually("throws again", () => graph.import("./support/graph/throws.mjs"));

show("== the end");
show(graph.dispose(), graph.dispose());
attempt("run", () => graph.run(() => 1));
await eventually("import", () => graph.import("./support/graph/app.mjs"));
await eventually("its import()", () => app.load("./new.mjs"));
await eventually("its import() again", () => app.load("./app.mjs"));
attempt("its require", () => app.dep.load("./main.cjs"));
attempt("its require again", () => app.dep.load("./dep.cjs"));
show(app.dep.keys(), app.count(), app.x, app.dep.x);
show(other.count(), (await second.import("./support/graph/app.mjs")) === other);
{
  using scoped = new ModuleGraph();
  scoped.run(() => {});
}
const ending = new ModuleGraph({ globals: { X: 3 } });
globalThis.endGraph = () => ending.dispose();
await eventually("ended by what it imports", () => ending.import("./support/graph/ending.mjs"));

function require_() {
  return process.getBuiltinModule("node:module").createRequire(import.meta.url);
}
