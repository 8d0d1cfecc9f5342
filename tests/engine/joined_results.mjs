// expected: recorded from node 25.9.0
// Loops over iterators whose results the compiler takes apart: what they give, also where a loop is left, where its values change
// their type after it was compiled, and where what next made is kept. Only the results can be seen from a program; that they are
// not made is what bench/kernels measures.
const sums = [];
const words = Array.from({ length: 100 }, (_, i) => `word${i}`);
const map = new Map(words.map((word, i) => [word, i]));
const set = new Set(words);

function pairs(map) {
  let sum = 0;
  for (const [key, value] of map) sum += value + key.length;
  return sum;
}
function values(map) {
  let sum = 0;
  for (const value of map.values()) sum += value;
  return sum;
}
function keys(map) {
  let sum = "";
  for (const key of map.keys()) sum = key + sum.length;
  return sum;
}
function entriesOfSet(set) {
  let sum = 0;
  for (const [a, b] of set.entries()) sum += a === b ? a.length : -1000;
  return sum;
}
// The pair is kept in some rounds.
function kept(map, at) {
  let last;
  let sum = 0;
  for (const pair of map) {
    sum += pair[1];
    if (pair[1] === at) last = pair;
  }
  return [sum, last?.join()];
}
// Left in the middle, by three ways.
function left(map, way) {
  let sum = 0;
  for (const [key, value] of map) {
    if (value === 50) {
      if (way === 0) break;
      if (way === 1) return [sum, key, value];
      throw new Error(`${key} ${value} ${sum}`);
    }
    sum += value;
  }
  return sum;
}
// The map changes meanwhile.
function changed(map) {
  const copy = new Map(map);
  let rounds = 0;
  let sum = 0;
  for (const [key, value] of copy) {
    rounds++;
    if (typeof value === "number" && value % 3 === 0) copy.delete(key);
    if (rounds % 7 === 0 && rounds < 60) copy.set(`more${rounds}`, rounds);
    if (rounds === 40) copy.delete("word41").valueOf();
    sum += Number(value);
  }
  return [rounds, sum, copy.size];
}

// Iterators of a program: one object that is filled in two ways.
class Range {
  constructor(end, step) {
    this.end = end;
    this.step = step;
  }
  [Symbol.iterator]() {
    let i = 0;
    const { end, step } = this;
    return {
      next() {
        const result = { value: undefined, done: true };
        if (i < end) {
          result.value = i;
          result.done = false;
          i += step;
        }
        return result;
      },
    };
  }
}
function range(end, step) {
  let sum = 0;
  for (const i of new Range(end, step)) sum += i;
  return sum;
}
// By hand, with a field that is read behind the branch on both ways, and an object in the result.
function byHand(list, from) {
  let i = from;
  const next = () => {
    const result = { value: null, done: true, at: i };
    if (i < list.length) {
      result.value = { item: list[i], twice: list[i] * 2 };
      result.done = false;
      i++;
    }
    return result;
  };
  let sum = 0;
  for (;;) {
    const result = next();
    if (result.done) return [sum, result.at];
    const { item, twice } = result.value;
    sum += item + twice + result.at;
  }
}
// The other way round, and by a negation.
function negated(list) {
  let i = 0;
  let sum = 0;
  for (;;) {
    const result = { more: false, value: 0 };
    if (i < list.length) {
      result.more = true;
      result.value = list[i++];
    }
    if (!result.more) break;
    sum += result.value;
  }
  return sum;
}
// Both ways say the same, or nothing that is known.
function unknown(list, flag) {
  let sum = 0;
  for (let i = 0; i < list.length; i++) {
    const result = { ok: flag, value: i };
    if (list[i] > 3) result.value = list[i];
    if (result.ok) sum += result.value;
    else sum -= result.value;
  }
  return sum;
}

const numbers = Array.from({ length: 50 }, (_, i) => i);
for (let round = 0; round < 300; round++) {
  sums.length = 0;
  sums.push(pairs(map), values(map), keys(map), entriesOfSet(set), kept(map, round % 120), left(map, 0), left(map, 1));
  try {
    left(map, 2);
  } catch (error) {
    sums.push(error.message);
  }
  sums.push(changed(map), range(100, 3), byHand(numbers, round % 5), negated(numbers), unknown(numbers, round % 2 === 0));
}
console.log(JSON.stringify(sums));

// Values of other types, after the code was compiled.
const mixed = new Map([["a", 1], ["b", 2.5], [3, "c"], [{}, null], [undefined, 2 ** 31], ["z", -0]]);
console.log(pairs(new Map([["a", 2 ** 31], ["b", 0.5]])), changed(mixed), kept(mixed, 2.5), kept(mixed, "c"));
console.log(range(2 ** 33, 2 ** 31), range(1, 0.25), byHand([1, 2.5, "x", 4n].slice(0, 3), 0), negated([1, "a", 2.5]));
try {
  pairs(mixed);
} catch (error) {
  console.log(error instanceof TypeError);
}
try {
  byHand([1n, 2], 0);
} catch (error) {
  console.log(error instanceof TypeError);
}

// Another next than the one that was compiled.
const Iterator = Object.getPrototypeOf(new Map()[Symbol.iterator]());
const next = Iterator.next;
let calls = 0;
Iterator.next = function () {
  const result = next.call(this);
  calls++;
  return result.done ? result : { value: [result.value[0], 1], done: calls % 10 === 0 };
};
console.log(pairs(map), calls);
Iterator.next = next;
console.log(pairs(map), values(map));
