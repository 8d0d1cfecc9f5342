// Every function of node:path, both flavours, on paths with the usual traps.
process.chdir("/");
const path = require("node:path");
const inputs = [
  "", ".", "..", "/", "//", "/a", "/a/", "a/b/..", "a/../..", "./a//b/./c/../d", "/..//../x", "a.b.c", ".bashrc", "a.", "..x",
  "/a/b.txt/", "C:", "C:\\", "c:/a/..", "C:a\\b", "\\\\server\\share\\dir\\..\\x", "\\a", "a\\..\\..\\b", "CON:", "é/ü",
];
for (const name of ["posix", "win32"]) {
  const p = path[name];
  console.log(`== ${name}`, JSON.stringify(p.sep), JSON.stringify(p.delimiter), p === path, p.posix === path.posix, p.win32 === path.win32);
  for (const input of inputs) {
    console.log(JSON.stringify([
      input, p.normalize(input), p.isAbsolute(input), p.dirname(input), p.basename(input), p.extname(input), p.format(p.parse(input)),
    ]), JSON.stringify(p.parse(input)));
  }
  for (const a of ["/a/b", "C:\\a\\b", "a", ""]) {
    for (const b of ["../c", "/d", "..\\e", "", "C:f"]) {
      console.log(JSON.stringify([a, b, p.join(a, b), p.resolve("/root", a, b), p.resolve("D:\\r", a, b)]));
    }
  }
  for (const [a, b] of [["/a/b/c", "/a/d"], ["/a/b", "/a/b/c"], ["/a/bc", "/a/b"], ["/", "/x"], ["C:\\a\\b", "c:\\A\\c"], ["C:\\a", "D:\\b"]]) {
    if (name === "win32" || a[0] === "/") console.log(JSON.stringify([a, b, p.relative(a, b)]));
  }
  console.log(p.basename("x.html", ".html"), p.basename("/a/.html", ".html"), p.basename("aaa", "aaa"), p.basename("a/b/", "b"));
  console.log(p.format({ dir: "/d", name: "n", ext: "e" }), p.format({ root: "/", base: "b" }), p.format({}));
}
for (const call of [() => path.join(1), () => path.resolve("a", null), () => path.basename("a", 5), () => path.format(null), () => path.relative("a")]) {
  try {
    call();
  } catch (error) {
    console.log(error.name, error.code, error.message);
  }
}
console.log(Object.keys(path).join());
