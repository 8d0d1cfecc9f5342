// expected: recorded from node 25.9.0
// RegExp.prototype.test of simple expressions: short texts of one-byte characters have machine code of their own in hot code.
const expressions = [
  /^word(\d+)$/, /word(\d+)$/, /^word/, /d1/, /^$/, /$/, /^/, /(?:)/, /^[a-z]+$/, /^[a-z_][\w-]*$/, /\d{3}/, /^\d{1,3}$/, /^\d{2,}x/,
  /a*b/, /a+a/, /^a*a$/, /^.*x.*$/, /[^a]b/, /^(a|ab)(c|bcd)(d*)$/, /^(?:foo|bar|foobar)$/, /foo|bar/, /(a|b|)c/, /^(ab)?c/, /^(?:ab)??ab$/,
  /^\s+/, /\s$/, /^\S+@\S+\.\S+$/, /^[^\s@]+@[^\s@]+\.[a-z]{2,4}$/, /\.(?:js|ts|mjs|cjs|json)$/, /^https?:\/\/[^/]+\//, /^-?\d+(?:\.\d+)?$/,
  /^#?[0-9a-f]{6}$/, /^[\0-\x7f]*$/, /[\x80-\xff]/, /é/, /[é-ÿ]+$/, /Ā/, /[Ā-ſ]/, /./, /./s, /^.$/, /[]/, /[^]$/, /x{0}y/, /(\w)\1/, /(?=a)a/,
  /a(?!b)/, /\bword\b/, /^A/i, /^b/m, /^(?<year>\d{4})-(?<month>\d\d)$/, /a{2}b{2}/, /^a{0,2}b/, /(?:a|b){2}c/, /(?:ab)+c/, /\u{61}/u, /o/g, /w/y,
  /^.{3}$/, /\n/, /^[^\n]*$/, /(x+x+)+y/, /aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab/,
];
const texts = [
  "", "a", "b", "ab", "aab", "abc", "abcd", "ac", "c", "abab", "ababc", "aabb", "word", "word1", "word123", "word123x", "sword12", " word ", "foo", "foobar",
  "foobarx", "xbary", "12", "123", "1234", "12x", "-1.5", "1.", "2024-05", "#a0b1c2", "me@here.org", "me@here", "file.mjs", "file.mj", "http://a.b/c",
  "https://a.b", "a-b_c", "_x", "\n", "a\nb", "x\r", " \t", "\xa0", "é", "caf\xe9", "\xff", "Ā", "aĀb", "naïve", "xxxxxxxx", "xxxy", "aa", "Ab", "zz",
  "a".repeat(33) + "b", "a".repeat(255), "a".repeat(256), "a".repeat(257), "a".repeat(255) + "b", `word${"1".repeat(252)}`, `word${"1".repeat(253)}`,
  // Two-byte strings of one-byte characters, and joined ones.
  "wordĀ".slice(0, 4), `${"word"}${"4".repeat(20)}`,
];

const sums = [];
function round(expression, list) {
  let bits = 0n;
  for (const text of list) bits = (bits << 1n) | BigInt(expression.test(text));
  return bits;
}
for (const expression of expressions) {
  const shown = new Set();
  for (let k = 0; k < 60; k++) {
    expression.lastIndex = 0;
    shown.add(round(expression, texts).toString(16));
    expression.lastIndex = 0;
  }
  sums.push(`${expression} ${[...shown].join(" ")}`);
}
console.log(sums.join("\n"));

// What a match leaves behind, and the objects that tests do not change.
let left = "";
const year = /^(?<year>\d{4})-(\d\d)$/;
year.lastIndex = 3;
for (let i = 0; i < 3000; i++) {
  const made = `${2000 + (i % 30)}-${10 + (i % 9)}${i % 7 === 0 ? "x" : ""}`;
  const found = year.test(made);
  if (i % 500 === 0 || i % 500 === 1) left += `${found} ${RegExp.$1} ${RegExp.$2} ${RegExp.lastMatch} ${RegExp.leftContext.length} ${year.lastIndex}; `;
}
console.log(left);
// An expression of another source, flags or method is not taken for the one before.
const changing = /a/;
let changed = 0;
for (let i = 0; i < 400; i++) {
  if (i % 100 === 50) changing.compile(i % 200 === 50 ? "b" : "a", i > 300 ? "g" : "");
  if (changing.test(i % 2 ? "xa" : "xb")) changed = changed * 3 + i;
  changed %= 1000003;
}
console.log(changed, changing.lastIndex);
