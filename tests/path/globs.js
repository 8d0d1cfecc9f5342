// path.matchesGlob (experimental in Node: its warning goes to stderr).
const path = require("node:path");
const names = [
  "a", "b", "ab", "a/b", "a/b/c", ".a", "a/.b", "a/.b/c", "a.js", "a.ts", "dir/a.js", "dir/sub/a.js", "x1", "x9", "x10", "é", "[", "a/", "/a", "",
];
const patterns = [
  "*", "**", "a*", "*.js", "**/*.js", "dir/**", "dir/**/a.js", "{a,b}", "*.{js,ts}", "x{1..9}", "x{01..10}", "?", "[ab]", "[!a]", "[^a]*", "[a-c]b",
  "[[:alpha:]]", "!(a)", "!(a|b)", "@(a|ab)", "+(a|b)", "?(a)b", "*(x)[0-9]", ".*", ".a", "a/.*", "a/*/c", "**/.b/*", "\\a", "[", "a/b/../b", "./a", "",
];
for (const pattern of patterns) {
  console.log(JSON.stringify(pattern), names.filter((name) => path.matchesGlob(name, pattern)).map((name) => name || "(empty)").join(" "));
}
console.log(path.win32.matchesGlob("a\\b\\c.js", "a/**/*.js"), path.posix.matchesGlob("a\\b", "a/*"));
