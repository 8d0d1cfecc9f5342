// Random bytes in stock: to ask for sixteen takes ten times as long as to take them from here.

const ops = native("crypto");

const SIZE = 4096;

/** Up to so many bytes at a time are taken from the stock. */
export const STOCK_MAX = 64;

let stock: Uint8Array | undefined;
let used = SIZE;

/** Fills an array of at most {@link STOCK_MAX} bytes; the bytes are wiped from the stock. */
export function takeRandom(out: Uint8Array): void {
  const { length } = out;
  if (used + length > SIZE) {
    stock ??= new Uint8Array(SIZE);
    ops.randomFillSync(stock);
    used = 0;
  }
  for (let index = 0; index < length; index++) {
    out[index] = stock![used]!;
    stock![used++] = 0;
  }
}
