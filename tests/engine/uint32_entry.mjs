// A loop that carries `x >>> 0` and is entered, while it runs in baseline code, with values that are none: the machine code
// checks the value where it enters the loop (engine/overlay/patches/uint32-loops.patch).
const starts = [5381, 0, 4294967295, 2147483648, -1, -0, 0.5, -2147483649, 4294967296, 2 ** 40 + 3, 1e300, NaN, Infinity, -Infinity, 1e-320];
// Each start gets functions of its own: one value that is no uint32 decides about all later machine code of a function.
const make = (source) => new Function("start", "change", "rounds", source);
const bodies = {
  times: "let h = start; for (let i = 0; i < rounds; i++) { if (i === change[0]) h = change[1]; h = ((h * 33) ^ (i & 255)) >>> 0; } return h;",
  plus: "let h = start; let i = 0; do { if (i === change[0]) h = change[1]; h = (h + 1234567890) >>> 0; } while (++i < rounds); return h;",
  // The value is also used as a number.
  sum: "let h = start, sum = 0; for (let i = 0; i < rounds; i++) { if (i % 5000 === 0) sum += h / 2; h = (h * 5 + i) >>> 0; } return sum;",
  // It is read before anything makes it a uint32 in this round.
  nested:
    "let h = start, n = 0; for (let i = 0; i < rounds / 100; i++) { let g = h + change[1]; for (let k = 0; k < 100; k++) { if (Object.is(g, -0)) n++; g = (g ^ k) >>> 0; } h = (g + h) >>> 0; } return [h, n].join();",
};
for (const [name, body] of Object.entries(bodies)) {
  for (const start of starts) {
    const values = [];
    for (const change of [[-1, 0], [9000, start], [3, 0.25], [15000, -1]]) {
      const run = make(body);
      values.push(run(start, change, 20000), run(start, change, 20000), run(7, change, 3000));
    }
    const run = make(body);
    for (const other of starts) values.push(run(other, [-1, other], 4000));
    console.log(name, Object.is(start, -0) ? "-0" : start, values.join(" "));
  }
}
