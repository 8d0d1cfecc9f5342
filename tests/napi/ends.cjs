// expected: Node 25.9 prints the same (with --expose-gc in the place of Bun.gc)
// Exceptions at every way into an addon and out of it; workers that end or are ended while an addon is at work.
const { once } = require("node:events");
const { Worker, isMainThread, workerData, parentPort } = require("node:worker_threads");

if (isMainThread) {
  const { build, collect } = require("./support/build.cjs");
  main(build("ends.c"), collect);
} else worker(require(workerData.path), workerData.what);

/** What an uncaught exception of the next turns is. */
async function uncaught(start) {
  const seen = once(process, "uncaughtException");
  await start();
  return (await seen)[0].code;
}

async function main(path, collect) {
  const addon = require(path);
  console.log(addon.attempt(() => 1));
  console.log(
    addon.attempt(() => {
      throw new RangeError("seen by the addon");
    }).message,
  );
  for (const thrown of [new TypeError("passed on"), undefined, 7]) {
    try {
      addon.pass(() => {
        throw thrown;
      });
      console.log("nothing was thrown");
    } catch (error) {
      console.log(error === thrown);
    }
  }
  // Through two frames of the addon, with JavaScript between and a stack that is too deep.
  const deep = () => addon.pass(deep);
  try {
    deep();
  } catch (error) {
    console.log(error instanceof RangeError || error instanceof InternalError);
  }
  console.log(await uncaught(() => addon.startWork(1)));
  console.log(
    await uncaught(async () => {
      (() => addon.throwWhenGone({}))();
      await collect(() => false);
    }),
  );

  for (const what of ["hooks", "exit", "thread", "thread throws"]) {
    const thread = new Worker(__filename, { workerData: { path, what } });
    thread.on("error", (error) => console.log(error.message));
    console.log(what, await new Promise((resolve) => thread.on("exit", resolve)));
  }
  // Ended from outside, in the middle of a call, of async work and of a thread that calls.
  for (const what of ["endless", "thread works", "async work"]) {
    const thread = new Worker(__filename, { workerData: { path, what } });
    await once(thread, "message");
    console.log(what, await thread.terminate());
  }
  // Told to end while native code runs that does not look: what it throws afterwards is nobody's, and it is told so.
  const late = new Worker(__filename, { workerData: { path, what: "late" } });
  addon.waitInside();
  const ended = late.terminate();
  addon.release();
  console.log("late", await ended, addon.statusOfThrow());
  addon.startThread(() => {});
  addon.hooks();
}

function worker(addon, what) {
  if (what === "hooks") addon.hooks();
  else if (what === "late") addon.throwWhenReleased();
  else if (what === "exit") {
    addon.hooks();
    addon.pass(() => process.exit(3));
    console.log("not reached");
  } else if (what === "thread") addon.startThread(() => {});
  else if (what === "thread throws") {
    addon.startThread(() => {
      throw new Error("thrown in a call of another thread");
    });
    setTimeout(() => {}, 10_000);
  } else {
    if (what === "thread works") addon.startThread(() => {});
    if (what === "async work") addon.startWork(100);
    if (what === "endless") {
      addon.attempt(() => {
        parentPort.postMessage("ready");
        for (;;);
      });
      console.log("not reached");
    }
    parentPort.postMessage("ready");
    setTimeout(() => {}, 10_000);
  }
}
