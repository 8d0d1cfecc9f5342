// What one step of common JavaScript costs warm, in nanoseconds: the smallest of nine rounds. `RUNTIME kernels.mjs [CASE,…]`.
// Each case does the number of steps it is given and returns a value, which the last line of the output sums up, so that no
// engine leaves the work out.
const only = process.argv[2]?.split(",");

const numbers = Array.from({ length: 1000 }, (_, i) => (i * 7919) % 1000);
const words = Array.from({ length: 1000 }, (_, i) => `word${(i * 7919) % 1000}`);
const bytes = Uint8Array.from({ length: 1000 }, (_, i) => i * 31);
const map = new Map(words.map((word, i) => [word, i]));
const set = new Set(numbers);
const keys = numbers.map((n) => ({ n }));
const weak = new WeakMap(keys.map((key) => [key, key.n]));
const record = { a: 1, b: 2, c: 3, d: 4 };
const text = JSON.stringify(Array.from({ length: 50 }, (_, i) => ({ id: i, name: `item ${i}`, tags: ["a", "b"], ok: i % 2 === 0 })));

function* counter(n) {
  for (let i = 0; i < n; i++) yield i;
}
class Shape {
  #size;
  constructor(size) {
    this.#size = size;
  }
  area() {
    return this.#size * this.#size;
  }
}
class Circle extends Shape {
  area() {
    return super.area() * 3;
  }
}
const fibonacci = (n) => (n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2));
const rest = (...values) => values.length + values[0];
const destructured = ({ a, b, ...others }, [first, second]) => a + b + others.c + first + second;

