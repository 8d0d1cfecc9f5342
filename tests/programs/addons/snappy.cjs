const s = require("snappy");
(async () => {
  const c = await s.compress("hello ".repeat(50));
  console.log(
    c.length,
    (await s.uncompress(c, { asBuffer: false })).length,
    s.uncompressSync(c).subarray(0, 5).toString(),
  );
  try {
    await s.uncompress(Buffer.from("no"));
  } catch (e) {
    console.log(e.message);
  }
})();
