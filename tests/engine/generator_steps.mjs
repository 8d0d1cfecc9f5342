// expected: recorded from node 25.9.0
// Generators whose steps are part of the loop that calls `next`: other generators at the same place, results that are kept, code
// that runs for the first time later, exceptions, and what is saved while memory is collected.
const rounds = 3000;
const note = (name, ...values) => console.log(name, values.join(" "));

// The same place resumes one function for long, then others.
function* up(n) {
  for (let i = 0; i < n; i++) yield i;
}
function* down(n) {
  while (n > 0) yield n--;
}
const each = (iterator) => {
  let sum = 0;
  for (const value of iterator) sum = (sum * 3 + value) | 0;
  return sum;
};
let sum = 0;
for (let i = 0; i < rounds; i++) sum = (sum + each(up(i % 9))) | 0;
note("one function", sum);
for (let i = 0; i < rounds; i++) sum = (sum + each(i % 3 ? up(i % 9) : down(i % 7))) | 0;
note("two functions", sum, each([1, 2, 3]), each(new Set([4, 5])));

// Closures of one generator, each with a prototype of its own.
const closures = Array.from({ length: 4 }, (_, k) => function* (n) {
  for (let i = 0; i < n; i++) yield i * k;
});
for (let i = 0; i < rounds; i++) sum = (sum + each(closures[(i / 1000) | 0](5))) | 0;
note("closures", sum);

// `next` of its own, another prototype, in the middle.
const steps = (generator, at, change) => {
  let total = 0;
  for (let i = 0; i < 12; i++) {
    if (i === at) change(generator);
    const { value, done } = generator.next(i);
    total = (total * 7 + (done ? -1 : value)) | 0;
  }
  return total;
};
let changed = 0;
for (let i = 0; i < rounds; i++) {
  changed = (changed + steps(up(i % 14), i > 2900 ? i % 12 : -1, (generator) => {
    if (i % 2) generator.next = () => ({ value: 40, done: false });
    else Object.setPrototypeOf(generator, { __proto__: up.prototype });
  })) | 0;
}
note("changed", changed);

// All results are objects of their own, in the order of their properties.
const results = [];
const keep = (generator) => {
  for (;;) {
    const result = generator.next();
    results.push(result);
    if (result.done) return;
  }
};
for (let i = 0; i < 600; i++) keep(up(i % 5));
note("results", results.length, new Set(results).size, JSON.stringify(results.slice(-5)), Object.getPrototypeOf(results[7]) === Object.prototype);
results[0].done = "mine";
note("mine", JSON.stringify(results.slice(0, 2)));

// Several yields, yields in what is yielded, values that are sent, loops of all kinds.
function* many(a) {
  const first = yield a;
  const second = yield (yield first) + 1;
  return [first, second];
}
function* tail(n) {
  do {
    yield n;
  } while (--n > 0);
  return "tail";
}
function* branches(n) {
  for (let i = 0; i < n; i++) {
    let inner = 0;
    for (let k = 0; k < i; k++) inner += k;
    if (i % 2) yield inner;
    else {
      const sent = yield -inner;
      if (sent === 5) break;
    }
    for (let k = 0; k < i; k++) inner ^= k;
    n -= inner & 1;
  }
  yield "behind";
}
function* some(n) {
  for (let i = 0; i < n; i++) if (i % 3) yield i;
}
function* forever() {
  let a = 0;
  let b = 1;
  while (true) {
    yield a;
    [a, b] = [b, (a + b) | 0];
  }
}
function* grid(n) {
  for (let i = 0; i < n; i++) {
    for (let k = 0; k < i; k++) {
      if (k === 5) continue;
      yield i * 10 + k;
      if (i + k === 9) break;
    }
    while (i === 2) {
      yield "two";
      if (n > 3) break;
      i++;
    }
  }
}
function* taken(n) {
  if (n > 5) return "many";
  for (const value of [3, 1, 4, 1, 5, 9]) {
    if (value === 1) continue;
    try {
      if (value === n) throw value;
      yield value;
    } catch (error) {
      n = -error;
      continue;
    }
    if (n-- === 0) return "none left";
  }
}
const drive = (generator, list, send) => {
  for (let i = 0; i < 9; i++) {
    const { value, done } = generator.next(send + i);
    list.push(done ? `${value}!` : value);
    if (done) break;
  }
};
for (const make of [many, tail, branches, some, forever, grid, taken]) {
  let hash = 0;
  let last;
  // One function a place: each of them has its own code.
  const own = new Function("drive", "generator", "send", `const list = []; (${drive})(generator, list, send); return list.join();`);
  for (let i = 0; i < 2000; i++) {
    last = own(drive, make(i % 8), i % 6);
    for (let k = 0; k < last.length; k++) hash = (hash * 31 + last.charCodeAt(k)) | 0;
  }
  note(make.name, hash, last);
}

