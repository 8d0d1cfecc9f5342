// expected: recorded from bun 1.4.5
// What stands behind the end of a JPEG is not the image's. It is decoded at a part of its size also for `nearest`: a fine pattern of black
// and white becomes grey, which a PNG of the same pixels does not.
const size = 64;
const pixels = new Uint8Array(size * size * 4).fill(255);
for (let y = 0; y < size; y++)
  for (let x = 0; x < size; x++) pixels.fill((x + y) % 2 === 0 ? 255 : 0, (y * size + x) * 4, (y * size + x) * 4 + 3);
function bmp() {
  const bytes = new Uint8Array(54 + pixels.length);
  const view = new DataView(bytes.buffer);
  bytes.set([0x42, 0x4d]);
  view.setUint32(2, bytes.length, true);
  view.setUint32(10, 54, true);
  view.setUint32(14, 40, true);
  view.setInt32(18, size, true);
  view.setInt32(22, -size, true);
  view.setUint16(26, 1, true);
  view.setUint16(28, 32, true);
  bytes.set(pixels, 54);
  return bytes;
}
const jpeg = await new Bun.Image(bmp()).jpeg({ quality: 100 }).bytes();
const tail = new Uint8Array(1200);
for (let i = 0; i < tail.length; i += 2) tail.set([0xff, 0xda], i);
const long = new Uint8Array(jpeg.length + tail.length);
long.set(jpeg);
long.set(tail, jpeg.length);
const one = await new Bun.Image(jpeg).png().bytes();
const other = await new Bun.Image(long).png().bytes();
console.log(Buffer.compare(one, other) === 0);
const small = (bytes) => new Bun.Image(bytes).resize(16, 16, { filter: "nearest" }).png().bytes();
/** How many different bytes the rows have; those of one colour are few whatever filter stands before them. */
const { inflateSync } = await import("node:zlib");
const variety = (png) => {
  const bytes = Buffer.from(png);
  const at = bytes.indexOf("IDAT");
  return new Set(inflateSync(bytes.subarray(at + 4, at + 4 + bytes.readUInt32BE(at - 4)))).size;
};
console.log(variety(await small(jpeg)) < 6, Buffer.compare(await small(jpeg), await small(one)) === 0);
