// The standard streams take array buffers as Bun's do; other streams do not.
// expected: written by hand
const bytes = new TextEncoder().encode("bytes\n");
process.stdout.write(bytes.buffer);
const shared = new SharedArrayBuffer(7);
new Uint8Array(shared).set(new TextEncoder().encode("shared\n"));
process.stdout.write(shared, () => console.log("written"));
for (const value of [{}, 5, null, new Blob(["x"])]) {
  try {
    process.stdout.write(value);
  } catch (error) {
    console.log(error.code);
  }
}
const { PassThrough } = require("node:stream");
try {
  new PassThrough().write(bytes.buffer);
} catch (error) {
  console.log(error.code);
}
