// respondWithFile() and respondWithFD(): a file's bytes as the body of an answer, as fast as the client takes them.

import fs from "node:fs";
import { codes } from "internal/core/errors";
import { GET_TRAILERS, INTERNAL_ERROR, kHandle, kSentHeaders, kSession, kState } from "internal/http/http2/symbols";
import { flags } from "internal/http/http2/stream";
import {
  assertValidPseudoHeaderResponse,
  headerText,
  type HeaderObject,
  kStrictSingleValueFields,
  NghttpError,
} from "internal/http/http2/util";
import type { Http2Stream as NativeStream } from "internal/http/http2/native";
import type { ServerHttp2Stream } from "internal/http/http2/stream";

/** What of a file is sent; -1 as a length stands for all that follows. */
interface Part {
  offset: number;
  length: number;
}

/** https://nodejs.org/api/http2.html#http2streamrespondwithfilepath-headers-options */
export interface FileOptions extends Partial<Part> {
  /** Looks at the file and may change what is sent; false where the program answers itself. */
  statCheck?(stat: Stats, headers: HeaderObject, part: Part): unknown;
  onError?(error: NodeError | null | undefined): void;
  waitForTrailers?: boolean;
  sendDate?: boolean;
}

/** What is of interest of a file's fs.Stats. */
interface Stats {
  size: number;
  isFile(): boolean;
  isDirectory(): boolean;
}

const CHUNK = 64 * 1024;

function closeFile(fd: number): void {
  fs.close(fd, () => {});
}

/** A file of the program's: it stays open. */
export function respondWithFd(
  stream: ServerHttp2Stream,
  fd: number,
  headers: HeaderObject,
  options: FileOptions,
): void {
  if (options.statCheck === undefined) {
    send(stream, fd, headers, options.offset ?? 0, options.length ?? -1, options);
    return;
  }
  fs.fstat(fd, (error: unknown, stat: Stats) => {
    if (error) {
      stream.destroy(error);
      return;
    }
    if (stream.destroyed || stream.closed) {
      stream.destroy(new codes.ERR_HTTP2_INVALID_STREAM());
      return;
    }
    const part = { offset: options.offset ?? 0, length: options.length ?? -1 };
    if (options.statCheck!.call(stream, stat, headers, part) === false || stream.headersSent) return;
    send(stream, fd, headers, part.offset | 0, part.length | 0, options);
  });
}

/** A file that is opened here, and closed. */
export function respondWithFile(
  stream: ServerHttp2Stream,
  path: string,
  headers: HeaderObject,
  options: FileOptions,
): void {
  const fail = (error: NodeError | null | undefined) => {
    if (options.onError) options.onError(error);
    else stream.destroy(error);
  };
  fs.open(path, "r", (error: NodeError, fd: number) => {
    if (error) {
      fail(error);
      return;
    }
    if (stream.destroyed || stream.closed) {
      closeFile(fd);
      return;
    }
    stream[kState].fd = fd;
    fs.fstat(fd, (error: NodeError, stat: Stats) => {
      if (error) {
        closeFile(fd);
        fail(error);
        return;
      }
      const regular = stat.isFile();
      if (!regular) {
        const folder = stat.isDirectory();
        if (options.offset !== undefined || options.length !== undefined || folder) {
          closeFile(fd);
          fail(folder ? new codes.ERR_HTTP2_SEND_FILE() : new codes.ERR_HTTP2_SEND_FILE_NOSEEK());
          return;
        }
        // From where it is to its end.
        options.offset = -1;
        options.length = -1;
      }
      if (stream.destroyed || stream.closed) {
        closeFile(fd);
        stream.destroy(new codes.ERR_HTTP2_INVALID_STREAM());
        return;
      }
      const part = { offset: options.offset ?? 0, length: options.length ?? -1 };
      if (options.statCheck?.call(stream, stat, headers, part) === false || stream.headersSent) {
        closeFile(fd);
        return;
      }
      if (regular) {
        const rest = stat.size - Number(part.offset);
        part.length = part.length < 0 ? rest : Math.min(rest, part.length);
        headers["content-length"] = part.length;
      }
      send(stream, fd, headers, options.offset! | 0, part.length | 0, options);
    });
  });
}

function send(
  stream: ServerHttp2Stream,
  fd: number,
  headers: HeaderObject,
  offset: number,
  length: number,
  options: FileOptions,
): void {
  const state = stream[kState];
  state.flags |= flags.HEADERS_SENT;
  let text: string;
  try {
    text = headerText(headers, assertValidPseudoHeaderResponse, stream[kSession]![kStrictSingleValueFields]);
  } catch (error) {
    if (stream.ownsFd) closeFile(fd);
    stream.destroy(error);
    return;
  }
  stream[kSentHeaders] = headers;
  // For the program the stream is written; what follows goes past it.
  (stream as { _final: unknown })._final = null;
  stream.end();
  const handle = stream[kHandle]!;
  const result = handle.respond(text, options.waitForTrailers ? GET_TRAILERS : 0);
  if (result < 0) {
    if (stream.ownsFd) closeFile(fd);
    stream.destroy(new NghttpError(result));
    return;
  }
  pump(stream, handle, fd, offset, length);
}

function pump(stream: ServerHttp2Stream, handle: NativeStream, fd: number, offset: number, length: number): void {
  const state = stream[kState];
  const session = stream[kSession]!;
  // A time of silence is none while a file is on its way.
  state.writeQueueSize++;
  session[kState].writeQueueSize++;
  let position = offset;
  let left = length;
  let buffer: Buffer | undefined;
  const finish = () => {
    if (stream.ownsFd) closeFile(fd);
    if (!stream.destroyed) {
      state.writeQueueSize--;
      session[kState].writeQueueSize--;
    }
  };
  const next = () => {
    if (stream.destroyed) {
      finish();
      return;
    }
    const want = left < 0 ? CHUNK : Math.min(left, CHUNK);
    if (want === 0) {
      finish();
      handle.shutdown();
      return;
    }
    buffer ??= Buffer.allocUnsafeSlow(want);
    fs.read(fd, buffer, 0, want, position < 0 ? null : position, (error: unknown, count: number) => {
      if (error) {
        finish();
        if (!stream.destroyed) stream.close(INTERNAL_ERROR);
        return;
      }
      if (stream.destroyed) {
        finish();
        return;
      }
      if (count === 0) {
        finish();
        handle.shutdown();
        return;
      }
      if (position >= 0) position += count;
      if (left >= 0) left -= count;
      // The end goes with the last piece.
      const last = left === 0;
      handle.write(buffer!.subarray(0, count), false, last, () => {
        if (last) finish();
        else next();
      });
    });
  };
  next();
}
