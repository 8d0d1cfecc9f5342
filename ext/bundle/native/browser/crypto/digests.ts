// Digests in JavaScript for browsers, whose own are only there as promises: MD5 (RFC 1321), SHA-1 and SHA-2 (FIPS 180-4).

/** How a digest takes its blocks. */
export interface Digest {
  /** Bytes of a block. */
  readonly block: number;
  update(bytes: Uint8Array): void;
  /** The digest of all bytes so far; nothing can come after it. */
  finish(): Uint8Array<ArrayBuffer>;
  clone(): Digest;
}

/** The first digits of the fractional parts of roots of primes, which SHA-2 takes its constants from. */
function fractions(count: number, bits: bigint, power: 2n | 3n): bigint[] {
  const found: bigint[] = [];
  for (let prime = 2n; found.length < count; prime++) {
    let isPrime = true;
    for (let divisor = 2n; divisor * divisor <= prime; divisor++) if (prime % divisor === 0n) isPrime = false;
    if (!isPrime) continue;
    // The root of prime * 2^(power * bits) is the root of the prime with `bits` binary digits.
    const scaled = prime << (bits * power);
    let low = 0n;
    let high = 1n << (bits + 6n);
    while (low < high) {
      const middle = (low + high + 1n) >> 1n;
      if (middle ** power <= scaled) low = middle;
      else high = middle - 1n;
    }
    found.push(low & ((1n << bits) - 1n));
  }
  return found;
}

abstract class Blocks implements Digest {
  readonly block: number;
  #rest: Uint8Array;
  #filled = 0;
  #length = 0;

  constructor(block: number) {
    this.block = block;
    this.#rest = new Uint8Array(block);
  }

  /** Takes a block of the message in. */
  protected abstract take(view: DataView): void;
  protected abstract result(): Uint8Array<ArrayBuffer>;
  protected abstract empty(): Blocks;
  protected abstract copyTo(other: Blocks): void;
  /** Whether numbers have their low byte first, as in MD5. */
  protected readonly isLittle: boolean = false;

