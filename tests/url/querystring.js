// node:querystring against its quirks.
const qs = require("node:querystring");
for (const [text, ...rest] of [
  ["a=1&b=2&a=3"], ["a"], ["=x&&y="], ["a+b=c%20d%2B"], ["%zz=%E4%BD%A0&x=%ff"], ["a:b;c:d", ";", ":"], ["a=b=c"], ["a&b&c", null, null, { maxKeys: 2 }], ["__proto__=1&toString=2"],
  ["a=%41", "&", "=", { decodeURIComponent: (s) => `<${s}>` }], ["x==y==z", "==", "&"], [5],
]) {
  console.log(JSON.stringify(text), JSON.stringify(qs.parse(text, ...rest)), Object.getPrototypeOf(qs.parse(text, ...rest)));
}
for (const [value, ...rest] of [
  [{ a: "b", c: ["d", "e f"], g: [] }], [{ n: 1, f: 1.5, big: 10n, inf: Infinity, nan: NaN, t: true, u: undefined, nul: null, o: {}, e: 1e21 }], [{ a: "ü&=" }, ";", ":"], ["x"], [null], [[1, 2]],
  [{ "é": "!'()*-._~" }], [{ a: "b" }, "&", "=", { encodeURIComponent: (s) => `<${s}>` }],
]) {
  console.log(qs.stringify(value, ...rest));
}
console.log(qs.escape("a b\u{1F600}"), qs.escape({ toString: () => "x/y" }), qs.unescape("a%20b%zz"), qs.unescapeBuffer("%41+%4", true).toString("hex"));
for (const call of [() => qs.escape("\ud800"), () => qs.escape(Object.create(null))]) {
  try {
    call();
  } catch (error) {
    console.log(error.name, error.code);
  }
}
const { escape } = qs;
qs.escape = (text) => `[${text}]`;
console.log(qs.stringify({ a: "b" }));
qs.escape = escape;
qs.unescape = (text) => `{${text}}`;
console.log(JSON.stringify(qs.parse("a=b+c")));
