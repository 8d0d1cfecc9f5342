const tar = require("tar-stream"),
  through = require("through2"),
  rs = require("readable-stream"),
  concat = require("concat-stream"),
  split = require("split2"),
  pump = require("pump"),
  JSZip = require("jszip"),
  pako = require("pako"),
  fflate = require("fflate"),
  iconv = require("iconv-lite"),
  { Readable } = require("node:stream");
const md5 = (b) => require("crypto").createHash("md5").update(b).digest("hex");
(async () => {
  const pack = tar.pack();
  pack.entry({ name: "a.txt", mtime: new Date(0) }, "hello");
  pack.entry({ name: "d/", type: "directory", mtime: new Date(0) });
  pack.entry({ name: "long/" + "x".repeat(150), mtime: new Date(0) }, Buffer.alloc(2000, 7));
  pack.finalize();
  const tarball = await new Promise((r) => pack.pipe(concat(r)));
  console.log(tarball.length, md5(tarball));
  const extract = tar.extract();
  extract.on("entry", (h, s, next) => {
    let n = 0;
    s.on("data", (c) => (n += c.length)).on("end", () => {
      console.log(h.name.slice(0, 20), h.type, h.size, n, h.mode.toString(8));
      next();
    });
  });
  await new Promise((r) => extract.on("finish", r).end(tarball));
  await new Promise((r) =>
    pump(
      Readable.from(["a\nb", 'c\n{"x":1}\nlast']),
      split(),
      through.obj
        ? through.obj(function (l, e, cb) {
            this.push(l.toUpperCase() + ";");
            cb();
          })
        : through.transform?.(),
      concat((all) => console.log(all)),
      r,
    ),
  );
  pump(
    rs.Readable.from([1, 2]),
    new rs.Writable({
      objectMode: true,
      write(c, e, d) {
        d(c === 2 ? new Error("sink") : null);
      },
    }),
    (e) => console.log("pump", e.message),
  );
  await new Promise((r) => setTimeout(r, 5));
  console.log(
    await rs.Readable.from([1, 2, 3, 4])
      .filter((x) => x % 2)
      .map(async (x) => x * 2)
      .toArray(),
    rs.Readable !== Readable,
    new rs.PassThrough() instanceof rs.Transform,
  );
  for await (const c of new rs.Readable({
    read() {
      this.push("q");
      this.push(null);
    },
  }))
    console.log(c);
  const zip = new JSZip();
  const opts = { date: new Date(0) };
  zip.file("a.txt", "A".repeat(1000), opts);
  zip.folder("f").file("b.bin", new Uint8Array([1, 2, 3]), opts);
  const data = await zip.generateAsync({ type: "nodebuffer", compression: "DEFLATE" });
  const back = await JSZip.loadAsync(data);
  console.log(
    Object.keys(back.files),
    (await back.file("a.txt").async("string")).length,
    await back.file("f/b.bin").async("array"),
    back.file(/b/).length,
  );
  await JSZip.loadAsync("x").catch((e) => console.log(e.message.slice(0, 40)));
  const text = Buffer.from("compress me ".repeat(500) + "é😀");
  const gz = pako.gzip(text);
  console.log(
    md5(Buffer.from(pako.deflate(text, { level: 9 }))),
    Buffer.from(pako.ungzip(gz)).equals(text),
    gz.length < 200,
    md5(Buffer.from(fflate.deflateSync(text))),
    fflate.strFromU8(fflate.gunzipSync(gz)).length,
    Object.keys(fflate.unzipSync(fflate.zipSync({ "x.txt": fflate.strToU8("hi") }))),
  );
  try {
    pako.inflate(new Uint8Array([1, 2, 3]));
  } catch (e) {
    console.log(String(e));
  }
  for (const enc of ["latin1", "shift_jis", "gbk", "utf16be", "windows-1251", "koi8-r", "euc-kr", "big5", "utf-7", "cp437"]) {
    const b = iconv.encode("aé日本Жя한ß", enc);
    console.log(enc, b.toString("hex"), iconv.decode(b, enc));
  }
  console.log(
    iconv.encodingExists("x-nope"),
    iconv.decode(Buffer.from("efbbbf61", "hex"), "utf8"),
    await new Promise((r) =>
      Readable.from([Buffer.from([0x93]), Buffer.from([0xfa])])
        .pipe(iconv.decodeStream("sjis"))
        .collect((e, s) => r(s)),
    ),
  );
})();