// A generator that maps another one, and one that calls itself.
function* mapped(source, change) {
  for (const value of source) yield change(value);
}
function* tree(depth) {
  if (depth > 0) {
    yield* tree(depth - 1);
    yield depth;
    yield* tree(depth - 1);
  }
}
let nested = 0;
for (let i = 0; i < rounds; i++) {
  for (const value of mapped(up(i % 9), (value) => (i === 2990 ? `${value}` : value * 2))) nested += value.length ?? value;
  if (i % 50 === 0) nested += each(tree(4));
}
note("nested", nested);

// What is kept and yielded changes its type: integers, doubles, strings, big integers.
function* types(n, step) {
  let value = 0;
  for (let i = 0; i < n; i++) {
    yield value;
    value += step;
  }
  return typeof value;
}
const log = [];
for (let i = 0; i < rounds; i++) {
  const step = i < 2500 ? 1 : i < 2600 ? 0.5 : i < 2700 ? 2 ** 30 : i < 2800 ? "s" : i < 2900 ? {} : 3;
  const generator = types(6, step);
  let result = "";
  for (const value of generator) result += value;
  log.push(result);
}
note("types", new Set(log).size, [...new Set(log)].join(" "));

// Exceptions in the step, with and without a way out; the generator has ended then.
function* throwing(n, at) {
  for (let i = 0; i < n; i++) {
    if (i === at) at.missing.missing;
    yield i;
  }
}
let ends = 0;
function* guarded(n, at) {
  try {
    for (let i = 0; i < n; i++) {
      if (i === at) throw new RangeError(`at ${i}`);
      yield i;
    }
  } finally {
    ends++;
  }
}
const caught = new Map();
const run = (generator) => {
  let seen = 0;
  try {
    for (const value of generator) seen += value + 1;
  } catch (error) {
    seen = `${error.name} after ${seen} ${JSON.stringify(generator.next())}`;
  }
  caught.set(seen, (caught.get(seen) ?? 0) + 1);
};
const runGuarded = eval(`(${run})`);
for (let i = 0; i < rounds; i++) {
  run(throwing(6, i % 100 === 99 ? i % 5 : -1));
  runGuarded(guarded(6, i % 100 === 98 ? i % 7 : -1));
}
note("thrown", ends, JSON.stringify([...caught]));

// A generator that asks itself, and one that has ended.
const asked = [];
const ask = (generator) => {
  for (const value of generator) asked.push(value);
};
function* asking(self) {
  for (let i = 0; i < 4; i++) {
    if (self.again) {
      try {
        ask(self.generator);
      } catch (error) {
        asked.push(error.constructor.name);
      }
    }
    yield i;
  }
}
for (let i = 0; i < 1500; i++) {
  const self = { again: i > 1495 };
  self.generator = asking(self);
  ask(self.generator);
  if (i > 1490) ask(self.generator);
}
note("asked", asked.length, asked.slice(-12).join());

// Loops that are left, patterns that take less than there is.
let left = 0;
for (let i = 0; i < rounds; i++) {
  for (const value of guarded(9, -1)) {
    left += value;
    if (value === i % 12) break;
  }
  const [first, second = 7] = up(i % 4);
  left += (first ?? 1) + second + Math.max(0, ...up(i % 3));
}
note("left", left, ends);

// Objects that only a generator keeps, while its step makes others and memory is collected.
function* keeping(n) {
  let last = { i: -1, text: "none" };
  for (let i = 0; i < n; i++) {
    const own = { i, text: `text ${i}`, last };
    yield own;
    if (own.last.i !== i - 1 || own.text !== `text ${i}`) throw new Error(`lost at ${i}`);
    if (i % 400 === 0) globalThis.gc?.();
    last = own;
    own.last = { i: i - 1 };
    new Array(i % 100).fill({ i });
  }
}
let kept = 0;
for (let k = 0; k < 4; k++) for (const { i, text } of keeping(5000)) kept += i + text.length;
note("kept", kept);
