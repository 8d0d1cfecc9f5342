// expected: recorded from node 25
// Calls of async functions and awaits in warm code, each with values that machine code handles itself and with those that it
// leaves to the engine: promises with properties, of other classes, rejected, pending, thenables, a changed prototype; arguments
// objects, many locals; and in frames that are not the outermost.
const log = (...words) => console.log(...words);
const settled = Promise.resolve("settled");
const own = Promise.resolve("own then");
own.then = function (resolve) {
  resolve("of its own");
};
class Other extends Promise {}
const values = {
  number: 1,
  string: "text",
  null: null,
  undefined,
  symbol: Symbol.for("symbol"),
  plain: { plain: true },
  thenable: { then: (resolve) => resolve("thenable") },
  nested: Promise.resolve(settled),
  settled,
  own,
  other: Other.resolve("other"),
};
const returns = async (value) => value;
const awaits = async (value) => await value;
const manyLocals = async (value) => {
  let a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8, i = 9, j = 10, k = 11, l = 12, m = 13, n = 14, o = 15, p = 16, q = 17;
  const got = await value;
  return [got, a + b + c + d + e + f + g + h + i + j + k + l + m + n + o + p + q];
};
async function withArguments() {
  const got = await arguments[0];
  return [got, arguments.length];
}
const rejects = async (value) => {
  throw value;
};
const catches = async (value) => {
  try {
    return await Promise.reject(value);
  } catch (error) {
    return ["caught", error];
  } finally {
    await null;
  }
};
async function* steps(value) {
  yield value;
  yield await value;
  return value;
}
const show = (value) => (typeof value === "symbol" ? value.toString() : JSON.stringify(value));

for (const [name, value] of Object.entries(values)) {
  let seen;
  for (let i = 0; i < 400; i++) {
    seen = [await value, await returns(value), await awaits(value), await manyLocals(value), await withArguments(value, i)];
    if (i % 40 === 0) {
      seen.push(await catches(value), await rejects(value).catch((error) => ["rejected", error === value]));
      const all = [];
      for await (const step of steps(value)) all.push(step);
      seen.push(all);
    }
  }
  log(name, show(seen), show(await catches(await value)));
}

// The order of awaits in functions that call each other, some of them synchronously.
const order = [];
const inner = async (name) => {
  order.push(name + "1");
  await null;
  order.push(name + "2");
  await settled;
  order.push(name + "3");
};
const outer = async (name) => {
  for (let i = 0; i < 3; i++) {
    const first = inner(name + i + "a");
    const second = inner(name + i + "b");
    order.push(name + i);
    await first;
    queueMicrotask(() => order.push(name + i + "queued"));
    await i;
    await second;
    Promise.resolve().then(() => order.push(name + i + "then"));
    await settled;
    order.push(name + i + "end");
  }
};
let text = "";
for (let round = 0; round < 300; round++) {
  order.length = 0;
  await Promise.all([outer("x"), outer("y")]);
  await outer("z");
  const now = order.join();
  if (text && now !== text) log("the order has changed", round, now);
  text = now;
}
log(text);

// A promise that settles while other jobs wait, and one that is awaited twice.
const twice = async (promise) => [await promise, await promise];
let resolve;
for (let round = 0; round < 300; round++) {
  const pending = new Promise((done) => (resolve = done));
  const both = Promise.all([twice(pending), twice(pending), returns(pending)]);
  queueMicrotask(() => resolve(round));
  const got = JSON.stringify(await both);
  if (round === 299) log(got);
}

// What is no function is refused.
try {
  queueMicrotask(1);
} catch (error) {
  log(error.name, error.code);
}

// A prototype that the program changes: from then on each await looks at it.
const then = Promise.prototype.then;
const loop = async (n) => {
  let calls = 0;
  for (let i = 0; i < n; i++) {
    if (i === n - 3)
      Promise.prototype.then = function (...handlers) {
        calls++;
        return then.apply(this, handlers);
      };
    await settled;
    await i;
  }
  Promise.prototype.then = then;
  return calls;
};
log("then was called", await loop(500));
const constructorOf = async (n) => {
  let reads = 0;
  for (let i = 0; i < n; i++) {
    if (i === n - 3)
      Object.defineProperty(Promise.prototype, "constructor", {
        configurable: true,
        get() {
          reads++;
          return Promise;
        },
      });
    await settled;
    await i;
  }
  return reads;
};
log("constructor was read", await constructorOf(500));
