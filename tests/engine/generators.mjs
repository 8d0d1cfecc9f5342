// Generators that machine code suspends and resumes: what they keep, how they end, and who may resume them. Each part runs often
// enough to be compiled.
import vm from "node:vm";

const rounds = 500;
const words = (i) => `${i}`.padStart(4, "0").slice(-4);

// What a generator keeps: parameters, arguments, locals, operands, environments; values of all kinds, also over collections.
function* none() {
  let last = yield 0;
  for (;;) last = yield last;
}
function* two(start, step) {
  for (let value = start; ; value += step) yield value;
}
function* many(a, b = a + 1, { c, d = c }, [e], ...rest) {
  yield a + b + c + d + e;
  yield rest.length;
  yield arguments.length;
}
function* operands(x) {
  return [1, yield x, { y: yield x + 1 }, `${yield x + 2}|${yield x + 3}`, (yield x + 4) + (yield x + 5)];
}
function* locals(n) {
  const a = { n };
  let [b, c, d, e, f, g, h] = [n, n + 0.5, `${n}`, true, null, undefined, 10n];
  const [i, j, k, l, m, o, p, q, r, s] = [[n], () => a.n, Symbol.iterator, /x/, new Map([[n, a]]), 1, 2, 3, 4, 5];
  while (true) {
    yield [a.n, b, c, d, e, f, g, h, i[0], j(), k, l.source, m.get(n).n, o + p + q + r + s].map(String).join();
    [b, c, d, e] = [b + 1, c + 1, d.length > 20 ? "" : d + "x", !e];
    h += 1n;
  }
}
let sum = 0;
let text = "";
const kept = [];
for (let i = 0; i < rounds; i++) {
  const echo = none();
  echo.next("ignored");
  sum += echo.next(i).value + echo.next(1, 2, 3).value;
  let n = 0;
  for (const value of two(i, 2)) {
    sum += value;
    if (++n === 5) break;
  }
  for (const value of many(i, undefined, { c: 1 }, [2], 5, 6, 7)) sum += value;
  const held = operands(i);
  let [step, count] = [held.next(), 0];
  while (!step.done) step = held.next(step.value + count++);
  text = JSON.stringify(step.value);
  if (i % 20 === 0) kept.push(locals(i));
  const line = kept.map((generator) => generator.next().value).at(-1);
  sum += line.length;
  if (i % 100 === 0) {
    globalThis.gc?.();
    console.log(line);
  }
}
console.log(sum, text, kept[3].next().value);

// How they end. The finally blocks run once, and a generator that has thrown is done.
function* failing(n, log) {
  try {
    for (let i = 0; ; i++) {
      if (i === n) throw new RangeError(`at ${n}`);
      yield i;
    }
  } finally {
    log.push("finally");
  }
}
function* catching(n) {
  for (let i = 0; i < n; i++) {
    try {
      const got = yield i;
      if (got === "throw") throw i;
    } catch (error) {
      yield `caught ${error}`;
    }
  }
}
const counts = new Map();
const count = (key) => counts.set(key, (counts.get(key) ?? 0) + 1);
for (let i = 0; i < rounds; i++) {
  const log = [];
  const generator = failing(i % 7, log);
  try {
    for (const value of generator) if (value < 0) break;
  } catch (error) {
    count(`${error.name} ${error.message} ${log}`);
  }
  count(JSON.stringify([generator.next(1), generator.return(2)]));
  try {
    generator.throw(new Error("thrown in"));
  } catch (error) {
    count(error.message);
  }
  const inner = catching(3);
  inner.next();
  count(JSON.stringify([inner.next("throw"), inner.next(), inner.throw("thrown"), inner.next(), inner.next("throw"), inner.next(), inner.next()]));
  const left = failing(9, log);
  left.next();
  count(JSON.stringify([left.return("early"), left.next(), log]));
}
console.log([...counts].map(([key, n]) => `${key}: ${n}`).join("\n"));
counts.clear();

// A generator that runs cannot be resumed, and does not end by the attempt. One that fails inside of another one's parameters
// does not end that other one.
function* self(get) {
  try {
    get().next();
  } catch (error) {
    yield error.constructor.name;
  }
  yield "still here";
}
function* outer(make) {
  yield 1;
  try {
    make();
  } catch (error) {
    yield `${error}`;
  }
  yield 2;
}
function* badDefault(value = nothing.at.all) {
  yield value;
}
const nothing = undefined;
for (let i = 0; i < rounds; i++) {
  const one = self(() => one);
  count([...one].join());
  count([...outer(badDefault)].join());
  const two = outer(() => two.again());
  two.again = outer;
  count([...two].join());
  const three = outer(() => [...failing(2, [])]);
  count([...three].join());
}
console.log([...counts].map(([key, n]) => `${key}: ${n}`).join("\n"));
counts.clear();

// Delegation, and recursion until the stack is full.
function* tree(depth) {
  if (depth === 0) return yield "leaf";
  yield* tree(depth - 1);
  yield depth;
  return yield* tree(depth - 1);
}
for (let i = 0; i < 60; i++) count([...tree(5)].join(""));
function* endless(n) {
  deepest = n;
  yield* endless(n + 1);
}
let deepest = 0;
for (let i = 0; i < 3; i++) {
  const generator = endless(0);
  try {
    generator.next();
  } catch (error) {
    count(`${error.name} ${deepest > 500} ${JSON.stringify(generator.next())}`);
  }
}
console.log([...counts].map(([key, n]) => `${key}: ${n}`).join("\n"));
counts.clear();

// Of another realm, of no generator at all, through a proxy, and resumed from C++ (sort calls back from there).
const other = vm.runInNewContext("(function* (n) { for (let i = 0; i < n; i++) yield [i]; })");
const { next } = Object.getPrototypeOf(none()).__proto__;
for (let i = 0; i < 300; i++) {
  const foreign = other(3);
  count([...foreign].map((value) => value instanceof Array).join());
  const mixed = other(2);
  count(JSON.stringify([next.call(mixed), next.call(mixed), next.call(mixed)]));
  for (const value of [{}, 1, undefined, new Proxy(none(), {}), (async function* () {})()])
    try {
      next.call(value);
    } catch (error) {
      count(error.name);
    }
  const order = two(0, 1);
  count([3, 1, 2].sort(() => order.next().value % 2 || -1).length);
  const apply = none();
  apply.next();
  count(JSON.stringify([next.call(apply, i), Reflect.apply(next, apply, [1, 2, 3]), next.apply(apply, [])]).replace(/\d+/, "n"));
}
console.log([...counts].map(([key, n]) => `${key}: ${n}`).join("\n"));
counts.clear();

// Stacks name the generator and its caller.
function* shows() {
  for (;;) yield new Error("here").stack.split("\n").slice(1, 3).map((line) => /at (?:Object\.)?(\w+)/.exec(line)?.[1]).join(" < ");
}
function showing(generator) {
  return generator.next().value;
}
const shown = shows();
for (let i = 0; i < 1000; i++) showing(shown);
console.log(words(7), showing(shown).split(" < ")[0]);
