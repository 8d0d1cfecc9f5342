// Many workers, many messages, ends at odd moments; the figures are bounded so that the test is short. Node 25.8.1 prints the same where it gets
// there: it ends with a segmentation fault once a port is lost with a message.
import { MessageChannel, receiveMessageOnPort, Worker } from "node:worker_threads";
import { once } from "node:events";

const evaluate = (code, options) => new Worker(code, { eval: true, ...options });
const ended = (worker) => new Promise((resolve) => worker.once("exit", resolve));

{
  // One after another.
  let sum = 0;
  for (let i = 0; i < 20; i++) {
    const worker = evaluate("const { parentPort, workerData } = require('worker_threads'); parentPort.postMessage(workerData * 2)", { workerData: i });
    worker.on("message", (value) => (sum += value));
    await ended(worker);
  }
  console.log("one after another", sum);
}
{
  // At once.
  const workers = Array.from({ length: 16 }, (_, i) => evaluate(`require('worker_threads').parentPort.postMessage(${i})`));
  const values = await Promise.all(workers.map(async (worker) => {
    const [[value]] = await Promise.all([once(worker, "message"), ended(worker)]);
    return value;
  }));
  console.log("at once", values.join());
}
{
  // In order, nothing lost, both ways.
  const worker = evaluate(`
    const { parentPort } = require('worker_threads');
    let next = 0;
    parentPort.on('message', (value) => {
      if (value !== next++) throw new Error('out of order: ' + value);
      parentPort.postMessage(value);
      if (value === 49999) process.exit();
    });`);
  let next = 0;
  let wrong = 0;
  worker.on("message", (value) => (wrong += value !== next++));
  for (let i = 0; i < 50000; i++) worker.postMessage(i);
  await ended(worker);
  console.log("in order", next, wrong);
}
{
  // Ended at odd moments: before it has begun, while it starts, in a loop, in a wait, while it posts.
  const programs = [
    "",
    "for (;;);",
    "for (;;) require('worker_threads').parentPort.postMessage({ a: 'x'.repeat(100) });",
    "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)",
    "setInterval(() => {}, 1)",
    "function loop() { Promise.resolve().then(loop); } loop();",
    "const w = require('worker_threads'); new w.Worker('for (;;);', { eval: true }); setInterval(() => {}, 1000)",
  ];
  const codes = [];
  for (const program of programs) {
    for (const wait of [0, 1, 30]) {
      const worker = evaluate(program);
      const over = ended(worker);
      if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
      await worker.terminate();
      const code = await over;
      // 0 where it had not begun, in Node also where it had.
      codes.push(code === 0 || code === 1);
    }
  }
  console.log("terminated", codes.length, codes.every(Boolean));
}
{
  // Ports that go round in circles.
  const { port1, port2 } = new MessageChannel();
  const carrier = new MessageChannel();
  let travelling = port2;
  for (let i = 0; i < 1000; i++) {
    carrier.port1.postMessage({ i, port: travelling }, [travelling]);
    travelling = receiveMessageOnPort(carrier.port2).message.port;
  }
  port1.postMessage("after the journey");
  console.log(receiveMessageOnPort(travelling));
  // A port that travels while messages for it come.
  port1.postMessage("one");
  carrier.port1.postMessage(travelling, [travelling]);
  port1.postMessage("two");
  const arrived = receiveMessageOnPort(carrier.port2).message;
  console.log(receiveMessageOnPort(arrived), receiveMessageOnPort(arrived), receiveMessageOnPort(arrived));
  // Through threads: each passes it on to the next.
  const pass = "const { parentPort } = require('worker_threads'); parentPort.once('message', (port) => { port.postMessage('was here'); parentPort.postMessage(port, [port]); });";
  let port = arrived;
  for (let i = 0; i < 3; i++) {
    const worker = evaluate(pass);
    const over = ended(worker);
    worker.postMessage(port, [port]);
    [port] = await once(worker, "message");
    await over;
  }
  for (let i = 0; i < 4; i++) console.log(receiveMessageOnPort(port1));
  // A port that is lost with a message that nobody reads.
  carrier.port1.postMessage(port, [port]);
  carrier.port2.close();
  port1.ref();
  await once(port1, "close");
  port1.postMessage("to nobody");
  console.log(receiveMessageOnPort(port1));
}
{
  // Errors at the start, at an import, in a timer, in a listener.
  const programs = [
    "throw new TypeError('at start')",
    "import './does-not-exist.mjs'",
    "this is no program",
    "setTimeout(() => { throw new RangeError('in a timer'); }, 1)",
    "require('worker_threads').parentPort.on('message', () => { throw new Error('in a listener'); })",
    "Promise.reject(new Error('not handled'))",
  ];
  for (const program of programs) {
    const worker = evaluate(program);
    worker.postMessage("x");
    const errors = [];
    worker.on("error", (error) => errors.push(error.name));
    console.log(await ended(worker), errors.join());
  }
}
