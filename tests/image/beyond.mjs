// expected: written by hand
// What Bun.Image has beyond Bun's: crop, blur, GIF and TIFF written, TIFF read, animations.
const { Image } = Bun;
const show = async (name, f) => {
  try {
    console.log(name, JSON.stringify((await f()) ?? null));
  } catch (error) {
    console.log(name, error.name, error.code, error.message);
  }
};

/** The bytes of a BMP, rows from the top, of pixels `[red, green, blue]`. */
function bmp(width, height, pixel) {
  const row = Math.ceil((width * 3) / 4) * 4;
  const bytes = Buffer.alloc(54 + row * height);
  bytes.write("BM");
  bytes.writeUInt32LE(bytes.length, 2);
  bytes.writeUInt32LE(54, 10);
  bytes.writeUInt32LE(40, 14);
  bytes.writeInt32LE(width, 18);
  bytes.writeInt32LE(-height, 22);
  bytes.writeUInt16LE(1, 26);
  bytes.writeUInt16LE(24, 28);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) Buffer.from(pixel(x, y).toReversed()).copy(bytes, 54 + y * row + x * 3);
  }
  return bytes;
}

/** The pixels of an image, row by row, by way of a PNG that is taken apart. */
async function pixels(image) {
  const zlib = await import("node:zlib");
  const png = Buffer.from(await image.png().bytes());
  const width = png.readUInt32BE(16);
  const height = png.readUInt32BE(20);
  const data = [];
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    if (png.toString("latin1", at + 4, at + 8) === "IDAT") data.push(png.subarray(at + 8, at + 8 + length));
    at += 12 + length;
  }
  const raw = zlib.inflateSync(Buffer.concat(data));
  const stride = width * 4 + 1;
  const before = Buffer.alloc(stride);
  let above = before;
  const paeth = (a, b, c) => {
    const [p, q, r] = [Math.abs(b - c), Math.abs(a - c), Math.abs(a + b - 2 * c)];
    return p <= q && p <= r ? a : q <= r ? b : c;
  };
  const out = [];
  for (let y = 0; y < height; y++) {
    const line = raw.subarray(y * stride, (y + 1) * stride);
    for (let at = 1; at < stride; at++) {
      const [left, up, corner] = [at > 4 ? line[at - 4] : 0, above[at], at > 4 ? above[at - 4] : 0];
      line[at] += [0, left, up, (left + up) >> 1, paeth(left, up, corner)][line[0]];
    }
    above = line;
    out.push(Array.from({ length: width }, (_, x) => line.subarray(1 + x * 4, 5 + x * 4).toString("hex")));
  }
  return out;
}

const map = bmp(8, 6, (x, y) => [x * 30, y * 40, 7]);
await show("crop", () => pixels(new Image(map).crop({ left: 2, top: 1, width: 3, height: 2 })));
await show("crop, left and top of 0", () => pixels(new Image(map).crop({ width: 1, height: 2 })));
await show("turned, then cropped", () => pixels(new Image(map).rotate(90).crop({ width: 2, height: 1 })));
await show("mirrored, then cropped", () => pixels(new Image(map).flop().flip().crop({ width: 2, height: 1 })));
await show("cropped, then resized", async () => {
  const image = new Image(map).resize(4, 4).crop({ left: 1, top: 1, width: 2, height: 2 });
  return [(await image.bytes()).length > 0, image.width, image.height];
});
await show("jpeg, cropped and made small", async () => {
  const jpeg = await new Image(bmp(64, 64, (x) => (x < 32 ? [255, 0, 0] : [0, 0, 255]))).jpeg({ quality: 100 }).bytes();
  const [[pixel]] = await pixels(new Image(jpeg).crop({ left: 32, top: 0, width: 32, height: 64 }).resize(1, 1));
  return [pixel.slice(0, 1), pixel.slice(4, 5)];
});
for (const area of [undefined, null, {}, { width: 1 }, { width: "1", height: 1 }, { width: 0, height: 1 }, { left: -1, width: 1, height: 1 }, { width: 1.5, height: 1 }, { left: NaN, width: 1, height: 1 }]) {
  await show(`crop ${JSON.stringify(area)}`, () => new Image(map).crop(area).bytes());
}
for (const area of [{ width: 9, height: 1 }, { left: 8, width: 1, height: 1 }, { top: 5, width: 1, height: 2 }, { left: 2147483647, width: 2147483647, height: 1 }]) {
  await show(`crop ${JSON.stringify(area)}`, () => new Image(map).crop(area).bytes());
}

