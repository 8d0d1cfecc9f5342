// Atomics.waitAsync: woken by other threads, by time, or never; a promise that nobody settles does not keep the program.
import { Worker } from "node:worker_threads";
import { once } from "node:events";

const cells = () => new Int32Array(new SharedArrayBuffer(16));
const shared = cells();
const worker = new Worker(`
  const { workerData } = require('worker_threads');
  for (let i = 0; i < 3; i++) while (Atomics.notify(workerData, i) === 0) Atomics.wait(workerData, 3, 0, 1);
`, { eval: true, workerData: shared });
const waits = [0, 1, 2].map((index) => Atomics.waitAsync(shared, index, 0, index === 2 ? 60000 : undefined));
console.log(waits.map(({ async }) => async), await Promise.all(waits.map(({ value }) => value)));
await once(worker, "exit");

console.log(Atomics.waitAsync(shared, 0, 1).value, Atomics.waitAsync(shared, 0, 0, 0).value);
const timer = setInterval(() => {}, 1);
console.log(await Atomics.waitAsync(cells(), 0, 0, 5).value);
// In the order in which their times end, which is that of the numbers only if this thread is not held up between the calls.
const order = [];
await Promise.all([20, 3, 10].map((time) => {
  const earliest = performance.now() + time;
  const { value } = Atomics.waitAsync(cells(), 0, 0, time);
  const latest = performance.now() + time;
  return value.then(() => order.push({ time, earliest, latest }));
}));
console.log(order.map(({ time }) => time).sort((a, b) => a - b), order.every((one, i) => i === 0 || one.latest >= order[i - 1].earliest));
clearInterval(timer);

// Workers that end while something is under way.
const empty = "Uint8Array.of(0,97,115,109,1,0,0,0)";
for (const program of [
  "Atomics.waitAsync(new Int32Array(new SharedArrayBuffer(4)), 0, 0).value.then(() => {}); post(); for (;;);",
  "Atomics.waitAsync(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2).value.then(() => {}); post(); for (;;);",
  `WebAssembly.compile(${empty}); post(); for (;;);`,
  `WebAssembly.compile(${empty}); process.exit(3)`,
  "Atomics.waitAsync(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60000)",
]) {
  const one = new Worker(`const post = () => require('worker_threads').parentPort.postMessage(1); ${program}`, { eval: true });
  one.once("message", () => setTimeout(() => one.terminate(), 5));
  console.log((await once(one, "exit"))[0]);
}

Atomics.waitAsync(cells(), 0, 0, 60000).value.then(() => console.log("not here"));
Atomics.waitAsync(cells(), 0, 0).value.then(() => console.log("not here"));
