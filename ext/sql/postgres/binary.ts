/** Values in binary format that the native half does not read: arrays of numbers, and what a server sends as bytes although nobody asked. */

import { ARRAY_ELEMENTS, FLOAT4, INT4, JSONB } from "internal/sql/postgres/types";
import { postgresError } from "internal/sql/postgres/errors";

const malformed = (): Error => postgresError("INVALID_BINARY_DATA", "Invalid binary data");
/** Dimensions, flags, type of the elements; and for each dimension its length and lower bound. */
const ARRAY_HEADER = 12;
const DIMENSION = 8;

/** A flat array of numbers of 32 bits. */
function numbers(bytes: Buffer, element: number): Int32Array | Float32Array | (number | null)[] {
  if (bytes.length < ARRAY_HEADER) throw malformed();
  const dimensions = bytes.readInt32BE(0);
  if (dimensions === 0) return element === INT4 ? new Int32Array(0) : new Float32Array(0);
  if (dimensions !== 1)
    throw postgresError("MULTIDIMENSIONAL_ARRAY_NOT_SUPPORTED_YET", "Only arrays of one dimension are read as bytes");
  if (bytes.length < ARRAY_HEADER + DIMENSION || bytes.readInt32BE(8) !== element) throw malformed();
  const count = bytes.readInt32BE(ARRAY_HEADER);
  let at = ARRAY_HEADER + DIMENSION;
  // Each element has at least its length.
  if (count < 0 || count > (bytes.length - at) / 4) throw malformed();
  const values: (number | null)[] = [];
  for (let i = 0; i < count; i++) {
    if (at + 4 > bytes.length) throw malformed();
    const size = bytes.readInt32BE(at);
    at += 4;
    if (size === -1) {
      values.push(null);
      continue;
    }
    if (size !== 4 || at + 4 > bytes.length) throw malformed();
    values.push(element === INT4 ? bytes.readInt32BE(at) : bytes.readFloatBE(at));
    at += 4;
  }
  if (values.includes(null)) return values;
  return element === INT4 ? Int32Array.from(values as number[]) : Float32Array.from(values as number[]);
}

/** The decoder of a type in binary format; types that are text in both formats are most. */
export function binaryDecoderOf(type: number): (bytes: Buffer) => unknown {
  const element = ARRAY_ELEMENTS.get(type);
  if (element === INT4 || element === FLOAT4) return (bytes) => numbers(bytes, element);
  if (element !== undefined) {
    return () => {
      throw postgresError("UNSUPPORTED_ARRAY_FORMAT", "The server sends an array as bytes, which was not asked for");
    };
  }
  // A version before the text.
  if (type === JSONB) return (bytes) => JSON.parse(bytes.utf8Slice(1));
  return (bytes) => bytes.utf8Slice();
}
