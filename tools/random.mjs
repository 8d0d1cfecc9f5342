// Random numbers of the tools that fuzz: the same ones for the same seed.

/** Xorshift of 32 bits: a function that gives a number from 0 to below its argument, 0 for an argument of 0. */
export function generator(seed) {
  let state = seed >>> 0 || 1;
  return (n) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return n <= 1 ? 0 : (state >>> 0) % n;
  };
}
