// synckit: asynchronous functions called synchronously; comlink: objects of a worker as proxies.
import { createSyncFn, runAsWorker } from "synckit";
import * as Comlink from "comlink";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { isMainThread, parentPort, workerData, Worker } from "node:worker_threads";

const nodeEndpoint = createRequire(import.meta.url)("comlink/dist/umd/node-adapter.js");

if (isMainThread) {
  const call = createSyncFn(fileURLToPath(import.meta.url));
  console.log(call("add", 2, 3), call("text", "x".repeat(100000)).length, JSON.stringify(call("echo", { a: [1, { b: 2 }] })));
  try {
    call("fail");
  } catch (error) {
    console.log(error.name, error.message);
  }
  const worker = new Worker(fileURLToPath(import.meta.url), { workerData: { comlink: true } });
  const api = Comlink.wrap(nodeEndpoint(worker));
  console.log(await api.count, await api.increment(), await api.increment(5), await api.count);
  console.log(await api.call(Comlink.proxy((n) => `called back with ${n}`)));
  const counter = await new api.Counter(10);
  console.log(await counter.next(), await counter.next());
  await api.fail().catch((error) => console.log(error.name, error.message));
  await worker.terminate();
} else if (workerData.comlink) {
  const api = {
    count: 0,
    increment: (by = 1) => (api.count += by),
    call: (callback) => callback(42),
    fail() {
      throw new RangeError("far away");
    },
    Counter: class {
      constructor(start) {
        this.value = start;
      }
      next() {
        return this.value++;
      }
    },
  };
  Comlink.expose(api, nodeEndpoint(parentPort));
} else {
  runAsWorker(async (what, ...args) => {
    await new Promise((resolve) => setTimeout(resolve, 1));
    if (what === "add") return args[0] + args[1];
    if (what === "fail") throw new TypeError("asynchronously");
    return args[0];
  });
}
