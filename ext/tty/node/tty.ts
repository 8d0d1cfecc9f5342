/**
 * node:tty (https://nodejs.org/api/tty.html). Writes are synchronous, as they are for terminals in Node;
 * reads wait for readiness in the event loop, so that a paused terminal does not keep the process alive.
 */
import stream from "node:stream";
import { codes } from "internal/core/errors";

const { isTty, getWindowSize, setRawMode } = native("tty");
const { guessHandleType, stdioWrite, fdReaderOpen, fdReaderStart, fdReaderStop, fdReaderRef, fdReaderClose } =
  native("process");

/** What is used of a Duplex. */
interface DuplexStream {
  readonly readable: boolean;
  readonly writable: boolean;
  readonly destroyed: boolean;
  readonly writableFinished: boolean;
  readonly writableCorked: number;
  readonly writableLength: number;
  readonly readableLength: number;
  _readableState: { reading: boolean; flowing: boolean | null };
  push(chunk: Uint8Array | null): boolean;
  write(chunk: unknown, encoding?: string, callback?: Callback): boolean;
  end(): this;
  destroy(error?: unknown): this;
  on(type: string, listener: () => void): this;
  once(type: string, listener: () => void): this;
  emit(type: string, ...args: unknown[]): boolean;
}

const { Duplex } = stream as unknown as {
  Duplex: { call(self: DuplexStream, options: object): void; readonly prototype: DuplexStream };
};

const kReader = Symbol("reader");
const kReading = Symbol("reading");
const kRefed = Symbol("refed");
const kColumns = Symbol("columns");
const kRows = Symbol("rows");
const kSize = Symbol("size");
const kHandle = Symbol("handle");

/** A terminal, with what sockets have as far as it makes sense for one. */
interface Terminal extends DuplexStream {
  fd: number;
  [kReader]: number | undefined;
  /** Whether data is waited for. */
  [kReading]: boolean;
  [kRefed]: boolean;
  [kHandle]?: object;
  bytesRead: number;
  bytesWritten: number;
  connecting: boolean;
  pending: boolean;
  _read(): void;
  _write(chunk: Uint8Array | string, encoding: string, callback: (error?: unknown) => void): void;
  _destroy(error: unknown, callback: (error?: unknown) => void): void;
  destroySoon(): void;
  ref(): this;
  unref(): this;
  setNoDelay(): this;
  setKeepAlive(): this;
  address(): object;
}

interface InputTerminal extends Terminal {
  isRaw: boolean;
  isTTY: boolean;
  setRawMode(flag: unknown): this;
}

interface OutputTerminal extends Terminal {
  [kColumns]: number | undefined;
  [kRows]: number | undefined;
  /** The last size that is known. */
  [kSize]: [columns: number, rows: number] | undefined;
  isTTY: boolean;
  columns: number;
  rows: number;
  _refreshSize(): void;
  getColorDepth(env?: Environment): number;
  hasColors(count?: number | Environment, env?: Environment): boolean;
  cursorTo(x: number, y?: number | Callback, callback?: Callback): boolean;
  moveCursor(dx: number, dy: number, callback?: Callback): boolean;
  clearLine(dir: number, callback?: Callback): boolean;
  clearScreenDown(callback?: Callback): boolean;
  getWindowSize(): [columns: number, rows: number];
}

type Environment = { [name: string]: string | undefined };

/** tty.isatty(fd): false also for what is no file descriptor at all. */
function isatty(fd: number): boolean {
  return Number.isInteger(fd) && fd >= 0 && fd <= 2147483647 && isTty(fd);
}

/** Throws what Node throws for descriptors that cannot be a terminal. (Pipes and sockets can stand in for one.) */
function checkDescriptor(fd: number): void {
  if (fd >> 0 !== fd || fd < 0) throw new codes.ERR_INVALID_FD(fd);
  const kind = guessHandleType(fd);
  if (kind === "FILE" || kind === "UNKNOWN" || kind === "INVALID") {
    throw new codes.ERR_TTY_INIT_FAILED({
      errno: -22,
      code: "EINVAL",
      message: "invalid argument",
      syscall: "uv_tty_init",
    });
  }
}

