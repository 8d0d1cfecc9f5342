// Exceptions that are caught in code that is hot, rarely and often: the values of variables, closures, iterators and finally
// blocks are those of the moment of the throw. Recorded from Node 20.
const log = [];
function mayThrow(i, every) {
  if (i % every === 0) throw i;
  return i;
}
for (const every of [10, 1000, 10007]) {
  let sum = 0;
  let caught = 0;
  let last = [];
  for (let i = 1; i < 100000; i++) {
    const before = sum;
    const kept = () => before + i;
    try {
      sum += mayThrow(i, every);
      last = [i, kept()];
    } catch (thrown) {
      caught++;
      if (thrown !== i || kept() !== sum + i || last[0] !== i - (i > 1 ? 1 : 0)) log.push("wrong", i, thrown);
      last = [i, kept()];
    } finally {
      sum++;
    }
  }
  log.push(every, sum, caught, last.join(" "));
}

// In the function itself, in a callee, through a loop over an iterator that has to be closed.
let closed = 0;
function* numbers() {
  try {
    for (let i = 0; ; i++) yield i;
  } finally {
    closed++;
  }
}
function inner(i) {
  for (const n of numbers()) {
    if (n === 3) return n;
    if (i % 777 === 0) throw new RangeError(`at ${i}`);
  }
}
let messages = 0;
for (let i = 1; i < 30000; i++) {
  try {
    inner(i);
  } catch (error) {
    if (error.message !== `at ${i}`) log.push("wrong", error.message);
    messages++;
  }
}
log.push(messages, closed);

function returns(i) {
  try {
    if (i % 500 === 0) throw i;
    return "value";
  } catch {
    return "caught";
  } finally {
    if (i % 1000 === 0) return "finally";
  }
}
const counts = {};
for (let i = 1; i <= 50000; i++) counts[returns(i)] = (counts[returns(i)] ?? 0) + 1;
log.push(JSON.stringify(counts));
console.log(log.join("\n"));
