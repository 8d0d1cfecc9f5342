// Order of ticks, microtasks, timers and immediates, also when callbacks throw.
const log = [];
const say = (text) => log.push(text);
process.on("uncaughtException", (err, origin) => say(`uncaught ${err.message} ${origin}`));

setImmediate(() => {
  say("immediate 1");
  process.nextTick(() => say("tick of immediate 1"));
  Promise.resolve().then(() => say("microtask of immediate 1"));
  setImmediate(() => say("immediate of the next turn"));
});
const dropped = setImmediate(() => say("never: cleared"));
setImmediate(() => { throw new Error("immediate"); });
setImmediate(() => say("immediate 3"));
clearImmediate(dropped);

process.nextTick((a, b, c) => say(`tick 1 ${a}${b}${c}`), "x", "y", "z");
process.nextTick(() => { throw new Error("tick"); });
process.nextTick(() => {
  say("tick 3");
  queueMicrotask(() => { say("microtask of tick 3"); process.nextTick(() => say("tick of a microtask")); });
});
queueMicrotask(() => { throw new Error("microtask"); });
Promise.resolve().then(() => say("promise 1")).then(() => say("promise 2"));
say("script");

setTimeout(() => {
  say("timers");
  // Timers of one duration run in order, ticks and microtasks between them.
  setTimeout((...args) => { say(`timer 1 ${args}`); process.nextTick(() => say("tick of timer 1")); }, 10, 1, 2, 3);
  setTimeout(() => { Promise.resolve().then(() => say("microtask of timer 2")); say("timer 2"); throw new Error("timer"); }, 10);
  setTimeout(() => say("timer 3"), 10);
  clearTimeout(setTimeout(() => say("never: cleared"), 10));
  const id = +setTimeout(() => say("never: cleared by number"), 10);
  clearTimeout(String(id));
  setTimeout(() => say("unref'ed is not waited for"), 60000).unref();
  let runs = 0;
  const interval = setInterval(() => { say(`interval ${++runs}`); if (runs === 2) clearInterval(interval); }, 20);
  const refreshed = setTimeout(() => say("refreshed"), 60);
  setTimeout(() => refreshed.refresh(), 20);
  setTimeout(() => say("before the refreshed one"), 65);
}, 20);

setTimeout(() => {
  for (const value of [NaN, -5, 2 ** 31, "1", null, undefined]) setTimeout(() => say(`odd duration ${value}`), value);
}, 150);
process.removeAllListeners("warning");
process.on("warning", (w) => say(`${w.name}: ${w.message.split("\n")[0]}`));

process.on("exit", (code) => {
  console.log(log.join("\n"));
  console.log("exit", code);
});
