// expected: written by hand (Node 25 forgets to wake threads that wait for room in a queue, and hangs)
// Thread-safe functions and async work, here and in workers that start the same addon at the same time.
const { Worker, isMainThread, workerData, parentPort } = require("node:worker_threads");

if (isMainThread) main(require("./support/build.cjs").build("threads.c"));
else
  require(workerData)
    .twice(workerData.length)
    .then((number) => parentPort.postMessage(number));

async function main(path) {
  const addon = require(path);
  let sum = 0;
  addon.run((n) => (sum += n));
  process.on("exit", () => console.log("sum:", sum, "closed:", addon.closed()));
  console.log(await Promise.all([1, 2, 3].map((n) => addon.twice(n))));
  const answers = Array.from({ length: 8 }, () => {
    const worker = new Worker(__filename, { workerData: path });
    return new Promise((resolve, reject) => worker.once("message", resolve).once("error", reject));
  });
  console.log((await Promise.all(answers)).every((number) => number === path.length * 2));
}
