// expected: recorded from node 25
// Async functions and generators that are resumed where their frame is made anew: parameters, locals, environments, loops
// that go round with and without a suspension, exceptions, and the order of jobs around awaits that may be skipped.
const log = [];
const note = (...words) => log.push(words.join(" "));
const turn = () => new Promise((resolve) => setImmediate(resolve));
const ROUNDS = 1500;

// Parameters: none, four, more than a resumption hands over; with defaults, patterns, `arguments` and the rest.
async function none() {
  await null;
  return this === undefined ? "undefined" : typeof this;
}
async function four(a, b, c, d) {
  await null;
  const first = [a, b, c, d].join();
  a = await b;
  return `${first} ${a}`;
}
async function six(a, b, c, d, e, f) {
  await null;
  return [a, b, c, d, e, f].join();
}
async function patterns({ x, y = x + 1 }, [z] = [7], ...rest) {
  await x;
  return [x, y, z, rest.length, () => x + y].map((v) => (typeof v === "function" ? v() : v)).join();
}
function sloppy() {
  return async function (a, b) {
    arguments[0] = "changed";
    await b;
    return [...arguments, a].join();
  };
}
const mapped = new Function("return async function (a) { arguments[0] = 'changed'; await a; return a + arguments.length; }")();
async function many(n) {
  const [a, b, c, d, e, f, g, h] = [1, 2, 3, 4, 5, 6, 7, 8];
  const [i, j, k, l, m, o, p, q] = [1.5, "s", null, undefined, true, 10n, Symbol.iterator, n];
  const late = await n;
  return [a, b, c, d, e, f, g, h, i, j, k, l, m, o, String(p), q, late].join();
}
let last;
for (let i = 0; i < ROUNDS; i++) {
  last = [
    await none.call(undefined),
    await four(1, 2, 3),
    await four(1, 2, 3, 4, 5),
    await six(1, 2, 3, 4, 5, 6),
    await six(),
    await patterns({ x: i % 3 }, undefined, 1, 2),
    await sloppy()(1, 2, 3),
    await mapped(1, 2),
    await many(i),
  ];
}
note(last.join(" | "));

// Two functions in turns, so that each await suspends: inner loops, `finally`, and locals of a block.
async function loops(name, n) {
  let sum = 0;
  for (let i = 0; i < n; i++) {
    const closed = () => i;
    for (let j = 0; j < i % 5; j++) sum += j;
    try {
      sum += (await closed()) * 2;
      if (i % 7 === 3) throw new Error(name);
      if (i % 11 === 5) continue;
      sum += 1;
    } catch (error) {
      sum += error.message.length;
    } finally {
      sum += await 1;
    }
  }
  return sum;
}
note(await Promise.all([loops("one", ROUNDS), loops("three", ROUNDS), loops("a", 10)]));

// A loop that suspends only now and then, and one that does so at the end.
async function seldom(n) {
  let hash = 7;
  for (let i = 0; i < n; i++) {
    hash = (hash * 31 + i) | 0;
    if (i % 1000 === 999) await turn();
  }
  return hash;
}
note(await seldom(20000));

// Async generators: all that resumes them, hot.
async function* counts(n, ...rest) {
  let sent = 0;
  try {
    for (let i = 0; i < n; i++) sent += (yield i + rest.length) ?? 0;
  } finally {
    sent += await 1000;
  }
  return sent;
}
async function consume(n) {
  const words = [];
  let sum = 0;
  for await (const x of counts(n, 1, 2)) sum += x;
  words.push(sum);
  const it = counts(n);
  for (let i = 0; i < n; i++) await it.next(i);
  words.push(JSON.stringify(await it.next(1)));
  const thrown = counts(n);
  await thrown.next();
  words.push(await thrown.throw(new Error("thrown")).catch((error) => error.message));
  const returned = counts(n);
  await returned.next();
  words.push(JSON.stringify(await returned.return(Promise.resolve("given"))));
  const queued = counts(3);
  words.push(JSON.stringify(await Promise.all([queued.next(), queued.next(), queued.next(), queued.next(), queued.next()])));
  return words.join(" ");
}
note(await consume(ROUNDS));
note((await Promise.all([consume(50), consume(60)])).join(" / "));

// What is thrown after an await, and from how deep.
async function deep(n) {
  if (n === 0) {
    await null;
    throw new RangeError("deep");
  }
  await deep(n - 1);
}
for (let i = 0; i < 200; i++) {
  await deep(i % 20).catch((error) => (last = `${error.name} ${error.message}`));
}
note(last);

// An async function that native code calls while another one is resumed is not the one that was resumed: what comes after its
// await comes after its caller.
async function inner(word) {
  await null;
  note("late", word);
  return word;
}
async function calls() {
  await null;
  const words = [3, 1, 2].map(inner);
  note("after map");
  const object = {
    get then() {
      inner("getter");
      note("after getter");
      return undefined;
    },
  };
  await object;
  note("after await");
  JSON.stringify({ toJSON: () => (inner("json"), 1) });
  note("after json");
  return Promise.all(words);
}
for (let i = 0; i < 300; i++) {
  log.length = i < 299 ? Math.min(log.length, 6) : log.length;
  await calls();
}
async function* yields() {
  const object = {};
  Object.defineProperty(object, "then", { get: () => (inner("then of a yield"), undefined) });
  yield object;
  note("resumed");
}
for await (const _ of yields()) note("in the loop");
queueMicrotask(inner);
await turn();

// The same for an async generator that a getter resumes, while the result of a step of another one is made.
async function* steps(word) {
  for (let i = 0; i < 4; i++) {
    await null;
    note(word, i);
  }
  yield word;
}
const next = steps("").next;
async function* awaitsGetter(word) {
  yield Object.defineProperty({}, "then", { get: next.bind(steps(word)) });
  note("after", word);
  await Object.defineProperty({}, "then", { get: inner.bind(null, word) });
}
const length = log.length;
for (let i = 0; i < 300; i++) {
  log.length = length;
  for await (const _ of awaitsGetter("round")) note("in the loop");
  await turn();
}
const twice = [awaitsGetter("a"), awaitsGetter("b")];
await Promise.all([twice[0].next(), twice[1].next()].map((step, i) => step.then(() => note("step", i))));
twice[0].return();
await turn();

// A function that a job calls itself, and one that a settled promise calls.
queueMicrotask(async () => {
  await null;
  note("a job");
});
await Promise.resolve()
  .then(async () => {
    await null;
    return "a handler";
  })
  .then(note);

console.log(log.join("\n"));