await show("blur of one colour", async () => new Set((await pixels(new Image(bmp(9, 9, () => [10, 200, 90])).blur(3))).flat()).size);
for (const sigma of [0.3, 1, 5, 1000]) {
  await show(`blur ${sigma}`, async () => {
    const row = (await pixels(new Image(bmp(21, 21, (x, y) => (x === 10 && y === 10 ? [255, 255, 255] : [0, 0, 0]))).blur(sigma)))[10].map((pixel) => parseInt(pixel.slice(0, 2), 16));
    return [row.every((value, at) => value === row[20 - at]), row.slice(0, 10).every((value, at) => value <= row[at + 1]), sigma < 4 ? row.slice(7, 11) : "flat"];
  });
}
for (const sigma of [undefined, "1", 0, 0.2, 1001, NaN, -1]) await show(`blur ${sigma}`, () => new Image(map).blur(sigma).bytes());

// GIF and TIFF hold what they were given.
const few = bmp(16, 9, (x, y) => [(x % 4) * 80, (y % 3) * 100, 50]);
const same = async (a, b) => JSON.stringify(await pixels(a)) === JSON.stringify(await pixels(b));
for (const format of ["gif", "tiff"]) {
  await show(format, async () => {
    const blob = await new Image(few)[format]().blob();
    const { width, height, format: name } = await new Image(blob).metadata();
    return [blob.type, width, height, name, await same(new Image(blob), new Image(few))];
  });
}
await show("tiff to tiff", async () => (await new Image(await new Image(few).tiff().blob()).blob()).type);
await show("gif to png", async () => (await new Image(await new Image(few).gif().blob()).blob()).type);
await show("gif of two colours", async () => new Set((await pixels(new Image(await new Image(few).gif({ colors: 2 }).blob()))).flat()).size);
for (const bits of [1, 2, 4, 8]) await show(`tiff with a palette of ${bits} bits`, () => pixels(new Image(tiff(bits, bits > 2, 1, 3))));
for (const bits of [1, 2, 4, 8, 16]) {
  for (const big of [false, true]) await show(`grey tiff of ${bits} bits${big ? ", big end first" : ""}`, () => pixels(new Image(tiff(bits, big))));
}
await show("tiff with an orientation", () => pixels(new Image(tiff(8, false, 6))));
await show("the same, as it is", () => pixels(new Image(tiff(8, false, 6), { autoOrient: false })));
await show("and what it says of itself", async () => [await new Image(tiff(8, false, 6)).metadata(), await new Image(tiff(8, false, 6), { autoOrient: false }).metadata()]);

/** A TIFF of 3 x 2 pixels, not compressed: grey, or (3) with a palette in which the number of a colour is its red and its negated blue. */
function tiff(bits, big, orientation = 1, kind = 1) {
  const row = Math.ceil((3 * bits) / 8);
  const entries = [[256, 3], [257, 2], [258, bits], [259, 1], [262, kind], [273, 0], [274, orientation], [277, 1], [278, 2], [279, row * 2]];
  const colors = kind === 3 ? 2 ** bits : 0;
  if (kind === 3) entries.push([320, colors * 3]);
  const start = 8 + 2 + entries.length * 12 + 4;
  const out = Buffer.alloc(start + row * 2 + colors * 6);
  out.write(big ? "MM\0*" : "II*\0", "latin1");
  const put16 = (value, at) => (big ? out.writeUInt16BE(value, at) : out.writeUInt16LE(value, at));
  const put32 = (value, at) => (big ? out.writeUInt32BE(value, at) : out.writeUInt32LE(value, at));
  put32(8, 4);
  put16(entries.length, 8);
  entries.forEach(([tag, value], n) => {
    const at = 10 + n * 12;
    put16(tag, at);
    put16(tag === 273 || tag === 279 ? 4 : 3, at + 2);
    put32(tag === 320 ? value : 1, at + 4);
    if (tag === 320) put32(start + row * 2, at + 8);
    else if (tag === 273) put32(start, at + 8);
    else if (tag === 279) put32(value, at + 8);
    else put16(value, at + 8);
  });
  const most = 2 ** bits - 1;
  for (let n = 0; n < colors; n++) {
    put16(n << 8, start + row * 2 + n * 2);
    put16((255 - n) << 8, start + row * 2 + (colors * 2 + n) * 2);
  }
  for (let y = 0; y < 2; y++) {
    for (let x = 0; x < 3; x++) {
      const value = Math.round((most * (y * 3 + x)) / 5);
      if (bits === 16) put16(value, start + y * row + x * 2);
      else if (bits === 8) out[start + y * row + x] = value;
      else out[start + y * row + ((x * bits) >> 3)] |= value << (8 - bits - ((x * bits) & 7));
    }
  }
  return out;
}

