// expected: recorded from node 25.9.0
// Setters and names that cannot be written, which a program puts into prototypes before bao first looks at how the engine lays objects out.
// Nobody may see that.
let seen = "";
const shared = [..."abcdefghijk", "x", "maxByteLength", Symbol.toStringTag];
for (const name of shared) {
  Object.defineProperty(Object.prototype, name, {
    get: () => undefined,
    set: (value) => (seen += String(name) + value),
    configurable: true,
  });
}
for (const index of [0, 1, 2]) {
  Object.defineProperty(Array.prototype, index, {
    get: () => undefined,
    set: (value) => (seen += index + ":" + value),
    configurable: true,
  });
}
const texts = [
  JSON.stringify({ y: [1, { z: "é\u{1F600}" }] }, null, 2),
  JSON.stringify({ y: 1 }),
  Buffer.from("bytes").toString("hex"),
  new TextDecoder().decode(new Uint8Array([104, 105])),
];
for (const name of shared) delete Object.prototype[name];
for (const index of [0, 1, 2]) delete Array.prototype[index];
console.log(seen === "" ? "nothing seen" : seen);
console.log(texts);
