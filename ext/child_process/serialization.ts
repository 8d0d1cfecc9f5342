// Messages of IPC channels as bytes: lines of JSON, or (`serialization: "advanced"`) V8's format with a length before
// each message. Both are what Node speaks, so that either can be the other's child.

import buffer from "node:buffer";

const { Buffer } = buffer;

/** One direction of a channel each: messages to bytes, and pieces of bytes to messages. */
export interface Codec {
  /** Bytes, or text that is to go out as UTF-8. */
  encode(message: unknown): Uint8Array | string;
  /** Takes bytes as they come; gives the messages that are complete. */
  decode(bytes: Uint8Array): unknown[];
  /** Whether a message has arrived in part. */
  readonly buffering: boolean;
}

class JsonCodec implements Codec {
  #decoder: { write(bytes: Uint8Array): string } | undefined;
  #rest = "";

  encode(message: unknown): string {
    return `${JSON.stringify(message)}\n`;
  }

  decode(bytes: Uint8Array): unknown[] {
    this.#decoder ??= new (require("node:string_decoder").StringDecoder)("utf8");
    const text: string = this.#decoder.write(bytes);
    const last = text.lastIndexOf("\n");
    if (last === -1) {
      this.#rest += text;
      return [];
    }
    const complete = this.#rest === "" ? text.slice(0, last) : this.#rest + text.slice(0, last);
    this.#rest = text.slice(last + 1);
    if (!complete.includes("\n")) return [JSON.parse(complete)];
    // No line end is inside of a message: all of them are parsed at once.
    return JSON.parse(`[${complete.replaceAll("\n", ",")}]`);
  }

  get buffering(): boolean {
    return this.#rest !== "";
  }
}

// Marks of host objects: views are written as such, other objects as their own properties.
const VIEW = 0;
const OTHER = 1;

/** Of internal/v8, as far as they are needed here. */
interface Writer {
  writeHeader(): void;
  writeValue(value: unknown): void;
  releaseBuffer(): Uint8Array;
}
interface Reader {
  readHeader(): void;
  readValue(): unknown;
}
type AdvancedClasses = [new () => Writer, new (bytes: Uint8Array) => Reader];

let advancedClasses: AdvancedClasses | undefined;

function makeAdvancedClasses(): AdvancedClasses {
  const { DefaultSerializer } = require("internal/v8/serializer");
  const { DefaultDeserializer } = require("internal/v8/deserializer");

  class MessageSerializer extends DefaultSerializer {
    _writeHostObject(object: object): void {
      if (ArrayBuffer.isView(object)) {
        this.writeUint32(VIEW);
        super._writeHostObject(object);
      } else {
        this.writeUint32(OTHER);
        this.writeValue({ ...object });
      }
    }
  }

  class MessageDeserializer extends DefaultDeserializer {
    _readHostObject(): ArrayBufferView {
      return this.readUint32() === VIEW ? super._readHostObject() : (this.readValue() as ArrayBufferView);
    }
  }

  return [MessageSerializer, MessageDeserializer];
}

class AdvancedCodec implements Codec {
  #pieces: Uint8Array[] = [];
  #size = 0;

  encode(message: unknown): Uint8Array {
    advancedClasses ??= makeAdvancedClasses();
    const serializer = new advancedClasses[0]();
    serializer.writeHeader();
    serializer.writeValue(message);
    const body = serializer.releaseBuffer();
    const head = Buffer.allocUnsafe(4);
    head.writeUInt32BE(body.length, 0);
    return Buffer.concat([head, body]);
  }

  decode(bytes: Uint8Array): unknown[] {
    this.#pieces.push(bytes);
    this.#size += bytes.length;
    const messages = [];
    // Joined only when a whole message is there, so that a large one in many pieces is copied once.
    while (this.#size >= 4) {
      if (this.#pieces[0]!.length < 4) this.#join();
      const first = this.#pieces[0]!;
      const length = 4 + (((first[0]! << 24) | (first[1]! << 16) | (first[2]! << 8) | first[3]!) >>> 0);
      if (this.#size < length) break;
      if (first.length < length) this.#join();
      const all = this.#pieces[0]!;
      // A copy: typed arrays of the message lie in it, aligned to their elements or not.
      const body = Buffer.from(all.subarray(4, length));
      this.#size -= length;
      this.#pieces[0] = all.subarray(length);
      if (this.#pieces[0]!.length === 0) this.#pieces.shift();
      advancedClasses ??= makeAdvancedClasses();
      const deserializer = new advancedClasses[1](body);
      deserializer.readHeader();
      messages.push(deserializer.readValue());
    }
    return messages;
  }

  #join(): void {
    this.#pieces = [Buffer.concat(this.#pieces)];
  }

  get buffering(): boolean {
    return this.#size > 0;
  }
}

/** A codec for `serialization`: "json" or "advanced". */
export function codecFor(serialization: string | undefined): Codec {
  return serialization === "advanced" ? new AdvancedCodec() : new JsonCodec();
}
