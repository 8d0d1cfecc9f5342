// expected: recorded from node 25.9.0
// A literal of a regular expression is a new object each time it is evaluated, also in hot code that mostly does not show it.
const words = Array.from({ length: 100 }, (_, i) => (i % 3 ? `word${i}` : `other ${i}`));
const { test, exec } = RegExp.prototype;

function count(n) {
  let sum = 0;
  for (let i = 0; i < n; i++) if (/^word(\d+)$/.test(words[i % 100])) sum++;
  return sum;
}
function digits(n) {
  let sum = 0;
  for (let i = 0; i < n; i++) sum += Number(/^word(\d+)$/.exec(words[i % 100])?.[1] ?? 0);
  return sum;
}
function nested(n) {
  let sum = 0;
  for (let i = 0; i < n; i += 100) for (const word of words) if (/d(?<number>\d)/u.exec(word)) sum += Number(RegExp.$1);
  return sum;
}
// With g and y, a match begins where the one before ended, in an object that is new here.
function global(n) {
  let sum = 0;
  for (let i = 0; i < n; i++) {
    const pattern = /o/g;
    while (pattern.test(words[i % 100])) sum += pattern.lastIndex;
    if (/w/y.test(words[i % 100])) sum++;
  }
  return sum;
}
// The program sees the object.
function kept(n) {
  const all = new Set();
  for (let i = 0; i < n; i++) {
    const pattern = /word/;
    if (pattern.test(words[i % 100])) all.add(pattern);
    if (i % 1000 === 1) pattern.lastIndex = 7;
  }
  return `${all.size} ${[...all].filter((pattern) => pattern.lastIndex !== 0).length}`;
}
// What is not a string runs code of the program between the evaluation and the match.
const odd = { toString: () => "word1" };
function converted(n) {
  let sum = 0;
  for (let i = 0; i < n; i++) if (/^word(\d+)$/.test(i % 5000 === 4999 ? odd : words[i % 100])) sum++;
  return sum;
}

const cases = { count, digits, nested, global, kept, converted };
for (const [name, run] of Object.entries(cases)) console.log(name, run(100), run(20000), run(20000));

// The program's own methods get each object once.
for (const [name, run] of [["test", count], ["exec", digits]]) {
  const objects = [];
  let calls = 0;
  RegExp.prototype[name] = function (text) {
    calls++;
    if (calls < 50) {
      objects.push(this);
      this.mark = (this.mark ?? 0) + 1;
      this.lastIndex = 3;
    }
    return name === "test" ? test.call(this, text) : exec.call(this, text);
  };
  const during = run(2000);
  RegExp.prototype[name] = name === "test" ? test : exec;
  console.log(name, during, calls, new Set(objects).size, objects.every((object) => object.mark === 1 && object.lastIndex === 3), run(20000));
}

// A method that is replaced while the loop runs.
const seen = [];
let round = 0;
const strange = {
  toString() {
    if (++round === 3)
      RegExp.prototype.exec = function (text) {
        seen.push(this);
        return exec.call(this, text);
      };
    return "word5";
  },
};
function interrupted(n) {
  let sum = 0;
  for (let i = 0; i < n; i++) if (/^word(\d+)$/.test(i % 4000 === 3999 ? strange : words[i % 100])) sum++;
  return sum;
}
console.log(interrupted(12100), interrupted(100), seen.length, new Set(seen).size);
RegExp.prototype.exec = exec;
console.log(interrupted(100), seen.length);
