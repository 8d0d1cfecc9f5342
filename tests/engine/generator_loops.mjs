// expected: recorded from node 25.9.0
// Generators that run long enough to be resumed in optimised code: what they keep between two steps, what they are sent, code
// that runs for the first time after that, and every way out.
const rounds = 3000;
let lines = [];
const note = (...values) => lines.push(values.join(" "));
const flush = (name) => {
  let hash = 0;
  for (const line of lines) for (let i = 0; i < line.length; i++) hash = (hash * 31 + line.charCodeAt(i)) | 0;
  console.log(name, lines.length, hash, lines.at(-1));
  lines = [];
};

function* counter(n) {
  for (let i = 0; i < n; i++) yield i;
}
let sum = 0;
for (const value of counter(50_000)) sum += value;
for (let i = 0; i < rounds; i++) for (const value of counter(i % 7)) sum += value;
console.log("counter", sum);

// The types of what is kept change in the middle: small integers, doubles, strings, objects, undefined, 0n.
function* changing(steps) {
  let value = 0;
  let other;
  for (let i = 0; i < steps; i++) {
    const sent = yield value;
    if (sent !== undefined) other = sent;
    value = i === 4000 ? value + 0.5 : i === 4100 ? `${value}` : i === 4200 ? { length: i } : i === 4300 ? 7n : other ?? i;
  }
  return [value, other];
}
for (const sends of [[], [1], [1, 2.5, "s"], [undefined, null, true]]) {
  const generator = changing(5000);
  for (let i = 0, step; !(step = generator.next(sends[i % (sends.length || 1)])).done; i++) note(typeof step.value, String(step.value));
  note(JSON.stringify(generator.next()));
}
flush("changing");

// Parameters, more than `next` has, defaults, closures over them, block scopes that live on, rest, destructuring.
function* scopes(a, b, c = a + b, { d, ...e } = { d: c, f: 1 }, ...rest) {
  const closures = [];
  for (let i = 0; i < 40; i++) {
    let own = i * a;
    closures.push(() => own++ + c);
    const got = yield own + b + d + rest.length;
    {
      let inner = got;
      closures.push(() => inner);
      if (i % 3 === 0) yield closures.at(-2)() + (inner ?? 0);
    }
    [a, b] = [b, a + (e.f ?? 0)];
  }
  return closures.reduce((total, closure) => total + (closure() ?? 0), 0);
}
for (let i = 0; i < 200; i++) {
  const generator = i % 2 ? scopes(i, 2) : scopes(i, 2, 3, { d: 1 }, 5, 6);
  let step;
  let n = 0;
  while (!(step = generator.next(n++)).done);
  note(step.value, n);
}
flush("scopes");

// Loops that are entered at their heads behind one step and in the middle behind another one; code that runs first when all else is
// hot.
function* middle(n, late) {
  let [a, b, c] = [0, n, "x"];
  yield a;
  for (let i = 0; i < 3; i++) {
    if (n === late) c += yield `${c}${i}`;
    for (let j = 0; j < 4; j++) {
      a = (a + j * b) | 0;
      if ((yield a + i) === j) break;
      let k = 3;
      while (k-- > 0) {
        b = (b + k) | 0;
        if (k === 1 && n & 1) yield b;
      }
    }
    if (i === 1) a += yield b;
    do {
      b++;
      yield c.length + b;
    } while (b % 4);
  }
  if (n === late + 1) return c;
  yield c;
}
for (let n = 0; n < rounds; n++) {
  const generator = middle(n, rounds - 20);
  let last = 0;
  for (let i = 0, step; !(step = generator.next(i % 5)).done; i++) last = (last * 31 + (step.value?.length ?? step.value)) | 0;
  note(last);
}
flush("middle");

// Iteration in iteration, delegation, recursion; left by break, return, throw and an exception of the body.
function* mapped(values, apply) {
  for (const value of values) yield apply(value);
}
function* taken(values, count) {
  if (count === 0) return "none";
  for (const value of values) {
    yield value;
    if (--count === 0) return "all";
  }
  return "end";
}
function* tree(depth, log) {
  if (depth === 0) return 1;
  try {
    const left = yield* tree(depth - 1, log);
    yield depth;
    return left + (yield* tree(depth - 1, log));
  } finally {
    log.count++;
  }
}
function* inner(log) {
  try {
    for (let i = 0; ; i++) if ((yield i) === "fail") throw new RangeError(`at ${i}`);
  } catch (error) {
    yield `caught ${error.message ?? error}`;
  } finally {
    log.count++;
    if (log.count % 50 === 0) yield "late";
  }
}
const log = { count: 0 };
for (let i = 0; i < rounds; i++) {
  let total = 0;
  for (const value of taken(mapped(counter(20), (value) => value * i), i % 22)) total += value;
  const [first, second = "-", ...others] = taken(tree(3, log), i % 9);
  note(total, first, second, others.join(""), log.count);
  const generator = inner(log);
  const out = [generator.next(), generator.next(), generator.next(i % 5 === 1 ? "fail" : 0)];
  if (i % 5 === 2) out.push(generator.return("returned"));
  if (i % 5 === 3) out.push(generator.throw("thrown"));
  out.push(generator.next(), generator.next());
  note(JSON.stringify(out));
  try {
    for (const value of mapped(counter(9), (value) => (value === i % 11 ? undefinedName : value))) if (value === 8) break;
  } catch (error) {
    note(error.name);
  }
  const self = mapped([1, 2], () => self.next());
  try {
    self.next();
  } catch (error) {
    note(error.constructor.name, self.next().done);
  }
}
flush("ways out");

// What is kept lives over collections, small and whole ones.
function* keeping(n) {
  const made = [];
  for (let i = 0; i < n; i++) {
    const object = { i, text: `text ${i}`, list: [i, [i]] };
    made.push(object);
    const sent = yield object;
    if (sent !== object || object.text !== `text ${i}` || object.list[1][0] !== i) throw new Error(`lost at ${i}`);
    if (i % 500 === 0) globalThis.gc?.();
  }
  return made.length;
}
const kept = Array.from({ length: 5 }, () => keeping(4000));
let sent = [];
for (let i = 0; i <= 4000; i++) {
  sent = kept.map((generator, k) => generator.next(sent[k]).value);
  if (i % 10 === 0) new Array(1000).fill({});
}
console.log("keeping", sent.join());
