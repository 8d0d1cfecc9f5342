// expected: recorded from bun 1.4.5
// Errors that nobody catches go to `onError` of the graph in whose context they happen, else of the graph that made it, else to the program.
const show = (...values) => console.log(...values);
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const { ModuleGraph } = Bun;
process.chdir(new URL(".", import.meta.url).pathname);
process.on("uncaughtException", (error, kind) => show("program", error.message, kind));
process.on("unhandledRejection", (error) => show("program", error.message, "rejection"));
const graph = new ModuleGraph({
  onError(error, kind) {
    show("graph", error?.message ?? error, kind, ModuleGraph.current);
    if (error === "again") throw new Error("of the handler");
  },
});
const run = async (what, fn) => {
  show(`== ${what}`);
  try {
    await graph.run(fn);
  } catch (error) {
    show("caller", error.message);
  }
  await sleep(10);
};

await run("thrown to the caller", () => {
  throw new Error("sync");
});
await run("timer", () => void setTimeout(() => { throw new Error("timer"); }));
await run("immediate", () => void setImmediate(() => { throw new Error("immediate"); }));
await run("tick", () => void process.nextTick(() => { throw new Error("tick"); }));
await run("microtask", () => queueMicrotask(() => { throw new Error("microtask"); }));
await run("rejection", () => void Promise.reject(new Error("rejection")));
await run("rejection behind await", () => void (async () => { await null; throw new Error("async"); })());
await run("no error", () => void setTimeout(() => { throw "text"; }));
await run("handler throws", () => void setTimeout(() => { throw "again"; }));
await run("caught in time", () => void Promise.reject(new Error("caught")).catch(() => {}));
await run("event", () => void setTimeout(() => new (process.getBuiltinModule("events"))().emit("error", new Error("event"))));

show("== import");
const app = await graph.import("./support/graph/app.mjs");
await graph.import("./support/graph/throws.mjs").catch((error) => show("importer", error.message));
graph.import("./support/graph/throws.mjs");
await sleep(10);

show("== called by the program");
const host = () => void setTimeout(() => { throw new Error("of the program"); });
host();
await sleep(10);
graph.run(host);
await sleep(10);

show("== a graph in a graph");
const inner = graph.run(() => new ModuleGraph());
inner.run(() => void setTimeout(() => { throw new Error("inner"); }));
await sleep(10);
const alone = new ModuleGraph();
alone.run(() => void setTimeout(() => { throw new Error("alone"); }));
await sleep(10);

show("== a handler throws in a graph in a graph");
const failing = (name) => () =>
  new ModuleGraph({
    onError(error, kind) {
      show(name, error.message, kind, ModuleGraph.current === undefined);
      throw new Error(`of ${name}`);
    },
  });
const nested = graph.run(failing("nested"));
nested.run(() => void setTimeout(() => { throw new Error("timer"); }));
await sleep(10);
nested.run(() => void Promise.reject(new Error("rejection")));
await sleep(10);
const outer = failing("outer")();
const within = outer.run(failing("within"));
within.run(() => void Promise.reject(new Error("rejection")));
await sleep(10);
const below = new ModuleGraph().run(failing("below"));
below.run(() => void Promise.reject(new Error("rejection")));
await sleep(10);

show("== after the end");
graph.run(() => process.nextTick(() => { throw new Error("left behind"); }));
graph.dispose();
await sleep(10);
void app;
