// Messages to threads by number, what a parent learns of a worker, locks of all threads. Recorded from Node 25.8.1.
import { locks, postMessageToThread, threadId, Worker } from "node:worker_threads";
import { once } from "node:events";

const evaluate = (code, options) => new Worker(code, { eval: true, ...options });
const failed = (promise) => promise.then((value) => value, (error) => `${error.name} ${error.code} ${error.message}`);

{
  const worker = evaluate(`
    const { parentPort, postMessageToThread } = require('worker_threads');
    process.on('workerMessage', (value, source) => {
      if (value === 'throw') throw new Error('x');
      if (value.port) value.port.postMessage('by the port');
      parentPort.postMessage([value.text, source]);
    });
    parentPort.on('message', async () => {
      await postMessageToThread(0, 'up');
      process.exit();
    });
    parentPort.postMessage('ready');`);
  await once(worker, "message");
  const { port1, port2 } = new MessageChannel();
  const arrived = once(port1, "message");
  const got = once(worker, "message");
  console.log(await postMessageToThread(worker.threadId, { text: "hello", port: port2 }, [port2]));
  console.log(...(await got), (await arrived)[0].data ?? (await arrived)[0]);
  port1.close();
  console.log(await failed(postMessageToThread(worker.threadId, "throw")));
  console.log(await failed(postMessageToThread(threadId, "x")));
  console.log(await failed(postMessageToThread(12345, "x")));
  console.log(await failed(postMessageToThread(worker.threadId, () => {})));
  console.log(await failed(postMessageToThread(worker.threadId, "x", [], -1)));
  const up = new Promise((resolve) => process.once("workerMessage", (value, source) => resolve([value, source === id])));
  const id = worker.threadId;
  worker.postMessage("go");
  console.log(...(await up));
  await once(worker, "exit");
  console.log(await failed(postMessageToThread(id, "x")));
}
{
  const worker = evaluate("require('worker_threads').parentPort.on('message', () => {})");
  await once(worker, "online");
  const heap = await worker.getHeapStatistics();
  console.log(heap.used_heap_size > 100000, heap.heap_size_limit > 0);
  const usage = await worker.cpuUsage();
  const later = await worker.cpuUsage(usage);
  console.log(usage.user > 0, later.user >= 0, later.system >= 0);
  console.log(await failed((async () => worker.cpuUsage({ user: -1, system: 0 }))()));
  await new Promise((resolve) => setTimeout(resolve, 50));
  const { idle, active, utilization } = worker.performance.eventLoopUtilization();
  console.log(idle > 0, active > 0, utilization > 0 && utilization < 1);
  await worker.terminate();
  console.log(worker.performance.eventLoopUtilization());
  console.log(await failed(worker.getHeapStatistics()), await failed(worker.cpuUsage()));
}
{
  const worker = evaluate(`
    const { locks, parentPort } = require('worker_threads');
    locks.request('shared between threads', async (lock) => {
      parentPort.postMessage('held ' + lock.name);
      await new Promise((resolve) => parentPort.once('message', resolve));
    });`);
  console.log((await once(worker, "message"))[0]);
  console.log(await locks.request("shared between threads", { ifAvailable: true }, (lock) => lock));
  const order = [];
  const mine = locks.request("shared between threads", (lock) => order.push(lock.mode));
  await new Promise((resolve) => setTimeout(resolve, 20));
  console.log(order.length);
  worker.postMessage("let go");
  console.log(await mine, order.join());
  await once(worker, "exit");
}
