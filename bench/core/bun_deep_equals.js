// Bun.deepEquals, both kinds, on equal values (the whole of them is walked).
const make = () => ({
  list: Array.from({ length: 300 }, (_, i) => ({ id: i, name: "item " + i, tags: ["a", "b", { deep: i }] })),
  map: new Map(Array.from({ length: 50 }, (_, i) => ["key" + i, { v: i }])),
  set: new Set(Array.from({ length: 50 }, (_, i) => i)), bytes: new Uint8Array(1000), when: new Date(5), expression: /x/g,
});
const one = make();
const two = make();
let sum = 0;
for (let i = 0; i < 4000; i++) if (Bun.deepEquals(one, two, i % 2 === 0)) sum++;
for (let i = 0; i < 1000000; i++) if (Bun.deepEquals({ a: 1, b: "x", c: [i] }, { a: 1, b: "x", c: [i] })) sum++;
console.log(sum);
