// expected: recorded from node 25.9.0
// What Buffer makes, and what it takes for bytes, while the functions are warm enough to be in machine code: each size and each kind of
// argument comes in the same places.
import vm from "node:vm";

let wrong = 0;
function made(buf, size) {
  let sum = 0;
  for (let i = 0; i < buf.length; i++) sum += buf[i];
  if (buf.length !== size || sum !== 0 || !(buf instanceof Buffer) || Object.getPrototypeOf(buf) !== Buffer.prototype)
    wrong++;
  if (buf.buffer.byteLength < size) wrong++;
  if (size > 0) {
    buf[size - 1] = 7;
    buf[size] = 9;
    if (buf[size - 1] !== 7 || buf[size] !== undefined) wrong++;
  }
}
const sizes = [0, 1, 7, 8, 16, 31, 64, 65, 95, 96, 97, 128, 1000, 5000, 70000];
const alloc = (size) => Buffer.alloc(size);
for (let round = 0; round < 3000; round++) {
  made(alloc(16), 16);
  if (round % 10 === 0) made(alloc(sizes[(round / 10) % sizes.length]), sizes[(round / 10) % sizes.length]);
}
console.log("alloc", wrong);

// Kept ones outlive collections with what they have.
const kept = [];
for (let i = 0; i < 20000; i++) {
  const buf = Buffer.alloc(i % 100);
  buf.fill(i & 0xff);
  if (i % 7 === 0) kept.push([i, buf]);
}
console.log("kept", kept.filter(([i, buf]) => buf.length !== i % 100 || buf.some((byte) => byte !== (i & 0xff))).length);

const message = (run) => {
  try {
    return run();
  } catch (error) {
    return `${error.name} ${error.code}: ${error.message}`;
  }
};
for (const size of [-1, 1.5, NaN, Infinity, 2 ** 53, "5", null, -0, 3])
  console.log("alloc", size, message(() => alloc(size).length));

// What counts as bytes.
class Own extends Uint8Array {}
const foreign = vm.runInNewContext("new Uint8Array([1, 2, 3])");
const resizable = new Uint8Array(new ArrayBuffer(3, { maxByteLength: 8 }));
resizable.set([1, 2, 3]);
const shared = new Uint8Array(new SharedArrayBuffer(3));
shared.set([1, 2, 3]);
const kinds = {
  buffer: Buffer.from([1, 2, 3]),
  array: new Uint8Array([1, 2, 3]),
  own: new Own([1, 2, 3]),
  foreign,
  resizable,
  shared,
  inherits: Object.create(Uint8Array.prototype),
  like: Object.create(Buffer.prototype),
  clamped: new Uint8ClampedArray([1, 2, 3]),
  words: new Uint16Array([1, 2, 3]),
  dataView: new DataView(new ArrayBuffer(3)),
  list: [1, 2, 3],
  text: "abc",
  number: 3,
  fraction: 1.5,
  nothing: undefined,
  none: null,
  symbol: Symbol("s"),
  big: 3n,
};
const one = Buffer.from([1, 2, 3]);
const uses = {
  equals: (value) => one.equals(value),
  compare: (value) => Buffer.compare(one, value),
  copy: (value) => one.copy(value),
  concat: (value) => Buffer.concat([one, value]).length,
  from: (value) => Buffer.prototype.equals.call(value, one),
};
for (const [use, run] of Object.entries(uses)) {
  for (let i = 0; i < 5000; i++) run(kinds.buffer);
  for (const [kind, value] of Object.entries(kinds)) {
    if (use === "from" && (kind === "inherits" || kind === "like" || typeof value !== "object" || Array.isArray(value))) continue;
    if (value === null || (use === "from" && kind === "dataView")) continue;
    const first = message(() => run(value));
    console.log(use, kind, first);
    // The same again and again, warm.
    for (let i = 0; i < 50; i++) if (message(() => run(value)) !== first) console.log("differs", use, kind);
  }
}

// Parts.
const source = Buffer.from("0123456789abcdef0123456789abcdef");
const target = Buffer.alloc(20);
let sum = 0;
for (let i = 0; i < 5000; i++) sum += source.copy(target, i % 23, i % 33, i % 41);
console.log("copied", sum, target.toString("latin1"));
for (const args of [[0, 33], [0, 32], [-1], [0, -1], [0, 0, -1], [21], [0, 5, 4], [0, 0, 2 ** 40], [1.9, 2.9, 6.9], ["1", "2", "4"], [NaN]])
  console.log("copy", JSON.stringify(args), message(() => source.copy(target, ...args)), target.toString("latin1"));
const whole = Buffer.from("abcdefghijklmnopqrstuvwxyz");
whole.copy(whole, 3, 0, 20);
console.log(whole.toString());
whole.copy(whole, 0, 3, 26);
console.log(whole.toString());
