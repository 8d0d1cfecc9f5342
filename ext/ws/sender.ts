/** Frames onto a connection: natively where it is a socket of the system, by its `write` where it is any other stream. */

import { isAnyArrayBuffer, isArrayBufferView, isUint8Array } from "internal/buffer/base";
import { BINARY, CLOSE, firstByte, isCloseCode, PING, PONG, TEXT } from "internal/fetch/websocket/frames";
import { StreamHandle } from "internal/net/native";
import { ENCODING_UTF8 } from "internal/net/native_constants";
import { DEFLATE, type Extensions } from "internal/ws/deflate";
import type { Connection, Limits, Sent } from "internal/ws/types";

const net = native("net");
const FIN = 128;
const COMPRESSED = 64;
const EMPTY = Buffer.alloc(0);
/** What the parts of a compressed message but the last one end with. */
const FLUSHED = Buffer.from([0, 0, 255, 255]);

/** How one frame is written. */
interface FrameOptions {
  fin?: boolean;
  rsv1?: boolean;
  opcode?: number;
  mask?: boolean;
  /** The payload must not be changed. */
  readOnly?: boolean;
  generateMask?: Limits["generateMask"];
  /** Where the key is kept. */
  maskBuffer?: Buffer;
}

export interface SendOptions {
  binary?: boolean;
  compress?: boolean;
  fin?: boolean;
  mask?: boolean;
}

/** Bytes of what a program sends. Throws a TypeError for what `Buffer.from` does not take. */
export function bytesOf(data: unknown): Buffer {
  if (Buffer.isBuffer(data)) return data as Buffer;
  if (isAnyArrayBuffer(data)) return Buffer.from(data as ArrayBuffer);
  if (isArrayBufferView(data)) return Buffer.from(data.buffer as ArrayBuffer, data.byteOffset, data.byteLength);
  return Buffer.from(data as string);
}

export function isBlob(data: unknown): data is Blob {
  return typeof data === "object" && data !== null && require("web/blob").isBlob(data);
}

export class Sender {
  /** Bytes of messages that wait for others, or were given to a closed connection. */
  _bufferedBytes = 0;
  _socket: Connection;
  onerror: ((error: Error) => void) | undefined = undefined;
  /** The socket's handle while frames go through native code. */
  #handle: StreamHandle | undefined = undefined;
  #extensions: Extensions;
  #generateMask: Limits["generateMask"];
  /** Of a fragmented message. */
  #open = false;
  #compressing = false;
  /** Callbacks of what the system has not taken yet. */
  #unwritten: Sent[] = [];
  /** Messages behind one whose bytes are not there yet; undefined: nothing waits. */
  #queue: [size: number, run: () => void, sent: Sent | undefined][] | undefined = undefined;

  constructor(socket: Connection, extensions: Extensions = {}, generateMask?: Limits["generateMask"]) {
    this._socket = socket;
    this.#extensions = extensions;
    this.#generateMask = generateMask;
  }

  /** Has frames written by native code from now on. */
  goNative(handle: StreamHandle): void {
    this.#handle = handle;
  }

  /** Bytes that the system has not taken. */
  get waiting(): number {
    const handle = this.#handle;
    const native = handle === undefined || handle.id < 0 ? 0 : net.queued(handle.id);
    return native + this._bufferedBytes;
  }

  /** The bytes of a frame: its header, and its payload if there is one. */
  static frame(data: Buffer | string, options: FrameOptions): Buffer[] {
    let payload = typeof data === "string" ? Buffer.from(data) : data;
    const size = payload.length;
    const wide = size >= 65536 ? 8 : size > 125 ? 2 : 0;
    const header = Buffer.allocUnsafe(2 + wide + (options.mask ? 4 : 0));
    header[0] = (options.fin ? FIN : 0) | (options.rsv1 ? COMPRESSED : 0) | options.opcode!;
    header[1] = wide === 8 ? 127 : wide === 2 ? 126 : size;
    if (wide === 2) header.writeUInt16BE(size, 2);
    else if (wide === 8) header.writeBigUInt64BE(BigInt(size), 2);
    if (!options.mask) return [header, payload];
    header[1] |= 128;
    const key = options.maskBuffer ?? Buffer.alloc(4);
    if (options.generateMask !== undefined) options.generateMask(key);
    else require("node:crypto").randomFillSync(key, 0, 4);
    header.set(key.subarray(0, 4), 2 + wide);
    if (size === 0 || (key[0]! | key[1]! | key[2]! | key[3]!) === 0) return [header, payload];
    if (options.readOnly) payload = Buffer.from(payload);
    for (let i = 0; i < size; i++) payload[i] = payload[i]! ^ key[i & 3]!;
    return [header, payload];
  }

