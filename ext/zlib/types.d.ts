// The types of node:zlib's options: https://nodejs.org/api/zlib.html#class-options

import type { StreamOptions } from "internal/streams/types";

/** Options of all streams of node:zlib; each kind of data looks at its own. */
export interface ZlibOptions extends Omit<StreamOptions, "flush"> {
  /** Kinds of flushes, for each chunk and for the last one. */
  flush?: number;
  finishFlush?: number;
  chunkSize?: number;
  maxOutputLength?: number;
  /** Makes functions that do everything at once give the stream, too. */
  info?: boolean;
  rejectGarbageAfterEnd?: boolean;
  /** Of deflate. */
  windowBits?: number | null;
  level?: number;
  memLevel?: number;
  strategy?: number;
  /** An ArrayBuffer or a view of one. */
  dictionary?: unknown;
  /** Of Brotli and Zstandard, by their numbers. */
  params?: { [key: string]: number | boolean };
  /** Of Zstandard: how much there will be. */
  pledgedSrcSize?: number;
}
