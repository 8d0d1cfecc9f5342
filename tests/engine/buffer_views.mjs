// expected: recorded from bun 1.4.5
// Parts of buffers beside what the constructor makes: positions of all kinds, many views of one buffer that stay or go, over
// collections, and buffers that are detached while they have views.
const gc = globalThis.Bun?.gc ?? (() => {});
let seed = 12345;
const random = (n) => (seed = (seed * 1103515245 + 12345) & 0x7fffffff) % n;
const clip = (index, length, absent) => {
  if (index === undefined) return absent;
  index = Math.trunc(index) || 0;
  return index < 0 ? Math.max(index + length, 0) : Math.min(index, length);
};
let wrong = 0;
const check = (part, from, start, end) => {
  const first = clip(start, from.length, 0);
  const length = Math.max(clip(end, from.length, from.length) - first, 0);
  const same =
    part.length === length &&
    part.buffer === from.buffer &&
    (length === 0 || part.byteOffset === from.byteOffset + first) &&
    Buffer.isBuffer(part) &&
    Object.getPrototypeOf(part) === Buffer.prototype;
  if (!same && wrong++ < 5) console.log("wrong", from.length, start, end, part.length);
  if (length > 0) {
    part[0] = random(256);
    if (from[first] !== part[0]) wrong++;
  }
};
const buffers = [];
const views = [];
for (let round = 0; round < 150000; round++) {
  if (buffers.length < 30) buffers.push(Buffer.alloc(random(3) ? random(5000) + 1 : random(97) + 1));
  const from = views.length && random(3) ? views[random(views.length)] : buffers[random(buffers.length)];
  if (from.length === 0) {
    views.length = 0;
    continue;
  }
  const start = [undefined, random(6000) - 3000, random(100), random(50) + 0.5][random(4)];
  const end = [undefined, random(6000) - 3000, random(100), -1][random(4)];
  const part = random(2) ? from.subarray(start, end) : from.slice(start, end);
  check(part, from, start, end);
  if (random(3) === 0) views[views.length < 2000 ? views.length : random(2000)] = part;
  if (random(5000) === 0) {
    const index = random(buffers.length);
    const { buffer } = buffers[index];
    structuredClone(buffer, { transfer: [buffer] });
    if (buffers[index].length !== 0) wrong++;
    for (const view of views) if (view.buffer === buffer && view.length !== 0) wrong++;
    buffers.splice(index, 1);
  }
  if (random(20000) === 0) gc(true);
}
console.log("random", wrong);

const large = Buffer.alloc(100000);
const kept = [];
for (let i = 0; i < 300000; i++) {
  const part = large.subarray(i % 100000);
  if (i % 10 === 0) kept.push(part);
  if (i % 100000 === 99999) gc(true);
}
let good = kept.filter((part, i) => part.length === 100000 - ((i * 10) % 100000) && part.buffer === large.buffer).length;
console.log("kept", good);
structuredClone(large.buffer, { transfer: [large.buffer] });
console.log("detached", large.length, kept.filter((part) => part.length === 0 && part.byteOffset === 0).length);

const { subarray } = Buffer.prototype;
const bytes = new Uint8Array([1, 2, 3, 4]);
for (const args of [["1", "3"], [null, 2], [NaN], [true], [1.9, 3.9], [-2.5], [Infinity], [-Infinity, 2], [2, 1], [{ valueOf: () => 1 }]]) {
  console.log(args.map((arg) => (typeof arg === "object" && arg ? "object" : String(arg))).join(), [...Buffer.from(bytes).subarray(...args)].join());
}
const part = subarray.call(bytes, 1, 3);
console.log(Buffer.isBuffer(part), [...part].join());
const shared = Buffer.from(new SharedArrayBuffer(4));
shared.subarray(1, 3)[0] = 7;
console.log(shared[1], shared.subarray(1).buffer === shared.buffer);
const growing = Buffer.from(new ArrayBuffer(4, { maxByteLength: 8 }));
console.log(growing.subarray(1, 3).length);
class Mine extends Uint8Array {}
console.log(subarray.call(new Mine(5), 2).length, subarray.call(new Mine(5), 2) instanceof Mine);
