/** Content codings of responses: gzip, deflate, br, zstd. */

const ops = native("zlib");
const NOTHING = new Uint8Array(0);
/** Bytes of a piece of output. */
const PIECE = 64 * 1024;
/** Up to this size, in bytes, a body is decoded on the calling thread. */
const SMALL = 128 * 1024;
const LIMIT = 2 ** 32;
const INFLATE = 2,
  GUNZIP = 4,
  INFLATE_RAW = 6;

/** The codings of a Content-Encoding in the order in which they are undone; undefined where one is unknown or there is none. */
export function codingsOf(value: string): string[] | undefined {
  const list: string[] = [];
  for (const part of value.split(",")) {
    const coding = part.trim().toLowerCase();
    if (coding === "" || coding === "identity") continue;
    if (coding === "gzip" || coding === "x-gzip") list.unshift("gzip");
    else if (coding === "deflate" || coding === "br" || coding === "zstd") list.unshift(coding);
    else return undefined;
    // Some servers would have a client allocate without end.
    if (list.length > 5) throw new Error("too many content-encodings in the chain");
  }
  return list.length === 0 ? undefined : list;
}

/** zlib.constants' mode for a coding whose data begins with `first`. */
function modeOf(coding: string, first: number): number {
  if (coding === "gzip") return GUNZIP;
  // The standard says zlib's format; many servers send the bare data.
  return (first & 15) === 8 ? INFLATE : INFLATE_RAW;
}

function open(coding: string, first: number): ArrayBuffer {
  if (coding === "br") return ops.openBrotli(false, [], NOTHING);
  if (coding === "zstd") return ops.openZstd(false, [], undefined, NOTHING);
  return ops.openZlib(modeOf(coding, first), 15, -1, 8, 0, false, NOTHING);
}

function failure(id: number): NodeError {
  const [message, errno, code] = ops.takeFailure(id)!;
  const error: NodeError = new Error(message);
  error.errno = errno;
  error.code = code;
  return error;
}

/** One coding undone piece by piece. */
export class Stage {
  #coding: string;
  #source: () => Uint8Array | undefined | null;
  #lifetime: ArrayBuffer | undefined = undefined;
  #id = 0;
  #input: Uint8Array | undefined = undefined;
  #offset = 0;
  /** There is output left of what was put in. */
  #more = false;
  #finished = false;

  /** @param source gives the next chunk, undefined where it has not come yet, null at the end */
  constructor(coding: string, source: () => Uint8Array | undefined | null) {
    this.#coding = coding;
    this.#source = source;
  }

  /** The next piece of output, undefined where that needs input that has not come yet, null at the end. */
  read(): Uint8Array | undefined | null {
    if (this.#finished) return null;
    for (;;) {
      let input = this.#input;
      let flush = 0;
      if (input === undefined && !this.#more) {
        const chunk = this.#source();
        if (chunk === undefined) return undefined;
        if (chunk !== null && chunk.byteLength === 0) continue;
        if (chunk === null) {
          // An empty body is fine, with or without a coding.
          if (this.#lifetime === undefined) {
            this.#finished = true;
            return null;
          }
          // What has not ended properly is an error now.
          flush = this.#coding === "br" || this.#coding === "zstd" ? 2 : 4;
        } else {
          this.#input = input = chunk;
          this.#offset = 0;
          if (this.#lifetime === undefined) {
            this.#lifetime = open(this.#coding, chunk[0]!);
            this.#id = new Uint32Array(this.#lifetime)[0]!;
          }
        }
      }
      const bytes = input ?? NOTHING;
      const left = bytes.byteLength - this.#offset * (input === undefined ? 0 : 1);
      const [output, after] = ops.stepSync(
        this.#id,
        flush,
        bytes,
        input === undefined ? 0 : this.#offset,
        left,
        PIECE,
        1,
      );
      if (after < 0) {
        const error = failure(this.#id);
        this.close();
        throw error;
      }
      this.#more = output.length === PIECE;
      if (input !== undefined) {
        this.#offset += left - after;
        // No output and nothing taken: what is left lies behind the end.
        if (after === 0 || (output.length === 0 && after === left)) this.#input = undefined;
      }
      if (output.length > 0) return output;
      if (flush !== 0) {
        this.close();
        return null;
      }
    }
  }

  close(): void {
    this.#finished = true;
    if (this.#lifetime === undefined) return;
    this.#lifetime = undefined;
    ops.closeStream(this.#id);
  }
}

/** A decoder for several codings. */
export function decoder(codings: string[], source: () => Uint8Array | undefined | null): Stage {
  let stage = new Stage(codings[0]!, source);
  for (let i = 1; i < codings.length; i++) {
    const before = stage;
    stage = new Stage(codings[i]!, () => before.read());
  }
  return stage;
}

/** Decodes all of a body: `done(bytes)` or `fail(error)`. */
export function decodeAll(
  bytes: Uint8Array,
  codings: string[],
  done: (bytes: Uint8Array) => void,
  fail: (error: NodeError) => void,
): void {
  const coding = codings[0]!;
  const isZlib = coding === "gzip" || coding === "deflate";
  const rest = codings.length > 1 ? (result: Uint8Array) => decodeAll(result, codings.slice(1), done, fail) : done;
  const slowly = () => {
    try {
      let input: Uint8Array | null = bytes;
      const stage = new Stage(coding, () => {
        const chunk = input;
        input = null;
        return chunk;
      });
      const pieces: Uint8Array[] = [];
      let length = 0;
      for (let piece = stage.read(); piece !== null && piece !== undefined; piece = stage.read()) {
        pieces.push(piece);
        length += piece.byteLength;
      }
      const all = new Uint8Array(length);
      let at = 0;
      for (const piece of pieces) {
        all.set(piece, at);
        at += piece.byteLength;
      }
      rest(all);
    } catch (error) {
      fail(error as NodeError);
    }
  };
  if (isZlib) {
    const mode = modeOf(coding, bytes[0]!);
    if (bytes.byteLength <= SMALL) {
      const result = ops.decompressSync(mode, LIMIT, bytes);
      if (result === undefined) slowly();
      else rest(result);
      return;
    }
    ops.decompress(mode, LIMIT, bytes, (error, result) => {
      if (error) fail(error);
      else if (result === undefined) slowly();
      else rest(result);
    });
    return;
  }
  const lifetime = open(coding, bytes[0]!);
  const id = new Uint32Array(lifetime)[0]!;
  const finish = (result: [Uint8Array, number]) => {
    const error = result[1] < 0 ? failure(id) : undefined;
    ops.closeStream(new Uint32Array(lifetime)[0]);
    if (error !== undefined) fail(error);
    else rest(result[0]);
  };
  if (bytes.byteLength <= SMALL) {
    finish(ops.allSync(id, 2, bytes, LIMIT));
    return;
  }
  ops.all(id, 2, bytes, LIMIT, (error, result) => {
    if (error) fail(error);
    else finish(result);
  });
}
