// expected: recorded from node 25.9.0
// Stacks go on with who awaits the running code also where ticks, timers and immediates have its job run.
import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";

const frames = (stack) => stack.split("\n").map((line) => /^ +at (async )?([\w.]+) \(/.exec(line)).filter((found) => found && !/process\./.test(found[2])).map((found) => (found[1] ?? "") + found[2]);
const show = (what, error) => console.log(what, frames(error.stack).join(", "));

const settle = {
  tick: (done) => process.nextTick(done),
  "two ticks": (done) => process.nextTick(() => process.nextTick(done)),
  timer: (done) => setTimeout(done, 1),
  "second timer": (done) => (setTimeout(() => {}, 1), setTimeout(done, 1)),
  immediate: (done) => (setImmediate(() => {}), setImmediate(done)),
  stream: (done) => new PassThrough().on("end", done).resume().end("x"),
  event: (done) => {
    const emitter = new EventEmitter().on("end", done);
    process.nextTick(() => emitter.emit("end"));
  },
};
for (const [what, later] of Object.entries(settle)) {
  const make = (settled) => new Promise((resolve, reject) => later(() => (settled ? resolve() : reject(new Error("rejected")))));
  async function inner(settled) {
    try {
      await make(settled);
    } catch {}
    const captured = {};
    Error.captureStackTrace(captured);
    show(`${what}, ${settled ? "resolved" : "rejected"}:`, captured);
    throw new Error("from inner");
  }
  async function middle(settled) {
    return await inner(settled);
  }
  async function outer(settled) {
    try {
      await middle(settled);
    } catch (error) {
      show("  the error:", error);
    }
  }
  await outer(true);
  await outer(false);
}

// Nobody awaits: the stack ends with what was resumed. And code behind the jobs of a tick has none of their frames.
async function alone() {
  await new Promise((resolve) => process.nextTick(resolve));
  show("alone:", new Error());
  process.nextTick(function behind() {
    show("behind:", new Error());
  });
}
alone();
