// expected: recorded from node 25.9, but for the last line (Node tells nobody). Packages (ssh2) take the class of a stream's handle and compress with it, without a stream.
const zlib = require("node:zlib");
const { DEFLATE, INFLATE, Z_PARTIAL_FLUSH } = zlib.constants;
const Handle = zlib.createInflate()._handle.constructor;

function made(mode) {
  const state = new Uint32Array(2);
  const handle = new Handle(mode);
  handle.onerror = (message, errno, code) => console.log("error", message, errno, code);
  handle.init(15, -1, 8, 0, state, () => console.log("never"), undefined);
  return (bytes) => {
    const output = Buffer.alloc(1024);
    handle.writeSync(Z_PARTIAL_FLUSH, bytes, 0, bytes.length, output, 0, output.length);
    return [output.subarray(0, output.length - state[0]), state[1]];
  };
}

const compress = made(DEFLATE);
const decompress = made(INFLATE);
// One stream over several packets: the second one refers to the first one's bytes.
for (const text of ["hello hello hello", "hello hello hello", ""]) {
  const [packed, left] = compress(Buffer.from(text));
  console.log(packed.length > 0 || text === "", left, decompress(packed)[0].toString());
}
made(INFLATE)(Buffer.from("not compressed"));
// A handle that nobody listens to throws.
const silent = new Handle(INFLATE);
silent.init(15, -1, 8, 0, new Uint32Array(2), () => {}, undefined);
try {
  silent.writeSync(Z_PARTIAL_FLUSH, Buffer.from("not compressed"), 0, 14, Buffer.alloc(64), 0, 64);
  console.log("no error");
} catch (error) {
  console.log(error.code, error.errno, error.message);
}
