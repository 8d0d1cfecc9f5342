// expected: Node 25.9 prints the same
// Clones of a BlockList, also those of other threads, have its rules in common: what one adds, all refuse.
import { BlockList } from "node:net";
import { Worker } from "node:worker_threads";

const list = new BlockList();
list.addAddress("1.2.3.4");
list.addSubnet("10.0.0.0", 8);
const worker = new Worker(
  `const { workerData, parentPort } = require("node:worker_threads");
  for (let i = 0; i < 500; i++) workerData.addAddress("9.0." + (i >> 8) + "." + (i & 255));
  parentPort.postMessage(workerData);`,
  { eval: true, workerData: list },
);
for (let i = 0; i < 500; i++) list.addRange(`8.0.${i >> 8}.${i & 255}`, "8.0.2.0");
const theirs = await new Promise((resolve, reject) => worker.once("message", resolve).once("error", reject));
console.log(list.rules.length, theirs.rules.length, theirs !== list);
console.log(list.check("9.0.1.200"), theirs.check("8.0.1.3"), theirs.check("10.2.3.4"), theirs.check("11.0.0.0"));
theirs.addAddress("ff::1", "ipv6");
console.log(list.check("ff::1", "ipv6"), list.rules[0], theirs.rules.at(-1));
const again = structuredClone(theirs);
again.addAddress("7.7.7.7");
console.log(list.check("7.7.7.7"), theirs.check("::ffff:7.7.7.7", "ipv6"), again.rules.length, Object.keys(list));
