// EventEmitter: order, changes during emit, once, error and rejection handling.
const EventEmitter = require("events");
const { once, on, getEventListeners, errorMonitor, captureRejectionSymbol } = EventEmitter;
const log = (...args) => console.log(...args);

const e = new EventEmitter();
e.on("a", () => log("first"));
e.prependListener("a", function (...args) { log("prepended", this === e, args.length, ...args); });
e.once("a", () => log("once"));
log(e.emit("a", 1, 2, 3, 4, 5), e.emit("a"), e.emit("nobody"));
log(e.listenerCount("a"), e.eventNames(), e.rawListeners("a").length);

// Listeners added or removed while an event is emitted do not change that emit.
const m = new EventEmitter();
const late = () => log("late");
m.on("x", () => { m.removeListener("x", last); m.on("x", late); log("remover"); });
const last = () => log("removed, still called");
m.on("x", last);
m.emit("x");
m.emit("x");

// The same with more listeners than are kept in one copied array.
const many = new EventEmitter().setMaxListeners(0);
let calls = 0;
const counter = () => { calls++; many.on("n", counter); };
for (let i = 0; i < 40; i++) many.on("n", counter);
many.emit("n");
log(calls, many.listenerCount("n"), many.listenerCount("n", counter));

const meta = new EventEmitter();
meta.on("newListener", (name, fn) => log("newListener", String(name), fn.name));
meta.on("removeListener", (name, fn) => log("removeListener", String(name), fn.name));
meta.once(Symbol.for("s"), function named() {});
meta.emit(Symbol.for("s"));
meta.removeAllListeners();
log(meta.eventNames());

for (const value of [new Error("an error"), "text", undefined, { code: 1 }]) {
  const bad = new EventEmitter();
  bad.on(errorMonitor, (x) => log("monitor", x instanceof Error ? x.message : x));
  try { bad.emit("error", value); } catch (err) { log(err.name, err.code, err.message); }
}
try { e.on("x", 5); } catch (err) { log(err.code); }

(async () => {
  const r = new EventEmitter({ captureRejections: true });
  r.on("go", async () => { throw new Error("rejected"); });
  r.on("error", (err) => log("captured", err.message));
  r.emit("go");
  const r2 = new EventEmitter({ captureRejections: true });
  r2[captureRejectionSymbol] = (err, name, ...args) => log("symbol", err.message, name, ...args);
  r2.on("go", async () => { throw new Error("rejected too"); });
  r2.emit("go", 7);

  const p = once(e, "later");
  e.emit("later", 1, 2);
  log(await p);
  await once(e, "fails").catch(() => {});
})();
setImmediate(() => e.emit("error", new Error("ends the once")));

setTimeout(async () => {
  const source = new EventEmitter();
  const ac = new AbortController();
  setTimeout(() => { source.emit("n", 1); source.emit("n", 2); ac.abort(); }, 1);
  try {
    for await (const [n] of on(source, "n", { signal: ac.signal })) log("on", n);
  } catch (err) {
    log(err.name, err.code, getEventListeners(ac.signal, "abort").length, source.listenerCount("n"));
  }
  function Old() { EventEmitter.call(this); }
  Object.setPrototypeOf(Old.prototype, EventEmitter.prototype);
  const old = new Old();
  old.on("q", () => log("old style"));
  old.emit("q");
  log(typeof EventEmitter.EventEmitter, EventEmitter.defaultMaxListeners, EventEmitter.prototype.emit.length);
}, 5);
