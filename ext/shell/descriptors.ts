// The descriptors of commands: files, kernel pipes, collected output, bytes and streams of the program. Built-ins read and write
// them without waiting in the loop's thread: pipes are opened once more, without blocking, for that.

import { decode, encode, nativePath } from "internal/shell/bytes";

/** A web stream, as far as it is read here. */
interface BytesStream {
  getReader(): { read(): Promise<{ done: boolean; value?: unknown }>; cancel(): Promise<unknown> };
}

const child = native("child");
const fs = native("fs");
const { Buffer } = require("node:buffer");

const O_RDONLY = 0;
const O_WRONLY = 1;
const O_NONBLOCK = 0o4000;
const S_IFMT = 0o170000;
const S_IFREG = 0o100000;
const S_IFIFO = 0o010000;
/** Files take this much at once; more is written on the thread pool. */
const DIRECT_BYTES = 1 << 16;
const READ_BYTES = 1 << 16;
const EPIPE = -32;
const EPERM = -1;

/** Reading or writing failed; `errno` is negative. */
class DescriptorError extends Error {
  errno: number;

  constructor(errno: number) {
    super(require("internal/core/errors").uvException({ errno, syscall: "write" }).message);
    this.errno = errno;
  }
}

/** What a number of a command's descriptors stands for. Counted: the last holder closes it. */
abstract class Descriptor {
  #holders = 1;

  hold(): this {
    this.#holders++;
    return this;
  }

  release(): void {
    if (--this.#holders === 0) this.close();
  }

  /** The descriptor of this process that a program can be given; -1 if there is none. */
  get fd(): number {
    return -1;
  }

  protected close(): void {}

  /** Writes all of it. Rejects with a DescriptorError. */
  write(_data: string | Uint8Array): void | Promise<void> {
    throw new DescriptorError(-9);
  }

  /** The next bytes; undefined at the end. */
  read(): Promise<Uint8Array | undefined> {
    throw new DescriptorError(-9);
  }

  /** Bytes that were read and not used. */
  unread(_bytes: Uint8Array): void {}

  /** Whether bytes are here that a program with the descriptor itself would not get. */
  get holdsBytes(): boolean {
    return false;
  }
}

function errnoOf(error: unknown): DescriptorError {
  return error instanceof DescriptorError ? error : new DescriptorError((error as NodeError).errno ?? -5);
}

/** Status of a descriptor: its mode. */
function modeOf(fd: number): number {
  const out = new Float64Array(14);
  try {
    fs.fstatSync(fd, out, 0);
  } catch {
    return 0;
  }
  return out[1]!;
}

/** A descriptor of the system. */
class FileDescriptor extends Descriptor {
  #fd: number;
  #owned: boolean;
  #regular: boolean | undefined;
  /** A pipe of the native half on the same file, without blocking, or -1 where there can be none. */
  #reader: number | undefined;
  #writer: number | undefined;
  #queue: Uint8Array[] = [];
  #ended = false;
  #failed = 0;
  #waiting: (() => void) | undefined;
  #stopped = false;
  #closed = false;
  #reads: Promise<unknown> | undefined;

  /** `pooled`: reads and writes wait on the thread pool, as those of named pipes do. */
  constructor(fd: number, owned: boolean, pooled = false) {
    super();
    this.#fd = fd;
    this.#owned = owned;
    if (pooled) {
      this.#reader = -1;
      this.#writer = -1;
    }
  }

  override get fd(): number {
    return this.#fd;
  }

  get #isRegular(): boolean {
    this.#regular ??= (modeOf(this.#fd) & S_IFMT) === S_IFREG;
    return this.#regular;
  }

