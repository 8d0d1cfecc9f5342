// Trace events: the file that --trace-event-categories asks for, node:trace_events, and the inspector's domain NodeTracing.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "bao-trace-"));

/** The events of a program: phase, categories and name of each but those that tell of the process. */
function trace(options, code, file = "node_trace.1.log") {
  const { status, stderr } = spawnSync(process.execPath, [...options, "-e", code], { cwd: folder, encoding: "utf8" });
  console.log(status, stderr.trim());
  const { traceEvents } = JSON.parse(readFileSync(join(folder, file), "utf8"));
  rmSync(join(folder, file));
  return traceEvents;
}
const own = (events) => events.filter(({ cat }) => cat !== "__metadata");
const show = (events) => {
  for (const { ph, cat, name, args } of own(events)) console.log(ph, cat, name, JSON.stringify(args));
};

let events = trace(["--trace-event-categories", "node.console,node.perf"], `
  console.time("t"); console.timeLog("t"); console.timeEnd("t"); console.count(); console.countReset();
  performance.mark("a"); performance.measure("b", "a"); process.title = "renamed";
`);
show(events);
console.log(events.filter(({ cat }) => cat === "__metadata").map(({ name }) => name).join(" "));
console.log(events.every(({ pid, tid, ts }) => pid > 0 && tid > 0 && ts > 0));

// A failure ends its span, and process.exit() the file.
show(trace(["--trace-event-categories", "node.fs.sync"], `
  const fs = require("fs"); try { fs.statSync("missing"); } catch {} fs.readdirSync("."); process.exit();
`));
events = trace(["--trace-event-categories", "node.fs.async,node.vm.script"], `
  require("fs").stat(".", () => {}); require("vm").runInNewContext("1");
`);
console.log(own(events).map(({ ph, name, id }) => [ph, name, typeof id].join()).sort().join(" "));

// What is traced does not change what a program does: values that JSON cannot say, functions that `promisify` asks, errors of syntax.
events = trace(["--trace-event-categories", "node.console,node.fs.async,node.vm.script"], `
  const own = {}; own.own = own;
  console.time("t");
  for (const value of [own, 10n, { toJSON() { throw new Error("mine"); } }, [1]]) console.timeLog("t", value);
  const fs = require("fs");
  require("util").promisify(fs.read)(fs.openSync(process.execPath), Buffer.alloc(4), 0, 4, 0).then(
    ({ bytesRead }) => console.assert(bytesRead === 4));
  try { new (require("vm").Script)("{"); } catch (error) { console.assert(error.name === "SyntaxError"); }
`);
show(events.filter(({ name }) => name.startsWith("time")));
console.log(own(events).filter(({ name }) => !name.startsWith("time")).map(({ ph, name }) => ph + name).join(" "));

events = trace(["--trace-event-categories", "node.http,node.net.native"], `
  const http = require("http");
  const server = http.createServer((request, response) => response.end("x")).listen(0, "127.0.0.1", () => {
    http.get({ port: server.address().port, host: "127.0.0.1", agent: false, path: "/p" }, (response) =>
      response.resume().on("end", () => server.close()));
  });
`);
console.log(own(events).map(({ ph, name, args }) => [ph, name, args.data?.statusCode ?? ""].join()).sort().join(" "));

// Resources of all threads, by hooks that come and go.
events = trace([], `
  const { createTracing, getEnabledCategories } = require("trace_events");
  const tracing = createTracing({ categories: ["node.async_hooks"] });
  console.assert(getEnabledCategories() === undefined);
  tracing.enable();
  console.assert(getEnabledCategories() === "node.async_hooks");
  setTimeout(() => { tracing.disable(); setTimeout(() => {}, 1); }, 1);
`);
console.log(own(events).filter(({ name }) => name.startsWith("Timeout")).map(({ ph, name }) => ph + name).join(" "));
events = trace(["--trace-event-categories", "node.async_hooks", "--trace-event-file-pattern", "${rotation}.log"], `
  new (require("worker_threads").Worker)("setTimeout(() => {}, 1)", { eval: true, name: "w" });
`, "1.log");
console.log(events.filter(({ name }) => name === "thread_name").map(({ args }) => args.name).join(", "));
console.log(new Set(events.filter(({ name }) => name === "Timeout").map(({ tid }) => tid)).size);
// They are counted from the start of the process.
show(trace([], `
  process.on("unhandledRejection", () => {}); process.on("rejectionHandled", () => {});
  const before = Promise.reject(0);
  setImmediate(() => {
    before.catch(() => {});
    require("trace_events").createTracing({ categories: ["node.promises.rejections"] }).enable();
    const late = Promise.reject(1); setImmediate(() => late.catch(() => {}));
  });
`));
console.log(readdirSync(folder));
rmSync(folder, { recursive: true });

const session = new Session();
session.connect();
const told = [];
session.on("NodeTracing.dataCollected", ({ params }) => told.push(...params.value));
session.on("NodeTracing.tracingComplete", () => console.log("complete"));
const { categories } = await session.post("NodeTracing.getCategories");
console.log(categories.join(" "));
await session.post("NodeTracing.start", { traceConfig: { includedCategories: ["node.perf.usertiming"] } });
performance.mark("mine");
console.log(await session.post("NodeTracing.start", { traceConfig: { includedCategories: ["x"] } }).catch(({ message }) => message));
await session.post("NodeTracing.stop");
performance.mark("not mine");
show(told);

// Sessions are told of what waits before the end.
told.length = 0;
await session.post("NodeTracing.start", { traceConfig: { includedCategories: ["node.perf.usertiming"] } });
for (let i = 0; i < 1500; i++) performance.mark("many");
while (own(told).length === 0) await new Promise(setImmediate);
console.log(own(told).length);
await session.post("NodeTracing.stop");
console.log(own(told).length);
