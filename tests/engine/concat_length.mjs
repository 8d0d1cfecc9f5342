// expected: written by hand
// Lengths of joined strings that are used for nothing else, in hot code.
const words = ["", "a", "ab", "žluťoučký", "😀", "x".repeat(30), "y".repeat(500)];

function template(a, n) {
  return `row ${a} of ${n}`.length;
}
function plus(a, b, c, d) {
  return (a + b + (c + d)).length;
}
function used(a, b) {
  const joined = a + b;
  return joined.length + joined.lastIndexOf("b");
}
function many(s) {
  return (s + "1" + s + "2" + s + "3" + s + "4" + s + "5" + s + "6" + s + "7" + s + "8" + s + "9" + s + "10" + s + "11").length;
}
let wrong = 0;
for (let round = 0; round < 40000; round++) {
  const a = words[round % 7];
  const b = words[(round * 3) % 7];
  const digits = String(round - 500).length;
  if (template(round - 500, a) !== 8 + digits + a.length) wrong++;
  if (plus(a, b, a, round) !== 2 * a.length + b.length + String(round).length) wrong++;
  if (used(a, b) !== a.length + b.length + [a, b].join("").lastIndexOf("b")) wrong++;
  if (many(a) !== 11 * a.length + 13) wrong++;
}
console.log("wrong", wrong);

// Values of other types, which are converted once each and in order.
const seen = [];
const value = (name) => ({ toString() { seen.push(name); return name; } });
let sum = 0;
for (let round = 0; round < 3000; round++) {
  seen.length = 0;
  sum += `${value("one")}-${value("two")}${null}${undefined}${1.5}${10n}`.length;
  if (seen.join() !== "one,two") sum = NaN;
}
console.log("converted", sum / 3000);

// Strings that would be too long still throw, at the join that is too long.
const half = "h".repeat(2 ** 29);
const tooLong = (a, b, c) => {
  try {
    return (a + b + c).length;
  } catch (error) {
    return error.name;
  }
};
let results = new Map();
for (let round = 0; round < 20000; round++) {
  const result = tooLong("a", "b", round % 100 === 99 ? half : "c");
  results.set(result, (results.get(result) ?? 0) + 1);
}
console.log([...results].join(" "));
results = new Map();
for (let round = 0; round < 20000; round++) {
  const result = round > 19900 ? tooLong(half, half, half) : tooLong("a", "b", "c");
  results.set(result, (results.get(result) ?? 0) + 1);
}
console.log([...results].join(" "));

// What comes between the join and the length has not happened then, and the handler is the function's own.
const counter = { count: 0 };
const effectBetween = (a, b) => {
  try {
    const joined = a + b;
    counter.count++;
    return joined.length;
  } catch (error) {
    return error.name;
  }
};
const callBetween = (a, b, c) => {
  try {
    return `${a}${b}${c}`.length;
  } catch (error) {
    return error.name;
  }
};
const called = { toString() { counter.count++; return "c"; } };
for (const tried of [effectBetween, callBetween]) {
  for (let round = 0; round < 20000; round++) tried("a", "b", called);
  counter.count = 0;
  console.log(tried(half, half, called), counter.count);
}

// More than 2^31 characters: the sum of the lengths is no integer of the machine.
const nine = (a, b, c) => (a + b + c + a + b + c + a + b + c).length;
let total = 0;
for (let round = 0; round < 100000; round++) total += nine("abc", `de${round}`, "f");
const long = "x".repeat(2 ** 28);
for (let round = 0; round < 2; round++) {
  try {
    total = nine(long, long, long);
  } catch (error) {
    console.log(total, error.name);
  }
}
