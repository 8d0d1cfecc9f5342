/** Parameters: which type the server is told, and the text of a value. */

import { arrayText } from "internal/sql/array";
import { SQLJSONParameter } from "internal/sql/fragments";
import {
  ARRAY_ELEMENTS,
  BOOL,
  BYTEA,
  FLOAT8,
  INT4,
  INT8,
  JSON_TYPE,
  JSONB,
  NUMERIC,
} from "internal/sql/postgres/types";

const MIN_INT8 = -(2n ** 63n);
const MAX_INT8 = 2n ** 63n - 1n;

function typeError(message: string): TypeError {
  const error: NodeError = new TypeError(message);
  error.code = "ERR_INVALID_ARG_TYPE";
  return error as TypeError;
}

/** The type that a value has by itself; 0 if the server decides. */
export function typeOf(value: unknown): number {
  switch (typeof value) {
    case "number":
      if ((value | 0) === value) return INT4;
      return Number.isSafeInteger(value) ? INT8 : FLOAT8;
    case "boolean":
      return BOOL;
    case "bigint":
      return value >= MIN_INT8 && value <= MAX_INT8 ? INT8 : NUMERIC;
    case "object":
      if (value === null) return 0;
      return value instanceof Uint8Array || value instanceof ArrayBuffer || value instanceof DataView ? BYTEA : 0;
    case "symbol":
      throw typeError("Unknown object is not a valid PostgreSQL type");
    default:
      return 0;
  }
}

/** Whether the text of a value depends on the type that the server expects. */
export function needsType(value: unknown): boolean {
  if (typeof value !== "object" || value === null || value instanceof Date) return false;
  if (value instanceof SQLJSONParameter) return false;
  return !(value instanceof Uint8Array || value instanceof ArrayBuffer || value instanceof DataView);
}

/** The bytes of a value that is sent as such. */
export function bytesOf(value: unknown): Uint8Array | undefined {
  if (value instanceof Uint8Array) return value;
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  if (value instanceof DataView) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  return undefined;
}

/** A time as PostgreSQL reads it, whatever the year. */
function dateText(date: Date): string {
  const text = date.toISOString();
  if (text[0] === "+") return text.slice(1);
  if (text[0] !== "-") return text;
  const year = 1 - date.getUTCFullYear();
  return `${String(year).padStart(4, "0")}${text.slice(7)} BC`;
}

function json(value: unknown): string {
  const text = JSON.stringify(value);
  if (text === undefined) throw typeError("The value cannot be written as JSON");
  return text;
}

/** The text of a value that is not null and not bytes, for a parameter of a type. */
export function textOf(value: unknown, type: number): string {
  if (typeof value === "string") {
    // A string is JSON only where it is no text of JSON: that is the program's business.
    return value;
  }
  if (typeof value !== "object" || value === null) return String(value);
  if (value instanceof Date) return type === JSON_TYPE || type === JSONB ? json(value) : dateText(value);
  if (value instanceof SQLJSONParameter) return json(value.value);
  const isList = Array.isArray(value) || ArrayBuffer.isView(value);
  if (isList && type !== JSON_TYPE && type !== JSONB) {
    const element = ARRAY_ELEMENTS.get(type);
    if (element !== undefined) return arrayText(value, element === JSON_TYPE || element === JSONB ? "JSON" : undefined);
    return String(value);
  }
  if (value instanceof String || value instanceof Number || value instanceof Boolean) return String(value);
  return json(ArrayBuffer.isView(value) ? [...(value as Int8Array)] : value);
}