  // ---- what a program sends

  close(code: number | undefined, data: string | Uint8Array | undefined, mask: boolean, sent?: Sent): void {
    let payload = EMPTY;
    if (code !== undefined) {
      if (typeof code !== "number" || !isCloseCode(code))
        throw new TypeError("First argument must be a valid error code number");
      if (data !== undefined && data.length > 0 && typeof data !== "string" && !isUint8Array(data))
        throw new TypeError("Second argument must be a string or a Uint8Array");
      const reason = data === undefined || data.length === 0 ? EMPTY : bytesOf(data);
      if (reason.length > 123) throw new RangeError("The message must not be greater than 123 bytes");
      payload = Buffer.allocUnsafe(2 + reason.length);
      payload.writeUInt16BE(code, 0);
      payload.set(reason, 2);
    }
    this.#enqueue(payload.length, () => this.#write(firstByte(CLOSE, false), payload, mask, sent), sent);
  }

  ping(data: unknown, mask: boolean, sent?: Sent): void {
    this.#control(PING, data, mask, sent);
  }

  pong(data: unknown, mask: boolean, sent?: Sent): void {
    this.#control(PONG, data, mask, sent);
  }

  #control(opcode: number, data: unknown, mask: boolean, sent: Sent | undefined): void {
    const size = isBlob(data) ? data.size : ((data = bytesOf(data) as Buffer), (data as Buffer).length);
    if (size > 125) throw new RangeError("The data size must not be greater than 125 bytes");
    this.#bytes(data as Blob | Buffer, (payload) => this.#write(firstByte(opcode, false), payload, mask, sent), sent);
  }

  send(data: unknown, options: SendOptions, sent?: Sent): void {
    const payload = isBlob(data) || typeof data === "string" ? data : bytesOf(data);
    const opcode = options.binary ? BINARY : TEXT;
    if (isBlob(payload)) this.#bytes(payload, (bytes) => this.#message(opcode, bytes, options, sent), sent);
    else if (this.#queue === undefined) this.#message(opcode, payload, options, sent);
    else this.#enqueue(Buffer.byteLength(payload), () => this.#message(opcode, payload, options, sent), sent);
  }

  /** Writes the parts of a frame that is made already (socket.io sends one frame to many so). */
  sendFrame(list: Uint8Array[], sent?: Sent): void {
    const handle = this.#handle;
    if (handle !== undefined) {
      const result =
        handle.id < 0
          ? -1
          : net.writeMany(
              handle.id,
              list.flatMap((part) => [part, ENCODING_UTF8]),
            );
      return this.#written(handle, result === 1 ? -1 : result === 0 ? 0 : -2, sent);
    }
    const socket = this._socket as unknown as {
      cork(): void;
      uncork(): void;
      write(chunk: Uint8Array, callback?: Sent): void;
    };
    if (list.length === 1) return socket.write(list[0]!, sent);
    socket.cork();
    for (let i = 0; i < list.length - 1; i++) socket.write(list[i]!);
    socket.write(list[list.length - 1]!, sent);
    socket.uncork();
  }

  // ---- order

  /** Runs at once, or behind what waits. */
  #enqueue(size: number, run: () => void, sent: Sent | undefined): void {
    if (this.#queue === undefined) return run();
    this._bufferedBytes += size;
    this.#queue.push([size, run, sent]);
  }

  /** Bytes, of which those of a Blob have to be read first; others wait for them. */
  #bytes(data: Blob | Buffer, use: (bytes: Buffer) => void, sent: Sent | undefined): void {
    if (!isBlob(data)) return this.#enqueue(data.length, () => use(data), sent);
    const { size } = data;
    this.#enqueue(size, () => this.#read(data, size, use, sent), sent);
  }

  #read(data: Blob, size: number, use: (bytes: Buffer) => void, sent: Sent | undefined): void {
    this.#queue ??= [];
    this._bufferedBytes += size;
    data.arrayBuffer().then(
      (buffer) => {
        this._bufferedBytes -= size;
        if (this._socket.destroyed) {
          this.#giveUp(new Error("The socket was closed while the blob was being read"), sent);
          return;
        }
        const behind = this.#queue!;
        this.#queue = undefined;
        use(Buffer.from(buffer));
        while (behind.length > 0 && this.#queue === undefined) {
          const [length, run] = behind.shift()!;
          this._bufferedBytes -= length;
          run();
        }
        if (behind.length > 0) (this.#queue as unknown as unknown[]).push(...behind);
      },
      (error: Error) =>
        process.nextTick(() => {
          this.#giveUp(error, sent);
          this.onerror?.(error);
        }),
    );
  }

  /** Nothing more can be sent in order. */
  #giveUp(error: Error, sent: Sent | undefined): void {
    sent?.(error);
    const behind = this.#queue ?? [];
    this.#queue = undefined;
    for (const [size, , callback] of behind) {
      this._bufferedBytes -= size;
      callback?.(error);
    }
  }

  // ---- frames

  #message(opcode: number, data: string | Buffer, options: SendOptions, sent: Sent | undefined): void {
    const fin = options.fin !== false;
    const deflate = this.#extensions[DEFLATE];
    const first = !this.#open;
    if (first) {
      const size = typeof data === "string" ? Buffer.byteLength(data) : data.length;
      this.#compressing = Boolean(options.compress) && deflate !== undefined && deflate.worthwhile(size);
    }
    this.#open = !fin;
    let payload: string | Uint8Array = data;
    if (this.#compressing) {
      payload = deflate!.stream.compress(typeof data === "string" ? Buffer.from(data) : data);
      if (!fin) payload = Buffer.concat([payload, FLUSHED]);
    }
    const head = (fin ? FIN : 0) | (first && this.#compressing ? COMPRESSED : 0) | (first ? opcode : 0);
    this.#write(head, payload, Boolean(options.mask), sent);
  }

  #write(first: number, payload: string | Uint8Array, mask: boolean, sent: Sent | undefined): void {
    const handle = this.#handle;
    if (handle !== undefined && (!mask || this.#generateMask === undefined)) {
      const result = handle.id < 0 ? -2 : net.wsSend(handle.id, first, payload, mask);
      return this.#written(handle, result, sent);
    }
    const parts = Sender.frame(typeof payload === "string" ? payload : bytesOf(payload), {
      fin: (first & FIN) !== 0,
      rsv1: (first & COMPRESSED) !== 0,
      opcode: first & 15,
      mask,
      readOnly: true,
      generateMask: this.#generateMask,
    });
    this.sendFrame(parts[1]!.length === 0 ? [parts[0]!] : parts, sent);
  }

  /** What native code says of a write: 0 and more done, -1 later, less refused. */
  #written(handle: StreamHandle, result: number, sent: Sent | undefined): void {
    if (result < -1) {
      const error: NodeError = new Error("write EPIPE");
      error.code = "EPIPE";
      if (sent !== undefined) process.nextTick(sent, error);
      this._socket.destroy(error);
      return;
    }
    if (result === -1) {
      if (sent !== undefined) this.#unwritten.push(sent);
      handle.onwritten = this.#onWritten;
      return;
    }
    if (sent !== undefined) process.nextTick(sent);
  }

  #onWritten = (errno: number): void => {
    const all = this.#unwritten;
    this.#unwritten = [];
    const error = errno === 0 ? undefined : new Error("The socket was closed before everything was written");
    for (const sent of all) sent(error);
  };
}
