// expected: written by hand
// Built-in modules of databases, consoles and the like are compressed in the executable (runtime/build.rs), and work in the main
// thread and in a worker. What they say is not in the executable as it is; what common modules say is.
import { readFileSync } from "node:fs";
import { Worker, isMainThread, parentPort } from "node:worker_threads";

function messageOf(call) {
  try {
    return String(call());
  } catch (error) {
    return error.message;
  }
}
const rare = () => messageOf(() => new Bun.SQL("postgres://127.0.0.1:1/none").array("text", "INT"));

if (isMainThread) {
  const file = readFileSync(process.execPath);
  const common = messageOf(() => Buffer.alloc(1).readUInt32LE(0));
  console.log(common, file.includes(common));
  console.log(rare(), file.includes(rare()));
  const worker = new Worker(new URL(import.meta.url));
  worker.once("message", message => console.log(message === rare()));
} else {
  parentPort.postMessage(rare());
}