// The number of steps beside each case makes a round of about ten milliseconds.
const cases = {
  fibonacci: [1664079, () => fibonacci(29)],
  hash_int: [
    1e6,
    (n) => {
      let h = 2166136261;
      for (let i = 0; i < n; i++) h = Math.imul(h ^ bytes[i % 1000], 16777619) >>> 0;
      return h;
    },
  ],
  hash_mod: [
    1e6,
    (n) => {
      let h = 5381;
      for (let i = 0; i < n; i++) h = ((h * 33) ^ bytes[i % 1000]) >>> 0;
      return h;
    },
  ],
  sieve: [
    2e5,
    (n) => {
      const composite = new Uint8Array(n + 1);
      let count = 0;
      for (let i = 2; i <= n; i++) {
        if (composite[i]) continue;
        count++;
        for (let k = i * 2; k <= n; k += i) composite[k] = 1;
      }
      return count;
    },
  ],
  matrix: [
    110592,
    () => {
      const size = 48;
      const [a, b, c] = [0, 1, 2].map((k) => Array.from({ length: size }, (_, i) => Array.from({ length: size }, (_, j) => i * k + j)));
      for (let i = 0; i < size; i++)
        for (let j = 0; j < size; j++) {
          let sum = 0;
          for (let k = 0; k < size; k++) sum += a[i][k] * b[k][j];
          c[i][j] = sum;
        }
      return c[3][4];
    },
  ],
  closures: [
    5e5,
    (n) => {
      let sum = 0;
      for (let i = 0; i < n; i++) {
        const add = (x) => x + i;
        try {
          sum += add(1);
        } catch {}
      }
      return sum;
    },
  ],
  thrown: [
    2e4,
    (n) => {
      let sum = 0;
      for (let i = 0; i < n; i++)
        try {
          throw i;
        } catch (error) {
          sum += error;
        }
      return sum;
    },
  ],
  new_error: [
    1e4,
    (n) => {
      let sum = 0;
      for (let i = 0; i < n; i++) sum += new Error("wrong").message.length;
      return sum;
    },
  ],
  generator: [
    3e5,
    (n) => {
      let sum = 0;
      for (const i of counter(n)) sum += i;
      return sum;
    },
  ],
  generator_short: [
    1e5,
    (n) => {
      let sum = 0;
      for (let i = 0; i < n; i += 5) for (const k of counter(5)) sum += k;
      return sum;
    },
  ],
  for_of: [
    1e6,
    (n) => {
      let sum = 0;
      for (let i = 0; i < n; i += 1000) for (const value of numbers) sum += value;
      return sum;
    },
  ],
  map_filter_reduce: [
    5e5,
    (n) => {
      let sum = 0;
      for (let i = 0; i < n; i += 1000)
        sum += numbers
          .map((x) => x * 2)
          .filter((x) => x % 3 === 0)
          .reduce((a, b) => a + b, 0);
      return sum;
    },
  ],
  for_each: [
    1e6,
    (n) => {
      let sum = 0;
      for (let i = 0; i < n; i += 1000)
        numbers.forEach((x) => {
          sum += x;
        });
      return sum;
    },
  ],
  sort_numbers: [
    1e5,
    (n) => {
      let sum = 0;
      for (let i = 0; i < n; i += 1000) sum += [...numbers].sort((a, b) => a - b)[5];
      return sum;
    },
  ],
  sort_strings: [
    1e5,
    (n) => {
      let sum = 0;
      for (let i = 0; i < n; i += 1000) sum += [...words].sort()[5].length;
      return sum;
    },
  ],
  string_append: [
    5e5,
    (n) => {
      let out = "";
      for (let i = 0; i < n; i++) out += "ab";
      return out.length;
    },
  ],
  string_append_char: [
    5e5,
    (n) => {
      let out = "";
      for (let i = 0; i < n; i++) out += words[i % 1000][1];
      return out.length;
    },
  ],
  template: [
    2e5,
    (n) => {
      let sum = 0;
      for (let i = 0; i < n; i++) sum += `row ${i} of ${n}`.length;
      return sum;
    },
  ],
  split_join: [
    5e4,
    (n) => {
      let sum = 0;
      const line = "one,two,three,four,five,six,seven,eight,nine,ten";
      for (let i = 0; i < n; i += 10) sum += line.split(",").join(";").length;
      return sum;
    },
  ],
  regexp: [
    1e5,
    (n) => {
      let sum = 0;
      for (let i = 0; i < n; i++) if (/^word(\d+)$/.test(words[i % 1000])) sum++;
      return sum;
    },
  ],
  spread: [
    2e5,
    (n) => {
      let sum = 0;
      for (let i = 0; i < n; i++) sum += { ...record, e: i }.e;
      return sum;
    },
  ],
  destructure: [
    2e5,
    (n) => {
      let sum = 0;
      for (let i = 0; i < n; i++) sum += destructured(record, [i, 1]);
      return sum;
    },
  ],
  rest_args: [
    1e6,
    (n) => {
      let sum = 0;
      for (let i = 0; i < n; i++) sum += rest(i, 2, 3);
      return sum;
    },
  ],
  map_get: [
    5e5,
    (n) => {
      let sum = 0;
      for (let i = 0; i < n; i++) sum += map.get(words[i % 1000]);
      return sum;
    },
  ],
  map_iterate: [
    5e5,
    (n) => {
      let sum = 0;
      for (let i = 0; i < n; i += 1000) for (const [, value] of map) sum += value;
      return sum;
    },
  ],
  map_fill: [
    1e5,
    (n) => {
      let sum = 0;
      for (let i = 0; i < n; i += 100) {
        const made = new Map();
        for (let k = 0; k < 100; k++) made.set(k, i);
        sum += made.size;
      }
      return sum;
    },
  ],
  set_has: [
    1e6,
    (n) => {
      let sum = 0;
      for (let i = 0; i < n; i++) if (set.has(i)) sum++;
      return sum;
    },
  ],
  weak_get: [
    5e5,
    (n) => {
      let sum = 0;
      for (let i = 0; i < n; i++) sum += weak.get(keys[i % 1000]);
      return sum;
    },
  ],
  classes: [
    1e6,
    (n) => {
      let sum = 0;
      for (let i = 0; i < n; i++) sum += new Circle(i & 7).area();
      return sum;
    },
  ],
  object_keys: [
    1e5,
    (n) => {
      let sum = 0;
      for (let i = 0; i < n; i++) for (const key of Object.keys(record)) sum += record[key];
      return sum;
    },
  ],
  dates: [
    2e4,
    (n) => {
      let sum = 0;
      for (let i = 0; i < n; i++) sum += new Date(1.6e12 + i * 1e6).toISOString().length;
      return sum;
    },
  ],
  json_parse: [
    500,
    (n) => {
      let sum = 0;
      for (let i = 0; i < n; i++) sum += JSON.parse(text).length;
      return sum;
    },
  ],
  json_stringify: [
    500,
    (n) => {
      const value = JSON.parse(text);
      let sum = 0;
      for (let i = 0; i < n; i++) sum += JSON.stringify(value).length;
      return sum;
    },
  ],
  bigint: [
    2e5,
    (n) => {
      let sum = 0n;
      for (let i = 0; i < n; i++) sum = (sum * 31n + 7n) % 1000000007n;
      return Number(sum);
    },
  ],
};

let sum = 0;
for (const [name, [steps, run]] of Object.entries(cases)) {
  if (only && !only.includes(name)) continue;
  let best = Infinity;
  for (let round = 0; round < 9; round++) {
    const start = performance.now();
    sum += run(steps);
    best = Math.min(best, performance.now() - start);
  }
  console.log(name, ((best * 1e6) / steps).toFixed(2));
}
console.error(sum);
