// expected: written by hand
// Callbacks: all types, exceptions, closed ones, those of other threads, and workers.
const { dlopen, JSCallback, CFunction } = require("bun:ffi");
const { Worker, isMainThread, workerData } = require("node:worker_threads");

const symbols = {
  call: { args: ["callback", "int"], returns: "int" },
  call_twice: { args: ["function", "int"], returns: "int" },
  call_many: { args: ["ptr"], returns: "double" },
  start: { args: ["ptr", "int"], returns: "int" },
  join: { returns: "int" },
  run_there: { args: ["ptr", "int"], returns: "int" },
};
const many = ["i8", "f64", "f32", "i64", "bool", "u16", "int", "int", "cstring", "f64"];

if (!isMainThread) {
  const { symbols: c } = dlopen(workerData, symbols);
  const double = new JSCallback((x) => x * 2, { args: ["int"], returns: "int" });
  let total = 0;
  for (let i = 0; i < 500; i++) total += c.call(double, i);
  let received = 0;
  const remote = new JSCallback(
    (i, text) => {
      received += text === "gone soon" ? 1 : 0;
    },
    { args: ["int", "cstring"], threadsafe: true },
  );
  c.run_there(remote, 20);
  remote.close();
  setImmediate(() => {
    if (total !== 249500 || received !== 20) throw new Error(`${total} ${received}`);
  });
} else {
  main();
}

async function main() {
  const { build, attempt } = require("./support/build.cjs");
  const file = build("basic.c");
  const library = dlopen(file, symbols);
  const c = library.symbols;
  const int = { args: ["int"], returns: "int" };

  const double = new JSCallback((x) => x * 2, int);
  console.log(c.call(double, 21), c.call(double.ptr, 4));
  let seen;
  const all = new JSCallback((...values) => ((seen = values), 1.5), { args: many, returns: "f64" });
  console.log(c.call_many(all.ptr), seen);
  for (const value of ["5", 2n, 1.9, null, undefined, {}, true, 2 ** 40]) {
    console.log(
      String(value),
      attempt(() => c.call(new JSCallback(() => value, int), 1)),
    );
  }
  for (const args of [
    [],
    [5, {}],
    [() => 1],
    [() => 1, { args: ["what"] }],
    [() => 1, { returns: "buffer" }],
    [() => 1, { args: ["void"] }],
  ]) {
    console.log(attempt(() => new JSCallback(...args)));
  }
  for (const value of [null, undefined, "x", {}, () => 1]) console.log(attempt(() => c.call(value, 1)));

  // What is thrown reaches the caller of C; C goes on with 0, and JavaScript does not run until then.
  let calls = 0;
  const throws = new JSCallback(() => {
    calls++;
    throw new RangeError("from the callback");
  }, int);
  console.log(
    attempt(() => c.call_twice(throws, 1)),
    calls,
    c.call(double, 5),
  );
  const nested = new JSCallback((x) => (x > 0 ? c.call(nested, x - 1) + 1 : 0), int);
  console.log(c.call(nested, 100));
  const deep = new JSCallback((x) => c.call(deep, x + 1), int);
  console.log(attempt(() => c.call(deep, 0)).slice(0, 13), c.call(double, 6));

  // Closed: by itself while it runs, twice, and called afterwards.
  const once = new JSCallback((x) => {
    once.close();
    Bun.gc(true);
    return x + 1;
  }, int);
  const address = once.ptr;
  console.log(c.call(once, 1), once.ptr, c.call(address, 1));
  once.close();
  console.log(attempt(() => c.call(once, 1)));
  for (let i = 0; i < 3000; i++) new JSCallback(() => i, int).close();
  console.log(c.call(address, 1));

  // Another thread: not without `threadsafe`.
  console.log(c.run_there(new JSCallback(() => console.log("never"), { args: ["int", "cstring"] }).ptr, 2));
  const got = [];
  const remote = new JSCallback(
    (i, text) => {
      got.push(i, text);
      if (i === 1) throw new Error("later");
    },
    { args: ["int", "cstring"], threadsafe: true },
  );
  process.on("uncaughtException", (error) => console.log("uncaught", error.message));
  console.log(c.run_there(remote.ptr, 3), got.length, remote.threadsafe);
  remote.close();
  await new Promise((resolve) => setTimeout(resolve, 20));
  console.log(got.join());
  let count = 0;
  const busy = new JSCallback(
    () => {
      count++;
    },
    { args: ["int", "cstring"], threadsafe: true },
  );
  c.start(busy.ptr, 5000);
  while (count < 5000) {
    new JSCallback(() => 1, int).close();
    await new Promise((resolve) => setImmediate(resolve));
  }
  console.log(c.join(), count);
  busy.close();

  // The library goes while C of it is on the stack.
  const other = dlopen(file, symbols);
  const closes = new JSCallback((x) => {
    other.close();
    return x;
  }, int);
  console.log(
    other.symbols.call(closes, 3),
    attempt(() => other.symbols.call(closes, 3)),
  );

  const workers = Array.from({ length: 20 }, () => new Worker(__filename, { workerData: file }));
  const codes = await Promise.all(workers.map((worker) => new Promise((resolve) => worker.once("exit", resolve))));
  console.log(codes.join(""));
}