/** What ReadStream and WriteStream share: both can read and write, like the sockets they are in Node. */
function TtyStream(this: Terminal, fd: number, options: object | undefined): void {
  Duplex.call(this, {
    readableHighWaterMark: 0,
    decodeStrings: false,
    allowHalfOpen: false,
    emitClose: false,
    autoDestroy: true,
    ...options,
  });
  this.fd = fd;
  this.bytesWritten = 0;
  this[kReader] = undefined;
  this[kReading] = false;
  this[kRefed] = true;
  // A paused terminal lets the process end.
  this.on("pause", stopReading);
}
Object.setPrototypeOf(TtyStream.prototype, Duplex.prototype);
Object.setPrototypeOf(TtyStream, Duplex);

const base: Terminal = TtyStream.prototype;

function stopReading(this: Terminal): void {
  if (!this[kReading]) return;
  this[kReading] = false;
  fdReaderStop(this[kReader]!);
  // The _read that was under way is withdrawn; resume() asks again.
  this._readableState.reading = false;
}

base._read = function (): void {
  if (this[kReading] || this.destroyed) return;
  if (this[kReader] === undefined) {
    this[kReader] = fdReaderOpen(this.fd, (error: NodeError, chunk: Uint8Array | undefined) => {
      if (error) {
        // A hang-up (EIO) means that the terminal is gone: the end of the input.
        if (error.code === "EIO") finishReading(this);
        else this.destroy(error);
      } else if (chunk === undefined) {
        finishReading(this);
      } else {
        this.bytesRead += chunk.length;
        this.push(chunk);
        // Flowing or not, the next chunk is asked for by the next _read.
        if (this[kReading] && !this._readableState.flowing && this.readableLength > 0) stopReading.call(this);
      }
    });
    if (!this[kRefed]) fdReaderRef(this[kReader], false);
  }
  this[kReading] = true;
  fdReaderStart(this[kReader]);
};

function finishReading(tty: Terminal): void {
  stopReading.call(tty);
  tty.push(null);
}

/** Writes are complete when write() returns; strings need no detour through a Buffer. */
base.write = function (chunk: unknown, encoding?: string, callback?: Callback): boolean {
  if (
    typeof chunk === "string" &&
    encoding === undefined &&
    callback === undefined &&
    this.writable &&
    !this.writableCorked &&
    this.writableLength === 0
  ) {
    try {
      stdioWrite(this.fd, chunk);
      this.bytesWritten += chunk.length;
      return true;
    } catch (error) {
      this.destroy(error);
      return false;
    }
  }
  return Duplex.prototype.write.call(this, chunk, encoding, callback);
};

base._write = function (chunk, encoding, callback): void {
  try {
    if (typeof chunk === "string" && encoding !== "utf8" && encoding !== "utf-8") {
      chunk = require("node:buffer").Buffer.from(chunk, encoding);
    }
    stdioWrite(this.fd, chunk);
    this.bytesWritten += chunk.length;
  } catch (error) {
    callback(error);
    return;
  }
  callback();
};

base._destroy = function (error: unknown, callback: (error?: unknown) => void): void {
  stopReading.call(this);
  if (this[kReader] !== undefined) fdReaderClose(this[kReader]);
  this[kReader] = undefined;
  callback(error);
  // emitClose is off because Node's sockets emit it themselves, with whether there was an error.
  process.nextTick(() => this.emit("close", Boolean(error)));
};

base.destroySoon = function (): void {
  if (this.writable) this.end();
  if (this.writableFinished) this.destroy();
  else this.once("finish", this.destroy);
};

base.ref = function () {
  this[kRefed] = true;
  if (this[kReader] !== undefined) fdReaderRef(this[kReader], true);
  return this;
};

base.unref = function () {
  this[kRefed] = false;
  if (this[kReader] !== undefined) fdReaderRef(this[kReader], false);
  return this;
};

// The rest of a socket's surface, as far as it makes sense for a terminal.
base.bytesRead = 0;
base.connecting = false;
base.pending = false;
base.setNoDelay = function () {
  return this;
};
base.setKeepAlive = function () {
  return this;
};
base.address = function (): object {
  return {};
};
Object.defineProperty(base, "readyState", {
  configurable: true,
  get(this: Terminal) {
    if (this.readable && this.writable) return "open";
    return this.readable ? "readOnly" : this.writable ? "writeOnly" : "closed";
  },
});
Object.defineProperty(base, "_handle", {
  configurable: true,
  get(this: Terminal) {
    if (this.destroyed) return null;
    return (this[kHandle] ??= {
      fd: this.fd,
      // Always blocking.
      setBlocking: () => 0,
      ref: () => {
        this.ref();
      },
      unref: () => {
        this.unref();
      },
      hasRef: () => this[kRefed],
      isatty: () => isatty(this.fd),
    });
  },
});

