// Lists of buffers are read once: a getter that detaches an element before it leaves nothing of that one.
// expected: recorded from bun 1.4.5
const fs = require("node:fs");
const { join } = require("node:path");
const folder = fs.mkdtempSync("/tmp/bao-vectors-");
const file = join(folder, "out");
const list = () => {
  const first = new Uint8Array(new ArrayBuffer(16)).fill(65);
  const buffers = [first];
  Object.defineProperty(buffers, 1, {
    enumerable: true,
    get() {
      if (!first.buffer.detached) first.buffer.transfer();
      return Buffer.from("BBBB");
    },
  });
  return buffers;
};
let fd = fs.openSync(file, "w");
console.log(fs.writevSync(fd, list()), fs.readFileSync(file, "latin1"));
fs.closeSync(fd);
fd = fs.openSync(file, "w");
fs.writev(fd, list(), 0, (error, written) => {
  console.log(error, written, fs.readFileSync(file, "latin1"));
  fs.closeSync(fd);
  for (const value of [[1], "text", [Buffer.alloc(1), null], {}]) {
    try {
      fs.writevSync(1, value);
    } catch (error) {
      console.log(error.code);
    }
  }
  fs.rmSync(folder, { recursive: true });
});
