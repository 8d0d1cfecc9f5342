// Nanoseconds that a call of a C function by bun:ffi takes, each the best of ROUNDS rounds: `ffi_calls.cjs LIBRARY`. Printed as JSON.
const { dlopen, JSCallback, ptr, read } = require("bun:ffi");
const { symbols } = dlopen(process.argv[2], {
  nothing: {},
  add: { args: ["int", "int"], returns: "int" },
  half: { args: ["double"], returns: "double" },
  same: { args: ["ptr"], returns: "ptr" },
  same_64: { args: ["i64"], returns: "i64" },
  first: { args: ["ptr"], returns: "int" },
  call: { args: ["ptr", "int"], returns: "int" },
  ten: { args: Array(10).fill("int"), returns: "int" },
  text: { returns: "cstring" },
});
const { nothing, add, half, same, same_64, first, call, ten, text } = symbols;

const ROUNDS = 9;

function best(calls, body) {
  let least = Infinity;
  for (let round = 0; round < ROUNDS; round++) {
    const start = process.hrtime.bigint();
    body(calls);
    least = Math.min(least, Number(process.hrtime.bigint() - start));
  }
  return Math.round((least / calls) * 10) / 10;
}

const bytes = new Uint8Array(64);
const address = ptr(bytes);
const callback = new JSCallback((x) => x + 1, { args: ["int"], returns: "int" }).ptr;
let sum = 0;
const cases = {
  "no arguments": (n) => {
    for (let i = 0; i < n; i++) nothing();
  },
  "add two integers": (n) => {
    for (let i = 0; i < n; i++) sum = add(sum, 1);
  },
  "half a double": (n) => {
    let x = 1e300;
    for (let i = 0; i < n; i++) x = half(x) + 1;
  },
  "ten integers": (n) => {
    for (let i = 0; i < n; i++) ten(i, 1, 2, 3, 4, 5, 6, 7, 8, 9);
  },
  "pointer as a number": (n) => {
    for (let i = 0; i < n; i++) same(address);
  },
  "typed array as a pointer": (n) => {
    for (let i = 0; i < n; i++) first(bytes);
  },
  "BigInt as a result": (n) => {
    for (let i = 0; i < n; i++) same_64(i);
  },
  "text as a result": (n) => {
    for (let i = 0; i < n; i++) text();
  },
  "read.u8": (n) => {
    for (let i = 0; i < n; i++) sum += read.u8(address, 1);
  },
  callback: (n) => {
    for (let i = 0; i < n; i++) call(callback, i);
  },
};
const result = {};
for (const [name, body] of Object.entries(cases)) result[name] = best(300_000, body);
console.log(JSON.stringify(result));
