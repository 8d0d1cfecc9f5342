// The members of `Bun` that Bun advertises as fast. Prints nanoseconds per call; run it with bao and with bun in turns:
//   bao bench/bun/members.mjs [DIR for the glob] [part of a name]; bun bench/bun/members.mjs ...
const html = "<div class=\"x\">hello & 'world'</div>".repeat(20);
const plain = "lorem ipsum dolor sit amet ".repeat(40);
const long = plain.repeat(20);
const ansi = "\x1b[31mred\x1b[0m text \x1b[1mbold\x1b[22m ".repeat(20);
const wide = "日本語テキスト👍é".repeat(30);
const bytes = new Uint8Array(4096).fill(7);
const one = { a: 1, b: [1, 2, { c: "x", d: [1, 2, 3] }], e: { f: { g: new Date(0), h: "text" } } };
const two = structuredClone(one);
const list = Array.from({ length: 1000 }, (_, i) => ({ i, s: "item" + i }));
const list2 = structuredClone(list);
const glob = new Bun.Glob("**/*.{js,ts}");
const root = process.argv[2] || ".";
const only = process.argv[3] || "";
const page = "# Title\n\nSome *text* with [links](http://a.b) and `code`.\n\n- a\n- b\n\n| a | b |\n|---|---|\n| 1 | 2 |\n".repeat(10);
const rows = {
  "escapeHTML, 720 characters": () => Bun.escapeHTML(html),
  "escapeHTML, nothing to do": () => Bun.escapeHTML(plain),
  "escapeHTML, short": () => Bun.escapeHTML("a<b"),
  "stringWidth, 21,600 ASCII": () => Bun.stringWidth(long),
  "stringWidth, short": () => Bun.stringWidth("hello"),
  "stringWidth, colours": () => Bun.stringWidth(ansi),
  "stringWidth, wide": () => Bun.stringWidth(wide),
  "stripANSI, colours": () => Bun.stripANSI(ansi),
  "stripANSI, nothing to do": () => Bun.stripANSI(long),
  "wrapAnsi": () => Bun.wrapAnsi(ansi, 20),
  "hash, 4 KiB": () => Bun.hash(bytes),
  "hash, short string": () => Bun.hash("hello"),
  "hash.crc32, 4 KiB": () => Bun.hash.crc32(bytes),
  "hash.xxHash3, 4 KiB": () => Bun.hash.xxHash3(bytes),
  "CryptoHasher.hash, short": () => Bun.CryptoHasher.hash("sha256", "hello", "hex"),
  "deepEquals, small": () => Bun.deepEquals(one, two),
  "deepEquals, 1,000 objects": () => Bun.deepEquals(list, list2, true),
  "inspect, small": () => Bun.inspect(one),
  "inspect, 1,000 objects": () => Bun.inspect(list),
  "Glob.match": () => glob.match("src/deep/path/file.ts"),
  "semver.satisfies": () => Bun.semver.satisfies("1.2.3", "^1.0.0 || >=3"),
  "color": () => Bun.color("#ff8800", "rgba"),
  "JSONL.parse, 3 lines": () => Bun.JSONL.parse('{"a":1}\n{"b":2}\n{"c":3}'),
  "TOML.parse": () => Bun.TOML.parse('a=1\nb="x"\n[c]\nd=[1,2,3]'),
  "markdown.html": () => Bun.markdown.html(page),
};
const print = (name, nanoseconds) => console.log(`${name.padEnd(28)} ${nanoseconds.toFixed(0).padStart(10)}`);
for (const [name, run] of Object.entries(rows)) {
  if (!name.includes(only)) continue;
  for (let i = 0; i < 500; i++) run();
  let best = Infinity;
  for (let round = 0; round < 5; round++) {
    let count = 100;
    for (;;) {
      const start = performance.now();
      for (let i = 0; i < count; i++) run();
      const time = performance.now() - start;
      if (time > 10) {
        best = Math.min(best, (time * 1e6) / count);
        break;
      }
      count *= 2;
    }
  }
  print(name, best);
}
const file = `/tmp/bench-bun-${process.pid}.json`;
await Bun.write(file, JSON.stringify(one));
const asynchronous = {
  "file().text()": () => Bun.file(file).text(),
  "file().json()": () => Bun.file(file).json(),
  "write, 5 bytes": () => Bun.write(`${file}.2`, "hello"),
};
for (const [name, run] of Object.entries(asynchronous)) {
  if (!name.includes(only)) continue;
  let best = Infinity;
  for (let round = 0; round < 5; round++) {
    const start = performance.now();
    for (let i = 0; i < 1000; i++) await run();
    best = Math.min(best, (performance.now() - start) * 1e3);
  }
  print(name, best);
}
if ("Glob.scanSync".includes(only)) {
  let best = Infinity;
  for (let round = 0; round < 5; round++) {
    const start = performance.now();
    [...new Bun.Glob("**/*.{rs,ts}").scanSync({ cwd: root })];
    best = Math.min(best, (performance.now() - start) * 1e6);
  }
  print("Glob.scanSync", best);
}
for (const path of [file, `${file}.2`]) if (await Bun.file(path).exists()) await Bun.file(path).delete();
