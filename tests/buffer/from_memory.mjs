// expected: recorded from node 25.9.0
// Buffer.from() of memory: offsets and lengths of all kinds, shared and growing memory, what is detached.
const memory = new ArrayBuffer(16);
new Uint8Array(memory).forEach((_, i, all) => (all[i] = i));
const show = (...args) => {
  try {
    const buffer = Buffer.from(...args);
    console.log(
      buffer.length,
      buffer.byteOffset,
      buffer.buffer === args[0],
      Object.getPrototypeOf(buffer) === Buffer.prototype,
      buffer[0],
    );
  } catch (error) {
    console.log(error.name, error.code);
  }
};
for (const args of [
  [],
  [0],
  [3],
  [16],
  [17],
  [-1],
  [NaN],
  ["4"],
  [1.5],
  [null],
  [undefined, 4],
  [4, 4],
  [4, 12],
  [4, 13],
  [4, 0],
  [4, -3],
  [4, NaN],
  [4, "2"],
  [4, 2.5],
  [16, 0],
  [0, undefined],
]) {
  process.stdout.write(`${args.map(String).join()}: `);
  show(memory, ...args);
}
show(new SharedArrayBuffer(8), 2, 3);
const growing = new ArrayBuffer(4, { maxByteLength: 8 });
const follows = Buffer.from(growing, 1);
const stays = Buffer.from(growing, 1, 2);
growing.resize(8);
console.log(follows.length, stays.length);
const parts = Array.from({ length: 1000 }, (_, i) => Buffer.from(memory, i % 16, 1));
console.log(parts.every((part, i) => part[0] === i % 16));
structuredClone(memory, { transfer: [memory] });
console.log(parts.every((part) => part.length === 0));
show(memory, 0);
