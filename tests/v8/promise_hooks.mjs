// expected: recorded from node 25.9.0
// The order in which v8.promiseHooks tells of promises, and their parents: numbers in the order of their first event.
import { promiseHooks } from "node:v8";

let ids = new WeakMap();
let count = 0;
let log = [];
const id = (promise) => {
  if (promise === undefined) return "-";
  if (!ids.has(promise)) ids.set(promise, ++count);
  return ids.get(promise);
};
const tests = {
  then() { return Promise.resolve(1).then(() => 2).then(); },
  dropped() { const p = Promise.resolve(1); p.then(() => 2); },
  catching() { return Promise.reject(new Error("x")).catch(() => 3); },
  fin() { return Promise.resolve(1).finally(() => {}); },
  async awaitValue() { await 1; },
  async awaitPromise() { await Promise.resolve(1); },
  async awaitRejected() { try { await Promise.reject(1); } catch {} },
  async awaitPending() { let r; const p = new Promise((f) => { r = f; }); queueMicrotask(() => r(5)); await p; },
  async twice() { await 1; await 2; return 7; },
  async call() { const f = async () => { await 1; return 1; }; await f(); },
  async throwing() { try { await (async () => { throw 1; })(); } catch {} },
  async returnsPromise() { return Promise.resolve(4); },
  async returnsThenable() { return { then(f) { f(1); } }; },
  async awaitThenable() { await { then(f) { f(1); } }; },
  resolveWith() { return new Promise((f) => f(Promise.resolve(1))); },
  all() { return Promise.all([1, Promise.resolve(2)]); },
  race() { return Promise.race([1, 2]); },
  allSettled() { return Promise.allSettled([Promise.reject(1)]); },
  any() { return Promise.any([1]); },
  withResolvers() { const { promise, resolve } = Promise.withResolvers(); resolve(1); return promise; },
  tryIt() { return Promise.try(() => 1); },
  async gen() { async function* g() { yield 1; yield await 2; } for await (const x of g()); },
  async fromSync() { for await (const x of [1]); },
  sub() { class P extends Promise {} return P.resolve(1).then(() => {}); },
  self() { let r; const p = new Promise((f) => { r = f; }); r(p); return p.catch(() => {}); },
  executorThrows() { return new Promise(() => { throw 1; }).catch(() => {}); },
  rejectTwice() { return new Promise((f, r) => { r(1); r(2); f(3); }).catch(() => {}); },
};

const names = Object.keys(tests);
function next() {
  const name = names.shift();
  if (name === undefined) return others();
  ids = new WeakMap();
  count = 0;
  log = [];
  const stop = promiseHooks.createHook({
    init(promise, parent) {
      const of = id(parent);
      log.push(`init ${id(promise)} ${of}`);
    },
    before: (promise) => void log.push(`before ${id(promise)}`),
    after: (promise) => void log.push(`after ${id(promise)}`),
    settled: (promise) => void log.push(`settled ${id(promise)}`),
  });
  tests[name]();
  log.push("|");
  setImmediate(() => {
    stop();
    console.log(`${name}: ${log.join(", ")}`);
    next();
  });
}
setImmediate(next);

// What is no function, and two hooks of which one ends within an event.
function others() {
  for (const wrong of [undefined, 1, async () => {}, async function* () {}]) {
    try {
      promiseHooks.onInit(wrong);
    } catch (error) {
      console.log(error.code, /"initHook"/.test(error.message));
    }
  }
  let heard = 0;
  const first = promiseHooks.onInit(() => {
    heard += 1;
    first();
  });
  const second = promiseHooks.onInit(() => void (heard += 10));
  Promise.resolve();
  Promise.resolve();
  second();
  second();
  Promise.resolve();
  console.log(heard);
  process.once("uncaughtException", (error) => console.log("uncaught", error.message));
  const throwing = promiseHooks.onInit(() => {
    throwing();
    throw new Error("of a hook");
  });
  Promise.resolve();
  // Machine code that was made before there was a hook.
  const hot = async (n) => {
    for (let i = 0; i < n; i++) await i;
    return Promise.resolve(n).then((x) => x + 1);
  };
  const last = hot(20_000).then(() => {
    const events = { init: 0, before: 0, after: 0, settled: 0 };
    const stop = promiseHooks.createHook(
      Object.fromEntries(Object.keys(events).map((name) => [name, () => void events[name]++])),
    );
    hot(100);
    setImmediate(() => {
      stop();
      console.log(events);
      hot(20_000).then((n) => console.log(n, events.init));
    });
  });
  console.log(typeof last);
}
