// Steps of async generators: values, requests that wait, return and throw in all states, delegation, results whose prototype
// has a `then`. Recorded from Bun 1.4.5.
const log = [];
const note = (...words) =>
  log.push(words.map((word) => (typeof word === "string" ? word : JSON.stringify(word))).join(" "));

async function* steps() {
  try {
    note("sent", (yield 1) ?? "nothing");
    yield* [2, Promise.resolve(3)];
    yield Promise.resolve(4);
    return { then: (f) => f("returned") };
  } finally {
    note("finally");
  }
}

const all = steps();
note(
  await all.next("lost"),
  await all.next("v"),
  await all.next(),
  await all.next(),
  await all.next(),
  await all.next(),
);
const returned = steps();
await returned.next();
note(await returned.return(Promise.resolve(5)), await returned.next());
const thrown = steps();
await thrown.next();
await thrown.throw(new Error("thrown")).catch((error) => note(error.message));
const fresh = steps();
note(
  await fresh.return("before the first"),
  await steps()
    .throw("x")
    .catch((x) => ["caught", x]),
);
const queued = steps();
note(await Promise.all([queued.next(), queued.next(), queued.next(), queued.return(9), queued.next()]));
for await (const x of steps()) {
  note("loop", x);
  if (x === 2) break;
}

async function* fails() {
  yield 1;
  throw new Error("from inside");
}
try {
  for await (const x of fails()) note("before the failure", x);
} catch (error) {
  note(error.message);
}
async function* awaitsRejected() {
  try {
    yield Promise.reject(new Error("yielded"));
  } catch (error) {
    note("inside:", error.message);
    yield "goes on";
  }
}
for await (const x of awaitsRejected()) note(x);

// A generator that many steps keep in use, so that machine code runs and collections move its objects.
async function* counts(n) {
  for (let i = 0; i < n; i++) yield { i, junk: "j".repeat(i % 7) };
}
async function* doubled(source) {
  for await (const { i } of source) yield i * 2;
}
let sum = 0;
for await (const x of doubled(counts(20000))) sum += x;
note(sum);

// The result of a step is an object; its `then` is looked up.
Object.prototype.then = function (f) {
  delete Object.prototype.then;
  f({ value: "by then", done: true });
};
note(await counts(1).next());
note(await counts(1).next());

const result = await counts(1).next();
note(Object.keys(result), Object.getPrototypeOf(result) === Object.prototype);
result.extra = 1;
note(result);

const order = [];
async function* marks(name) {
  order.push(name + 0);
  yield 1;
  order.push(name + 1);
  yield 2;
  order.push(name + 2);
}
const ticks = (async () => {
  for (let i = 0; i < 12; i++) {
    order.push(i);
    await null;
  }
})();
await Promise.all(
  ["a", "b"].map(async (name) => {
    for await (const x of marks(name)) order.push(name + ":" + x);
  }),
);
await ticks;
note(order.join(" "));
console.log(log.join("\n"));
