// A worker that is gone holds no locks (the standard; Node 25.8.1 never releases them, so this is not recorded from it).
import { locks, Worker } from "node:worker_threads";
import { once } from "node:events";

const other = new Worker(
  "require('worker_threads').locks.request('x', () => (require('worker_threads').parentPort.postMessage(0), new Promise(() => {}))); setInterval(() => {}, 1000)",
  { eval: true },
);
await once(other, "message");
console.log((await locks.query()).held.map(({ name, mode }) => `${name} ${mode}`).join());
const waiting = locks.request("x", () => "mine now");
// Waiting for a lock does not keep the process alive.
const timer = setInterval(() => {}, 1000);
await other.terminate();
console.log(await waiting, (await locks.query()).held.length);
clearInterval(timer);
