/** Definitions of columns: what a result has, and how its rows are made. */

import type { Reader } from "internal/sql/mysql/packets";
import {
  CHARSET_BINARY,
  FLAG_UNSIGNED,
  TYPE_BIT,
  TYPE_BLOB,
  TYPE_DATE,
  TYPE_DATETIME,
  TYPE_DECIMAL,
  TYPE_DOUBLE,
  TYPE_ENUM,
  TYPE_FLOAT,
  TYPE_GEOMETRY,
  TYPE_INT24,
  TYPE_JSON,
  TYPE_LONG,
  TYPE_LONG_BLOB,
  TYPE_LONGLONG,
  TYPE_MEDIUM_BLOB,
  TYPE_NEWDECIMAL,
  TYPE_NULL,
  TYPE_SET,
  TYPE_SHORT,
  TYPE_STRING,
  TYPE_TIME,
  TYPE_TIMESTAMP,
  TYPE_TINY,
  TYPE_TINY_BLOB,
  TYPE_VAR_STRING,
  TYPE_VARCHAR,
  TYPE_YEAR,
} from "internal/sql/mysql/protocol";
import { ProtocolError } from "internal/sql/mysql/error";

// Kinds of values, by what they become: native/mysql.rs has the same numbers.
const KIND_INT8 = 0;
const KIND_UINT8 = 1;
const KIND_INT16 = 2;
const KIND_UINT16 = 3;
const KIND_INT32 = 4;
const KIND_UINT32 = 5;
const KIND_INT64 = 6;
export const KIND_UINT64 = 7;
const KIND_FLOAT = 8;
const KIND_DOUBLE = 9;
const KIND_TEXT = 10;
export const KIND_BLOB = 11;
export const KIND_JSON = 12;
const KIND_DATE = 13;
const KIND_TIME = 14;
const KIND_BIT = 15;
const KIND_NULL = 16;
const KIND_INT24 = 17;

export interface Column {
  name: string;
  kind: number;
  /** Digits behind the second; more than 6 if the column does not say. */
  decimals: number;
}

/** MariaDB's JSON is text; what the column says of its format tells it. */
function hasJsonFormat(reader: Reader): boolean {
  const length = reader.length();
  const end = reader.at + length;
  let isJson = false;
  while (reader.at < end) {
    const kind = reader.uint8();
    if (reader.text() === "json" && kind === 1) isJson = true;
  }
  return isJson;
}

function kindOf(type: number, charset: number, isUnsigned: boolean, length: number): number {
  switch (type) {
    case TYPE_TINY:
      return isUnsigned ? KIND_UINT8 : KIND_INT8;
    case TYPE_SHORT:
      return isUnsigned ? KIND_UINT16 : KIND_INT16;
    case TYPE_YEAR:
      return KIND_UINT16;
    case TYPE_INT24:
      return KIND_INT24;
    case TYPE_LONG:
      return isUnsigned ? KIND_UINT32 : KIND_INT32;
    case TYPE_LONGLONG:
      return isUnsigned ? KIND_UINT64 : KIND_INT64;
    case TYPE_FLOAT:
      return KIND_FLOAT;
    case TYPE_DOUBLE:
      return KIND_DOUBLE;
    case TYPE_DECIMAL:
    case TYPE_NEWDECIMAL:
    case TYPE_ENUM:
    case TYPE_SET:
      return KIND_TEXT;
    case TYPE_VARCHAR:
    case TYPE_VAR_STRING:
    case TYPE_STRING:
    case TYPE_TINY_BLOB:
    case TYPE_MEDIUM_BLOB:
    case TYPE_LONG_BLOB:
    case TYPE_BLOB:
      return charset === CHARSET_BINARY ? KIND_BLOB : KIND_TEXT;
    case TYPE_GEOMETRY:
      return KIND_BLOB;
    case TYPE_JSON:
      return KIND_JSON;
    case TYPE_DATE:
    case TYPE_DATETIME:
    case TYPE_TIMESTAMP:
      return KIND_DATE;
    case TYPE_TIME:
      return KIND_TIME;
    case TYPE_BIT:
      return length === 1 ? KIND_BIT : KIND_BLOB;
    case TYPE_NULL:
      return KIND_NULL;
  }
  throw new ProtocolError("UNSUPPORTED_COLUMN_TYPE", `The server sent a column of the unknown type ${type}`);
}

function skipText(reader: Reader): void {
  reader.value();
}

/** Reads the packet of a definition. */
export function readColumn(reader: Reader, isExtended: boolean): Column {
  // Catalog, schema, table by its name in the statement and its own.
  skipText(reader);
  skipText(reader);
  skipText(reader);
  skipText(reader);
  const name = reader.text();
  skipText(reader);
  const isJson = isExtended && hasJsonFormat(reader);
  reader.length();
  const charset = reader.uint16();
  const length = reader.uint32();
  const type = reader.uint8();
  const flags = reader.uint16();
  const decimals = reader.uint8();
  const kind = isJson ? KIND_JSON : kindOf(type, charset, (flags & FLAG_UNSIGNED) !== 0, length);
  return { name, kind, decimals };
}
