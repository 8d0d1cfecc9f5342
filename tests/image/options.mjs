// expected: recorded from bun 1.4.5, but for the words of what is not supported
// Options of Bun.Image: what they mean, what is refused, and in which words.
const { Image } = Bun;
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const show = async (name, f) => {
  try {
    console.log(name, JSON.stringify((await f()) ?? null));
  } catch (error) {
    console.log(name, error.name, error.code, error.message);
  }
};
const meta = async (promise) => {
  const { width, height, format } = await new Image(await promise).metadata();
  return `${format} ${width}x${height}`;
};
const wide = await new Image(png).resize(37, 11).bytes();

await show("no new", () => Image());
await show("nothing", () => new Image());
for (const input of [5, {}, null, new URL("file:///x.png"), new Response("x")]) {
  await show("input", () => new Image(input));
}
await show("shared", () => new Image(new SharedArrayBuffer(5)));
await show("resizable", () => new Image(new ArrayBuffer(8, { maxByteLength: 16 })));
await show("resizable view", () => new Image(new Uint8Array(new ArrayBuffer(8, { maxByteLength: 16 }))));
await show("data", () => new Image(`data:image/png;base64,${png.toString("base64")}`).metadata());
await show("data text", () => new Image("data:image/png,abc"));
await show("data bad", () => new Image("data:image/png;base64,!!!"));
await show("missing", () => new Image("/nowhere.png").metadata());
await show("missing file", () => new Image(Bun.file("/nowhere.png")).bytes());
await show("device", () => new Image("/dev/null").metadata());
await show("folder", () => new Image("/tmp").metadata());
for (const input of [
  new Blob([png]),
  png.buffer.slice(png.byteOffset, png.byteOffset + png.length),
  new DataView(png.buffer, png.byteOffset, png.length),
  png,
]) {
  await show("kind", () => new Image(input).metadata());
}
await show("blob.image", () => new Blob([png]).image().metadata());

for (const options of [
  5,
  null,
  {},
  { maxPixels: 0 },
  { maxPixels: 0.5 },
  { maxPixels: 1 },
  { maxPixels: "x" },
  { maxPixels: NaN },
  { maxPixels: Infinity },
  { autoOrient: "no" },
]) {
  await show(`maxPixels ${Bun.inspect(options)}`, () => meta(new Image(png, options).bytes()));
}
const sizes = [
  [],
  [0],
  [-1],
  [NaN],
  [Infinity],
  ["5"],
  [5, "x"],
  [5, -1],
  [null],
  [{}],
  [undefined, 5],
  [1e9],
  [20000, 20000],
];
sizes.push(
  [5, 5, { fit: "cover" }],
  [5, 5, { fit: 5 }],
  [5, 5, { filter: "nope" }],
  [5, 5, { filter: 5 }],
  [5, 5, 5],
  [5, 5, null],
);
sizes.push(
  [1.7],
  [0, 5],
  [5],
  [10],
  [3],
  [74],
  [20, 20, { fit: "inside" }],
  [9, 9, { fit: "inside" }],
  [1, 1, { fit: "inside" }],
);
sizes.push(
  [7, 0, { fit: "inside" }],
  [100, 3, { fit: "inside" }],
  [3, 100, { fit: "inside" }],
  [5, 5, { fit: "fill" }],
);
for (const [width, height] of [[74, 5], [5, 74], [74], [74, 74]]) {
  sizes.push(
    [width, height, { withoutEnlargement: true }],
    [width, height, { withoutEnlargement: true, fit: "inside" }],
  );
}
for (const given of sizes)
  await show(`resize ${JSON.stringify(given)}`, () => meta(new Image(wide).resize(...given).bytes()));
