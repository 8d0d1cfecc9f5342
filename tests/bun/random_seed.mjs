// expected: recorded from bun 1.4.5
// A seed gives the numbers that it gives in Bun, and the same ones each time.
import { getRandomSeed, setRandomSeed } from "bun:jsc";

const own = getRandomSeed();
console.log(Number.isInteger(own) && own >= 0 && own < 2 ** 32);
for (const seed of [1, 0, -1, 2 ** 32 + 5, 1.9, 123456789, "7", null, undefined, NaN]) {
  setRandomSeed(seed);
  console.log(seed, getRandomSeed(), Math.random(), Math.random());
}
setRandomSeed(4000000000);
let sum = 0;
for (let i = 0; i < 100000; i++) sum += Math.random();
console.log(sum);
setRandomSeed(own);
const first = [Math.random(), Math.random()];
setRandomSeed(getRandomSeed());
console.log(first[0] === Math.random(), first[1] === Math.random(), Math.random.name, Object.keys(Math).length);
try {
  setRandomSeed(5n);
} catch (error) {
  console.log(error.name);
}
Math.random = () => 0.5;
setRandomSeed(1);
console.log(Math.random());
