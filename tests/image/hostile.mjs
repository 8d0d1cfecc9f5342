// expected: recorded from bun 1.4.5
// Broken and hostile files: every one is refused or decoded, nothing crashes, nothing takes memory for what a header only says.
import zlib from "node:zlib";
const { Image } = Bun;

const crc = (bytes) => zlib.crc32(bytes);
function chunk(name, data) {
  const out = Buffer.alloc(12 + data.length);
  out.writeUInt32BE(data.length);
  out.write(name, 4, "latin1");
  data.copy(out, 8);
  out.writeUInt32BE(crc(out.subarray(4, 8 + data.length)), 8 + data.length);
  return out;
}
function pngOf(width, height, rows, { depth = 8, kind = 6, extra = [] } = {}) {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width);
  header.writeUInt32BE(height, 4);
  header[8] = depth;
  header[9] = kind;
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", header),
    ...extra,
    chunk("IDAT", zlib.deflateSync(rows)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}
const rows = Buffer.alloc(4 * 17, 77);
for (let y = 0; y < 4; y++) rows[y * 17] = 0;
const png = pngOf(4, 4, rows);
const bmp = Buffer.alloc(54 + 16);
bmp.write("BM");
bmp.writeUInt32LE(bmp.length, 2);
bmp.writeUInt32LE(54, 10);
bmp.writeUInt32LE(40, 14);
bmp.writeInt32LE(2, 18);
bmp.writeInt32LE(2, 22);
bmp.writeUInt16LE(1, 26);
bmp.writeUInt16LE(24, 28);
bmp.fill(99, 54);
const gif = Buffer.from([
  0x47, 0x49, 0x46, 0x38, 0x39, 0x61, 2, 0, 2, 0, 0x80, 0, 0, 255, 0, 0, 0, 255, 0, 0x21, 0xf9, 4, 1, 0, 0, 1, 0, 0x2c,
  0, 0, 0, 0, 2, 0, 2, 0, 0, 2, 2, 0x44, 0x0a, 0, 0x3b,
]);
const files = {
  png,
  bmp,
  gif,
  jpeg: Buffer.from(await new Image(png).jpeg().bytes()),
  progressive: Buffer.from(await new Image(png).jpeg({ progressive: true }).bytes()),
  webp: Buffer.from(await new Image(png).webp().bytes()),
  lossless: Buffer.from(await new Image(png).webp({ lossless: true }).bytes()),
  palette: Buffer.from(await new Image(png).png({ palette: true }).bytes()),
};
const outcome = async (bytes) => {
  try {
    const out = await new Image(bytes).png().bytes();
    return out[0] === 0x89 ? "decoded" : "nonsense";
  } catch (error) {
    return /^ERR_IMAGE_/.test(error.code) ? "refused" : `${error}`;
  }
};
for (const [name, file] of Object.entries(files)) {
  const kinds = new Set();
  for (let length = 1; length < file.length; length++) {
    kinds.add(await outcome(file.subarray(0, length)));
    try {
      await new Image(file.subarray(0, length)).metadata();
    } catch {}
  }
  for (let at = 0; at < file.length; at++) {
    for (const mask of [0xff, 0x01, 0x80]) {
      const bad = Buffer.from(file);
      bad[at] ^= mask;
      kinds.add(await outcome(bad));
    }
  }
  kinds.delete("decoded");
  console.log(name, await outcome(file), [...kinds].join());
}
let seed = 1;
const random = () => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) >>> 24;
const kinds = new Set();
for (let n = 0; n < 300; n++) {
  const file = Object.values(files)[n % 8];
  const bytes = Buffer.from(Array.from({ length: 20 + (n % 200) }, random));
  file.copy(bytes, 0, 0, Math.min(n % 40, bytes.length));
  kinds.add(await outcome(bytes));
}
kinds.delete("decoded");
console.log("random", [...kinds].join());

const lying = async (name, bytes, options) => {
  try {
    const { width, height } = await new Image(bytes, options).metadata();
    console.log(name, width, height);
  } catch (error) {
    console.log(name, error.code);
  }
};
const sized = (width, height) => pngOf(width, height, rows);
await lying("zero", sized(0, 4));
await lying("bomb", sized(100_000, 100_000));
await lying("long", sized(0x7fffffff, 1), { maxPixels: 1e15 });
await lying("too long", sized(0x80000000, 1), { maxPixels: 1e15 });
await lying("all ones", sized(0xffffffff, 0xffffffff));
console.log("larger than its data", await outcome(sized(4000, 4000)));
const many = Buffer.from(gif);
many.writeUInt16LE(60_000, 33 - 1);
console.log("gif larger than its data", (await outcome(many)) !== "nonsense");
const masks = Buffer.alloc(14 + 108 + 4);
masks.write("BM");
masks.writeUInt32LE(122, 10);
masks.writeUInt32LE(108, 14);
masks.writeInt32LE(1, 18);
masks.writeInt32LE(1, 22);
masks.writeUInt16LE(32, 28);
masks.writeUInt32LE(3, 30);
for (const mask of [0xffffffff, 0x01ffffff, 0x00ff00ff, 0x00ff0000]) {
  masks.writeUInt32LE(mask, 54);
  masks.writeUInt32LE(0xff00, 58);
  masks.writeUInt32LE(0xff, 62);
  console.log("bmp mask", await outcome(masks));
}
console.log("tiff", await new Image(Buffer.from("II*\0aaaaaaaa")).bytes().catch((error) => error.code));
console.log(
  "heic",
  await new Image(Buffer.from("\0\0\0\x18ftypheic\0\0\0\0mif1heic", "latin1")).metadata().catch((error) => error.code),
);
