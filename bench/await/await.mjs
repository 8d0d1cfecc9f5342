// What an await and other steps of promises cost, in nanoseconds each: best of 9. `RUNTIME await.mjs [COUNT] [CASE]`; without
// a case, each in a process of its own, so that none finds the engine as warm as another has left it.
import { spawnSync } from "node:child_process";

const count = Number(process.argv[2] || 1e5);
const only = process.argv[3];

const settled = Promise.resolve(1);
const returns = async (i) => i;
const awaits = async (i) => {
  await i;
  return i;
};
async function* generator(n) {
  for (let i = 0; i < n; i++) yield i;
}

const cases = {
  // A primitive value, and a promise that is settled.
  async primitive(n) {
    let sum = 0;
    for (let i = 0; i < n; i++) sum += await i;
    return sum;
  },
  async settled(n) {
    let sum = 0;
    for (let i = 0; i < n; i++) sum += await settled;
    return sum;
  },
  // Async functions that return at once, and that await themselves.
  async call(n) {
    let sum = 0;
    for (let i = 0; i < n; i++) sum += await returns(i);
    return sum;
  },
  async call_awaits(n) {
    let sum = 0;
    for (let i = 0; i < n; i++) sum += await awaits(i);
    return sum;
  },
  // Two functions in turns: the queue is never empty, so each await suspends.
  async turns(n) {
    let sum = 0;
    async function half() {
      for (let i = 0; i < n / 2; i++) sum += await i;
    }
    await Promise.all([half(), half()]);
    return sum;
  },
  async pending(n) {
    let sum = 0;
    for (let i = 0; i < n; i++) {
      let resolve;
      const promise = new Promise((f) => (resolve = f));
      queueMicrotask(() => resolve(i));
      sum += await promise;
    }
    return sum;
  },
  then(n) {
    return new Promise((resolve) => {
      let i = 0;
      const step = () => {
        if (++i >= n) resolve(i);
        else Promise.resolve(i).then(step);
      };
      step();
    });
  },
  then_chain(n) {
    let promise = Promise.resolve(0);
    for (let i = 0; i < n; i++) promise = promise.then((x) => x + 1);
    return promise;
  },
  async async_generator(n) {
    let sum = 0;
    for await (const x of generator(n)) sum += x;
    return sum;
  },
  async race(n) {
    for (let i = 0; i < n; i++) await Promise.race([i, i + 1]);
  },
  async all(n) {
    for (let i = 0; i < n; i++) await Promise.all([i, i + 1]);
  },
  queue_microtask(n) {
    return new Promise((resolve) => {
      let i = 0;
      const step = () => {
        if (++i >= n) resolve();
        else queueMicrotask(step);
      };
      step();
    });
  },
};

async function measure(name, run) {
  const n = name === "then_chain" || name === "race" || name === "all" ? Math.ceil(count / 5) : count;
  await run(Math.min(n, 20000));
  let best = Infinity;
  for (let round = 0; round < 9; round++) {
    const begun = performance.now();
    await run(n);
    best = Math.min(best, ((performance.now() - begun) * 1e6) / n);
  }
  console.log(name, best.toFixed(1));
}

if (only) await measure(only, cases[only]);
else
  for (const name of Object.keys(cases))
    spawnSync(process.execPath, [process.argv[1], String(count), name], { stdio: "inherit" });
