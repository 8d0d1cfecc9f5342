// Promise.all, race, any, allSettled and resolve with values, thenables, subclasses and changed properties, the order of their
// microtasks, and handlers that are no functions of the program. Recorded from Bun 1.4.5.
const log = [];
const note = (...words) => log.push(words.map((word) => JSON.stringify(word)).join(" "));
const later = (value, ms) => new Promise((resolve) => setTimeout(resolve, ms, value));
const thenable = (value) => ({ then: (f) => f(value) });

note(await Promise.all([1, Promise.resolve(2), later(3, 1), { a: 1 }, thenable(4)]));
note(await Promise.allSettled([1, Promise.reject(2), later(3, 1), { then: (f, g) => g(4) }]));
note(await Promise.any([Promise.reject(1), later(3, 1), Promise.resolve(9)]));
note(await Promise.any([Promise.reject(1)]).catch((error) => error.errors));
note(await Promise.race([later(1, 2), thenable(2), 5]), await Promise.race([{ x: 1 }]));
note(await Promise.race([Promise.reject(3)]).catch((reason) => ["rejected", reason]));
await Promise.all([new Promise((_, reject) => reject(new Error("boom")))]).catch((error) => note(error.message));

const order = [];
const mark = (name) => () => void order.push(name);
Promise.all([1, 2]).then(mark("all"));
Promise.race([1, 2]).then(mark("race"));
Promise.any([1]).then(mark("any"));
Promise.allSettled([1]).then(mark("allSettled"));
Promise.resolve().then(mark(1)).then(mark(2)).then(mark(3)).then(mark(4));
Promise.resolve({ a: 1 })
  .then(mark("object"))
  .then(() => ({ b: 1 }))
  .then(mark("returned"))
  .then(() => Promise.resolve(1))
  .then(mark("adopted"));
(async () => {
  mark("begun")();
  await Promise.all([]);
  mark("after none")();
  await (async () => ({ z: 1 }))();
  mark("after an object")();
})().then(mark("ended"));
await later(0, 3);
note(order);

class Sub extends Promise {
  static made = 0;
  constructor(executor) {
    super(executor);
    Sub.made++;
  }
}
note(
  await Sub.all([1, Sub.resolve(2)]),
  Sub.made,
  Sub.resolve(1) instanceof Sub,
  Promise.resolve(Sub.resolve(1)) instanceof Sub,
);
function Other(executor) {
  return new Promise(executor);
}
Other.resolve = Promise.resolve;
note(
  await Promise.all.call(Other, [1, Promise.resolve(4)]),
  await Promise.race.call(Other, [7]),
  await Promise.resolve.call(Other, { q: 1 }),
);

const renamed = Promise.resolve(1);
renamed.constructor = Sub;
note(Promise.resolve(renamed) === renamed, Sub.resolve(renamed) === renamed);
const own = Promise.resolve(3);
own.then = (f) => f("own");
note(await own, await Promise.all([own]), await Promise.race([own]));

let calls = 0;
const { resolve } = Promise;
Promise.resolve = function (value) {
  calls++;
  return resolve.call(this, value);
};
await Promise.all([1, 2]);
await Promise.race([1]);
note("calls of another resolve", calls);
Promise.resolve = resolve;

// Handlers: native, bound, a proxy, a class, none.
queueMicrotask(Math.max);
Promise.resolve(4)
  .then(Math.sqrt)
  .then((v) => note("native", v));
Promise.resolve("x")
  .then(JSON.parse)
  .catch((error) => note("native throws", error.name));
Promise.resolve(4)
  .then(class {})
  .catch((error) => note("class", error.name));
Promise.resolve([3])
  .then(Array.isArray.bind(null))
  .then((v) => note("bound", v));
Promise.resolve(2)
  .then(new Proxy((x) => x * 2, {}))
  .then((v) => note("proxy", v));
Promise.resolve(1)
  .then(null)
  .then(undefined, 3)
  .then((v) => note("none", v));
await later(0, 2);
console.log(log.join("\n"));
