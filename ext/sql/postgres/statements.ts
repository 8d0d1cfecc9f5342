/** The statements that a connection has prepared, and the messages that prepare and run them. */

import * as Kind from "internal/sql/postgres/messages";
import { FRESH, PARSED, Prepared } from "internal/sql/postgres/statement";
import { bytesOf, textOf } from "internal/sql/postgres/values";
import type { Writer } from "internal/sql/postgres/writer";

const MAX_STATEMENTS = 1000;

/** What a message of Describe or Close is about. */
const STATEMENT = 83;
export const PORTAL = 80;

function hasTypes({ types }: Prepared, wanted: number[]): boolean {
  if (types.length !== wanted.length) return false;
  for (let i = 0; i < types.length; i++) if (types[i] !== wanted[i]) return false;
  return true;
}

export class Statements {
  /** By text; those of one text differ in the types of their parameters. */
  #byText = new Map<string, Prepared[]>();
  #count = 0;
  #nextName = 0;
  #writer: Writer;

  constructor(writer: Writer) {
    this.#writer = writer;
  }

  /** The statement of a text whose parameters have these types. */
  find(text: string, types: number[]): Prepared {
    let same = this.#byText.get(text);
    if (same === undefined) this.#byText.set(text, (same = []));
    for (const known of same) if (hasTypes(known, types)) return known;
    const prepared = new Prepared(`b${this.#nextName++}`, text, types);
    if (++this.#count > MAX_STATEMENTS) this.#forgetOldest();
    same.push(prepared);
    return prepared;
  }

  /** The server forgets the statement that was made first, unless it is being made. */
  #forgetOldest(): void {
    for (const [, same] of this.#byText) {
      const old = same.find(({ state }) => state === PARSED);
      if (old === undefined) continue;
      this.#remove(old);
      writeClose(this.#writer, STATEMENT, old.name);
      return;
    }
  }

  #remove(prepared: Prepared): void {
    const same = this.#byText.get(prepared.text);
    const at = same?.indexOf(prepared) ?? -1;
    if (same === undefined || at < 0) return;
    same.splice(at, 1);
    this.#count--;
    if (same.length === 0) this.#byText.delete(prepared.text);
  }

  /** The server does not know a statement, or no longer. */
  forget(prepared: Prepared): void {
    prepared.state = FRESH;
    this.#remove(prepared);
  }
}

export function writeParse(writer: Writer, prepared: Prepared): void {
  writer.begin(Kind.PARSE);
  writer.cstring(prepared.name);
  writer.cstring(prepared.text);
  writer.int16(prepared.types.length);
  for (const type of prepared.types) writer.int32(type);
  writer.end();
  writer.begin(Kind.DESCRIBE);
  writer.byte(STATEMENT);
  writer.cstring(prepared.name);
  writer.end();
}

/** `formats` are those of the columns; without them all are text. `limit` is that of the first rows of a cursor, 0 without one. */
export function writeBind(
  writer: Writer,
  prepared: Prepared,
  values: readonly unknown[],
  formats: readonly number[],
  limit: number,
): void {
  writer.begin(Kind.BIND);
  writer.byte(0);
  writer.cstring(prepared.name);
  // Formats: bytes are binary, everything else is text.
  let hasBytes = false;
  for (const value of values) hasBytes ||= bytesOf(value) !== undefined;
  if (hasBytes) {
    writer.int16(values.length);
    for (const value of values) writer.int16(bytesOf(value) === undefined ? 0 : 1);
  } else writer.int16(0);
  writer.int16(values.length);
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (value === null || value === undefined) {
      writer.int32(-1);
      continue;
    }
    const bytes = bytesOf(value);
    if (bytes !== undefined) {
      writer.int32(bytes.length);
      writer.bytes(bytes);
    } else writer.sized(textOf(value, prepared.parameters?.[i] ?? 0));
  }
  writer.int16(formats.length);
  for (const format of formats) writer.int16(format);
  writer.end();
  writeExecute(writer, limit);
}

export function writeExecute(writer: Writer, limit: number): void {
  writer.begin(Kind.EXECUTE);
  writer.byte(0);
  writer.int32(limit);
  writer.end();
}

/** Closes a statement or a portal. */
export function writeClose(writer: Writer, kind: number, name: string): void {
  writer.begin(Kind.CLOSE);
  writer.byte(kind);
  writer.cstring(name);
  writer.end();
}

/** Ends COPY ... FROM STDIN with an error. */
export function writeCopyFail(writer: Writer, reason: string): void {
  writer.begin(Kind.COPY_FAIL);
  writer.cstring(reason.replaceAll("\0", ""));
  writer.end();
}
