// expected: recorded from node 25.9.0
// v8.promiseHooks and jobs: what waits for promises that are pending, and jobs in which the first hook is added.
const { promiseHooks } = require("node:v8");

let ids = new Map();
let log = [];
const id = (promise) => {
  if (promise === undefined) return "-";
  if (!ids.has(promise)) ids.set(promise, ids.size + 1);
  return ids.get(promise);
};
const start = () =>
  promiseHooks.createHook({
    init: (promise, parent) => log.push(`init ${id(promise)} ${id(parent)}`),
    before: (promise) => log.push(`before ${id(promise)}`),
    after: (promise) => log.push(`after ${id(promise)}`),
    settled: (promise) => log.push(`settled ${id(promise)}`),
  });

class Own extends Promise {}
const pending = {
  all: (promise) => Promise.all([promise]),
  race: (promise) => Promise.race([promise]),
  any: (promise) => Promise.any([promise]),
  allSettled: (promise) => Promise.allSettled([promise]),
  own: (promise) => Own.all([promise]),
};
// The promise of a job that runs before the one that adds the hook is another one.
const late = {
  thenable(add) {
    const known = Promise.resolve().then(() => {});
    const made = Promise.resolve({ then(resolve) { add(); resolve(1); } });
    id(made);
    id(known);
  },
  reaction(add) {
    id(Promise.resolve().then(add));
  },
  dropped(add) {
    Promise.resolve().then(add);
  },
  callback(add) {
    Promise.resolve().then(() => {});
    queueMicrotask(add);
  },
  async awaits(add) {
    const stop = start();
    const waits = new Promise((resolve) => { late.resolve = resolve; });
    queueMicrotask(() => { stop(); late.resolve(); });
    await waits;
    add();
  },
};

function next(names, run, done) {
  const name = names.shift();
  if (name === undefined) return done();
  ids = new Map();
  log = [];
  let stop = run(name);
  setTimeout(() => {
    (stop ?? run.stop)();
    console.log(`${name}: ${log.join(", ")}`);
    next(names, run, done);
  });
}

next(Object.keys(pending), (name) => {
  let settle;
  const stop = start();
  pending[name](new Promise((resolve) => { settle = resolve; }));
  settle(1);
  return stop;
}, () => {
  const run = (name) => { late[name](() => { run.stop = start(); }); };
  next(Object.keys(late), run, () => {});
});

// A program may put something else in its place.
const v8Module = require("node:v8");
console.log(Object.getOwnPropertyDescriptor(v8Module, "promiseHooks").writable);
