// Events of a file of tests on the standard output of its process, between whatever the program prints: each is
// the two bytes that a value of v8.serialize() begins with, the length of the value (32 bits, big-endian), and the value.

import type { EventData, TestFailure } from "internal/test/node_test/types";

/** What v8.serialize() begins with. 0xFF is in no text of UTF-8. */
const HEADER = [0xff, 0x0f] as const;
const HEAD = HEADER.length + 4;
/** Errors in `cause` below this depth are left out. */
const DEEPEST_CAUSE = 8;

/** An error as it goes to the parent. */
interface Flat {
  isFlatError: true;
  constructorName: string;
  properties: [string, unknown, boolean][];
}

const BUILT_IN = [Error, TypeError, RangeError, SyntaxError, ReferenceError, EvalError, URIError];

function flatten(value: unknown, depth: number): unknown {
  if (!Error.isError(value)) {
    if (typeof value === "function" || typeof value === "symbol") return require("node:util").inspect(value);
    return value;
  }
  if (depth > DEEPEST_CAUSE) return undefined;
  const error = value as Error & Record<string, unknown>;
  const constructor = BUILT_IN.findLast((one) => error instanceof one);
  const names = new Set(["name", "message", "stack", "cause", "code", ...Object.keys(error)]);
  const properties: Flat["properties"] = [];
  for (const name of names) {
    const own = error[name];
    if (own === undefined && !Object.hasOwn(error, name)) continue;
    properties.push([name, flatten(own, depth + 1), Object.prototype.propertyIsEnumerable.call(error, name)]);
  }
  const flat: Flat = { isFlatError: true, constructorName: constructor?.name ?? "Error", properties };
  return flat;
}

function revive(value: unknown): unknown {
  const flat = value as Flat | null;
  if (flat === null || typeof flat !== "object" || flat.isFlatError !== true) return value;
  const Constructor = BUILT_IN.find((one) => one.name === flat.constructorName) ?? Error;
  const error = new Constructor();
  for (const [name, own, enumerable] of flat.properties) {
    const desired = revive(own);
    if (name === "name" && (error as Error).name === desired && !enumerable) continue;
    Object.defineProperty(error, name, { value: desired, enumerable, writable: true, configurable: true });
  }
  return error;
}

/** An event as bytes. */
export function frameOf(type: string, data: EventData): Buffer {
  const v8 = require("node:v8");
  const error = data.details?.error;
  const plain =
    error === undefined ? data : { ...data, details: { ...data.details, error: flatten(error, 0) as TestFailure } };
  let value: Buffer;
  try {
    value = v8.serialize({ type, data: plain });
  } catch {
    // Something in it cannot be cloned: as text it can.
    const { inspect } = require("node:util");
    const told = JSON.parse(JSON.stringify(plain, (_, one) => (typeof one === "bigint" ? inspect(one) : one)));
    value = v8.serialize({ type, data: told });
  }
  const frame = Buffer.alloc(HEAD + value.length);
  frame.set(HEADER);
  frame.writeUInt32BE(value.length, HEADER.length);
  frame.set(value, HEAD);
  return frame;
}

export interface Frame {
  type: string;
  data: EventData;
}

/** Takes the output of a process apart: events, and the text between them. */
export class FrameReader {
  #rest: Buffer = Buffer.alloc(0);
  #text = new (require("node:string_decoder").StringDecoder)("utf8");
  #onEvent: (event: Frame) => void;
  #onText: (text: string) => void;

  constructor(onEvent: (event: Frame) => void, onText: (text: string) => void) {
    this.#onEvent = onEvent;
    this.#onText = onText;
  }

  push(bytes: Buffer): void {
    this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    for (;;) {
      const rest = this.#rest;
      const at = rest.indexOf(Buffer.from(HEADER));
      if (at === -1) {
        // The first byte of a header may be the last one here.
        const end = rest.at(-1) === HEADER[0] ? rest.length - 1 : rest.length;
        this.#print(rest.subarray(0, end));
        this.#rest = rest.subarray(end);
        return;
      }
      if (at > 0) {
        this.#print(rest.subarray(0, at));
        this.#rest = rest.subarray(at);
        continue;
      }
      if (rest.length < HEAD) return;
      const length = rest.readUInt32BE(HEADER.length);
      // A program may print these bytes by itself: what follows is no value then.
      const isValue = rest.length < HEAD + 2 || (rest[HEAD] === HEADER[0] && rest[HEAD + 1] === HEADER[1]);
      if (!isValue) {
        this.#print(rest.subarray(0, HEADER.length));
        this.#rest = rest.subarray(HEADER.length);
        continue;
      }
      if (rest.length < HEAD + length) return;
      this.#rest = rest.subarray(HEAD + length);
      this.#read(rest.subarray(HEAD, HEAD + length));
    }
  }

  #read(bytes: Buffer): void {
    let event: Frame | undefined;
    try {
      event = require("node:v8").deserialize(bytes) as Frame;
    } catch {
      // Bytes of the program.
    }
    if (typeof event?.type !== "string" || typeof event.data !== "object" || event.data === null) {
      this.#print(bytes);
      return;
    }
    const { details } = event.data;
    if (details?.error !== undefined) details.error = revive(details.error) as TestFailure;
    this.#onEvent(event);
  }

  #print(bytes: Buffer): void {
    const text = this.#text.write(bytes);
    if (text !== "") this.#onText(text);
  }

  /** The process has ended: what is left is text. */
  end(): void {
    if (this.#rest.length > 0) this.#print(this.#rest);
    this.#rest = Buffer.alloc(0);
    const text = this.#text.end();
    if (text !== "") this.#onText(text);
  }
}
