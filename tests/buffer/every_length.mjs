// expected: recorded from node 25.9.0
// Text and bytes of every length up to 300, so on both sides of each length at which a loop hands over to native code.
const encodings = ["utf8", "latin1", "hex", "base64", "base64url", "ascii"];
const wrong = [];
const check = (is, ...what) => is || wrong.push(what.join(" "));
for (let size = 0; size <= 300; size++) {
  const bytes = Buffer.from(Array.from({ length: size }, (_, i) => 33 + ((i * 7 + size) % 90)));
  for (const encoding of encodings) {
    const text = bytes.toString(encoding);
    check(Buffer.from(text, encoding).equals(bytes), encoding, size);
    check(text === bytes[`${encoding}Slice`](0, size), encoding, "slice", size);
    const target = Buffer.alloc(size + 5);
    check(target.write(text, 2, encoding) === size && target.subarray(2, size + 2).equals(bytes), encoding, "write", size);
    check(target[0] === 0 && target[1] === 0 && target[size + 2] === 0, encoding, "around", size);
  }
  const copy = Buffer.alloc(size + 8, 1);
  check(bytes.copy(copy, 4) === size && copy.subarray(4, size + 4).equals(bytes), "copy", size);
  check(copy[3] === 1 && copy[size + 4] === 1, "around copy", size);
  check(size < 2 || bytes.copy(copy, 0, 1, size - 1) === size - 2, "copy of a part", size);
  check(Buffer.concat([bytes, copy, bytes]).length === 3 * size + 8, "concat", size);
  check(Buffer.byteLength("ü".repeat(size)) === 2 * size && Buffer.byteLength("日".repeat(size)) === 3 * size, "byteLength", size);
  if (size === 0) continue;
  const other = Buffer.from(bytes);
  check(other.compare(bytes) === 0 && Buffer.compare(bytes, other) === 0, "compare", size);
  for (const at of [0, size >> 1, size - 1]) {
    other[at] += 100;
    check(!other.equals(bytes) && other.compare(bytes) === 1 && bytes.compare(other) === -1, "differs at", at, "of", size);
    other[at] -= 100;
  }
}
console.log(wrong.length, wrong.slice(0, 5));
const detached = Buffer.from(new ArrayBuffer(8));
structuredClone(detached.buffer, { transfer: [detached.buffer] });
console.log(detached.copy(Buffer.alloc(4)), Buffer.alloc(4).copy(detached));
console.log(Buffer.from("abc").compare(Buffer.from("abc"), undefined), Buffer.from("abc").toString("latin1", undefined, 2));
console.log(Buffer.alloc(3).write("abc", -0), Buffer.alloc(4).write("abcdef", 1, 2, "latin1"));
for (const call of [(b) => b.write("a", 1.5), (b) => b.write("a", 4), (b) => b.write("a", -1, "latin1"), (b) => b.write(1, 0, "hex")]) {
  try {
    console.log(call(Buffer.alloc(3)));
  } catch (error) {
    console.log(error.code);
  }
}