  protected override close(): void {
    this.#closed = true;
    if (this.#reader !== undefined && this.#reader !== -1) child.pipeClose(this.#reader);
    if (this.#writer !== undefined && this.#writer !== -1) child.pipeClose(this.#writer);
    const close = () => {
      if (this.#owned) fs.closeSync(this.#fd);
    };
    // A read on the thread pool has the number until it ends.
    if (this.#reads !== undefined) void this.#reads.then(close, close);
    else close();
    this.#waiting?.();
  }

  /** Opens the same file once more; -1 for what cannot be opened so (sockets). */
  #again(flags: number): number {
    try {
      const fd = fs.openSync(`/proc/self/fd/${this.#fd}`, flags | O_NONBLOCK, 0);
      return child.pipeOpen(fd, false);
    } catch {
      return -1;
    }
  }

  override write(data: string | Uint8Array): void | Promise<void> {
    const bytes = typeof data === "string" ? encode(data) : data;
    if (bytes.length === 0) return undefined;
    if (this.#isRegular) {
      if (bytes.length > DIRECT_BYTES) return this.#writeOnPool(bytes);
      try {
        fs.writeAllSync(this.#fd, bytes, false);
      } catch (error) {
        throw errnoOf(error);
      }
      return undefined;
    }
    this.#writer ??= this.#again(O_WRONLY);
    if (this.#writer === -1) return this.#writeOnPool(bytes);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const done = (errno: number) => (errno === 0 ? resolve() : reject(new DescriptorError(errno)));
    const result = child.pipeWrite(this.#writer, bytes, -1, done);
    if (result < 0) throw new DescriptorError(result);
    return result === 0 ? undefined : promise;
  }

  async #writeOnPool(bytes: Uint8Array): Promise<void> {
    try {
      await fs.writeAll(this.#fd, bytes as Uint8Array<ArrayBuffer>, false);
    } catch (error) {
      throw errnoOf(error);
    }
  }

  override get holdsBytes(): boolean {
    return this.#queue.length > 0 || (this.#reader !== undefined && this.#reader !== -1);
  }

  override unread(bytes: Uint8Array): void {
    if (bytes.length > 0) this.#queue.unshift(bytes);
  }

  override async read(): Promise<Uint8Array | undefined> {
    if (this.#queue.length > 0) return this.#queue.shift();
    if (this.#isRegular || this.#reader === -1) return this.#readOnPool();
    if (this.#reader === undefined) {
      this.#reader = this.#again(O_RDONLY);
      if (this.#reader === -1) return this.#readOnPool();
      const errno = child.pipeRead(this.#reader, (code: number, bytes: Uint8Array | undefined) => {
        if (code < 0) this.#failed = code;
        if (bytes === undefined) this.#ended = true;
        else this.#queue.push(bytes);
        if (!this.#ended) {
          // The next one when somebody asks: what is not read stays in the pipe, and its writer waits.
          child.pipeStop(this.#reader!);
          this.#stopped = true;
        }
        this.#waiting?.();
      });
      if (errno === EPERM) {
        // A device that nobody can wait for, such as /dev/null.
        child.pipeClose(this.#reader);
        this.#reader = -1;
        return this.#readOnPool();
      }
      if (errno < 0) throw new DescriptorError(errno);
    }
    while (this.#queue.length === 0 && !this.#ended && !this.#closed) {
      if (this.#stopped) {
        this.#stopped = false;
        child.pipeResume(this.#reader);
      }
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting = resolve;
      await promise;
      this.#waiting = undefined;
    }
    if (this.#queue.length === 0 && this.#failed < 0) throw new DescriptorError(this.#failed);
    return this.#queue.shift();
  }

  async #readOnPool(): Promise<Uint8Array | undefined> {
    const buffer = Buffer.allocUnsafeSlow(READ_BYTES);
    const reading = fs.read(this.#fd, buffer, 0, buffer.length, -1);
    this.#reads = reading;
    try {
      const count = await reading;
      return count === 0 ? undefined : buffer.subarray(0, count);
    } catch (error) {
      throw errnoOf(error);
    } finally {
      if (this.#reads === reading) this.#reads = undefined;
    }
  }
}

/** Output that is collected, and handed on to a descriptor of this process if there is one. */
class Collector extends Descriptor {
  chunks: Uint8Array[] = [];
  #through: Descriptor | undefined;

  constructor(through?: Descriptor) {
    super();
    this.#through = through;
  }

  override write(data: string | Uint8Array): void | Promise<void> {
    const bytes = typeof data === "string" ? encode(data) : data;
    if (bytes.length > 0) this.chunks.push(bytes);
    try {
      return this.#through?.write(bytes);
    } catch {
      // Nobody reads the program's own output any more: what is collected is the result.
      this.#through = undefined;
      return undefined;
    }
  }

  protected override close(): void {
    this.#through?.release();
  }

  bytes(): Uint8Array<ArrayBuffer> {
    const { chunks } = this;
    return Buffer.concat(chunks);
  }

  /** All of it as text of the shell, without the newlines at its end. */
  text(): string {
    const text = decode(this.chunks.length === 1 ? this.chunks[0]! : this.bytes());
    let end = text.length;
    while (end > 0 && text[end - 1] === "\n") end--;
    return text.slice(0, end);
  }
}

/** Output into memory of the program, as much as there is room. */
class MemoryTarget extends Descriptor {
  #bytes: Uint8Array;
  #offset = 0;

  constructor(bytes: Uint8Array) {
    super();
    this.#bytes = bytes;
  }

  override write(data: string | Uint8Array): void {
    const bytes = typeof data === "string" ? encode(data) : data;
    const room = this.#bytes.length - this.#offset;
    const fitting = bytes.length > room ? bytes.subarray(0, room) : bytes;
    this.#bytes.set(fitting, this.#offset);
    this.#offset += fitting.length;
    // Whoever writes without an end (`yes`) has to learn that it is reached.
    if (bytes.length > room || this.#offset === this.#bytes.length) this.full = true;
    if (bytes.length > 0 && room === 0) throw new DescriptorError(EPIPE);
  }

  full = false;
}

/** Input out of bytes or a stream of the program. */
class InputSource extends Descriptor {
  #queue: Uint8Array[] = [];
  #reader: ReturnType<BytesStream["getReader"]> | undefined;

  constructor(from: Uint8Array | BytesStream) {
    super();
    if ("getReader" in from) this.#reader = from.getReader();
    else this.#queue.push(from);
  }

  override get holdsBytes(): boolean {
    return true;
  }

  override unread(bytes: Uint8Array): void {
    if (bytes.length > 0) this.#queue.unshift(bytes);
  }

  override async read(): Promise<Uint8Array | undefined> {
    for (;;) {
      const next = this.#queue.shift();
      if (next !== undefined && next.length > 0) return next;
      if (next !== undefined) continue;
      const result = await this.#reader?.read();
      if (result === undefined || result.done) return undefined;
      const { value } = result;
      if (typeof value === "string") return Buffer.from(value);
      if (ArrayBuffer.isView(value))
        return new Uint8Array(value.buffer as ArrayBuffer, value.byteOffset, value.byteLength);
      if (value instanceof ArrayBuffer) return new Uint8Array(value);
      throw new TypeError("A stream that is redirected into a command must give strings or bytes");
    }
  }

  protected override close(): void {
    void this.#reader?.cancel().catch(() => {});
  }
}

interface Writer {
  write(bytes: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

/** Output into a WritableStream of the program. */
class StreamTarget extends Descriptor {
  #writer: Writer;

  constructor(stream: { getWriter(): Writer }) {
    super();
    this.#writer = stream.getWriter();
  }

  override async write(data: string | Uint8Array): Promise<void> {
    await this.#writer.write(typeof data === "string" ? encode(data) : data);
  }

  protected override close(): void {
    this.#writer.close().catch(() => {});
  }
}

/** The two ends of a kernel pipe. */
export function makePipe(): { reader: FileDescriptor; writer: FileDescriptor } {
  const [errno, reader, writer] = child.pipePair();
  if (errno !== 0) throw new DescriptorError(errno);
  return { reader: new FileDescriptor(reader, true), writer: new FileDescriptor(writer, true) };
}

/** Opens a file. Ends with the errors of `fs.openSync`. */
export async function openFile(path: string, flags: number): Promise<FileDescriptor> {
  const place = nativePath(path);
  const status = new Float64Array(14);
  try {
    fs.statSync(place, status, 0);
  } catch {
    // It is to be made, or the open says why not.
  }
  // Opening a named pipe waits for its other end.
  const waits = (status[1]! & S_IFMT) === S_IFIFO;
  if (waits) return new FileDescriptor(await fs.open(place, flags, 0o666), true, true);
  return new FileDescriptor(fs.openSync(place, flags, 0o666), true);
}

/** The bytes of a view or buffer. */
export function viewOf(value: object): Uint8Array | undefined {
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer as ArrayBuffer, value.byteOffset, value.byteLength);
  if (value instanceof ArrayBuffer || value instanceof SharedArrayBuffer) return new Uint8Array(value as ArrayBuffer);
  return undefined;
}

export type { BytesStream, Writer };
export { Collector, Descriptor, DescriptorError, FileDescriptor, InputSource, MemoryTarget, StreamTarget };
