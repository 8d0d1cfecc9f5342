// Event, EventTarget, AbortSignal, DOMException.
const log = (...args) => console.log(...args);
process.on("uncaughtException", (err) => log("uncaught", err.message));

const t = new EventTarget();
t.addEventListener("x", function (event) { log("fn", this === t, event.type, event.target === t, event.eventPhase, event.composedPath().length); });
t.addEventListener("x", { handleEvent(event) { log("object", event.detail); event.preventDefault(); } });
t.addEventListener("x", () => log("once"), { once: true });
t.addEventListener("x", () => { throw new Error("in a listener"); }, { passive: true });
const event = new CustomEvent("x", { detail: 42, cancelable: true });
log(t.dispatchEvent(event), event.defaultPrevented, event.currentTarget, event.isTrusted);
log(t.dispatchEvent(new Event("x")));

const order = new EventTarget();
order.addEventListener("y", (e) => { order.addEventListener("y", () => log("added: not in this dispatch")); e.stopImmediatePropagation(); });
order.addEventListener("y", () => log("never: stopped"));
order.dispatchEvent(new Event("y"));
const same = () => log("same");
order.addEventListener("z", same);
order.addEventListener("z", same);
order.addEventListener("z", same, { capture: true });
order.dispatchEvent(new Event("z"));
for (const bad of [() => t.dispatchEvent({}), () => t.addEventListener("x", 1), () => new Event(), () => EventTarget.prototype.addEventListener.call({}, "x", () => {})]) {
  try { bad(); } catch (err) { log(err.name, err.code); }
}

const ac = new AbortController();
t.addEventListener("s", () => log("never: signal"), { signal: ac.signal });
ac.signal.onabort = (e) => log("onabort", e.isTrusted, ac.signal.aborted, ac.signal.reason.name, ac.signal.reason.code);
ac.abort();
ac.abort("again");
t.dispatchEvent(new Event("s"));
try { ac.signal.throwIfAborted(); } catch (err) { log(err instanceof DOMException, err instanceof Error, err.message); }

const a = new AbortController();
const b = new AbortController();
const any = AbortSignal.any([a.signal, AbortSignal.any([b.signal])]);
any.addEventListener("abort", () => log("any", any.reason));
b.abort("b");
a.abort("a");
log(AbortSignal.any([AbortSignal.abort("early"), a.signal]).reason, AbortSignal.any([]).aborted);

const timeout = AbortSignal.timeout(5);
timeout.addEventListener("abort", () => log("timeout", timeout.reason.name, timeout.reason.code));
setTimeout(() => {}, 50);

const d = new DOMException("message", "NotFoundError");
log(d.name, d.code, d.message, DOMException.NOT_FOUND_ERR, Object.prototype.toString.call(d), `${d}`);
const caused = new DOMException("m", { name: "Custom", cause: 7 });
log(caused.name, caused.code, caused.cause, typeof caused.stack);
