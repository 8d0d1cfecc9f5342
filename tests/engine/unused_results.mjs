// expected: recorded from node 25.9.0
// What handlers of `then` and `catch` give is resolved although the program does not use the promise: a `then` of it is read and called,
// and a rejected promise is an unhandled rejection. In warm code, too.
const turn = () => new Promise((resolve) => setImmediate(resolve));

let reads = 0;
let calls = 0;
const value = () => ({
  get then() {
    reads++;
    return undefined;
  },
});
const query = {
  then(resolve) {
    calls++;
    resolve(1);
  },
};
const unhandled = [];
process.on("unhandledRejection", (error) => unhandled.push(error.message));

async function count(name, statement) {
  const seen = new Set();
  for (let i = 0; i < 300; i++) {
    reads = calls = 0;
    unhandled.length = 0;
    statement();
    await turn();
    seen.add(`${reads} reads, ${calls} calls, unhandled [${unhandled}]`);
  }
  console.log(name, [...seen]);
}

await count("then gives a value with a getter", () => {
  Promise.resolve(1).then(value);
});
await count("then gives a query", () => {
  Promise.resolve(1).then(() => query);
});
await count("later", () => {
  new Promise((resolve) => queueMicrotask(resolve)).then(() => query);
});
await count("catch gives a query", () => {
  Promise.reject(new Error("a")).catch(() => query);
});
await count("what has no handler goes on", () => {
  Promise.resolve(value()).catch(() => {});
});
await count("a function without handler", () => {
  Promise.resolve(value()).then();
});
await count("used", () => {
  const promise = Promise.resolve(1).then(() => query);
  return promise;
});
const shared = Promise.reject(new Error("shared"));
shared.catch(() => {});
await count("a rejection handled elsewhere", () => {
  Promise.resolve(1).then(() => shared);
});
await count("an async handler that throws", () => {
  Promise.resolve(1).then(async () => {
    await null;
    throw new Error("thrown");
  });
});
await count("a getter that throws", () => {
  Promise.resolve(1).then(() => ({
    get then() {
      throw new Error("getter");
    },
  }));
});
await count("ordinary objects", () => {
  Promise.resolve({}).catch(() => {});
  Promise.resolve(1).then(() => [1]);
});
