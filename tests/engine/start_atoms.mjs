// expected: written by hand
// Names that the engine makes when it starts: all of two characters, small numbers as texts and as keys, those of a worker,
// and more names than a thread makes before it keeps the recent ones; also after collections.
import { Worker, isMainThread, parentPort } from "node:worker_threads";

const characters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789$_";

function pairs() {
  const object = {};
  let wrong = 0;
  for (const first of characters) for (const second of characters) object[first + second] = first.charCodeAt(0) * 256 + second.charCodeAt(0);
  for (const name of Object.keys(object)) {
    if (name.length !== 2 || object[name] !== name.charCodeAt(0) * 256 + name.charCodeAt(1)) wrong++;
    if (!new Map([[name, 1]]).has(`-${name}`.slice(1))) wrong++;
  }
  return [Object.keys(object).length, wrong];
}

function numbers() {
  let wrong = 0;
  for (let n = 0; n < 300; n++) {
    const list = [];
    list[String(n)] = n;
    if (list.length !== n + 1 || `${n}` !== n.toString() || Number(`${n}`) !== n || Object.keys({ [n]: 0, a: 0 })[0] !== `${n}`) wrong++;
  }
  return wrong;
}

function names(count) {
  const object = {};
  for (let i = 0; i < count; i++) object[`name${i}`] = i;
  Bun.gc(true);
  let wrong = 0;
  for (let i = 0; i < count; i++) if (object[`name${i}`] !== i) wrong++;
  return wrong;
}

const results = () => [...pairs(), numbers(), names(5000), ...pairs()];
if (isMainThread) {
  console.log("main", results().join());
  for (let i = 0; i < 2; i++) {
    const worker = new Worker(new URL(import.meta.url));
    console.log("worker", await new Promise((resolve) => worker.on("message", resolve)));
    await worker.terminate();
  }
  Bun.gc(true);
  console.log("again", results().join());
} else {
  parentPort.postMessage(results().join());
}