// Animations: three frames of 4 x 4, the second only a part, the third behind one that is cleared away.
function animation(first = [0, 0, 4, 4]) {
  const color = (index, red, green, blue) => [red, green, blue];
  const palette = [...color(0, 0, 0, 0), ...color(1, 255, 0, 0), ...color(2, 0, 255, 0), ...color(3, 0, 0, 255)];
  const image = (left, top, width, height, index, delay, disposal) => {
    // A code that clears the table before every pixel: each code has three bits.
    let bits = "";
    for (let n = 0; n < width * height; n++) bits = index.toString(2).padStart(3, "0") + "100" + bits;
    bits = "101" + bits;
    bits = bits.padStart(Math.ceil(bits.length / 8) * 8, "0");
    const data = bits.match(/.{8}/g).toReversed().map((byte) => parseInt(byte, 2));
    return [0x21, 0xf9, 4, disposal << 2, delay, 0, 0, 0, 0x2c, left, 0, top, 0, width, 0, height, 0, 0, 2, data.length, ...data, 0];
  };
  return Buffer.from([
    ...Buffer.from("GIF89a"), 4, 0, 4, 0, 0x91, 0, 0, ...palette,
    0x21, 0xff, 11, ...Buffer.from("NETSCAPE2.0"), 3, 1, 5, 0, 0,
    ...image(...first, 1, 10, 1), ...image(1, 1, 2, 2, 2, 20, 2), ...image(3, 3, 2, 2, 3, 5, 1), 0x3b,
  ]);
}
const moving = animation();
const about = (bytes) => new Image(bytes, { animated: true }).metadata();
await show("still", () => new Image(moving).metadata());
await show("animated", () => about(moving));
await show("a picture", () => about(few));
for (const format of ["gif", "webp"]) {
  await show(`animated ${format}`, async () => {
    const made = await new Image(moving, { animated: true })[format]({ lossless: true }).bytes();
    return [await about(made), await pixels(new Image(made))];
  });
}
await show("as it was", async () => about(await new Image(moving, { animated: true }).bytes()));
await show("webp to gif", async () => {
  const webp = await new Image(moving, { animated: true }).webp({ lossless: true }).bytes();
  return about(await new Image(webp, { animated: true }).gif().bytes());
});
await show("changed", async () => about(await new Image(moving, { animated: true }).rotate(90).crop({ left: 1, top: 1, width: 3, height: 3 }).resize(6, 3).blur(1).modulate({ brightness: 0.5 }).webp().bytes()));
await show("a png of it", async () => pixels(new Image(moving, { animated: true })));
await show("the first frame", () => pixels(new Image(moving)));
await show("a first frame that is smaller than the canvas", async () => {
  const webp = await new Image(animation([1, 1, 2, 2]), { animated: true }).webp({ lossless: true }).bytes();
  return pixels(new Image(webp));
});
await show("limits", async () => about(await new Image(moving, { animated: true, maxPixels: 48 }).gif().bytes()));
await show("limits", async () => about(await new Image(moving, { animated: true, maxPixels: 47 }).gif().bytes()));
await show("limits", async () => about(await new Image(moving, { animated: true, maxPixels: 48 }).resize(5, 4).gif().bytes()));
// Every frame, by cutting the file: a file that ends too early has the frames before.
for (let length = 60; length <= moving.length; length += 13) {
  const kinds = await about(moving.subarray(0, length)).then((meta) => meta.frames, (error) => error.code);
  const frames = await new Image(moving.subarray(0, length), { animated: true }).gif().bytes().then(about).then((meta) => meta.frames, (error) => error.code);
  console.log(length, kinds, frames);
}
const folder = require("node:fs").mkdtempSync(`${require("node:os").tmpdir()}/image-`);
for (const name of ["a.gif", "a.tif", "a.TIFF"]) await show(name, async () => (await new Image(few).write(`${folder}/${name}`), (await new Image(`${folder}/${name}`).metadata()).format));
require("node:fs").rmSync(folder, { recursive: true });
