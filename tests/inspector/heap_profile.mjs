// expected: written by hand (Node 25.9 prints the same of sessions, with sizes that differ by some percent; it has no v8.startHeapProfile)
// Profiles of the heap by who allocates: HeapProfiler.startSampling, v8.startHeapProfile, worker.startHeapProfile.
import { Session } from "node:inspector/promises";
import { once } from "node:events";
import v8 from "node:v8";
import { Worker } from "node:worker_threads";

const kept = [];
function makesMany(count) {
  for (let i = 0; i < count; i++) kept.push({ value: i });
}
function makesFew() {
  for (let i = 0; i < 100; i++) kept.push(new Date(i));
}
function caller() {
  makesMany(1000);
}
const find = (node, name) =>
  node.callFrame.functionName === name ? node : node.children.map((child) => find(child, name)).find(Boolean);
const sizeOf = (node, name) =>
  node.children.reduce((sum, child) => sum + sizeOf(child, name), node.callFrame.functionName === name ? node.selfSize : 0);
const near = (size, expected) => size > expected * 0.5 && size < expected * 2;

const session = new Session();
session.connect();
console.log(await session.post("HeapProfiler.getSamplingProfile").catch((error) => error.message));
// A sample for each object.
await session.post("HeapProfiler.startSampling", { samplingInterval: 1 });
makesMany(10000);
makesFew();
caller();
const { profile } = await session.post("HeapProfiler.getSamplingProfile");
const many = find(profile.head, "makesMany");
console.log(many.callFrame.url === import.meta.url, many.callFrame.lineNumber, near(sizeOf(profile.head, "makesMany"), 11000 * 40));
console.log(near(find(profile.head, "makesFew").selfSize, 100 * 90), find(profile.head, "caller").children[0].callFrame.functionName);
console.log(profile.samples.length > 0, profile.samples.every(({ size, nodeId }) => size > 0 && nodeId > 1));
await session.post("HeapProfiler.stopSampling");
console.log(await session.post("HeapProfiler.stopSampling").catch((error) => error.message));
console.log(await session.post("HeapProfiler.startSampling", { samplingInterval: 0 }).catch((error) => error.message));
session.disconnect();

// What the first profile has noted does not count. About a sample for 512 objects.
const handle = v8.startHeapProfile();
makesMany(200000);
const sampled = JSON.parse(handle.stop()).head;
console.log(near(sizeOf(sampled, "makesMany"), 200000 * 40), handle.stop());

const worker = new Worker(
  `const { parentPort } = require("node:worker_threads");
   const kept = [];
   function inWorker() { for (let i = 0; i < 200000; i++) kept.push([i]); }
   parentPort.on("message", () => { inWorker(); parentPort.postMessage("done"); });
   parentPort.postMessage("here");`,
  { eval: true },
);
await once(worker, "message");
const inWorker = await worker.startHeapProfile();
worker.postMessage("go");
await once(worker, "message");
const text = await inWorker.stop();
console.log(find(JSON.parse(text).head, "inWorker").selfSize > 100000);
await worker.terminate();
console.log(await worker.startHeapProfile().catch((error) => error.code));
