// The streams of a child process: child.stdin, child.stdout, child.stderr and further pipes.

import stream from "node:stream";
import { errnoException } from "internal/core/errors";

import type { Timeout } from "internal/core/timers";
import type { Done, Duplex as DuplexStream, StreamConstructor } from "internal/net/types";

const { pipeFd, pipeRead, pipeStop, pipeResume, pipeWrite, pipeSetRef, pipeShutdown, pipeClose } = native("child");
const { Duplex } = stream as { Duplex: StreamConstructor<DuplexStream> };

let Buffer: BuiltinModules["node:buffer"]["Buffer"] | undefined;

function toBuffer(bytes: Uint8Array): Buffer {
  Buffer ??= require("node:buffer").Buffer;
  return Buffer.from(bytes.buffer, 0, bytes.length);
}

/** The face of a socket's native half that programs know: `socket._handle`. */
class Pipe {
  #socket: Socket;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  get fd(): number {
    return this.#socket.fd;
  }

  ref(): void {
    this.#socket.ref();
  }

  unref(): void {
    this.#socket.unref();
  }

  hasRef(): boolean {
    return this.#socket[kReferenced];
  }

  readStart(): number {
    this.#socket._read();
    return 0;
  }

  readStop(): number {
    this.#socket[kStop]();
    return 0;
  }

  close(callback?: () => void): void {
    if (callback) this.#socket.once("close", callback);
    this.#socket.destroy();
  }

  // Reads and writes never block.
  setBlocking(): number {
    return 0;
  }
}

const kReferenced = Symbol("referenced");
const kStop = Symbol("stop");

/**
 * A pipe or socket pair to another process, as a stream with the methods of node:net's Socket that make sense for it.
 * `id`: a pipe of native("child"), which belongs to the stream from now on; -1 for one that is closed already.
 */
class Socket extends Duplex {
  declare _isUsedAsStdio?: boolean;
  #id: number;
  /** "": not yet; "on", "off". */
  #reading = "";
  #duplex: boolean;
  #handle: Pipe | null | undefined;
  #timeout = 0;
  #timer: Timeout | undefined;
  [kReferenced] = true;
  bytesRead = 0;
  bytesWritten = 0;
  connecting = false;
  pending = false;

  constructor(id: number, readable: boolean, writable: boolean) {
    super({ readable, writable, allowHalfOpen: false, autoDestroy: true, emitClose: false });
    this.#id = id;
    this.#duplex = readable && writable;
    if (!readable) return;
    if (id === -1) {
      this.push(null);
      this.read(0);
    } else {
      // What the child says is fetched before somebody asks for it, up to the high water mark.
      this.read(0);
    }
  }

  get fd(): number {
    return this.#id === -1 ? -1 : pipeFd(this.#id);
  }

  get _handle() {
    if (this.#id === -1) return null;
    return (this.#handle ??= new Pipe(this));
  }

  get readyState(): string {
    if (this.readable && this.writable) return "open";
    return this.readable ? "readOnly" : this.writable ? "writeOnly" : "closed";
  }

  _read(): void {
    if (this.#reading === "on" || this.#id === -1) return;
    const error =
      this.#reading === ""
        ? pipeRead(this.#id, (errno: number, bytes: Uint8Array | undefined) => this.#received(errno, bytes))
        : pipeResume(this.#id);
    this.#reading = "on";
    if (error !== 0) this.destroy(errnoException(error, "read"));
  }

  #received(errno: number, bytes: Uint8Array | undefined): void {
    if (errno !== 0) {
      this.#reading = "off";
      this.destroy(errnoException(errno, "read"));
      return;
    }
    if (this.#timer !== undefined) this.#timer.refresh();
    if (bytes === undefined) {
      this.push(null);
      // Lets 'end' come although nobody reads, if there is nothing left to read.
      this.read(0);
      return;
    }
    this.bytesRead += bytes.length;
    if (!this.push(toBuffer(bytes)) && this.#reading === "on") this[kStop]();
  }

  [kStop](): void {
    if (this.#reading !== "on") return;
    this.#reading = "off";
    if (this.#id !== -1) pipeStop(this.#id);
  }

  _write(chunk: Uint8Array, _encoding: string, callback: (error?: NodeError | null | undefined) => void): void {
    if (this.#id === -1) {
      callback(errnoException(-32 /* EPIPE */, "write"));
      return;
    }
    if (this.#timer !== undefined) this.#timer.refresh();
    const { length } = chunk;
    // Most writes fit into the pipe at once.
    const result = pipeWrite(this.#id, chunk, -1, (errno: number) => {
      if (errno === 0) {
        if (this.#timer !== undefined) this.#timer.refresh();
        this.bytesWritten += length;
      }
      callback(errno !== 0 ? errnoException(errno, "write") : undefined);
    });
    if (result < 0) {
      callback(errnoException(result, "write"));
    } else if (result === 0) {
      this.bytesWritten += length;
      callback();
    }
  }

  _final(callback: Done): void {
    // A duplex pipe can still be read; the end of another one is its close, which _destroy would do a little later.
    if (this.#id !== -1) {
      if (this.#duplex) pipeShutdown(this.#id);
      else this.#close();
    }
    callback();
  }

  #close(): void {
    if (this.#id === -1) return;
    pipeClose(this.#id);
    this.#id = -1;
    this.#handle = null;
  }

  _destroy(error: NodeError | null, callback: Done): void {
    this.#close();
    if (this.#timer !== undefined) clearTimeout(this.#timer);
    this.#timer = undefined;
    callback(error);
    // emitClose is off because sockets tell whether there was an error.
    process.nextTick(() => this.emit("close", Boolean(error)));
  }

  /** Destroys the stream once all that was written is out. */
  destroySoon(): void {
    if (this.writable) this.end();
    if (this.writableFinished) this.destroy();
    else this.once("finish", this.destroy);
  }

  /** The descriptor is about to become the standard input or output of another process: no more reads here. */
  _stopForChild(): void {
    this[kStop]();
    this.pause();
    this._readableState.reading = false;
    this._isUsedAsStdio = true;
  }

  ref(): this {
    this[kReferenced] = true;
    if (this.#id !== -1) pipeSetRef(this.#id, true);
    return this;
  }

  unref(): this {
    this[kReferenced] = false;
    if (this.#id !== -1) pipeSetRef(this.#id, false);
    return this;
  }

  /** Emits 'timeout' after that many milliseconds without data in either direction; 0 for never. */
  setTimeout(ms: number, callback?: () => void): this {
    if (this.destroyed) return this;
    this.#timeout = ms;
    if (this.#timer !== undefined) clearTimeout(this.#timer);
    this.#timer = undefined;
    if (ms > 0) {
      this.#timer = setTimeout(() => this.emit("timeout"), ms);
      this.#timer.unref();
      if (callback) this.once("timeout", callback);
    } else if (callback) {
      this.removeListener("timeout", callback);
    }
    return this;
  }

  get timeout(): number {
    return this.#timeout;
  }

  // These mean nothing for a pipe.
  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  address(): object {
    return {};
  }
}

export { Socket };
