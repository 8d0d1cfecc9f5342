// expected: written by hand
// Addons that end the process, call from a thread of their own, leave references behind, and start in many workers at once.
const { spawnSync } = require("node:child_process");
const path = require("node:path");
const { once } = require("node:events");
const { Worker, isMainThread, workerData, parentPort } = require("node:worker_threads");

if (isMainThread) main();
else {
  require(workerData).keep({ from: "a worker" });
  parentPort.postMessage("kept");
}

async function main() {
  const { build, folder } = require("./support/build.cjs");
  const file = build("abuse.c");
  for (const call of ["fatal", "giveUp", "wrongThread"]) {
    const child = spawnSync(process.execPath, ["-e", `require(${JSON.stringify(file)}).${call}(); console.log("went on")`]);
    console.log(call, child.signal, `${child.stdout}${child.stderr}`.replaceAll(folder, "").split("\n").slice(0, 2));
  }
  // 20 workers at once, and 20 after another: the references of those that have ended are nobody's.
  const run = async () => {
    const worker = new Worker(__filename, { workerData: file });
    const [[message], [code]] = await Promise.all([once(worker, "message"), once(worker, "exit")]);
    return `${message} ${code}`;
  };
  console.log(new Set(await Promise.all(Array.from({ length: 20 }, run))));
  const after = new Set();
  for (let i = 0; i < 20; i++) after.add(await run());
  console.log(after);
  const addon = require(file);
  const own = { from: "here" };
  addon.keep(own);
  console.log(addon.keptValue() === own, path.basename(file));
}
