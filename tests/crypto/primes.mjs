// expected: written by hand
// Primes with a step: odd steps of safe primes, small sizes, and what no prime can be, where a search would never end. Of the size that was
// asked for (Node's are now and then larger: 277 of 8 bits).
import { checkPrime, checkPrimeSync, generatePrime, generatePrimeSync } from "node:crypto";

for (const [size, options] of [
  [128, { safe: true, add: 5n }],
  [64, { safe: true, add: 5n, rem: 2n }],
  [40, { safe: true, add: 12n, rem: 11n }],
  [20, { safe: true, add: 1n }],
  [64, { add: 7n, rem: 4n }],
  [256, { add: 15n, rem: 1n }],
]) {
  const step = options.add;
  for (let i = 0; i < 5; i++) {
    const prime = generatePrimeSync(size, { ...options, bigint: true });
    const half = !options.safe || checkPrimeSync((prime - 1n) / 2n);
    const rest = (options.rem ?? 3n) % step;
    if (!checkPrimeSync(prime) || !half || prime % step !== rest || prime.toString(2).length !== size) console.log("wrong", prime, size, options);
  }
}

/** What comes up in many tries, in order. */
const all = (size, options) => [...new Set(Array.from({ length: 400 }, () => generatePrimeSync(size, { ...options, bigint: true })))].sort((a, b) => Number(a - b)).join();
console.log(all(4, { add: 15n, rem: 13n }), all(4, { add: 11n, rem: 2n }), all(3, { add: 5n, rem: 0n }), all(4, { add: 1n }));
console.log(all(8, { add: 12n }), all(5, { safe: true, add: 6n, rem: 5n }), all(4, { safe: true, add: 7n, rem: 4n }));
console.log(Buffer.from(generatePrimeSync(9, { add: 256n, rem: 1n })).toString("hex"));

for (const [size, options] of [
  [4, { add: 15n, rem: 1n }],
  [64, { add: 6n, rem: 3n }],
  [128, { safe: true, add: 6n }],
  [64, { safe: true, add: 14n, rem: 1n }],
  [5, { safe: true }],
]) {
  try {
    console.log("found", generatePrimeSync(size, options));
  } catch (error) {
    console.log(error.name, error.code, error.message);
  }
}
for (const check of [checkPrimeSync, checkPrime]) {
  const bytes = Buffer.alloc(2 ** 26);
  bytes[0] = 1;
  try {
    check(bytes, check === checkPrime ? () => {} : {});
  } catch (error) {
    console.log(error.code, error.library, error.message);
  }
}
await new Promise((resolve) => generatePrime(96, { safe: true, add: 7n, rem: 3n, bigint: true }, (error, prime) => resolve(console.log("searched", error, prime % 7n, checkPrimeSync(prime)))));
generatePrime(4, { add: 15n, rem: 13n, bigint: true }, (error, prime) => console.log("later", error, prime));
console.log("before");
