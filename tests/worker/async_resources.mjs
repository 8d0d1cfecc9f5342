// expected: recorded from node 25.9.0. Workers and ports as resources of async_hooks: kinds, whether they keep the program alive, callbacks within them, their end.
import { createHook, executionAsyncId } from "node:async_hooks";
import { MessageChannel, Worker } from "node:worker_threads";

const seen = new Map();
const gone = [];
const hook = createHook({
  init(id, type, trigger, resource) {
    if (type === "WORKER" || type === "MESSAGEPORT") seen.set(id, { type, resource });
  },
  destroy(id) {
    if (seen.has(id)) gone.push(seen.get(id).type);
  },
}).enable();
const { port1, port2 } = new MessageChannel();
const idOf = (resource) => [...seen].find(([, entry]) => entry.resource === resource)?.[0];
console.log([...seen.values()].map(({ type }) => type), idOf(port1) < idOf(port2), Object.keys(port1));
console.log(port1.hasRef(), port2.hasRef());
port1.on("message", (value) => {
  console.log(value, executionAsyncId() === idOf(port1), port1.hasRef());
  port1.on("close", () => console.log("closed", port1.hasRef(), port2.hasRef()));
  port2.close();
  console.log(port1.hasRef(), port2.hasRef());
});
port2.on("close", () => console.log("closed itself", executionAsyncId() === idOf(port2)));
port2.ref();
port2.postMessage("hello");
await new Promise((resolve) => port1.on("close", () => setTimeout(resolve, 10)));
console.log(gone);
seen.clear();
const worker = new Worker("", { eval: true });
const [first] = seen.values();
const { resource } = first;
console.log(first.type, resource.hasRef());
worker.unref();
console.log(resource.hasRef());
worker.ref();
console.log(resource.hasRef());
await new Promise((resolve) =>
  worker.on("exit", (code) => {
    console.log(code, resource.hasRef(), executionAsyncId() === idOf(resource));
    setTimeout(resolve, 10);
  }),
);
console.log(resource.hasRef(), gone.includes("WORKER"));
hook.disable();
