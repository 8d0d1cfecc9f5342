// One run of one runtime: prints a line of JSON per case, { name, ns }. See bench.py.
import { isMainThread, MessageChannel, parentPort, receiveMessageOnPort, Worker } from "node:worker_threads";
import { fileURLToPath } from "node:url";
import { spawn } from "node:child_process";

const now = () => performance.now();
const report = (name, ns) => console.log(JSON.stringify({ name, ns }));

const small = { id: 1, name: "a name", ok: true, ratio: 0.5, tags: ["one", "two"], at: { x: 1, y: 2 } };
const values = {
  "string 11": "hello world",
  "string 14K": JSON.stringify({ a: "x".repeat(14 * 1024) }),
  "string 3M": JSON.stringify({ a: "x".repeat(3 * 1024 * 1024) }),
  "small object": small,
  "large object": { rows: Array.from({ length: 2000 }, (_, i) => ({ ...small, id: i, name: `name ${i}` })) },
};
const counts = { "string 11": 100000, "string 14K": 50000, "string 3M": 1000, "small object": 50000, "large object": 30 };

if (!isMainThread) {
  // "post" is counted and answered once; everything else goes straight back.
  let left = 0;
  parentPort.on("message", (message) => {
    if (left > 0) {
      if (--left === 0) parentPort.postMessage("done");
      return;
    }
    if (typeof message === "object" && message.expect !== undefined) left = message.expect;
    else parentPort.postMessage(message);
  });
} else {
  const wanted = process.argv.slice(2);
  const runs = (name) => wanted.length === 0 || wanted.some((word) => name.includes(word));
  const worker = new Worker(fileURLToPath(import.meta.url));
  let got;
  worker.on("message", (message) => got(message));
  const next = () => new Promise((resolve) => (got = resolve));
  worker.postMessage("hello");
  await next();

  for (const [name, value] of Object.entries(values)) {
    const count = counts[name];
    if (runs(`post ${name}`)) {
      for (let turn = 0; turn < 3; turn++) {
        const n = turn === 2 ? count : Math.ceil(count / 5);
        worker.postMessage({ expect: n });
        const start = now();
        for (let i = 0; i < n; i++) worker.postMessage(value);
        const posted = now();
        await next();
        if (turn === 2) {
          report(`post ${name}`, ((posted - start) * 1e6) / n);
          report(`post+receive ${name}`, ((now() - start) * 1e6) / n);
        }
      }
    }
    if (runs(`roundtrip ${name}`)) {
      const n = Math.max(20, Math.ceil(count / 10));
      for (let turn = 0; turn < 2; turn++) {
        const start = now();
        for (let i = 0; i < n; i++) {
          worker.postMessage(value);
          await next();
        }
        if (turn === 1) report(`roundtrip ${name}`, ((now() - start) * 1e6) / n);
      }
    }
    if (runs(`channel ${name}`)) {
      const { port1, port2 } = new MessageChannel();
      const n = Math.ceil(count / 2);
      for (let turn = 0; turn < 2; turn++) {
        const start = now();
        for (let i = 0; i < n; i++) {
          port1.postMessage(value);
          receiveMessageOnPort(port2);
        }
        if (turn === 1) report(`channel ${name}`, ((now() - start) * 1e6) / n);
      }
      port1.close();
    }
    if (runs(`clone ${name}`)) {
      for (let turn = 0; turn < 2; turn++) {
        const start = now();
        for (let i = 0; i < count; i++) structuredClone(value);
        if (turn === 1) report(`clone ${name}`, ((now() - start) * 1e6) / count);
      }
    }
  }
  await worker.terminate();
  if (runs("spawn")) {
    const one = () => new Promise((resolve) => spawn("true", { stdio: "ignore" }).on("exit", resolve));
    for (let i = 0; i < 20; i++) await one();
    const start = now();
    for (let i = 0; i < 200; i++) await one();
    report("spawn true", ((now() - start) * 1e6) / 200);
  }
}
