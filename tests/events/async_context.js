// AsyncLocalStorage, AsyncResource, diagnostics_channel.
const { AsyncLocalStorage, AsyncResource } = require("async_hooks");
const dc = require("diagnostics_channel");
// Which context a callback sees is what matters here, not which of two unrelated timers is first: sorted at the end.
const lines = [];
const log = (...args) => lines.push(args.join(" "));
process.on("exit", () => console.log(lines.sort().join("\n")));
const als = new AsyncLocalStorage();
const other = new AsyncLocalStorage();

const where = (text) => () => log(text, als.getStore(), other.getStore());
als.run("outer", () => {
  setTimeout(where("timeout"), 5);
  setImmediate(where("immediate"));
  process.nextTick(where("tick"));
  queueMicrotask(where("microtask"));
  Promise.resolve().then(where("then"));
  (async () => { await null; where("after await")(); await new Promise((r) => setTimeout(r, 8)); where("after a timer")(); })();
  other.run("both", () => process.nextTick(where("tick of both")));
  als.run("inner", where("inner"));
  als.exit(where("exit"));
  where("restored")();
});
where("outside")();

const bound = als.run("bound", () => AsyncResource.bind((x) => log("bound", als.getStore(), x)));
bound(1);
const snapshot = als.run("snapshot", () => AsyncLocalStorage.snapshot());
log(snapshot(() => als.getStore()));
const resource = als.run("resource", () => new AsyncResource("Mine"));
resource.runInAsyncScope(function (a) { log("resource", als.getStore(), this.name, a); }, { name: "me" }, 5);
try { als.run("x", () => { throw new Error("thrown"); }); } catch (err) { log(err.message, als.getStore()); }

setTimeout(() => {
  als.enterWith("entered");
  setTimeout(where("follows enterWith"), 2);
}, 15);
setTimeout(where("another timer"), 25);

const channel = dc.channel("events-test");
channel.bindStore(als, (data) => data.id);
dc.subscribe("events-test", (message, name) => log("published", message, name, als.getStore()));
log(channel.runStores({ id: 9 }, function (x) { return [als.getStore(), this, x]; }, "this", 3));
log(dc.hasSubscribers("events-test"), dc.hasSubscribers("nobody"));

const tracing = dc.tracingChannel("op");
tracing.subscribe({
  start: (c) => log("start", c.n), end: (c) => log("end", c.n, c.result), error: (c) => log("error", c.error.message),
  asyncStart: (c) => log("asyncStart", c.n, c.result), asyncEnd: (c) => log("asyncEnd", c.n),
});
log(tracing.traceSync((a, b) => a + b, { n: 1 }, null, 2, 3));
try { tracing.traceSync(() => { throw new Error("sync"); }, { n: 2 }); } catch {}
setTimeout(() => {
  tracing.tracePromise(async (x) => x * 2, { n: 3 }, null, 21).then(log);
  tracing.traceCallback((x, cb) => setImmediate(cb, null, x), -1, { n: 4 }, null, "value", (err, value) => log("callback", err, value));
}, 40);