/** `new tty.ReadStream(fd[, options])`; callable without `new`. */
function ReadStream(this: InputTerminal, fd: number, options?: object): unknown {
  if (!(this instanceof ReadStream))
    return new (ReadStream as unknown as new (fd: number, options?: object) => InputTerminal)(fd, options);
  checkDescriptor(fd);
  TtyStream.call(this, fd, options);
  this.isRaw = false;
  this.isTTY = true;
}
Object.setPrototypeOf(ReadStream.prototype, base);
Object.setPrototypeOf(ReadStream, TtyStream);

/** Raw mode: keys arrive one by one, unechoed. Undone when the process ends. */
ReadStream.prototype.setRawMode = function (this: InputTerminal, flag: unknown): InputTerminal {
  flag = Boolean(flag);
  try {
    setRawMode(this.fd, flag as boolean);
  } catch (error) {
    this.emit("error", error);
    return this;
  }
  this.isRaw = flag as boolean;
  return this;
};

/** `new tty.WriteStream(fd)`; callable without `new`. */
function WriteStream(this: OutputTerminal, fd: number): unknown {
  if (!(this instanceof WriteStream)) return new (WriteStream as unknown as new (fd: number) => OutputTerminal)(fd);
  checkDescriptor(fd);
  TtyStream.call(this, fd, undefined);
  // Set by a program, these two win over what the terminal says.
  this[kColumns] = undefined;
  this[kRows] = undefined;
  this[kSize] = readSize(fd);
}
Object.setPrototypeOf(WriteStream.prototype, base);
Object.setPrototypeOf(WriteStream, TtyStream);

const output: OutputTerminal = WriteStream.prototype;

output.isTTY = true;

function readSize(fd: number): [number, number] | undefined {
  try {
    return getWindowSize(fd);
  } catch {
    return undefined;
  }
}

// Read anew each time: nothing else keeps them right in a program that does not listen to `resize`.
for (const [name, kOwn, index] of [
  ["columns", kColumns, 0],
  ["rows", kRows, 1],
] as const) {
  Object.defineProperty(output, name, {
    configurable: true,
    enumerable: true,
    get(this: OutputTerminal) {
      return this[kOwn] ?? readSize(this.fd)?.[index];
    },
    set(this: OutputTerminal, value: number | undefined) {
      this[kOwn] = value;
    },
  });
}

/** Compares the window's size with the last one known and emits `resize` if it is another. */
output._refreshSize = function (): void {
  const columns = this[kColumns] ?? this[kSize]?.[0];
  const rows = this[kRows] ?? this[kSize]?.[1];
  let size: [number, number];
  try {
    size = getWindowSize(this.fd);
  } catch (error) {
    this.emit("error", error);
    return;
  }
  this[kColumns] = undefined;
  this[kRows] = undefined;
  this[kSize] = size;
  if (size[0] !== columns || size[1] !== rows) this.emit("resize");
};

output.getColorDepth = function getColorDepth(env?: Environment): number {
  return require("internal/tty/keys").getColorDepth(env);
};
output.hasColors = function hasColors(count?: number | Environment, env?: Environment): boolean {
  return require("internal/tty/keys").hasColors.call(this, count, env);
};
output.cursorTo = function (x, y, callback): boolean {
  return require("node:readline").cursorTo(this, x, y, callback);
};
output.moveCursor = function (dx, dy, callback): boolean {
  return require("node:readline").moveCursor(this, dx, dy, callback);
};
output.clearLine = function (dir, callback): boolean {
  return require("node:readline").clearLine(this, dir, callback);
};
output.clearScreenDown = function (callback?: Callback): boolean {
  return require("node:readline").clearScreenDown(this, callback);
};
/** [columns, rows] */
output.getWindowSize = function (): [number, number] {
  return [this.columns, this.rows];
};

export default { isatty, ReadStream, WriteStream };
