// Array sorting and the functions that go over arrays.
let seed = 42;
const next = () => (seed = (seed * 1664525 + 1013904223) >>> 0) / 4294967296;
let check = 0;
for (let round = 0; round < 5; round++) {
  const numbers = Array.from({ length: 150000 }, next);
  numbers.sort((a, b) => a - b);
  check += numbers[75000];
  const records = Array.from({ length: 50000 }, (_, i) => ({ id: i, key: "k" + Math.floor(next() * 20000), weight: next() }));
  records.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : a.weight - b.weight));
  check += records[100].weight;
  check += records.map((r) => r.key).sort()[500].length;
  const typed = Float64Array.from({ length: 200000 }, next).sort();
  check += typed[1000];
  const folded = records
    .filter((r) => r.weight > 0.3)
    .map((r) => ({ ...r, weight: r.weight * 2 }))
    .reduce((total, { weight }) => total + weight, 0);
  check += folded;
  check += records.toSorted((a, b) => b.weight - a.weight).slice(0, 10).at(-1).weight;
  const [first, ...rest] = numbers.slice(0, 1000);
  check += first + Math.max(...rest) + rest.flatMap((x) => [x, x]).length + rest.findLast((x) => x < 0.5);
  const queue = [];
  for (let i = 0; i < 100000; i++) {
    queue.push(i);
    if (queue.length > 50) check += queue.shift() & 1;
  }
}
console.log(check.toFixed(6));
