// Memory stays flat: workers made and ended one after another, 64 at once, messages in order, large strings that are dropped. The numbers
// are small so that the test is short; `TIMES=33 bao endurance.mjs` is 10,000 workers and a million messages.
import { readFileSync } from "node:fs";
import { once } from "node:events";
import { BroadcastChannel, MessageChannel, receiveMessageOnPort, Worker } from "node:worker_threads";

const times = Number(process.env.TIMES ?? 1);
const evaluate = (code, options) => new Worker(code, { eval: true, ...options });
const settle = (turns = 5) => new Promise((resolve) => setTimeout(() => (turns > 0 ? settle(turns - 1).then(resolve) : resolve()), 1));

/** What the process has in memory, in MB. */
function resident() {
  Bun.gc(true);
  return /VmRSS:\s+(\d+)/.exec(readFileSync("/proc/self/status", "latin1"))[1] / 1024;
}
/** Whether no more than `limit` MB came on top of `before`; what is more is printed. */
function flat(before, limit) {
  const more = resident() - before;
  return more <= limit || `${more} MB more`;
}

{
  // One after another, each with something to hold: a port, a buffer, a timer, a listener.
  const program = `
    const { parentPort, workerData, MessageChannel } = require('worker_threads');
    globalThis.held = [new MessageChannel(), new ArrayBuffer(1 << 20), new SharedArrayBuffer(1 << 20)];
    setInterval(() => {}, 1000);
    process.on('exit', () => {});
    parentPort.postMessage({ twice: workerData * 2, text: 'x'.repeat(10000) });
    parentPort.once('message', () => process.exit(workerData & 7));`;
  let sum = 0;
  let codes = 0;
  const one = async (i) => {
    const worker = evaluate(program, { workerData: i });
    worker.on("message", ({ twice }) => {
      sum += twice;
      worker.postMessage("go");
    });
    codes += (await once(worker, "exit"))[0];
  };
  for (let i = 0; i < 100; i++) await one(i);
  const before = resident();
  for (let i = 100; i < 100 + 200 * times; i++) await one(i);
  console.log("one after another", sum, codes, flat(before, 16));
}
{
  // At once, and again: what 64 have held is there for the next 64.
  let before;
  for (let round = 0; round < 2; round++) {
    const workers = Array.from({ length: 64 }, (_, i) => evaluate(`require('worker_threads').parentPort.postMessage(${i})`));
    const values = await Promise.all(workers.map((worker) => Promise.all([once(worker, "message"), once(worker, "exit")])));
    console.log("at once", values.reduce((sum, [[value]]) => sum + value, 0));
    if (round === 0) before = resident();
  }
  console.log(flat(before, 48));
}
{
  // In order and without loss, strings and objects in turns, while others broadcast.
  const count = 30000 * times;
  const worker = evaluate(`
    const { parentPort, workerData, BroadcastChannel } = require('worker_threads');
    const channel = new BroadcastChannel('endurance');
    let next = 0;
    parentPort.on('message', (value) => {
      const number = typeof value === 'string' ? Number(value) : value.number;
      if (number !== next++) throw new Error('out of order: ' + number);
      if (number % 1000 === 0) channel.postMessage(number);
      if (next === workerData) { parentPort.postMessage(next); channel.close(); parentPort.close(); }
    });`, { workerData: count });
  // Before the first message: on one core the worker can be done before this thread has posted and slept for the last time.
  const ended = Promise.all([once(worker, "message"), once(worker, "exit")]);
  const channel = new BroadcastChannel("endurance");
  let heard = 0;
  channel.onmessage = ({ data }) => { heard += data === heard * 1000 ? 1 : NaN; };
  for (let i = 0; i < count; i++) {
    worker.postMessage(i & 1 ? String(i) : { number: i });
    // The queue stays short.
    if (i % 10000 === 9999) await settle(1);
  }
  const [[received]] = await ended;
  await settle();
  channel.close();
  console.log("in order", received === count, heard === Math.ceil(count / 1000));
}
{
  // Large strings, shared and dropped: 64 MB at a time, TIMES * 640 MB in all.
  const worker = evaluate("const { parentPort } = require('worker_threads'); parentPort.on('message', (text) => parentPort.postMessage(text.length))");
  const before = resident();
  for (let i = 0; i < 10 * times; i++) {
    worker.postMessage(String.fromCharCode(97 + (i % 26)).repeat(64 << 20));
    await once(worker, "message");
    // As a program does that waits.
    Bun.gc(true);
  }
  await worker.terminate();
  await settle();
  console.log("strings", flat(before, 40));
}
{
  // Queues of ports that are lost with their messages, and ports that go round in circles. The allocator keeps what the first round took.
  let before;
  for (let round = 0; round < 2; round++) {
    for (let i = 0; i < 20 * times; i++) {
      const { port1, port2 } = new MessageChannel();
      for (let n = 0; n < 20; n++) port1.postMessage({ n, bytes: new Uint8Array(50000) });
      const carrier = new MessageChannel();
      carrier.port1.postMessage(port2, [port2]);
      const back = receiveMessageOnPort(carrier.port2).message;
      carrier.port2.postMessage(back, [back]);
      carrier.port1.close();
      port1.close();
    }
    await settle();
    if (round === 0) before = resident();
  }
  console.log("lost ports", flat(before, 40));
}
