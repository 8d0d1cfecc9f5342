// expected: written by hand; Node 25 prints the same
// An addon on libuv's loop: a timer, a handle that another thread wakes, the pool. The loop stays alive for each.
const { build } = require("./support/build.cjs");
const addon = require(build("uv.c"));

const seen = (which) =>
  new Promise((resolve) => {
    const calls = [];
    addon.start(which, (what) => {
      calls.push(what);
      // Microtasks run after each callback.
      Promise.resolve().then(() => calls.push("microtask"));
      if (calls.length === (which === 0 ? 5 : 1)) setImmediate(() => resolve(calls));
    });
  });

(async () => {
  for (const which of [0, 1, 2]) console.log(await seen(which));
  process.on("exit", () => console.log("exit"));
})();
