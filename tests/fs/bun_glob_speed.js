// A pattern that is matched often is matched otherwise than at first, and with the same results. Recorded from Bun 1.4.5.
const patterns = [
  "src/**/*.{test,spec}.{js,ts}", "**/*.js", "*.js", "a*b", "a/**/b", "{a,b}/c", "{a,bc}*", "a.b", "a+b/*", "**/a*", "x y/*", "*/*",
];
const paths = [
  "src/deep/path/file.test.ts", "src/file.spec.js", "src/deep/path/file.ts", "src/.test.js", "a.js", "b/a.js", ".js", "b/.js", "ab",
  "axb", "ax/b", "a/b", "a/x/b", "a/x/y/b", "a/c", "b/c", "c/c", "bcd", "a.b", "aXb", "a+b/c", "a+b/", "aab/c", "x y/z", "",
  "a\nb", "aéb", "é.js", "a" + "x".repeat(600) + "b", "a/" + "x/".repeat(300) + "b",
];
for (const pattern of patterns) {
  const glob = new Bun.Glob(pattern);
  const once = paths.map((path) => Number(glob.match(path))).join("");
  for (let i = 0; i < 200; i++) glob.match("some/path");
  const often = paths.map((path) => Number(glob.match(path))).join("");
  console.log(pattern, often, once === often);
}