for (const filter of [
  "box",
  "bilinear",
  "linear",
  "lanczos3",
  "mitchell",
  "nearest",
  "cubic",
  "lanczos2",
  "mks2013",
  "mks2021",
]) {
  await show(filter, () => meta(new Image(wide).resize(5, 4, { filter }).bytes()));
}
for (const degrees of [undefined, 0, 45, 90, -90, 180, 270, 360, 450, "90", NaN, 90.5, null, 1e10, Infinity]) {
  await show(`rotate ${degrees}`, () => meta(new Image(wide).rotate(degrees).bytes()));
}
for (const options of [
  undefined,
  5,
  {},
  null,
  { brightness: "x" },
  { brightness: -1 },
  { saturation: Infinity },
  { hue: 5 },
]) {
  await show("modulate", () => meta(new Image(wide).modulate(options).bytes()));
}
for (const format of ["jpeg", "png", "webp", "heic"]) {
  for (const options of [
    undefined,
    5,
    null,
    { quality: 0 },
    { quality: 101 },
    { quality: "x" },
    { quality: NaN },
    { compressionLevel: 10 },
    { compressionLevel: -1 },
    { colors: 1, palette: true },
    { colors: 300, palette: "yes" },
    { lossless: 1 },
    { progressive: "x" },
    { dither: 1, palette: 1 },
  ]) {
    await show(format, () => meta(new Image(wide)[format](options).bytes()));
  }
}
const image = new Image(wide);
await show("chains", () =>
  [image.flip(), image.flop(), image.png(), image.rotate(90), image.resize(2), image.modulate()].every(
    (each) => each === image,
  ),
);
await show("sides", async () => {
  const each = new Image(wide).resize(4);
  const before = [each.width, each.height];
  await each.metadata();
  const source = [each.width, each.height];
  await each.bytes();
  return [before, source, [each.width, each.height]];
});
await show("types", async () => [
  (await new Image(wide).blob()).type,
  (await new Image(wide).jpeg().blob()).type,
  (await new Image(wide).webp().dataurl()).slice(0, 23),
]);
await show("buffers", async () => [
  Buffer.isBuffer(await new Image(wide).buffer()),
  Buffer.isBuffer(await new Image(wide).toBuffer()),
  (await new Image(wide).bytes()).constructor.name,
]);
await show("base64", async () => (await new Image(png).toBase64()).slice(0, 20));
for (const as of [undefined, "dataurl", "hash", 5])
  await show("placeholder", async () => (await new Image(wide).placeholder(as)).slice(0, 22));
await show("order", async () => meta(new Image(wide).resize(100, 100).rotate(90).resize(6, 8).bytes()));
await show("snapshot", async () => {
  const each = new Image(wide);
  const bytes = each.jpeg().bytes();
  each.png().resize(3, 3);
  return meta(bytes);
});
await show("write nothing", () => new Image(png).write());
const folder = require("node:fs").mkdtempSync("/tmp/image-");
for (const name of ["a.webp", "a.JPG", "a.png", "a.bmp", "a", "new/a.jpeg"]) {
  await show(name, async () => {
    const path = `${folder}/${name}`;
    const written = await new Image(wide).write(path);
    return [written === Bun.file(path).size, await meta(path)];
  });
}
await show("write file", async () => [
  typeof (await new Image(wide).write(Bun.file(`${folder}/b.webp`))),
  await meta(`${folder}/b.webp`),
]);
await show("file.image", () => Bun.file(`${folder}/a.webp`).image().metadata());
await show(
  "set format",
  async () => (await new Image(wide).jpeg().write(`${folder}/c.png`), await meta(`${folder}/c.png`)),
);
require("node:fs").rmSync(folder, { recursive: true });
await show("response", async () => {
  const response = new Response(new Image(wide).resize(4, 4).webp());
  return [response.headers.get("content-type"), await meta(await response.arrayBuffer())];
});
await show("request", async () => {
  const request = new Request("http://x/", { method: "POST", body: new Image(wide).jpeg() });
  return [request.headers.get("content-type"), await meta(await request.arrayBuffer())];
});
await show("backend", () => ((Image.backend = "system"), Image.backend));
await show("backend", () => ((Image.backend = "bun"), Image.backend));
await show("backend", () => (Image.backend = "x"));
await show("backend", () => (Image.backend = 5));
await show("clipboard", () => [Image.fromClipboard(), Image.hasClipboardImage(), Image.clipboardChangeCount()]);
await show("this", () => Image.prototype.bytes.call({}));
await show("this", () => Image.prototype.width);
await show("detached", async () => {
  const buffer = png.buffer.slice(png.byteOffset, png.byteOffset + png.length);
  const each = new Image(buffer);
  await each.metadata();
  structuredClone(buffer, { transfer: [buffer] });
  return each.bytes();
});
await show("too wide", () => new Image(wide).resize(20000, 2).webp().bytes());
await show("too wide", () => new Image(wide).resize(70000, 2).jpeg().bytes());
console.log(Object.prototype.toString.call(image), Image.length, Image.name);
