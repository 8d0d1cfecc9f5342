// Functions that are inlined into themselves and callbacks that are inlined with forEach, map and the like
// (engine/overlay/patches/recursive-inlining.patch, callback-inlining.patch): values, exceptions, stacks, changes of mind.
const log = (...values) => console.log(...values);
const numbers = Array.from({ length: 1000 }, (_, i) => (i * 7919) % 1000);

// Callbacks: another clone of a lambda each time, then other lambdas, then other kinds of functions.
function each(list, change) {
  let sum = 0;
  for (let round = 0; round < 2500; round++) {
    list.forEach((x, i) => {
      sum += x + i;
    });
    if (round === change) list.forEach(function (x) { sum -= x * this.factor; }, { factor: 2 });
  }
  return sum;
}
log("forEach", each(numbers.slice(0, 300), -1), each(numbers.slice(0, 300), 2000), each([0.5, "a", 2].concat(numbers.slice(0, 20)), 100).length);
function pipeline(list, callbacks, rounds) {
  let last;
  for (let round = 0; round < rounds; round++) {
    const [map, filter, reduce] = callbacks[round % callbacks.length];
    last = list.map(map).filter(filter).reduce(reduce, round);
  }
  return last;
}
const plain = [(x) => x * 2, (x) => x % 3 === 0, (a, b) => a + b];
log("pipeline", pipeline(numbers, [plain], 2000));
log("pipeline", pipeline(numbers, [plain, [String, (x) => x.length > 1, (a, b) => (a + b).slice(-9)]], 2001));
log("pipeline", pipeline(numbers, [plain, plain.map((f) => f.bind(null)), plain.map((f) => new Proxy(f, {}))], 600));
log("pipeline", pipeline([, 1, , 2.5, undefined], [plain], 3000));
const own = (list, factor, rounds) => {
  let count = 0;
  for (let i = 0; i < rounds; i++) {
    count += list.some((x) => x === i) + list.every((x) => x >= 0) + (list.find((x) => x > factor) ?? -1) + list.findIndex((x) => x === factor);
    count += list.findLast((x) => x < factor) ?? 0;
    count += list.reduceRight((a, x) => (a ^ x) & 255, i);
  }
  return count;
};
log("others", own(numbers.slice(0, 200), 500, 2200), own([], 5, 10), own([-1], 5, 10));

// A callback that throws, once in a while; what it changes stays; the stack names it and its callers.
function throwing(list) {
  let caught = 0, seen = 0, stack = "";
  for (let round = 0; round < 2500; round++) {
    try {
      list.forEach(function check(x) {
        seen++;
        if (round % 100 === 99 && x === 500) throw new Error(`round ${round}`);
      });
    } catch (error) {
      caught++;
      stack = error.stack;
    }
  }
  return [caught, seen, stack.split("\n").slice(0, 2).map((line) => line.trim().replace(/\(?file.*|\(native.*|\(<anonymous>.*/, "").trim()).filter((line) => !line.includes("forEach")).join(" | ")].join(" ");
}
log("throwing", throwing(numbers.slice(0, 60).concat(500, 1, 2)));
// A callback that changes the list.
function changing() {
  let steps = 0;
  for (let round = 0; round < 2200; round++) {
    const list = [1, 2, 3, 4, 5, 6, 7, 8];
    list.forEach((x, i, all) => {
      steps++;
      if (round % 7 === 0 && i === 2) all.length = 5;
      if (round % 11 === 0 && i === 1) all.push(9);
    });
  }
  return steps;
}
log("changing", changing());

// Recursion.
const fibonacci = (n) => (n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2));
log("fibonacci", fibonacci(24), fibonacci(24.5), fibonacci("20"), fibonacci(-1));
function walk(node, depth, path) {
  if (typeof node === "number") return node * depth;
  if (node === null) throw new Error(path);
  let sum = 0;
  for (const child of node) sum += walk(child, depth + 1, path);
  return sum;
}
const tree = (depth) => (depth === 0 ? 3 : [tree(depth - 1), tree(depth - 1), depth]);
log("walk", walk(tree(12), 0, ""), walk(tree(3), 0.5, ""));
let failed = 0;
for (let i = 0; i < 300; i++) {
  try {
    walk([[1, [2, [3, i % 3 ? 4 : null]]], 5], 0, `p${i}`);
  } catch (error) {
    failed += error.message.length;
  }
}
log("walk that throws", failed);
const ackermann = (m, n) => (m === 0 ? n + 1 : n === 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1)));
log("ackermann", ackermann(2, 150));
function sumTo(n, ...rest) {
  return n === 0 ? rest.length + arguments.length : n + sumTo(n - 1, ...rest, n);
}
log("rest", sumTo(30), sumTo(60, 1, 2));
class List {
  constructor(value, next) {
    this.value = value;
    this.next = next;
  }
  sum() {
    return this.next ? this.value + this.next.sum() : this.value;
  }
  get last() {
    return this.next ? this.next.last : this.value;
  }
}
let list = null;
for (let i = 0; i < 400; i++) list = new List(i, list);
let sums = 0;
for (let i = 0; i < 100; i++) sums += list.sum() + list.last;
log("methods", sums);
// A recursion without end is a RangeError, also once it is machine code, and leaves nothing behind.
const endless = (n) => endless(n + 1) + 1;
for (let i = 0; i < 3; i++) {
  try {
    endless(0);
  } catch (error) {
    log("endless", error instanceof RangeError);
  }
}
// The function is replaced while it runs.
let count = (n) => (n === 0 ? 0 : 1 + count(n - 1));
const first = count;
let counted = 0;
for (let i = 0; i < 500; i++) {
  counted += first(40);
  if (i === 400) count = (n) => -n;
}
log("replaced", counted);
const even = (n) => (n === 0 ? true : odd(n - 1));
const odd = (n) => (n === 0 ? false : even(n - 1));
log("mutual", Array.from({ length: 3000 }, (_, i) => even(i % 50)).filter(Boolean).length);
const depthOf = (n) => (n === 0 ? new Error("x").stack.split("\n").filter((line) => line.includes("depthOf")).length : depthOf(n - 1));
let depths = 0;
for (let i = 0; i < 400; i++) depths += depthOf(6);
log("frames", depths);
