// path.matchesGlob with many wildcards ends soon, whether it matches or not.
const path = require("node:path");
const soon = (name, pattern) => {
  const start = performance.now();
  const result = path.matchesGlob(name, pattern);
  return `${result} ${performance.now() - start < 2000}`;
};
console.log(soon("a".repeat(30), `${"*a".repeat(9)}b`), soon("a".repeat(30), `${"*a".repeat(100)}b`), soon("a".repeat(3000), `${"*a".repeat(100)}*`));
console.log(soon("a".repeat(40), `${"*?".repeat(20)}b`), soon("a".repeat(40), `${"*[ab]".repeat(20)}`), soon("a".repeat(40), `${"*[ab]".repeat(41)}`));
console.log(soon(`${"a/".repeat(40)}c`, `${"**/a/".repeat(20)}b`), soon(`${"a/".repeat(40)}b`, `${"**/a/".repeat(20)}b`));
// What is kept between two wildcards is the first place, and digits behind it are digits.
console.log(["x*1*10*0z", "x*1*1*z", "*y*", "*.*", "?*1*", "*\u{1F600}*z"].map((pattern) => ["x1y10z", "x1y10z0z", ".x1y1", "a\u{1F600}\u{1F600}z"].map((name) => Number(path.matchesGlob(name, pattern))).join("")).join(" "));
