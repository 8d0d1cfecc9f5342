// Worker threads of node:worker_threads. Recorded from Node 25.8.1.
const { Worker, isMainThread, parentPort, workerData, threadId, setEnvironmentData, getEnvironmentData, SHARE_ENV, threadName, MessageChannel } = require("node:worker_threads");
const { once } = require("node:events");

// events.once() would reject with the worker's error.
const exit = (worker) => new Promise((resolve) => worker.once("exit", resolve));
const log = (...values) => console.log(...values);
const run = (code, options) => new Worker(code, { eval: true, ...options });

async function main() {
  log(isMainThread, threadId, parentPort, workerData, threadName);
  {
    const worker = new Worker(__filename, { workerData: { list: [1, 2] }, argv: ["x"], name: "named" });
    worker.on("online", () => log("online"));
    worker.on("exit", (code) => log("exit", code, worker.threadId));
    const [first] = await once(worker, "message");
    log(first);
    worker.postMessage({ double: 21 });
    log(...(await once(worker, "message")));
    worker.postMessage("end");
    await exit(worker);
  }
  {
    // An error nobody catches, with what belongs to it.
    const worker = run("const e = new RangeError('bad', { cause: 'why' }); e.code = 'E_BAD'; throw e;");
    worker.on("error", (error) => log(error instanceof RangeError, error.name, error.message, error.code, error.stack.includes("bad")));
    log("code", await exit(worker));
  }
  {
    const worker = run("Promise.reject(new TypeError('later'))");
    worker.on("error", (error) => log(error.name, error.message));
    log("code", await exit(worker));
  }
  {
    const worker = run("process.on('exit', (c) => require('worker_threads').parentPort.postMessage('bye ' + c)); process.exit(7); while (true) {}");
    worker.on("message", (text) => log(text));
    log("code", await exit(worker));
  }
  {
    // Ended from outside: a busy loop, a wait, a timer.
    for (const code of ["while (true) {}", "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)", "setInterval(() => {}, 1000)"]) {
      const worker = run(`require('worker_threads').parentPort.postMessage(0); ${code}`);
      await once(worker, "message");
      log("terminated", await worker.terminate(), await worker.terminate());
    }
  }
  {
    process.env.FROM_PARENT = "yes";
    const code = "process.env.OF_WORKER = '1'; require('worker_threads').parentPort.postMessage([process.env.FROM_PARENT, process.env.ONLY])";
    for (const env of [undefined, { ONLY: "this" }, SHARE_ENV]) {
      const worker = run(code, { env });
      log(...(await once(worker, "message")), process.env.OF_WORKER);
      await exit(worker);
    }
    delete process.env.OF_WORKER;
  }
  {
    setEnvironmentData("key", { a: 1 });
    const worker = run("const w = require('worker_threads'); w.parentPort.postMessage(w.getEnvironmentData('key'))");
    log(...(await once(worker, "message")), getEnvironmentData("key"));
    await exit(worker);
  }
  {
    // Shared memory, and ports handed on: two workers talk to each other.
    const shared = new Int32Array(new SharedArrayBuffer(8));
    const { port1, port2 } = new MessageChannel();
    const code = "const { workerData: { shared, port } } = require('worker_threads'); port.once('message', (n) => { Atomics.add(shared, 0, n); Atomics.notify(shared, 0); }); port.postMessage(20);";
    const one = run(code, { workerData: { shared, port: port1 }, transferList: [port1] });
    const two = run(code, { workerData: { shared, port: port2 }, transferList: [port2] });
    await Promise.all([exit(one), exit(two)]);
    log("sum", shared[0]);
  }
  {
    const worker = run("console.log('to stdout'); console.error('to stderr'); process.stdin.on('data', (d) => process.stdout.write('got ' + d)).on('end', () => process.stdout.write('end'))", { stdout: true, stderr: true, stdin: true });
    let out = "";
    let err = "";
    worker.stdout.setEncoding("utf8").on("data", (text) => (out += text));
    worker.stderr.setEncoding("utf8").on("data", (text) => (err += text));
    worker.stdin.end("input ");
    await exit(worker);
    log(JSON.stringify(out), JSON.stringify(err));
  }
  {
    const worker = run("process.emitWarning('not shown'); setTimeout(() => require('worker_threads').parentPort.postMessage([process.execArgv, process.listenerCount('warning')]), 5)", { execArgv: ["--no-warnings", "--"], stderr: true });
    let err = "";
    worker.stderr.setEncoding("utf8").on("data", (text) => (err += text));
    log(...(await once(worker, "message")));
    await exit(worker);
    log(JSON.stringify(err));
  }
  for (const call of [
    () => new Worker("relative.js"),
    () => new Worker("1", { eval: true, execArgv: ["--no-such-flag"] }),
    () => new Worker(5),
    () => new Worker("1", { eval: true, env: 5 }),
    () => new Worker("1", { eval: true, argv: 5 }),
    () => new Worker("1", { eval: true, workerData: () => {} }),
    () => new Worker("file:///x.js"),
  ]) {
    try {
      call();
    } catch (error) {
      log(error.name, error.code, error.message.split("\n")[0]);
    }
  }
  const missing = new Worker("/does/not/exist.js");
  missing.on("error", (error) => log(error.code));
  await exit(missing);
  const syntax = run("let let = 1");
  syntax.on("error", (error) => log(error.name));
  await exit(syntax);
  // A module, and workers of workers.
  const nested = new Worker(new URL(`data:text/javascript,import { Worker, parentPort } from "node:worker_threads"; const w = new Worker("require('worker_threads').parentPort.postMessage(require('worker_threads').threadId > 1)", { eval: true }); w.on("message", (m) => parentPort.postMessage(m));`));
  log("nested", ...(await once(nested, "message")));
  await exit(nested);
}

if (isMainThread) {
  main().then(() => log("end"));
} else {
  parentPort.postMessage({ isMainThread, data: workerData, argv: process.argv.slice(2), name: threadName, id: threadId > 0 });
  parentPort.on("message", (message) => {
    if (message === "end") parentPort.close();
    else parentPort.postMessage(message.double * 2);
  });
}
