// util.format: every specifier, too few and too many arguments.
const util = require("util");
const lines = [
  ["%s", "text"], ["%s", 1, 2], ["%s", -0], ["%s", 5n], ["%s", Symbol("s")], ["%s", null], ["%s"], ["%s", { a: { b: { c: 1 } } }],
  ["%s", { toString() { return "own"; } }], ["%s", new (class X { toString() { return "X!"; } })()], ["%s", new Date(0)],
  ["%s", () => 5], ["%s", [1, [2, [3]]]], ["%s", Object.create(null)],
  ["%d %d", "42", {}], ["%d", 10n], ["%d", ""], ["%i %i", 1.9, "12px"], ["%i", 3n], ["%f", "1.50x"], ["%f", "x"],
  ["%j", { a: [1, "b"] }], ["%j", undefined], ["%o", [1, { a: 2 }]], ["%O", { a: { b: { c: { d: 1 } } } }],
  ["%%"], ["%% %s", 1], ["%s%%", 50], ["%c styled", "color: red"], ["%x", 1], ["a%", 1], ["%s %s", "one"],
  ["no specifier", "more", 1, { a: 1 }, "str"], [1, "%s", 2], [{ a: 1 }, "b"], [],
];
const circular = {};
circular.self = circular;
lines.push(["%j", circular], ["%s", circular]);
for (const args of lines) console.log(JSON.stringify(util.format(...args)));
console.log(util.formatWithOptions({ colors: true, compact: false }, "%O %s", { a: 1 }, "x", [2]));
console.log(util.formatWithOptions({ numericSeparator: true }, "%d", 1234567, 89012345n));
try { util.formatWithOptions(1); } catch (error) { console.log(error.code, error.message); }
