// What a promise that waits takes, in bytes: of resident memory before a collection and after one, and of the heap after one.
// `RUNTIME memory.mjs CASE [COUNT]`, a process for each case; Node with --expose-gc.
const count = Number(process.argv[3] || 1e6);
const all = new Array(count);
const kept = [];
const waits = async (promise) => {
  await promise;
};
const makers = {
  no_function: () => new Promise(() => {}),
  both_functions: () => new Promise((_resolve, _reject) => {}),
  resolve_is_kept: () => new Promise((resolve) => kept.push(resolve)),
  with_resolvers: () => Promise.withResolvers(),
  awaited: () => {
    const { promise, resolve } = Promise.withResolvers();
    kept.push(resolve);
    return waits(promise);
  },
};

const make = makers[process.argv[2]];
if (!make) throw new Error(`CASE is one of ${Object.keys(makers)}`);
const collect = () => (globalThis.Bun ? Bun.gc(true) : gc());
collect();
const before = process.memoryUsage();
for (let i = 0; i < count; i++) all[i] = make();
const full = process.memoryUsage();
collect();
const after = process.memoryUsage();
const bytes = (from, to) => ((to - from) / all.length).toFixed(0);
console.log(process.argv[2], bytes(before.rss, full.rss), bytes(before.rss, after.rss), bytes(before.heapUsed, after.heapUsed));
