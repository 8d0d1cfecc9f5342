/** Types of PostgreSQL by their numbers, and how the text of a value becomes a JavaScript value. */

import { postgresError } from "internal/sql/postgres/errors";

export const BOOL = 16,
  BYTEA = 17,
  INT8 = 20,
  INT2 = 21,
  INT4 = 23,
  OID = 26,
  XID = 28,
  CID = 29,
  JSON_TYPE = 114,
  FLOAT4 = 700,
  FLOAT8 = 701,
  DATE = 1082,
  TIMESTAMP = 1114,
  TIMESTAMPTZ = 1184,
  NUMERIC = 1700,
  JSONB = 3802;
const BOX = 603;
const INT4_ARRAY = 1007,
  FLOAT4_ARRAY = 1021;

/** Types of elements by those of arrays (pg_type.dat of PostgreSQL's sources). */
export const ARRAY_ELEMENTS = new Map<number, number>([
  [143, 142],
  [199, 114],
  [271, 5069],
  [629, 628],
  [651, 650],
  [719, 718],
  [775, 774],
  [791, 790],
  [1000, 16],
  [1001, 17],
  [1002, 18],
  [1003, 19],
  [1005, 21],
  [1006, 22],
  [1007, 23],
  [1008, 24],
  [1009, 25],
  [1010, 27],
  [1011, 28],
  [1012, 29],
  [1013, 30],
  [1014, 1042],
  [1015, 1043],
  [1016, 20],
  [1017, 600],
  [1018, 601],
  [1019, 602],
  [1020, 603],
  [1021, 700],
  [1022, 701],
  [1027, 604],
  [1028, 26],
  [1034, 1033],
  [1040, 829],
  [1041, 869],
  [1115, 1114],
  [1182, 1082],
  [1183, 1083],
  [1185, 1184],
  [1187, 1186],
  [1231, 1700],
  [1263, 2275],
  [1270, 1266],
  [1561, 1560],
  [1563, 1562],
  [2201, 1790],
  [2207, 2202],
  [2208, 2203],
  [2209, 2204],
  [2210, 2205],
  [2211, 2206],
  [2949, 2970],
  [2951, 2950],
  [3221, 3220],
  [3643, 3614],
  [3644, 3642],
  [3645, 3615],
  [3735, 3734],
  [3770, 3769],
  [3807, 3802],
  [3905, 3904],
  [3907, 3906],
  [3909, 3908],
  [3911, 3910],
  [3913, 3912],
  [3927, 3926],
  [4073, 4072],
  [10052, 1248],
]);

/** Makes a value of the text between two places. */
export type Decoder = (bytes: Buffer, start: number, end: number) => unknown;

const text: Decoder = (bytes, start, end) => bytes.utf8Slice(start, end);

/** A whole number of up to 15 digits. */
const integer: Decoder = (bytes, start, end) => {
  let value = 0;
  let at = start;
  const isNegative = bytes[at] === 45;
  if (isNegative) at++;
  for (; at < end; at++) value = value * 10 + (bytes[at]! - 48);
  return isNegative ? -value : value;
};

const float: Decoder = (bytes, start, end) => Number(bytes.latin1Slice(start, end));
const bool: Decoder = (bytes, start) => bytes[start] === 116;
const bigint: Decoder = (bytes, start, end) => BigInt(bytes.latin1Slice(start, end));
const json: Decoder = (bytes, start, end) => JSON.parse(bytes.utf8Slice(start, end));
const latin1: Decoder = (bytes, start, end) => bytes.latin1Slice(start, end);

const bytea: Decoder = (bytes, start, end) => {
  // `\x` and digits; the older form has other escapes.
  if (bytes[start] === 92 && bytes[start + 1] === 120) return Buffer.from(bytes.latin1Slice(start + 2, end), "hex");
  const escaped = bytes.latin1Slice(start, end);
  const plain = escaped.replace(/\\(\\|[0-7]{3})/g, (_, code: string) =>
    code === "\\" ? "\\" : String.fromCharCode(Number.parseInt(code, 8)),
  );
  return Buffer.from(plain, "latin1");
};

/** Date and time, with an offset or in UTC: "2020-01-02 03:04:05.678+02", "infinity", "0044-03-15 BC". */
const DATE_TEXT =
  /^(\d+)-(\d\d)-(\d\d)(?: (\d\d):(\d\d):(\d\d)(?:\.(\d+))?)?(?:([+-])(\d\d)(?::?(\d\d))?(?::?(\d\d))?)?( BC)?$/;

