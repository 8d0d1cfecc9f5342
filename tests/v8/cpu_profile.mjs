// expected: written by hand
// CPU profiles by v8.startCpuProfile(), the inspector's Profiler domain, console.profile() and of workers.
import { Session } from "node:inspector";
import v8 from "node:v8";
import { Worker } from "node:worker_threads";

/** Takes about so many milliseconds, and no clock: a busy machine takes the processor away where the kernel is asked. */
function hot(milliseconds) {
  let sum = 0;
  for (let i = 0; i < milliseconds * 3e5; i++) sum = (sum * 31 + i) | 0;
  return sum;
}

/** What every profile has to be. */
function check(name, profile) {
  const byId = new Map(profile.nodes.map((node) => [node.id, node]));
  const parents = new Map();
  for (const node of profile.nodes) for (const child of node.children ?? []) parents.set(child, node.id);
  const hits = new Map();
  for (const sample of profile.samples) hits.set(sample, (hits.get(sample) ?? 0) + 1);
  const faults = [];
  if (profile.nodes[0].callFrame.functionName !== "(root)" || profile.nodes[0].id !== 1) faults.push("root");
  if (profile.samples.length !== profile.timeDeltas.length) faults.push("lengths");
  if (!profile.samples.every((sample) => byId.has(sample))) faults.push("samples");
  if (!profile.nodes.every((node) => node.hitCount === (hits.get(node.id) ?? 0))) faults.push("hit counts");
  if (!profile.nodes.every((node) => node.id === 1 || parents.has(node.id))) faults.push("parents");
  if (!profile.timeDeltas.every((delta) => Number.isInteger(delta) && delta >= 0)) faults.push("deltas");
  const total = profile.timeDeltas.reduce((a, b) => a + b, 0);
  if (total > profile.endTime - profile.startTime) faults.push("times");
  for (const node of profile.nodes) {
    const ticks = (node.positionTicks ?? []).reduce((sum, tick) => sum + tick.ticks, 0);
    if (ticks > node.hitCount) faults.push("ticks");
  }
  console.log(name, faults.length === 0 ? "is a profile" : faults);
}

/** Samples in which a function of this file is on the stack. */
function samplesOf(profile, name) {
  const parents = new Map();
  for (const node of profile.nodes) for (const child of node.children ?? []) parents.set(child, node.id);
  const found = new Set();
  for (const node of profile.nodes) {
    const { callFrame } = node;
    if (callFrame.functionName === name && callFrame.url === import.meta.url) found.add(node.id);
    else if (found.has(parents.get(node.id))) found.add(node.id);
  }
  return profile.samples.filter((sample) => found.has(sample)).length;
}

// v8.startCpuProfile()
const handle = v8.startCpuProfile();
hot(300);
const text = handle.stop();
console.log(typeof text, handle.stop());
const first = JSON.parse(text);
check("v8.startCpuProfile()", first);
console.log(samplesOf(first, "hot") >= first.samples.length / 2);
const frame = first.nodes.find((node) => node.callFrame.functionName === "hot").callFrame;
console.log(frame.url === import.meta.url, frame.lineNumber);

// Two at once: each has what ran meanwhile.
const one = v8.startCpuProfile();
hot(100);
const two = v8.startCpuProfile();
hot(100);
const long = JSON.parse(one.stop());
const short = JSON.parse(two.stop());
check("the longer one", long);
check("the shorter one", short);
console.log(long.samples.length > short.samples.length);

// The Profiler domain.
const session = new Session();
session.connect();
const post = (method, params) =>
  new Promise((resolve, reject) =>
    session.post(method, params, (error, result) => (error ? reject(error) : resolve(result))),
  );
for (const method of ["Profiler.start", "Profiler.stop"]) await post(method).catch((error) => console.log(error.message));
await post("Profiler.enable");
await post("Profiler.setSamplingInterval", { interval: 500 });
await post("Profiler.start");
await post("Profiler.start");
await post("Profiler.setSamplingInterval", { interval: 100 }).catch((error) => console.log(error.message));
hot(100);
const { profile } = await post("Profiler.stop");
check("Profiler.stop", profile);
console.log(samplesOf(profile, "hot") > 0);
await post("Profiler.stop").catch((error) => console.log(error.message));

// While the loop waits, it is idle.
await post("Profiler.start");
await new Promise((resolve) => setTimeout(resolve, 200));
const waited = (await post("Profiler.stop")).profile;
const idle = waited.nodes.find((node) => node.callFrame.functionName === "(idle)");
console.log("idle", idle?.hitCount > waited.samples.length / 2);

// console.profile()
session.on("Profiler.consoleProfileStarted", ({ params }) => {
  console.log("started", params.title, typeof params.id, typeof params.location.lineNumber);
});
session.on("Profiler.consoleProfileFinished", ({ params }) => {
  console.log("finished", params.title, Array.isArray(params.profile.nodes));
});
console.profile("a");
console.profile("b");
console.profileEnd("a");
console.profileEnd();
console.profileEnd();
await post("Profiler.disable");
console.profile("nobody listens");
console.profileEnd("nobody listens");
session.disconnect();

// A worker's.
const worker = new Worker(
  `const { parentPort } = require("node:worker_threads");
  function busy() {
    let sum = 0;
    for (let i = 0; i < 3e7; i++) sum = (sum * 31 + i) | 0;
    return sum;
  }
  parentPort.on("message", () => { busy(); parentPort.postMessage("done"); });`,
  { eval: true },
);
const profiled = await worker.startCpuProfile();
worker.postMessage("go");
await new Promise((resolve) => worker.once("message", resolve));
const ofWorker = JSON.parse(await profiled.stop());
check("worker.startCpuProfile()", ofWorker);
console.log(ofWorker.nodes.some((node) => node.callFrame.functionName === "busy"));
// A thread may end in the middle of one.
await worker.startCpuProfile();
console.log(await worker.terminate());

// Deep stacks and exceptions.
const deep = v8.startCpuProfile();
const recurse = (depth) => (depth === 0 ? hot(50) : recurse(depth - 1));
recurse(3000);
for (let i = 0; i < 3; i++) {
  try {
    (function endless() {
      endless();
    })();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
}
check("of deep stacks", JSON.parse(deep.stop()));
