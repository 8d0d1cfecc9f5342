// Bun.inspect of what programs log.
class Point { constructor(x, y) { this.x = x; this.y = y; } }
const value = {
  name: "value", list: [1, 2, 3, "four", null, undefined], nested: { a: { b: { c: { d: 1 } } } }, when: new Date(0), expression: /a+b/gi,
  map: new Map([["key", { v: 1 }], ["other", [1, 2]]]), set: new Set([1, "two"]), point: new Point(1, 2), bytes: new Uint8Array(8), run() {},
  text: "a 'quoted' text with\nlines", big: 10n, symbol: Symbol("s"),
};
const rows = Array.from({ length: 90 }, (_, i) => ({ id: i, name: "item " + i, ok: i % 2 === 0 }));
let sum = 0;
for (let i = 0; i < 20000; i++) sum += Bun.inspect(value).length;
for (let i = 0; i < 2000; i++) sum += Bun.inspect(rows).length;
console.log(sum > 0);
