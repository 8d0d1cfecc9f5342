/** `FileReader`: https://w3c.github.io/FileAPI/#APIASynch. Programs of Node and Bun need none; libraries written for pages do. */
import { codes } from "internal/core/errors";
import { joined } from "internal/fetch/body";
import { type Blob, isBlob } from "web/blob";
import type { ReadableStream as WebReadable } from "internal/streams/webstreams/readable";
import { EventTarget, defineEventHandler, makeEnumerable } from "web/event_target";
import { ProgressEvent } from "web/events";

const EMPTY = 0,
  LOADING = 1,
  DONE = 2;
/** Least time between two progress events, in ms. */
const PROGRESS = 50;

type Kind = "ArrayBuffer" | "BinaryString" | "Text" | "DataURL";

function exception(message: string, name: string) {
  const { DOMException } = require("web/dom_exception");
  return new DOMException(message, name);
}

/** The encoding for a label, or undefined. */
function encodingOf(label: string): string | undefined {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}

/** Decodes as the standard's "decode" does: what a byte order mark says counts most, then `label`, then the type's charset. */
function decodeText(bytes: Uint8Array, type: string, label: string | undefined): string {
  let encoding =
    bytes[0] === 0xfe && bytes[1] === 0xff
      ? "utf-16be"
      : bytes[0] === 0xff && bytes[1] === 0xfe
        ? "utf-16le"
        : bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
          ? "utf-8"
          : undefined;
  if (encoding === undefined && label !== undefined) encoding = encodingOf(label);
  if (encoding === undefined && type !== "") {
    const { MIMEType } = require("internal/util/mime");
    const charset = MIMEType.parse(type)?.params.get("charset") ?? null;
    if (charset !== null) encoding = encodingOf(charset);
  }
  return new TextDecoder(encoding).decode(bytes);
}

function packaged(bytes: Uint8Array, kind: Kind, type: string, label: string | undefined): string | ArrayBuffer {
  if (kind === "ArrayBuffer") return bytes.buffer as ArrayBuffer;
  if (kind === "Text") return decodeText(bytes, type, label);
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (kind === "BinaryString") return buffer.latin1Slice();
  return `data:${type || "application/octet-stream"};base64,${buffer.base64Slice()}`;
}

const task = (): Promise<void> => new Promise((done) => void setImmediate(done));

class FileReader extends EventTarget {
  #state = EMPTY;
  #result: string | ArrayBuffer | null = null;
  #error: unknown = null;
  /** Of the read under way; another number ends it. */
  #turn = 0;

  /** Reads the blob into an ArrayBuffer. Throws InvalidStateError while another read is under way, as the other methods do. */
  readAsArrayBuffer(blob: unknown): void {
    this.#begin("readAsArrayBuffer", arguments.length, blob, "ArrayBuffer");
  }

  /** Reads the blob into a string of one character a byte. */
  readAsBinaryString(blob: unknown): void {
    this.#begin("readAsBinaryString", arguments.length, blob, "BinaryString");
  }

  /** Decodes the blob: by `encoding`, a label of the Encoding standard, else by the charset of its type, else as UTF-8. */
  readAsText(blob: unknown, encoding: unknown = undefined): void {
    this.#begin("readAsText", arguments.length, blob, "Text", encoding === undefined ? undefined : `${encoding}`);
  }

  /** Reads the blob into a `data:` URL in base64. */
  readAsDataURL(blob: unknown): void {
    this.#begin("readAsDataURL", arguments.length, blob, "DataURL");
  }

  /** Ends the read under way: events `abort` and `loadend`, result null. */
  abort(): void {
    const reading = this.#state === LOADING;
    this.#result = null;
    if (!reading) return;
    this.#state = DONE;
    this.#turn++;
    this.#fire("abort", 0, 0);
    if ((this.#state as number) !== LOADING) this.#fire("loadend", 0, 0);
  }

  get readyState(): number {
    return this.#state;
  }

  get result(): string | ArrayBuffer | null {
    return this.#result;
  }

  get error(): unknown {
    return this.#error;
  }

  #begin(method: string, given: number, blob: unknown, kind: Kind, label?: string): void {
    if (given === 0) throw new codes.ERR_MISSING_ARGS("blob");
    if (!isBlob(blob)) throw new TypeError(`FileReader.${method}: the argument is not a Blob`);
    if (this.#state === LOADING) throw exception("The reader is busy reading another blob", "InvalidStateError");
    this.#state = LOADING;
    this.#result = null;
    this.#error = null;
    void this.#read(++this.#turn, blob, kind, label);
  }

  async #read(turn: number, blob: Blob, kind: Kind, label: string | undefined): Promise<void> {
    const chunks: Uint8Array[] = [];
    const total = blob.size;
    let loaded = 0;
    let result: string | ArrayBuffer | null = null;
    let failure: unknown = null;
    let shown = 0;
    const reader = (blob.stream() as WebReadable).getReader();
    // Each event is a task of its own, and any listener may end this read.
    const step = async (name: string): Promise<boolean> => {
      await task();
      if (turn !== this.#turn) return false;
      this.#fire(name, loaded, total);
      return turn === this.#turn;
    };
    try {
      let started = false;
      while (true) {
        const { value, done } = await reader.read();
        if (turn !== this.#turn) return void reader.cancel().catch(() => {});
        if (!started && !(await step("loadstart"))) return void reader.cancel().catch(() => {});
        started = true;
        if (done) break;
        chunks.push(value as Uint8Array);
        loaded += (value as Uint8Array).byteLength;
        if (shown !== 0 && performance.now() - shown < PROGRESS) continue;
        shown = performance.now();
        if (!(await step("progress"))) return void reader.cancel().catch(() => {});
      }
      result = packaged(joined(chunks, loaded), kind, blob.type, label);
    } catch (error) {
      failure =
        (error as NodeError)?.name === "NotReadableError" || (error as NodeError)?.name === "NotFoundError"
          ? error
          : exception(
              (error as NodeError)?.message ?? "The blob could not be read",
              (error as NodeError)?.code === "ENOENT" ? "NotFoundError" : "NotReadableError",
            );
    }
    await task();
    if (turn !== this.#turn) return;
    this.#state = DONE;
    this.#result = result;
    this.#error = failure;
    this.#fire(failure === null ? "load" : "error", loaded, total);
    // In a page microtasks run between two events of one task.
    await task();
    if (turn === this.#turn) this.#fire("loadend", loaded, total);
  }

  #fire(name: string, loaded: number, total: number): void {
    this.dispatchEvent(
      new ProgressEvent(name, { lengthComputable: name !== "abort" && name !== "error", loaded, total }),
    );
  }
}

for (const [name, value] of Object.entries({ EMPTY, LOADING, DONE })) {
  const constant = { value, enumerable: true, writable: false, configurable: false };
  Object.defineProperty(FileReader, name, constant);
  Object.defineProperty(FileReader.prototype, name, constant);
}
makeEnumerable(
  FileReader.prototype,
  "readAsArrayBuffer",
  "readAsBinaryString",
  "readAsText",
  "readAsDataURL",
  "abort",
  "readyState",
  "result",
  "error",
);
Object.defineProperty(FileReader.prototype, Symbol.toStringTag, { value: "FileReader", configurable: true });
for (const name of ["loadstart", "progress", "load", "abort", "error", "loadend"])
  defineEventHandler(FileReader.prototype, name);

export { FileReader };
