// expected: written by hand
// AVIF files of libavif and libheif (tests/image/support: Pillow 13, sharp 0.35) are read, and written ones are read again.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const { Image } = Bun;
const folder = join(import.meta.dirname, "support");
const file = (name) => readFileSync(join(folder, name));
const show = async (name, f) => {
  try {
    console.log(name, JSON.stringify((await f()) ?? null));
  } catch (error) {
    console.log(name, error.name, error.code, error.message);
  }
};


/** The pixel at a place, decoded by cutting it out and writing it as a PNG of one colour. */
async function pixel(bytes, left, top, options) {
  const png = Buffer.from(await new Image(bytes, options).crop({ left, top, width: 1, height: 1 }).png().bytes());
  const { inflateSync } = await import("node:zlib");
  const data = [];
  let profile = 0;
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const name = png.toString("latin1", at + 4, at + 8);
    if (name === "IDAT") data.push(png.subarray(at + 8, at + 8 + length));
    if (name === "iCCP") profile = length;
    at += 12 + length;
  }
  const raw = inflateSync(Buffer.concat(data));
  return [...raw.subarray(1)].join(",") + (profile > 0 ? " with a profile" : "");
}

for (const name of readdirSync(folder).sort()) {
  const bytes = file(name);
  await show(name, () => new Image(bytes).metadata());
  await show(name, async () => {
    const { width, height } = await new Image(bytes).metadata();
    const found = [];
    for (const [x, y] of [[0.1, 0.2], [0.9, 0.2], [0.1, 0.8], [0.9, 0.8]]) {
      found.push(await pixel(bytes, Math.floor(width * x), Math.floor(height * y)));
    }
    return found;
  });
}
await show("not turned", () => new Image(file("turned.avif"), { autoOrient: false }).metadata());
await show("all frames", () => new Image(file("sequence.avif"), { animated: true }).metadata());
await show("too many pixels", () => new Image(file("gray.avif"), { maxPixels: 959 }).bytes());

// What is written: the type, the brand, and what a reader finds in it.
const source = file("alpha.avif");
const near = (first, second) =>
  first.split(",").every((value, at) => Math.abs(Number(value) - Number(second.split(",")[at])) < 12);
for (const quality of [1, 50, 80, 100]) {
  await show(`written at ${quality}`, async () => {
    const blob = await new Image(source).avif({ quality }).blob();
    const bytes = Buffer.from(await blob.arrayBuffer());
    const corners = [[2, 3], [37, 3], [12, 20], [37, 20]];
    const same = await Promise.all(
      corners.map(async ([x, y]) => near(await pixel(source, x, y), await pixel(bytes, x, y))),
    );
    return [blob.type, bytes.toString("latin1", 4, 12), await new Image(bytes).metadata(), quality > 1 ? same : "any"];
  });
}
await show("by the name", async () => {
  const path = join(process.env.TMPDIR ?? "/tmp", `bao-avif-${process.pid}.avif`);
  await new Image(source).resize(20).write(path);
  const { unlinkSync } = await import("node:fs");
  const answer = await new Image(path).metadata();
  unlinkSync(path);
  return answer;
});
await show("the format of the source", async () => {
  const bytes = await new Image(file("profile.avif")).rotate(90).bytes();
  return [await new Image(bytes).metadata(), await pixel(bytes, 3, 3)].map((value) =>
    typeof value === "string" ? value.replace(/^.* with/, "with") : value,
  );
});
await show("small, and larger than a tile", async () => {
  const sizes = [];
  for (const [width, height] of [[1, 1], [1, 300], [700, 500]]) {
    const bytes = await new Image(source).resize(width, height).avif({ quality: 30 }).bytes();
    sizes.push(await new Image(bytes).metadata());
  }
  return sizes;
});
await show("wider than AV1 has", () => new Image(source).resize(65536, 1).avif().bytes());

// Broken files end with an error: cut off anywhere, and with numbers that lie.
const errors = new Set();
for (const name of ["alpha.avif", "turned.avif"]) {
  const bytes = file(name);
  for (let length = 12; length < bytes.length; length += 3) {
    try {
      await new Image(bytes.subarray(0, length)).png().bytes();
      console.log("decoded", name, length);
    } catch (error) {
      errors.add(error.code);
    }
  }
}
console.log([...errors].sort().join(" "));
const changed = (name, text, offset, value) => {
  const bytes = Buffer.from(file(name));
  bytes.writeUInt32BE(value, bytes.indexOf(text) + offset);
  return bytes;
};
await show("a lying size", () => new Image(changed("gray.avif", "ispe", 8, 30_000)).png().bytes());
await show("a size of 0", () => new Image(changed("gray.avif", "ispe", 8, 0)).metadata());
await show("a huge size", () => new Image(changed("gray.avif", "ispe", 8, 0x7fffffff)).metadata());
await show("an unknown kind of item", () => new Image(changed("gray.avif", "av01", 0, 0x68766331)).metadata());
await show("no item", () => new Image(changed("gray.avif", "pitm", 6, 0x7777_0000)).metadata());
