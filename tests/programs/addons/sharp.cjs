const sharp = require("sharp");
(async () => {
  const png = await sharp({ create: { width: 40, height: 30, channels: 3, background: { r: 255, g: 10, b: 0 } } })
    .png()
    .toBuffer();
  const m = await sharp(png).metadata();
  console.log(m.format, m.width, m.height, m.channels);
  const raw = await sharp(png).resize(4, 3).blur(0.5).raw().toBuffer({ resolveWithObject: true });
  console.log(raw.info.width, raw.info.size, raw.data[0]);
  const many = await Promise.all(
    Array.from({ length: 8 }, (_, i) =>
      sharp(png)
        .rotate(90 * i)
        .webp()
        .toBuffer(),
    ),
  );
  console.log(many.map((b) => b.subarray(8, 12).toString()).join());
  try {
    await sharp(Buffer.from("nope")).metadata();
  } catch (e) {
    console.log(e.message);
  }
})();
