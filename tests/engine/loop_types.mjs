// expected: node 25.9.0
// Loops whose variables change their types while helper threads compile them: sums that leave 32 bits, that become fractions, text,
// BigInts, null or undefined, in turns; nested loops, and more functions than the engine remembers failures of.
const rest = (...values) => values.length + values[0];
const make = (body) => new Function("rest", `return (n, start, late) => { let sum = start, last; ${body} return [sum, last]; };`)(rest);
const bodies = [
  "for (let i = 0; i < n; i++) sum += rest(i, 2, 3);",
  "for (let i = 0; i < n; i++) { sum += i; if (i === n - 5) sum = late; }",
  "for (let i = 0; i < n; i++) { last = i % 4096 === 4095 ? late : i; if (last === late) sum = sum + 1; }",
  "for (let i = 0; i < n; i++) { for (let k = 0; k < 3; k++) sum = sum * 3 % 1000003 + k; if (i > n / 2) last = late ?? sum; }",
  "let value = 1; for (let i = 0; i < n; i++) { value = value * 1.0000001; sum = i & 1 ? value : i; } last = value > 1;",
];
const lates = [1, 2 ** 31, 0.5, "text", null, undefined, 2n ** 70n, true, [1, 2]];
const show = (value) => (typeof value === "bigint" ? `${value}n` : typeof value === "number" ? value.toPrecision(12) : String(value));

for (const body of bodies) {
  const run = make(body);
  const results = [];
  for (let round = 0; round < 12; round++)
    for (const late of lates) {
      try {
        results.push(run(round % 3 ? 3000 : 70_000, round & 1 ? 0.5 : round, late).map(show).join(" "));
      } catch (error) {
        results.push(error.constructor.name);
      }
    }
  let digest = 0;
  for (const character of results.join()) digest = (Math.imul(digest, 31) + character.charCodeAt(0)) | 0;
  console.log(results.length, digest, results[0], results.at(-1));
}

// Each of these fails once: its sum leaves 32 bits in the second call.
let total = 0;
for (let i = 0; i < 400; i++) {
  const run = make(bodies[0] + `/*${i}*/`);
  for (const n of [2000, 70_000, 2000]) total += run(n, i)[0];
}
console.log(total);
