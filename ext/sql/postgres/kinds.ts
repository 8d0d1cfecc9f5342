/** How the native half reads a column, and what is left for JavaScript (see native/values.rs). */

import {
  BOOL,
  BYTEA,
  CID,
  DATE,
  type Decoder,
  FLOAT4,
  FLOAT8,
  INT2,
  INT4,
  INT8,
  JSON_TYPE,
  JSONB,
  NUMERIC,
  OID,
  TIMESTAMP,
  TIMESTAMPTZ,
  XID,
  decoderOf,
} from "internal/sql/postgres/types";
import { binaryDecoderOf } from "internal/sql/postgres/binary";

/** Numbers of `Kind`. */
const TEXT = 0,
  BOOLEAN = 1,
  INTEGER = 2,
  BIG_INTEGER = 3,
  FLOAT = 4,
  TIME = 5,
  BINARY_BOOLEAN = 6,
  BINARY_INTEGER = 7,
  BINARY_BIG_INTEGER = 8,
  BINARY_FLOAT = 9,
  BINARY_TIME = 10,
  BINARY_DATE = 11,
  BYTES = 12,
  BINARY_UNSIGNED = 13;

/** Makes a value of what the native half gave: of text for a text format, of bytes for a binary one. */
export type Finish = (value: never) => unknown;

interface Reading {
  kind: number;
  /** undefined if the native half has made the value. */
  finish: Finish | undefined;
}

const parse: Finish = (text: never) => JSON.parse(text);
const buffer: Finish = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

function textReading(type: number, isBig: boolean, isTyped: boolean): Reading {
  switch (type) {
    case BOOL:
      return { kind: BOOLEAN, finish: undefined };
    case INT2:
    case INT4:
    case OID:
    case XID:
    case CID:
      return { kind: INTEGER, finish: undefined };
    case INT8:
      return { kind: isBig ? BIG_INTEGER : TEXT, finish: undefined };
    case FLOAT4:
    case FLOAT8:
      return { kind: FLOAT, finish: undefined };
    case DATE:
    case TIMESTAMP:
    case TIMESTAMPTZ:
      return { kind: TIME, finish: undefined };
    case JSON_TYPE:
    case JSONB:
      return { kind: TEXT, finish: parse };
    case NUMERIC:
      return { kind: TEXT, finish: undefined };
    default: {
      const decoder: Decoder | undefined = decoderOf(type, isBig, isTyped);
      if (decoder === undefined) return { kind: TEXT, finish: undefined };
      return {
        kind: TEXT,
        finish: (text: never) => {
          const bytes = Buffer.from(text);
          return decoder(bytes, 0, bytes.length);
        },
      };
    }
  }
}

function binaryReading(type: number, isBig: boolean): Reading {
  switch (type) {
    case BOOL:
      return { kind: BINARY_BOOLEAN, finish: undefined };
    case INT2:
    case INT4:
      return { kind: BINARY_INTEGER, finish: undefined };
    case OID:
    case XID:
    case CID:
      return { kind: BINARY_UNSIGNED, finish: undefined };
    case INT8:
      return { kind: BINARY_BIG_INTEGER, finish: isBig ? undefined : (value: bigint) => String(value) };
    case FLOAT4:
    case FLOAT8:
      return { kind: BINARY_FLOAT, finish: undefined };
    case TIMESTAMP:
    case TIMESTAMPTZ:
      return { kind: BINARY_TIME, finish: undefined };
    case DATE:
      return { kind: BINARY_DATE, finish: undefined };
    case BYTEA:
      return { kind: BYTES, finish: buffer };
    default: {
      const decoder = binaryDecoderOf(type);
      return { kind: BYTES, finish: (bytes: Uint8Array) => decoder(buffer(bytes as never) as Buffer) };
    }
  }
}

/** `isTyped`: the statement has parameters, so arrays of 32 bit numbers are typed arrays as in Bun. */
export function readingOf(type: number, format: number, isBig: boolean, isTyped: boolean): Reading {
  return format === 1 ? binaryReading(type, isBig) : textReading(type, isBig, isTyped);
}

/** Types that are shorter or cheaper as bytes than as text, for both sides. */
const BINARY = new Set([BOOL, FLOAT8, TIMESTAMP, TIMESTAMPTZ, DATE, BYTEA]);

/** The format in which a column is asked for. */
export const formatOf = (type: number): number => (BINARY.has(type) ? 1 : 0);
