// expected: written by hand
// TIFF files as other programs write them: planes, tiles, premultiplied alpha; and what is not supported ends with an error.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const { Image } = Bun;

const two = (value) => Buffer.from(Uint16Array.of(value).buffer);
const four = (value) => Buffer.from(Uint32Array.of(value).buffer);

/** A file of samples of eight bits. `tags` are more entries: tag, type (3 of two bytes, 4 of four, 2 of one), values. */
function tiff({ width, height, samples, kind = 2, isPlanar = false, tile = 0, tags = [] }, sample) {
  const planes = isPlanar ? Array.from({ length: samples }, (_, at) => [at]) : [Array.from({ length: samples }, (_, at) => at)];
  const [across, down] = tile > 0 ? [tile, tile] : [width, height];
  const blocks = [];
  for (const channels of planes) {
    for (let top = 0; top < height; top += down) {
      for (let left = 0; left < width; left += across) {
        const block = [];
        for (let y = top; y < top + down; y++) {
          for (let x = left; x < left + across; x++) {
            for (const channel of channels) block.push(x < width && y < height ? sample(x, y, channel) : 0);
          }
        }
        blocks.push(Buffer.from(block));
      }
    }
  }
  const sizes = blocks.map((block) => block.length);
  const entries = [
    [256, 4, [width]],
    [257, 4, [height]],
    [258, 3, Array(samples).fill(8)],
    [259, 3, [1]],
    [262, 3, [kind]],
    [277, 3, [samples]],
    [278, 4, [height]],
    [284, 3, [isPlanar ? 2 : 1]],
    ...(tile > 0
      ? [[322, 4, [tile]], [323, 4, [tile]], [324, 4, blocks], [325, 4, sizes]]
      : [[273, 4, blocks], [279, 4, sizes]]),
    ...tags,
  ].sort((a, b) => a[0] - b[0]);
  const base = 8 + 2 + entries.length * 12 + 4;
  const bytesOf = ([, type, values]) => values.length * { 2: 1, 3: 2, 4: 4 }[type];
  let data = base + entries.reduce((sum, entry) => sum + (bytesOf(entry) > 4 ? bytesOf(entry) : 0), 0);
  const offsets = blocks.map((block) => (data += block.length) - block.length);
  let more = Buffer.alloc(0);
  const directory = entries.map(([tag, type, values, count = values.length]) => {
    const numbers = values === blocks ? offsets : values;
    const bytes = Buffer.concat(numbers.map({ 2: (value) => Buffer.from([value]), 3: two, 4: four }[type]));
    const at = four(base + more.length);
    if (bytes.length > 4) more = Buffer.concat([more, bytes]);
    const value = bytes.length > 4 ? at : Buffer.concat([bytes, Buffer.alloc(4 - bytes.length)]);
    return Buffer.concat([two(tag), two(type), four(count), value]);
  });
  return Buffer.concat([Buffer.from("II*\0"), four(8), two(entries.length), ...directory, four(0), more, ...blocks]);
}

/** The first pixels of the first row in hex, by way of a PNG that is taken apart. */
async function row(bytes, width) {
  const zlib = await import("node:zlib");
  const png = Buffer.from(await new Image(bytes).crop({ left: 0, top: 0, width, height: 1 }).png().bytes());
  const data = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    const name = png.toString("latin1", at + 4, at + 8);
    if (name === "IDAT") data.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  }
  const line = zlib.inflateSync(Buffer.concat(data));
  // In the first row the filters 2 and 4 have nothing above.
  const left = [1, 4].includes(line[0]) ? 1 : line[0] === 3 ? 0.5 : 0;
  for (let at = 5; at < line.length; at++) line[at] += Math.floor(line[at - 4] * left);
  return line.toString("hex", 1).match(/.{8}/g).join(" ");
}

async function show(name, file) {
  const { width } = await new Image(file).metadata();
  console.log(name, await row(file, Math.min(width, 4)).catch((error) => error.code));
}

const rgb = (x, y, channel) => [x * 40, y * 10, 200, x * 85][channel];
const multiplied = (x, y, channel) => (channel === 3 ? x * 85 : Math.round((rgb(x, y, channel) * x * 85) / 255));
const all = { width: 4, height: 3, samples: 3 };
await show("one plane", tiff(all, rgb));
await show("three planes", tiff({ ...all, isPlanar: true }, rgb));
await show("tiles", tiff({ ...all, tile: 16 }, rgb));
await show("tiles of three planes", tiff({ ...all, width: 20, height: 32, isPlanar: true, tile: 16 }, rgb));
// Its height is not a multiple of that of the tiles.
await show("tiles of three planes with an edge", tiff({ ...all, width: 20, height: 20, isPlanar: true, tile: 16 }, rgb));
await show("alpha", tiff({ ...all, samples: 4, tags: [[338, 3, [2]]] }, rgb));
await show("premultiplied alpha", tiff({ ...all, samples: 4, tags: [[338, 3, [1]]] }, multiplied));
const grey = (x, y, channel) => (channel === 0 ? x * 40 : x * 85);
const greyMultiplied = (x, y, channel) => (channel === 0 ? Math.round((x * 40 * x * 85) / 255) : x * 85);
await show("grey and alpha", tiff({ ...all, kind: 1, samples: 2, tags: [[338, 3, [2]]] }, grey));
await show("grey and premultiplied alpha", tiff({ ...all, kind: 1, samples: 2, tags: [[338, 3, [1]]] }, greyMultiplied));
await show("grey and something else", tiff({ ...all, kind: 1, samples: 2, tags: [[338, 3, [0]]] }, grey));

// A text of four gigabytes, as its entry says: an error, and nothing on standard error.
const folder = mkdtempSync(join(tmpdir(), "tiff-"));
const endless = [305, 34675].map((tag) => [tag, 2, [65], 0xffffffff]);
writeFileSync(join(folder, "endless.tif"), tiff({ ...all, tags: endless }, rgb));
const program = `await new Bun.Image("endless.tif").png().bytes().catch((error) => console.log(error.code))`;
const { stdout, stderr } = Bun.spawnSync([process.execPath, "-e", program], { cwd: folder });
rmSync(folder, { recursive: true });
console.log(stdout.toString().trim(), JSON.stringify(stderr.toString()));

// The sides of the metadata are those of the picture, with all frames, too.
const turned = tiff({ ...all, tags: [[274, 3, [6]]] }, rgb);
for (const options of [{}, { animated: true }, { autoOrient: false }, { animated: true, autoOrient: false }]) {
  const { width, height } = await new Image(turned, options).metadata();
  const png = Buffer.from(await new Image(turned, options).png().bytes());
  console.log(JSON.stringify(options), width, height, png.readUInt32BE(16), png.readUInt32BE(20));
}
