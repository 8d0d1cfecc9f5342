// jest-worker, over threads and over child processes.
const { Worker } = require("jest-worker");

exports.setup = () => {};
exports.double = (n) => n * 2;
exports.fails = (text) => {
  const error = new TypeError(text);
  error.extra = { a: 1 };
  throw error;
};
exports.later = async (text) => (await null, `later ${text}`);

async function main() {
  for (const enableWorkerThreads of [true, false]) {
    const worker = new Worker(__filename, { numWorkers: 2, enableWorkerThreads, exposedMethods: ["double", "fails", "later"] });
    console.log(enableWorkerThreads, (await Promise.all([1, 2, 3, 4].map((n) => worker.double(n)))).join());
    console.log(await worker.later("on"));
    await worker.fails("in the worker").catch((error) => console.log(error.name, error.message, error.extra));
    const { forceExited } = await worker.end();
    console.log(forceExited);
  }
}
if (require.main === module) main();
