// expected: written by hand
// Addons that end the process, call from a thread of their own, leave references behind, and start in many workers at once.
const { execFileSync, spawnSync } = require("node:child_process");
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
  const calls = ["fatal", "giveUp", "fault", "faultInLibrary", "callNull", "wrongHandle", "overflow"];
  calls.push("faultOnThread", "wrongThread");
  for (const call of calls) {
    const child = spawnSync(process.execPath, ["-e", `require(${JSON.stringify(file)}).${call}(); console.log("went on")`]);
    console.log(call, child.signal, `${child.stdout}${child.stderr}`.replaceAll(folder, "").split("\n").slice(0, 2));
  }
  const inWorker = `new (require("worker_threads").Worker)(${JSON.stringify(`require(${JSON.stringify(file)}).overflow()`)}, { eval: true })`;
  const deep = spawnSync(process.execPath, ["-e", inWorker]);
  console.log("in a worker", deep.signal, `${deep.stderr}`.replaceAll(folder, "").trim());
  // Without symbols for debuggers there is the place in the file; what is exported has its name still.
  const stripped = build("abuse.c", "stripped.node", "-s");
  const child = spawnSync(process.execPath, ["-e", `require(${JSON.stringify(stripped)}).giveUp()`]);
  console.log(child.signal, `${child.stderr}`.replaceAll(folder, "").replace(/0x[0-9a-f]+/, "(address)"));
  // A fault that a parent has left ignored ends the process all the same where it is not the addon's; what is sent stays ignored.
  const library = path.join(folder, "divide.so");
  const source = "int divide(int by) { return 100 / by; }";
  execFileSync("gcc", ["-shared", "-fPIC", "-xc", "-o", library, "-"], { input: source });
  const divides = `require(${JSON.stringify(file)}); process.kill(process.pid, "SIGFPE"); console.log("went on");
    require("bun:ffi").dlopen(${JSON.stringify(library)}, { divide: { args: ["int"] } }).symbols.divide(0)`;
  const options = { timeout: 20_000, killSignal: "SIGKILL" };
  const ignoring = spawnSync("sh", ["-c", 'trap "" FPE; exec "$0" -e "$1"', process.execPath, divides], options);
  console.log("ignored", ignoring.signal, `${ignoring.stdout}${ignoring.stderr}`.trim());
  // Faults of WebAssembly are errors also where an addon was loaded.
  require(file);
  // (module (memory 1) (func (export "load") (param i32) (result i32) local.get 0 i32.load))
  const bytes = "0061736d0100000001060160017f017f03020100050301000107080104 6c6f6164 0000 0a09 0107 00 2000 280200 0b".replaceAll(" ", "");
  const { load } = new WebAssembly.Instance(new WebAssembly.Module(Buffer.from(bytes, "hex"))).exports;
  try {
    console.log(load(8), load(-8));
  } catch (error) {
    console.log(error instanceof WebAssembly.RuntimeError);
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
