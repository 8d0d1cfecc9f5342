// Memory that is detached or shrunk while arguments are converted: nothing is found, and nothing is written.
// expected: recorded from node 25.9.0
const once = (buffer, result) => {
  let done = false;
  return () => {
    if (!done) buffer.buffer.transfer(2048);
    done = true;
    return result;
  };
};
const make = () => Buffer.from(new ArrayBuffer(16));
for (const value of [0, "\0", "é", Buffer.from("a")]) {
  for (const method of ["indexOf", "lastIndexOf", "includes"]) {
    const first = make();
    const second = make();
    console.log(first[method](value, { valueOf: once(first, 0) }), second[method](value, 0, { toString: once(second, "utf8") }));
  }
}
const detached = make();
detached.buffer.transfer();
console.log(detached.indexOf(0), detached.lastIndexOf("a"), detached.includes("a"), make().indexOf(0));
const filled = make();
console.log(filled.fill({ valueOf: once(filled, 1) }) === filled, filled.length);
const memory = new ArrayBuffer(8, { maxByteLength: 8 });
const shrunk = Buffer.from(memory);
shrunk.fill({
  valueOf() {
    memory.resize(3);
    return 7;
  },
});
console.log(shrunk);
try {
  make().indexOf("a", 0, "no-such-encoding");
} catch (error) {
  console.log(error.code);
}
