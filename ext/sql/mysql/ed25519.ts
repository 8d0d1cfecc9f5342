/**
 * Signatures of Ed25519 (RFC 8032) whose secret is a text of any length, as MariaDB's client_ed25519 has them: keys of node:crypto have 32
 * bytes. A signature takes about 20 milliseconds and is made once for a connection.
 */

const { createHash } = require("node:crypto");

/** The field's prime, the order of the base point, and the curve's constant. */
const P = 2n ** 255n - 19n;
const L = 2n ** 252n + 27742317777372353535851937790883648493n;
const D = 37095705934669439343138083508754565189542113879843219016388785533085940283555n;

/** A point in extended coordinates: X, Y, Z, and T = X Y / Z. */
type Point = readonly [bigint, bigint, bigint, bigint];

const BASE_X = 15112221349535400772501151409588531511454012693041857206046113283949847762202n;
const BASE_Y = 46316835694926478169428394003475163141307993866256225615783033603165251855960n;
const BASE: Point = [BASE_X, BASE_Y, 1n, (BASE_X * BASE_Y) % P];
const NEUTRAL: Point = [0n, 1n, 1n, 0n];

function add([x1, y1, z1, t1]: Point, [x2, y2, z2, t2]: Point): Point {
  const a = ((y1 - x1) * (y2 - x2)) % P;
  const b = ((y1 + x1) * (y2 + x2)) % P;
  const c = (((2n * t1 * t2) % P) * D) % P;
  const d = (2n * z1 * z2) % P;
  const e = b - a;
  const f = d - c;
  const g = d + c;
  const h = b + a;
  return [(e * f) % P, (g * h) % P, (f * g) % P, (e * h) % P];
}

/** Both sums are made for every bit, so that the time says less of the secret. */
function multiplied(scalar: bigint): Point {
  let sum = NEUTRAL;
  let other = BASE;
  for (let bit = 255n; bit >= 0n; bit--) {
    const between = add(sum, other);
    if (((scalar >> bit) & 1n) === 0n) {
      other = between;
      sum = add(sum, sum);
    } else {
      other = add(other, other);
      sum = between;
    }
  }
  return sum;
}

function inverse(value: bigint): bigint {
  let result = 1n;
  let base = ((value % P) + P) % P;
  for (let power = P - 2n; power > 0n; power >>= 1n) {
    if ((power & 1n) === 1n) result = (result * base) % P;
    base = (base * base) % P;
  }
  return result;
}

function fromBytes(bytes: Uint8Array): bigint {
  let value = 0n;
  for (let i = bytes.length - 1; i >= 0; i--) value = (value << 8n) | BigInt(bytes[i]!);
  return value;
}

function toBytes(value: bigint): Buffer {
  const bytes = Buffer.alloc(32);
  let rest = value;
  for (let i = 0; i < 32; i++) {
    bytes[i] = Number(rest & 0xffn);
    rest >>= 8n;
  }
  return bytes;
}

function encoded([x, y, z]: Point): Buffer {
  const inverted = inverse(z);
  const affine = (value: bigint): bigint => (((value * inverted) % P) + P) % P;
  return toBytes(affine(y) | ((affine(x) & 1n) << 255n));
}

function hash(...parts: Uint8Array[]): Buffer {
  const sha512 = createHash("sha512");
  for (const part of parts) sha512.update(part);
  return sha512.digest();
}

/** The signature of a message: 64 bytes. */
export function sign(secret: Uint8Array, message: Uint8Array): Buffer {
  const expanded = hash(secret);
  const key = Buffer.from(expanded.subarray(0, 32));
  key[0]! &= 248;
  key[31] = (key[31]! & 127) | 64;
  const scalar = fromBytes(key);
  const own = encoded(multiplied(scalar));
  const nonce = fromBytes(hash(expanded.subarray(32), message)) % L;
  const first = encoded(multiplied(nonce));
  const challenge = fromBytes(hash(first, own, message)) % L;
  return Buffer.concat([first, toBytes((nonce + challenge * scalar) % L)]);
}
