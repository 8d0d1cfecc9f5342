// expected: recorded from bun 1.4.5
// Spread objects in hot code: sources of changing shapes, elements, targets that have properties, values that are new, and
// collections in between.
const shown = (object) => JSON.stringify(object);
const gc = globalThis.Bun?.gc ?? (() => {});

function spread(from, w) {
  return { ...from, w };
}
const sources = [
  { a: 1 },
  { a: 1, b: 2, c: 3 },
  { a: 1, b: 2, c: 3, d: 4, e: 5, f: 6, g: 7, h: 8, i: 9 },
  { b: 2, a: 1 },
  Object.freeze({ a: 1, z: 2 }),
  { 0: "zero", a: 1 },
  [5, 6],
  Object.create({ inherited: 1 }, { own: { value: 1, enumerable: true }, hidden: { value: 2 } }),
  { __proto__: null, a: 1 },
  { get a() { return 7; }, b: 2 },
  new Proxy({ a: 1, b: 2 }, {}),
];
const first = sources.map((from) => shown(spread(from, 0)));
console.log(first.join("\n"));
let differences = 0;
for (let round = 0; round < 30000; round++) {
  const k = round % sources.length;
  if (shown(spread(sources[k], 0)) !== first[k]) differences++;
}
console.log("differences", differences);

// Elements that come and go behind the same shape.
const changing = { a: 1, b: 2 };
let wrong = 0;
for (let round = 0; round < 30000; round++) {
  if (round % 3 === 0) changing[0] = round;
  else delete changing[0];
  const copy = spread(changing, round);
  if (Object.keys(copy).join() !== (round % 3 === 0 ? "0,a,b,w" : "a,b,w") || copy.w !== round) wrong++;
}
console.log("elements", wrong);

// New objects as values, more properties than the literal has room for, and collections while copies are kept.
let kept = [];
let broken = 0;
for (let round = 0; round < 60000; round++) {
  const copy = { ...{ a: { round }, b: [round], c: "x" + round, d: round, e: round / 2, f: null }, g: { round } };
  kept.push(copy);
  if (kept.length === 5000) {
    if (round % 20000 > 15000) gc(true);
    for (const [index, object] of kept.entries()) {
      const n = object.d;
      if (object.a.round !== n || object.b[0] !== n || object.c !== "x" + n || object.e !== n / 2 || object.g.round !== n || kept[index] !== object)
        broken++;
    }
    kept = [];
  }
}
console.log("kept", broken);

// A copy is its own: writes to it, more properties and another prototype.
const original = { a: 1, b: 2 };
for (let round = 0; round < 5000; round++) {
  const copy = { ...original };
  copy.a = round;
  copy.c = round;
  Object.setPrototypeOf(copy, null);
}
console.log(shown(original), Object.getPrototypeOf({ ...original }) === Object.prototype);

// Two in one literal, and one over the other.
function both(a, b) {
  return { x: 0, ...a, ...b, y: 1 };
}
let last;
for (let round = 0; round < 20000; round++) last = both(original, sources[round % 3]);
console.log(shown(last), shown(both({ x: 5, y: 6 }, null)));
