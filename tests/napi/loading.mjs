// expected: written by hand
// The ways to an addon: import, require, createRequire, registration by a constructor, twice, and in workers.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";

import support from "./support/build.cjs";

const { build } = support;
const require = createRequire(import.meta.url);
const returns = build("faulty.c", "returns.node", "-DRETURNS");
const registers = build("faulty.c", "registers.node", "-DCONSTRUCTOR");

const imported = await import(pathToFileURL(returns).href);
console.log(imported.default(), require(returns) === imported.default, require(returns).name);
console.log(require(registers).starts, (await import(registers)).default.starts);
delete require.cache[registers];
// Its constructor does not run again, its start does.
console.log(require(registers).starts);
const fromWorkers = [];
for (let i = 0; i < 3; i++) {
  const worker = new Worker(
    `const { parentPort } = require("node:worker_threads"); parentPort.postMessage(require(${JSON.stringify(registers)}).starts)`,
    { eval: true },
  );
  fromWorkers.push(await new Promise((resolve, reject) => worker.once("message", resolve).once("error", reject)));
}
console.log(fromWorkers);
