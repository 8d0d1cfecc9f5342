// expected: node 25.9.0
// What uses instructions that not every processor has, in code that is compiled: roundings, counts of bits, halves, searching in
// long texts and vectors of WebAssembly. The engine finds out what there is when it starts, workers use what the first thread found.
import { Worker, isMainThread, parentPort } from "node:worker_threads";

/** A module with functions of one i32 each: clz, ctz, popcnt, and the lanes of a vector added. */
const bits = [0x67, 0x68, 0x69].flatMap((instruction) => [5, 0, 0x20, 0, instruction, 0x0b]);
const lanes = [0x20, 0, 0xfd, 0x11, 0x20, 0, 0xfd, 0x11, 0xfd, 0xb5, 1, 0xfd, 0x1b, 3, 0x0b];
const wasm = new Uint8Array([
  0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 6, 1, 0x60, 1, 0x7f, 1, 0x7f, 3, 5, 4, 0, 0, 0, 0, 7, 17, 4, 1, 0x61, 0, 0, 1, 0x62, 0, 1, 1, 0x63, 0, 2,
  1, 0x64, 0, 3, 10, bits.length + lanes.length + 3, 4, ...bits, lanes.length + 1, 0, ...lanes,
]);

async function results() {
  const { a: clz, b: ctz, c: popcnt, d: square } = (await WebAssembly.instantiate(wasm)).instance.exports;
  const text = `${"a".repeat(70_001)}needle${"b".repeat(99)}`;
  let [sums, rounded, found] = [[0, 0, 0, 0], 0, 0];
  for (let i = 1; i <= 20_000; i++) {
    sums = [sums[0] + clz(i), sums[1] + ctz(i), sums[2] + popcnt(i), (sums[3] + square(i)) | 0];
    rounded += Math.floor(i / 3) + Math.ceil(-i / 7) + Math.trunc(i / 9) + Math.fround(i / 4) + Math.clz32(i);
    if (i % 100 === 0) found += text.indexOf("needle") + text.indexOf("b") + text.indexOf("z") + text.indexOf("le", i);
  }
  return [sums.join(), rounded, found, Math.f16round?.(1.337)].join(" ");
}

if (isMainThread) {
  console.log(await results());
  console.log(await new Promise((resolve) => new Worker(new URL(import.meta.url)).once("message", resolve)));
} else {
  parentPort.postMessage(await results());
}
