// expected: recorded from node 20
// The order of microtasks where the engine may skip a suspension, enters async functions itself, or runs jobs of other realms:
// nested calls, thenables, rejections, generators, async contexts, vm contexts with a queue of their own.
import { AsyncLocalStorage } from "node:async_hooks";
import vm from "node:vm";

const log = [];
const note = (...words) => log.push(words.join(" "));
const storage = new AsyncLocalStorage();
const turn = () => new Promise((resolve) => setImmediate(resolve));

// Two functions in turns, one of which awaits only values.
async function counts(name, n) {
  for (let i = 0; i < n; i++) note(name, await i);
}
await Promise.all([counts("a", 3), counts("b", 2)]);

// A job that is queued last, before an await of a settled value.
await (async () => {
  await null;
  queueMicrotask(() => note("queued"));
  await null;
  note("after queued");
  Promise.resolve().then(() => note("then"));
  note("before await");
  await Promise.resolve(1);
  note("after then");
})();

// process.nextTick comes when the queue is empty.
await (async () => {
  await null;
  process.nextTick(() => note("tick"));
  await null;
  await null;
  note("no tick yet");
})();
await turn();

// Rejections, thenables, promises with a `then` of their own, subclasses.
class Own extends Promise {
  then(...handlers) {
    note("own then");
    return super.then(...handlers);
  }
}
const changed = Promise.resolve("changed");
changed.constructor = Own;
const thenable = { then: (resolve) => (note("thenable"), resolve("value")) };
async function fails(when) {
  if (when > 0) await fails(when - 1);
  throw new Error(`fails ${when}`);
}
for (const make of [() => thenable, () => Own.resolve("own"), () => changed, () => fails(0), () => fails(2)]) {
  try {
    note("got", await make());
  } catch (error) {
    note("caught", error.message);
  } finally {
    note("finally", await "f");
  }
}

// Async generators: values, promises, return and throw.
async function* generator() {
  try {
    yield 1;
    yield Promise.resolve(2);
    note("resumed with", yield 3);
    yield 4;
  } finally {
    note("cleaned", await "up");
  }
}
for await (const value of generator()) {
  note("value", value);
  if (value === 2) break;
}
const steps = generator();
const requests = [steps.next(), steps.next(), steps.next(), steps.next("x"), steps.return("end"), steps.next()];
for (const request of requests) note(JSON.stringify(await request));

// Async contexts: each job has its own, whatever ran before it.
const settled = Promise.resolve();
async function context(name, n) {
  for (let i = 0; i < n; i++) {
    await (i % 2 ? i : settled);
    note(name, storage.getStore());
    if (i === 2) storage.enterWith(`${name} entered`);
  }
}
await Promise.all([
  storage.run("one", () => context("first", 4)),
  context("none", 3),
  storage.run("two", () => context("second", 3)),
  storage.run("three", () => settled.then(() => note("then", storage.getStore()))),
  storage.run("four", () => thenableContext()),
  settled.then(() => note("then", storage.getStore())),
]);
async function thenableContext() {
  await { then: (resolve) => (note("thenable", storage.getStore()), resolve()) };
  note("after", storage.getStore());
}
queueMicrotask(() => note("microtask", storage.getStore()));
storage.run("five", () => queueMicrotask(() => note("microtask", storage.getStore())));
await turn();

// Another realm, with the queue of the main one and with its own.
for (const options of [{}, { microtaskMode: "afterEvaluate" }]) {
  const sandbox = vm.createContext({ note }, options);
  vm.runInContext(
    `(async () => { for (let i = 0; i < 3; i++) note("x", await i); })();
     (async () => { for (let i = 0; i < 3; i++) note("y", await Promise.resolve(i)); })();
     note("evaluated");`,
    sandbox,
  );
  note("behind");
  await turn();
  await counts("main", 2);
}
console.log(log.join("\n"));
