// Bun.Image beside Bun: `BAO bench/image/bench.mjs` and `BUN bench/image/bench.mjs`. Prints milliseconds of processor time per call (all
// threads), the best of some rounds, for a photograph-like picture of 3000 x 2000 pixels. With $SHARP, a folder with node_modules/sharp,
// the same steps by sharp under Node: `node bench/image/bench.mjs`.
import { createRequire } from "node:module";
import { join } from "node:path";

const WIDTH = 3000;
const HEIGHT = 2000;
const ROUNDS = Number(process.env.ROUNDS ?? 5);

/** A BMP of smooth colours with some noise, which compresses about as a photograph does. */
function picture() {
  const row = Math.ceil((WIDTH * 3) / 4) * 4;
  const bytes = Buffer.alloc(54 + row * HEIGHT);
  bytes.write("BM");
  bytes.writeUInt32LE(bytes.length, 2);
  bytes.writeUInt32LE(54, 10);
  bytes.writeUInt32LE(40, 14);
  bytes.writeInt32LE(WIDTH, 18);
  bytes.writeInt32LE(HEIGHT, 22);
  bytes.writeUInt16LE(1, 26);
  bytes.writeUInt16LE(24, 28);
  let seed = 1;
  for (let y = 0; y < HEIGHT; y++) {
    for (let x = 0; x < WIDTH; x++) {
      seed = (seed * 1103515245 + 12345) & 0x7fffffff;
      const noise = (seed >> 16) & 7;
      const at = 54 + y * row + x * 3;
      bytes[at] = (128 + 100 * Math.sin(x / 200) + noise) & 255;
      bytes[at + 1] = (128 + 100 * Math.cos(y / 150) + noise) & 255;
      bytes[at + 2] = (128 + 100 * Math.sin((x + y) / 300) + noise) & 255;
    }
  }
  return bytes;
}

const isSharp = !process.versions.bun;
const sharp = isSharp ? createRequire(join(process.env.SHARP, "here.js"))("sharp") : undefined;
if (isSharp) sharp.concurrency(1);
const open = (bytes) => (isSharp ? sharp(bytes, { raw: bytes.raw }) : new Bun.Image(bytes));
const finish = (image) => (isSharp ? image.toBuffer() : image.bytes());

const bmp = picture();
const source = isSharp
  ? sharp(Buffer.from(bmp.subarray(54)), { raw: { width: WIDTH, height: HEIGHT, channels: 3 } })
  : new Bun.Image(bmp);
const again = () => (isSharp ? source.clone() : new Bun.Image(bmp));
const jpeg = Buffer.from(await finish(again().jpeg({ quality: 80 })));
const png = Buffer.from(await finish(again().resize(1500, 1000).png()));
const webp = Buffer.from(await finish(again().resize(1500, 1000).webp({ quality: 80 })));
const small = (bytes) => finish(open(bytes).resize(16, 16, isSharp ? { kernel: "nearest", fit: "fill", fastShrinkOnLoad: false } : { filter: "nearest" }).png());

const cases = {
  "decode jpeg": () => small(jpeg),
  "decode png": () => small(png),
  "decode webp": () => small(webp),
  "jpeg to jpeg": () => finish(open(jpeg).jpeg({ quality: 80 })),
  "jpeg to 800, jpeg": () => finish(open(jpeg).resize(800, 533).jpeg({ quality: 80 })),
  "png to png": () => finish(open(png).png()),
  "png to 800, webp": () => finish(open(png).resize(800, 533).webp({ quality: 80 })),
  "webp to 800, webp": () => finish(open(webp).resize(800, 533).webp({ quality: 80 })),
};
for (const [name, call] of Object.entries(cases)) {
  if (process.argv[2] && !name.includes(process.argv[2])) continue;
  let least = Infinity;
  let size = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const before = process.cpuUsage();
    size = (await call()).length;
    const used = process.cpuUsage(before);
    least = Math.min(least, (used.user + used.system) / 1000);
  }
  console.log(`${name.padEnd(20)} ${least.toFixed(1).padStart(8)} ms ${String(size).padStart(9)} bytes`);
}
