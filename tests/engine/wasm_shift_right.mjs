// A loop of WebAssembly that carries the result of an unsigned shift, and compares and divides it as a signed number: after a shift
// by 0 it may be negative.
const signed = (value) => {
  const out = [];
  for (;;) {
    const byte = value & 0x7f;
    value >>= 7;
    if ((value === 0 && (byte & 0x40) === 0) || (value === -1 && (byte & 0x40) !== 0)) return [...out, byte];
    out.push(byte | 0x80);
  }
};
const factor = 1664525;
// (func (export "f") (param n shift) (result i32) (local h i count) …
const body = [
  [0x01, 0x03, 0x7f],
  [0x41, 1, 0x21, 2, 0x03, 0x40], // h = 1; loop
  [0x20, 4, 0x20, 2, 0x41, 0, 0x48, 0x6a, 0x20, 2, 0x41, 4, 0x6d, 0x73, 0x21, 4], // count = (count + (h < 0)) ^ h / 4
  [0x20, 2, 0x41, 7, 0x6a, 0x41, ...signed(factor), 0x6c, 0x20, 1, 0x76, 0x21, 2], // h = (h + 7) * factor >>> shift
  [0x20, 3, 0x41, 1, 0x6a, 0x22, 3, 0x20, 0, 0x49, 0x0d, 0, 0x0b], // i += 1; if i < n, again
  [0x20, 4, 0x0b],
].flat();
const section = (id, ...bytes) => [id, bytes.length, ...bytes];
const bytes = Uint8Array.from([
  ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
  ...section(1, 1, 0x60, 2, 0x7f, 0x7f, 1, 0x7f),
  ...section(3, 1, 0),
  ...section(7, 1, 1, 0x66, 0, 0),
  ...section(10, 1, body.length, ...body),
]);
const { f } = new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports;

function expected(n, shift) {
  let h = 1;
  let count = 0;
  for (let i = 0; i < n; i++) {
    count = ((count + ((h | 0) < 0 ? 1 : 0)) | 0) ^ (((h | 0) / 4) | 0);
    h = Math.imul((h | 0) + 7, factor) >>> shift;
  }
  return count;
}
for (const shift of [0, 1, 31, 32]) console.log(shift, f(100_000, shift), expected(100_000, shift));
