// Nanoseconds that a call of a native addon takes, each the best of ROUNDS rounds: `calls.cjs ADDON`. Printed as JSON.
const addon = require(process.argv[2]);

const CALLS = 1_000_000;
const ROUNDS = 7;

function best(body) {
  let least = Infinity;
  for (let round = 0; round < ROUNDS; round++) {
    const start = process.hrtime.bigint();
    body();
    least = Math.min(least, Number(process.hrtime.bigint() - start));
  }
  return Math.round((least / CALLS) * 10) / 10;
}

const { noop, add, length, Box } = addon;
const bytes = Buffer.alloc(64);
const box = new Box();
let sum = 0;
const cases = {
  "no arguments": () => {
    for (let i = 0; i < CALLS; i++) noop();
  },
  "add two numbers": () => {
    for (let i = 0; i < CALLS; i++) sum += add(i, 1);
  },
  "bytes of a buffer": () => {
    for (let i = 0; i < CALLS; i++) sum += length(bytes);
  },
  "method with a wrapped pointer": () => {
    for (let i = 0; i < CALLS; i++) sum += box.next();
  },
  "new object of a class": () => {
    for (let i = 0; i < CALLS / 10; i++) new Box();
  },
};
const result = {};
for (const [name, body] of Object.entries(cases)) result[name] = best(body) * (name.startsWith("new") ? 10 : 1);
console.log(JSON.stringify(result));
