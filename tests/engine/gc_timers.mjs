// Timers, immediates, ticks and microtasks in the order that Node documents, with garbage between them; gc/turns.sh runs
// it under stress. Recorded from Node 20.
import { setTimeout as sleep, setInterval as each, setImmediate as soon } from "node:timers/promises";

const log = [];
const junk = (n) => Array.from({ length: n }, (_, i) => ({ i, text: "t".repeat(i % 40) + i })).length;

process.nextTick(() => log.push("tick", junk(100)));
queueMicrotask(() => log.push("microtask", junk(100)));
await null;

const order = [];
await new Promise((resolve) => {
  setImmediate(() => {
    order.push("immediate");
    process.nextTick(() => order.push("tick of immediate"));
    Promise.resolve().then(() => order.push("microtask of immediate"));
    setImmediate(() => {
      order.push("second immediate");
      resolve();
    });
  });
});

const timers = new Map();
for (let i = 0; i < 50; i++) timers.set(i, setTimeout((a, b) => timers.set(a, b), 1, i, { value: junk(i) }));
for (let i = 0; i < 50; i += 2) clearTimeout(timers.get(i));
await sleep(20);
const fired = [...timers.values()].filter((entry) => "value" in entry);

let count = 0;
for await (const value of each(1, "interval")) {
  junk(50);
  if (value !== "interval" || ++count === 5) break;
}

const controller = new AbortController();
const aborted = sleep(60_000, "never", { signal: controller.signal }).catch((error) => error.name);
controller.abort();

console.log(log.filter((entry) => typeof entry === "string").sort().join());
console.log(order.join());
console.log(fired.length, fired.every((entry, i) => entry.value === 2 * i + 1));
console.log(count, await soon("soon"), await aborted);