function dateOf(value: string): Date | number {
  if (value === "infinity") return Infinity;
  if (value === "-infinity") return -Infinity;
  const parts = DATE_TEXT.exec(value);
  // Another DateStyle.
  if (parts === null) return new Date(value);
  const [, y, mo, d, h = "0", mi = "0", s = "0", fraction = "", sign, oh = "0", om = "0", os = "0", bc] = parts;
  const year = bc === undefined ? Number(y) : 1 - Number(y);
  const ms = Math.floor(Number(`0.${fraction || "0"}`) * 1000 + 1e-6);
  let time = Date.UTC(2000, Number(mo) - 1, Number(d), Number(h), Number(mi), Number(s), ms);
  const date = new Date(time);
  if (year !== 2000) {
    time = date.setUTCFullYear(year, Number(mo) - 1, Number(d));
  }
  const offset = (Number(oh) * 60 + Number(om)) * 60_000 + Number(os) * 1000;
  return new Date(sign === "-" ? time + offset : time - offset);
}

const date: Decoder = (bytes, start, end) => dateOf(bytes.latin1Slice(start, end));

const unsupported = (): Error => postgresError("UNSUPPORTED_ARRAY_FORMAT", "Unsupported array format");
const MAX_DIMENSIONS = 64;

/** An array of elements of one type. */
function arrayDecoder(element: Decoder, separator: number): Decoder {
  const read = (bytes: Buffer, start: number, end: number): unknown[] => {
    let at = start;
    // Bounds that do not begin with one: "[0:1]={1,2}".
    if (bytes[at] === 91) at = bytes.indexOf(61, at) + 1;
    const list = (depth: number): unknown[] => {
      if (bytes[at] !== 123 || depth > MAX_DIMENSIONS) throw unsupported();
      at++;
      const values: unknown[] = [];
      if (bytes[at] === 125) {
        at++;
        return values;
      }
      for (;;) {
        const code = bytes[at];
        if (code === 123) values.push(list(depth + 1));
        else if (code === 34) values.push(quoted());
        else values.push(bare());
        if (at >= end) throw unsupported();
        const next = bytes[at++];
        if (next === 125) return values;
        if (next !== separator) throw unsupported();
      }
    };
    const quoted = (): unknown => {
      const first = ++at;
      let isEscaped = false;
      while (at < end && bytes[at] !== 34) {
        if (bytes[at] === 92) {
          isEscaped = true;
          at++;
        }
        at++;
      }
      if (at >= end) throw unsupported();
      const last = at++;
      if (!isEscaped) return element(bytes, first, last);
      const plain = Buffer.from(bytes.latin1Slice(first, last).replace(/\\([\s\S])/g, "$1"), "latin1");
      return element(plain, 0, plain.length);
    };
    const bare = (): unknown => {
      const first = at;
      while (at < end && bytes[at] !== separator && bytes[at] !== 125) at++;
      if (at - first === 4 && bytes.latin1Slice(first, at) === "NULL") return null;
      if (at === first) throw unsupported();
      return element(bytes, first, at);
    };
    const values = list(1);
    if (at !== end) throw unsupported();
    return values;
  };
  return read;
}

/** A flat array of numbers without NULL is a typed array. */
function typedDecoder(decoder: Decoder, Typed: Int32ArrayConstructor | Float32ArrayConstructor): Decoder {
  return (bytes, start, end) => {
    const values = decoder(bytes, start, end) as unknown[];
    return values.every((value) => typeof value === "number") ? Typed.from(values as number[]) : values;
  };
}

const boolArray: Decoder = (bytes, start, end) => {
  const code = bytes[start];
  if (end - start !== 1 || (code !== 116 && code !== 102)) throw unsupported();
  return code === 116;
};

function scalar(type: number, isBig: boolean): Decoder {
  switch (type) {
    case BOOL:
      return bool;
    case INT2:
    case INT4:
    case OID:
    case XID:
    case CID:
      return integer;
    case INT8:
      return isBig ? bigint : latin1;
    case FLOAT4:
    case FLOAT8:
      return float;
    case BYTEA:
      return bytea;
    case JSON_TYPE:
    case JSONB:
      return json;
    case DATE:
    case TIMESTAMP:
    case TIMESTAMPTZ:
      return date;
    case NUMERIC:
      return latin1;
    default:
      return text;
  }
}

/** JSON in an array: what is none makes the array malformed. */
const jsonElement: Decoder = (bytes, start, end) => {
  try {
    return json(bytes, start, end);
  } catch {
    throw unsupported();
  }
};

const COMMA = 44,
  SEMICOLON = 59;

/** The decoder of a type whose text needs one; `isTyped`: the statement has parameters, so arrays of 32 bit numbers are typed arrays as in Bun. */
export function decoderOf(type: number, isBig: boolean, isTyped: boolean): Decoder | undefined {
  if (type === BYTEA) return bytea;
  const element = ARRAY_ELEMENTS.get(type);
  if (element === undefined) return undefined;
  const isJson = element === JSON_TYPE || element === JSONB;
  const one = element === BOOL ? boolArray : isJson ? jsonElement : scalar(element, isBig);
  const decoder = arrayDecoder(one, element === BOX ? SEMICOLON : COMMA);
  if (isTyped && type === INT4_ARRAY) return typedDecoder(decoder, Int32Array);
  if (isTyped && type === FLOAT4_ARRAY) return typedDecoder(decoder, Float32Array);
  return decoder;
}
