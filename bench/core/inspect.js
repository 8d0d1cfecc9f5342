// util.inspect and util.format of what programs log.
const { inspect, format } = require("node:util");
class Point { constructor(x, y) { this.x = x; this.y = y; } }
const value = {
  name: "value", list: [1, 2, 3, "four", null, undefined], nested: { a: { b: { c: { d: 1 } } } }, when: new Date(0), expression: /a+b/gi,
  map: new Map([["key", { v: 1 }], ["other", [1, 2]]]), set: new Set([1, "two"]), point: new Point(1, 2), bytes: new Uint8Array(8), run() {},
  text: "a 'quoted' text with\nlines", big: 10n, symbol: Symbol("s"),
};
const rows = Array.from({ length: 90 }, (_, i) => ({ id: i, name: "item " + i, ok: i % 2 === 0 }));
let sum = 0;
for (let i = 0; i < 12000; i++) sum += inspect(value).length;
for (let i = 0; i < 800; i++) sum += inspect(rows, { depth: 4 }).length;
for (let i = 0; i < 300000; i++) sum += format("%s is %d of %j", "item", i, "x").length + format("a", i, true).length;
console.log(sum > 0);
