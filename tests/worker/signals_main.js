// A worker whose loop sleeps first does not take the signals of the main thread.
const { Worker } = require("node:worker_threads");
const worker = new Worker("require('node:worker_threads').parentPort.postMessage(1); setInterval(() => {}, 1000)", { eval: true });
// The worker sleeps while this thread is busy.
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 700);
process.on("SIGTERM", () => {
  console.log("got it");
  clearTimeout(late);
  worker.terminate().then(() => process.exit(0));
});
const late = setTimeout(() => {
  console.log("it never came");
  process.exit(1);
}, 20000);
setTimeout(() => process.kill(process.pid, "SIGTERM"), 100);