  update(bytes: Uint8Array): void {
    this.#length += bytes.length;
    for (let at = 0; at < bytes.length;) {
      const size = Math.min(this.block - this.#filled, bytes.length - at);
      this.#rest.set(bytes.subarray(at, at + size), this.#filled);
      this.#filled += size;
      at += size;
      if (this.#filled === this.block) {
        this.take(new DataView(this.#rest.buffer));
        this.#filled = 0;
      }
    }
  }

  finish(): Uint8Array<ArrayBuffer> {
    const bits = BigInt(this.#length) * 8n;
    const room = this.block / 8;
    const padding = new Uint8Array(((2 * this.block - room - 1 - this.#filled) % this.block) + 1 + room);
    padding[0] = 0x80;
    const view = new DataView(padding.buffer);
    view.setBigUint64(padding.length - (this.isLittle ? room : 8), bits, this.isLittle);
    this.update(padding);
    return this.result();
  }

  clone(): Digest {
    const other = this.empty();
    other.#rest = this.#rest.slice();
    other.#filled = this.#filled;
    other.#length = this.#length;
    this.copyTo(other);
    return other;
  }
}

const rotate = (word: number, bits: number) => (word << bits) | (word >>> (32 - bits));

/** Digests whose state is words of 32 bits. */
abstract class Words extends Blocks {
  state: Uint32Array;
  readonly size: number;

  constructor(state: Uint32Array, size: number) {
    super(64);
    this.state = state.slice();
    this.size = size;
  }

  protected copyTo(other: Blocks): void {
    (other as Words).state = this.state.slice();
  }

  protected result(): Uint8Array<ArrayBuffer> {
    const view = new DataView(new ArrayBuffer(this.state.length * 4));
    this.state.forEach((word, at) => view.setUint32(at * 4, word, this.isLittle));
    return new Uint8Array(view.buffer, 0, this.size).slice();
  }
}

const startOfSha1 = Uint32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0);
const sines = Array.from({ length: 64 }, (_, at) => Math.floor(Math.abs(Math.sin(at + 1)) * 2 ** 32) | 0);
const shifts = [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21];

class Md5 extends Words {
  protected override readonly isLittle = true;

  constructor() {
    super(startOfSha1.subarray(0, 4), 16);
  }

  protected empty(): Md5 {
    return new Md5();
  }

  protected take(view: DataView): void {
    let [a, b, c, d] = this.state as unknown as [number, number, number, number];
    for (let i = 0; i < 64; i++) {
      const round = i >> 4;
      const mixed =
        round === 0 ? (b & c) | (~b & d) : round === 1 ? (d & b) | (~d & c) : round === 2 ? b ^ c ^ d : c ^ (b | ~d);
      const word = [i, 5 * i + 1, 3 * i + 5, 7 * i][round]! & 15;
      const sum = (a + mixed + sines[i]! + view.getUint32(word * 4, true)) | 0;
      [a, d, c, b] = [d, c, b, (b + rotate(sum, shifts[round * 4 + (i & 3)]!)) | 0];
    }
    [a, b, c, d].forEach((word, at) => (this.state[at]! += word));
  }
}

class Sha1 extends Words {
  constructor() {
    super(startOfSha1, 20);
  }

  protected empty(): Sha1 {
    return new Sha1();
  }

  protected take(view: DataView): void {
    const words = new Int32Array(80);
    for (let i = 0; i < 80; i++) {
      words[i] =
        i < 16 ? view.getInt32(i * 4) : rotate(words[i - 3]! ^ words[i - 8]! ^ words[i - 14]! ^ words[i - 16]!, 1);
    }
    let [a, b, c, d, f] = this.state as unknown as [number, number, number, number, number];
    for (let i = 0; i < 80; i++) {
      const round = Math.floor(i / 20);
      const mixed = round === 0 ? (b & c) | (~b & d) : round === 2 ? (b & c) | (b & d) | (c & d) : b ^ c ^ d;
      const key = [0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6][round]!;
      const sum = (rotate(a, 5) + mixed + f + key + words[i]!) | 0;
      [f, d, c, b, a] = [d, c, rotate(b, 30), a, sum];
    }
    [a, b, c, d, f].forEach((word, at) => (this.state[at]! += word));
  }
}

let keysOfSha256: Uint32Array | undefined;
const startOfSha224 = Uint32Array.of(
  0xc1059ed8,
  0x367cd507,
  0x3070dd17,
  0xf70e5939,
  0xffc00b31,
  0x68581511,
  0x64f98fa7,
  0xbefa4fa4,
);

class Sha256 extends Words {
  readonly #start: Uint32Array;

  constructor(start: Uint32Array, size: number) {
    super(start, size);
    this.#start = start;
  }

  protected empty(): Sha256 {
    return new Sha256(this.#start, this.size);
  }

  protected take(view: DataView): void {
    const keys = (keysOfSha256 ??= Uint32Array.from(fractions(64, 32n, 3n), Number));
    const words = new Int32Array(64);
    for (let i = 0; i < 64; i++) {
      if (i < 16) {
        words[i] = view.getInt32(i * 4);
        continue;
      }
      const [x, y] = [words[i - 15]!, words[i - 2]!];
      const s0 = rotate(x, 25) ^ rotate(x, 14) ^ (x >>> 3);
      const s1 = rotate(y, 15) ^ rotate(y, 13) ^ (y >>> 10);
      words[i] = words[i - 16]! + s0 + words[i - 7]! + s1;
    }
    const s = Int32Array.from(this.state);
    for (let i = 0; i < 64; i++) {
      const e = s[4]!;
      const a = s[0]!;
      const s1 = rotate(e, 26) ^ rotate(e, 21) ^ rotate(e, 7);
      const first = (s[7]! + s1 + ((e & s[5]!) ^ (~e & s[6]!)) + keys[i]! + words[i]!) | 0;
      const s0 = rotate(a, 30) ^ rotate(a, 19) ^ rotate(a, 10);
      const second = (s0 + ((a & s[1]!) ^ (a & s[2]!) ^ (s[1]! & s[2]!))) | 0;
      s.copyWithin(1, 0, 7);
      s[4]! += first;
      s[0] = first + second;
    }
    s.forEach((word, at) => (this.state[at]! += word));
  }
}

let keysOfSha512: BigUint64Array | undefined;
// The ninth to sixteenth primes.
const startOfSha384 = (): bigint[] => fractions(16, 64n, 2n).slice(8);

class Sha512 extends Blocks {
  state: BigUint64Array;
  readonly size: number;

  constructor(start: BigUint64Array, size: number) {
    super(128);
    this.state = start.slice();
    this.size = size;
  }

  protected empty(): Sha512 {
    return new Sha512(this.state, this.size);
  }

  protected copyTo(other: Blocks): void {
    (other as Sha512).state = this.state.slice();
  }

  protected result(): Uint8Array<ArrayBuffer> {
    const view = new DataView(new ArrayBuffer(64));
    this.state.forEach((word, at) => view.setBigUint64(at * 8, word));
    return new Uint8Array(view.buffer, 0, this.size).slice();
  }

  protected take(view: DataView): void {
    const keys = (keysOfSha512 ??= BigUint64Array.from(fractions(80, 64n, 3n)));
    const turn = (word: bigint, bits: bigint) => (word >> bits) | BigInt.asUintN(64, word << (64n - bits));
    const words = new BigUint64Array(80);
    for (let i = 0; i < 80; i++) {
      if (i < 16) {
        words[i] = view.getBigUint64(i * 8);
        continue;
      }
      const [x, y] = [words[i - 15]!, words[i - 2]!];
      const s0 = turn(x, 1n) ^ turn(x, 8n) ^ (x >> 7n);
      const s1 = turn(y, 19n) ^ turn(y, 61n) ^ (y >> 6n);
      words[i] = words[i - 16]! + s0 + words[i - 7]! + s1;
    }
    const s = this.state.slice();
    for (let i = 0; i < 80; i++) {
      const e = s[4]!;
      const a = s[0]!;
      const s1 = turn(e, 14n) ^ turn(e, 18n) ^ turn(e, 41n);
      const first = s[7]! + s1 + ((e & s[5]!) ^ (BigInt.asUintN(64, ~e) & s[6]!)) + keys[i]! + words[i]!;
      const s0 = turn(a, 28n) ^ turn(a, 34n) ^ turn(a, 39n);
      const second = s0 + ((a & s[1]!) ^ (a & s[2]!) ^ (s[1]! & s[2]!));
      s.copyWithin(1, 0, 7);
      s[4]! += first;
      s[0] = first + second;
    }
    s.forEach((word, at) => (this.state[at]! += word));
  }
}

const makers: { [name: string]: () => Digest } = {
  __proto__: null as never,
  md5: () => new Md5(),
  sha1: () => new Sha1(),
  sha224: () => new Sha256(startOfSha224, 28),
  sha256: () => new Sha256(Uint32Array.from(fractions(8, 32n, 2n), Number), 32),
  sha384: () => new Sha512(BigUint64Array.from(startOfSha384()), 48),
  sha512: () => new Sha512(BigUint64Array.from(fractions(8, 64n, 2n)), 64),
};

/** Node's names of the digests. */
export const names = Object.keys(makers);

/** A new digest; undefined for an unknown name. */
export function digestOf(name: string): Digest | undefined {
  return makers[name.toLowerCase().replace(/^(?:rsa-)?sha-?(?=\d)/, "sha")]?.();
}
