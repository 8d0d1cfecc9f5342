// expected: recorded from bun 1.4.5
// Typed arrays as pointers: their bytes, wherever they are, by machine code and by the whole way round; collections in between.
const { dlopen, ptr } = require("bun:ffi");
const { build, attempt } = require("./support/build.cjs");

const file = build("basic.c");
const { symbols } = dlopen(file, {
  sum: { args: ["ptr", "usize"], returns: "int" },
  same_ptr: { args: ["ptr"], returns: "ptr" },
  length: { args: ["cstring"], returns: "int" },
  sum_on_stack: { args: [...Array(6).fill("int"), "ptr", "usize"], returns: "int" },
});
const { sum: sumOfBuffer } = dlopen(file, { sum: { args: ["buffer", "usize"], returns: "int" } }).symbols;
const { sum, same_ptr, length, sum_on_stack } = symbols;

const types = [Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array];
types.push(Float16Array, Float32Array, Float64Array, BigInt64Array, BigUint64Array);

function fill(view) {
  const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
  for (let i = 0; i < bytes.length; i++) bytes[i] = i + 1;
  return view;
}

const total = (bytes) => (bytes * (bytes + 1)) / 2;

// Every kind of array, small ones that keep their bytes within themselves, large ones, parts of others: the first call and those after it.
const makers = {
  small: (Type) => new Type(2),
  large: (Type) => new Type(1000),
  "of a small buffer": (Type) => new Type(new ArrayBuffer(16)),
  part: (Type) => new Type(new ArrayBuffer(64), 16, 3),
  subarray: (Type) => new Type(20).subarray(5, 9),
  shared: (Type) => new Type(new SharedArrayBuffer(32)),
  resizable: (Type) => new Type(new ArrayBuffer(16, { maxByteLength: 4096 })),
};
for (const [name, make] of Object.entries(makers)) {
  let wrong = 0;
  for (const Type of types) {
    const view = fill(make(Type));
    let expected = 0;
    for (const byte of new Uint8Array(view.buffer, view.byteOffset, view.byteLength)) expected += byte;
    for (let round = 0; round < 3; round++) {
      if (sum(view, view.byteLength) !== expected) wrong++;
      if (sumOfBuffer(view, view.byteLength) !== expected) wrong++;
      if (sum_on_stack(1, 2, 3, 4, 5, 6, view, view.byteLength) !== expected + 21) wrong++;
      if (same_ptr(view) !== ptr(view)) wrong++;
      if (round === 0) Bun.gc(true);
    }
  }
  console.log(name, wrong);
}

// Machine code reads an address only while it holds.
const buffer = new ArrayBuffer(1000);
const view = fill(new Uint8Array(buffer, 100, 10));
console.log(sum(view, 10) === total(10), sum(view, 10) === total(10));
const moved = structuredClone(buffer, { transfer: [buffer] });
console.log(view.length, same_ptr(view) !== ptr(new Uint8Array(moved, 100, 10)), sum(view, 0));
console.log(sum(new Uint8Array(moved, 100, 10), 10) === total(10));
const empty = new Uint8Array(new ArrayBuffer(100), 50, 0);
console.log(sum(empty, 0), typeof same_ptr(empty));

// Other objects, and classes of typed arrays.
class Mine extends Uint16Array {}
console.log(sum(fill(new Mine(3)), 6) === total(6), sum(fill(Buffer.alloc(5)), 5) === total(5));
console.log(length(Buffer.from("four\0")), length(new Uint8Array(4)), length(null));
console.log(sum(fill(new DataView(new ArrayBuffer(4))), 4) === total(4));
console.log(sum(new Uint8Array([5, 6, 7]).buffer, 3));
for (const value of [{}, [], () => 0, new Proxy(new Uint8Array(3), {}), Symbol("s"), true, "text"]) {
  console.log(typeof value, attempt(() => sum(value, 0)), attempt(() => sumOfBuffer(value, 0)));
}
console.log(attempt(() => sumOfBuffer(null, 0)), sum(null, 0), sum(undefined, 0));

// Arrays of a loop: young ones, which a collection moves.
let wrong = 0;
for (let i = 0; i < 20_000; i++) {
  const young = new Uint8Array(i % 200);
  young.fill(i % 7);
  if (sum(young, young.length) !== young.length * (i % 7)) wrong++;
  if (sum(young, young.length) !== young.length * (i % 7)) wrong++;
}
console.log(wrong);
