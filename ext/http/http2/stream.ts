// Http2Stream and its two kinds (https://nodejs.org/api/http2.html#class-http2stream).

import streams from "node:stream";
import { asyncContext, callInContext, captureContext } from "internal/events/async_context";
import { FastBuffer } from "internal/buffer/base";
import { AbortError, aggregateTwoErrors, codes } from "internal/core/errors";
import { utcDate } from "internal/http/common";
import { nameForErrorCode } from "internal/http/http2/constants";
import {
  CANCEL,
  EMPTY_PAYLOAD,
  GET_TRAILERS,
  INTERNAL_ERROR,
  kHandle,
  kID,
  kInfoHeaders,
  kMaybeDestroy,
  kOrigin,
  kRawHeaders,
  kSentHeaders,
  kSentTrailers,
  kSession,
  kState,
  kType,
  kUpdateTimer,
  NO_ERROR,
  setStreamTimeout,
  streamChannels,
  timedOut,
} from "internal/http/http2/symbols";
import {
  assertIsObject,
  assertValidPseudoHeader,
  assertValidPseudoHeaderResponse,
  assertValidPseudoHeaderTrailer,
  getAuthority,
  type HeaderList,
  type HeaderObject,
  headerText,
  kAuthority,
  kProtocol,
  kProxySocket,
  kRequest,
  kSensitiveHeaders,
  kStrictSingleValueFields,
  NghttpError,
  SESSION_CLIENT,
  SESSION_SERVER,
} from "internal/http/http2/util";
import { kTimeout } from "internal/core/timers";
import { customInspectSymbol, deprecate, kEmptyObject } from "internal/core/util";
import { validateFunction, validateInteger } from "internal/core/validators";
import type { Timeout } from "internal/core/timers";
import type { FileOptions } from "internal/http/http2/file";
import type { Http2Stream as NativeStream } from "internal/http/http2/native";
import type { Http2Session } from "internal/http/http2/session";
import type { Http2ServerRequest } from "internal/http/http2/compat";
import type { Chunk, Done, Socket, Streams } from "internal/http/types";

/** Bits of a stream's state. */
export const flags = { READY: 1, CLOSED: 2, HEADERS_SENT: 4, HEAD_REQUEST: 8, ABORTED: 16, HAS_TRAILERS: 32 };

export const kInit = Symbol("init");
const kProceed = Symbol("proceed");
const kContext = Symbol("context");
const kStartFile = Symbol("start-file");

/** How a stream that is closed tells the other side. */
const NO_RESET = 0;
const RESET = 1;
const FORCE_RESET = 2;

const MAX_UINT32 = 4294967295;

function channelsOf(stream: Http2Stream) {
  return streamChannels()[stream[kSession]![kType] === SESSION_CLIENT ? "client" : "server"];
}

function close(stream: Http2Stream, code: number, how: number): void {
  // Events on the way may destroy the stream, which has no session then.
  const { close: channel } = channelsOf(stream);
  const state = stream[kState];
  state.flags |= flags.CLOSED;
  state.rstCode = code;
  stream.setTimeout(0);
  stream.removeAllListeners("timeout");
  const { ending } = stream._writableState;
  if (!ending) {
    // Whoever was still writing learns of it.
    if ((state.flags & flags.ABORTED) === 0) {
      state.flags |= flags.ABORTED;
      stream.emit("aborted");
    }
    stream.end();
  }
  if (how !== NO_RESET) {
    const reset = () => {
      if (stream.pending) {
        // There is no number yet that could be reset.
        stream.push(null);
        stream.once("ready", () => stream[kHandle]?.rstStream(code));
      } else {
        stream[kHandle]?.rstStream(code);
      }
    };
    if (!ending || stream.writableFinished || code !== NO_ERROR || how === FORCE_RESET) reset();
    else stream.once("finish", reset);
  }
  if (channel.hasSubscribers) channel.publish({ stream });
}

/** What the channel of sent chunks carries: for several, the buffers, or the pieces with their encodings if a string is among them. */
function publishedData(chunk: Chunk, many: Piece[] | undefined): unknown {
  if (many === undefined) return chunk;
  return many.some((piece) => typeof piece.chunk === "string") ? many : many.map((piece) => piece.chunk);
}

/** A write is over when the handle has passed it on and it is known whether it was the last one. */
function writeStep(stream: Http2Stream, error: NodeError | null | undefined): void {
  const state = stream[kState];
  if (error) state.writeError = state.writeError ? aggregateTwoErrors(state.writeError, error) : error;
  if (--state.writeWaits > 0) return;
  const { writeCallback, writeError } = state;
  state.writeCallback = undefined;
  if (writeError) stream.destroy(writeError);
  writeCallback?.(writeError);
}

function checkEnd(stream: Http2Stream): void {
  const state = stream[kState];
  const { ending, buffered } = stream._writableState;
  if (!state.writeError && ending && buffered.length === 0 && (state.flags & flags.HAS_TRAILERS) === 0)
    shutDown(stream, undefined);
  writeStep(stream, null);
}

function onPause(this: Http2Stream): void {
  if (!this.destroyed && !this.pending) this[kHandle]!.readStop();
}

function startReading(this: Http2Stream): void {
  if (!this.destroyed) this[kHandle]!.readStart();
}

/** Ends the writing side: at once, as far as the program is concerned. */
function shutDown(stream: Http2Stream, callback: Done | undefined): void {
  const handle = stream[kHandle];
  const state = stream[kState];
  if (handle !== undefined && !state.shut) {
    state.shut = true;
    handle.shutdown();
    stream.on("finish", maybeDestroy);
  }
  callback?.();
}

function maybeDestroy(this: Http2Stream): void {
  this[kMaybeDestroy]();
}

const kStreamOptions = { allowHalfOpen: true, decodeStrings: false, autoDestroy: false };

/** A part of several that are written together. */
interface Piece {
  chunk: Chunk;
  encoding: string;
}

/** The state of a stream. */
interface StreamState {
  /** Somebody has begun to read. */
  didRead: boolean;
  /** Bits of `flags`. */
  flags: number;
  rstCode: number;
  writeQueueSize: number;
  trailersReady: boolean;
  endAfterHeaders: boolean;
  /** The end of the writing side has been passed on. */
  shut: boolean;
  /** The file that is being sent. */
  fd: number;
  writeCallback: Done | undefined;
  writeSize: number;
  writeError: NodeError | null | undefined;
  /** What the write under way still waits for. */
  writeWaits: number;
}

export class Http2Stream extends (streams as Streams).Duplex {
  /** Undefined when the stream is destroyed, as the handle, which is missing before there is a number, too. */
  declare [kSession]: Http2Session | undefined;
  declare [kHandle]: NativeStream | undefined;
  declare [kID]: number | undefined;
  declare [kTimeout]: Timeout | null;
  declare timeout?: number;
  declare [kState]: StreamState;
  /** The request of the compatibility layer. */
  declare [kRequest]: Http2ServerRequest | null | undefined;
  /** What stands for the socket there. */
  declare [kProxySocket]: Socket | null;
  declare [kContext]: unknown;
  declare [kRawHeaders]: HeaderList | undefined;
  declare [kSentHeaders]: HeaderObject | undefined;
  declare [kSentTrailers]: HeaderObject | undefined;
  declare [kInfoHeaders]: HeaderObject[] | undefined;
  /** Of clients: where the request goes. */
  declare [kOrigin]: string;
  declare setTimeout: (msecs: number, callback?: () => void) => this;
  /** Sends the head that is missing; of servers. */
  declare [kProceed]: () => void;

  constructor(session: Http2Session) {
    super(kStreamOptions);
    const self = this;
    // Nothing is written before there is a handle.
    this.cork();
    self[kSession] = session;
    session[kState].pendingStreams.add(this);
    // Somebody has to ask before anything is read.
    this._readableState.readingMore = true;
    self[kTimeout] = null;
    self[kState] = {
      didRead: false,
      flags: 0,
      rstCode: NO_ERROR,
      writeQueueSize: 0,
      trailersReady: false,
      endAfterHeaders: false,
      shut: false,
      fd: -1,
      // Of the write under way.
      writeCallback: undefined,
      writeSize: 0,
      writeError: undefined,
      writeWaits: 0,
    };
    self[kRequest] = null;
    self[kProxySocket] = null;
    this.on("pause", onPause);
  }

  [kUpdateTimer](): void {
    if (this.destroyed) return;
    if (this[kTimeout]) this[kTimeout].refresh();
    if (this[kSession]) this[kSession][kUpdateTimer]();
  }

  /** The stream has its number. */
  [kInit](id: number, handle: NativeStream): void {
    this[kState].flags |= flags.READY;
    const { pendingStreams, streams } = this[kSession]![kState];
    pendingStreams.delete(this);
    streams.set(id, this);
    this[kID] = id;
    this[kHandle] = handle;
    handle.owner = this;
    this.uncork();
    this.emit("ready");
  }

  // ---- called by native code

  receivedData(bytes: ArrayBuffer): void {
    if (this.destroyed) return;
    this[kUpdateTimer]();
    if (!this.push(new FastBuffer(bytes)) && this[kHandle] !== undefined) this[kHandle].readStop();
  }

  receivedEnd(): void {
    if (!this.destroyed) this.push(null);
  }

  emitHeaders(event: string, headers: HeaderObject, wire: number, list: string[]): void {
    const context = this[kContext];
    if (asyncContext.active && context !== undefined) {
      callInContext(context, process.nextTick, process, [emitOn, this, event, headers, wire, list]);
    } else {
      process.nextTick(emitOn, this, event, headers, wire, list);
    }
  }

  rememberContext(): void {
    this[kContext] = captureContext();
  }

  wantTrailers(): void {
    this[kState].trailersReady = true;
    if (this.destroyed || this.closed) return;
    if (!this.emit("wantTrailers")) this.sendTrailers({});
  }

  /** Whether the stream has come to a good end, and only its reader is behind. */
  hasRest(): boolean {
    return (
      this.closed &&
      this.rstCode === NO_ERROR &&
      this[kHandle] !== undefined &&
      !this[kHandle].open &&
      this.readableLength > 0
    );
  }

  /** The protocol is done with the stream. False where nobody had to hear of it. */
  handleClosed(code: number): boolean {
    if (this.destroyed) return false;
    if (!this.closed) close(this, code, NO_RESET);
    this[kState].fd = -1;
    if (!this.readable || code !== NO_ERROR) {
      this.destroy();
      return true;
    }
    // What has come is still to be read.
    this.on("end", maybeDestroy);
    this.push(null);
    if (this[kSession]![kType] === SESSION_SERVER && !this[kState].didRead && this.readableFlowing === null)
      this.resume();
    else this.read(0);
    return true;
  }

  // ---- what programs see

  [customInspectSymbol](depth: unknown): unknown {
    if (typeof depth === "number" && depth < 0) return this;
    const { format } = require("node:util");
    return `Http2Stream ${format({
      id: this[kID] || "<pending>",
      closed: this.closed,
      destroyed: this.destroyed,
      state: this.state,
      readableState: this._readableState,
      writableState: this._writableState,
    })}`;
  }

  get bufferSize(): number {
    return this[kState].writeQueueSize + this.writableLength;
  }

  get endAfterHeaders(): boolean {
    return this[kState].endAfterHeaders;
  }

  get sentHeaders(): HeaderObject | undefined {
    const self = this;
    const raw = self[kRawHeaders];
    if (self[kSentHeaders] || !raw) return self[kSentHeaders];
    const out: HeaderObject = Object.create(null);
    for (let i = 0; i < raw.length; i += 2) {
      const known = out[raw[i] as string];
      if (known === undefined) out[raw[i] as string] = raw[i + 1];
      else if (Array.isArray(known)) known.push(raw[i + 1] as string);
      else out[raw[i] as string] = [known, raw[i + 1]] as string[];
    }
    if (raw[kSensitiveHeaders] !== undefined) out[kSensitiveHeaders] = raw[kSensitiveHeaders];
    return (self[kSentHeaders] = out);
  }

  get sentTrailers(): HeaderObject | undefined {
    return this[kSentTrailers];
  }

  get sentInfoHeaders(): HeaderObject[] | undefined {
    return this[kInfoHeaders];
  }

  get pending(): boolean {
    return this[kID] === undefined;
  }

  get id(): number | undefined {
    return this[kID];
  }

  get session(): Http2Session | undefined {
    return this[kSession];
  }

  _onTimeout(): void {
    timedOut(this, this[kSession]!);
  }

  get headersSent(): boolean {
    return (this[kState].flags & flags.HEADERS_SENT) !== 0;
  }

  get aborted(): boolean {
    return (this[kState].flags & flags.ABORTED) !== 0;
  }

  get headRequest(): boolean {
    return (this[kState].flags & flags.HEAD_REQUEST) !== 0;
  }

  get rstCode(): number {
    return this[kState].rstCode;
  }

  get closed(): boolean {
    return (this[kState].flags & flags.CLOSED) !== 0;
  }

  get state() {
    const self = this;
    if (this.destroyed || self[kID] === undefined) return {};
    const list = self[kHandle]!.state();
    return {
      state: list[0],
      weight: list[1],
      sumDependencyWeight: list[2],
      localClose: list[3],
      remoteClose: list[4],
      localWindowSize: list[5],
    };
  }

  /** The handle has passed on what was written last. */
  chunkWritten(error: NodeError | null | undefined): void {
    const state = this[kState];
    if (!this.destroyed) {
      state.writeQueueSize -= state.writeSize;
      this[kSession]![kState].writeQueueSize -= state.writeSize;
    }
    writeStep(this, error);
  }

  /** Writes one chunk, or several that were corked. */
  put(chunk: Chunk, latin1: boolean, many: Piece[] | undefined, encoding: string | undefined, cb: Done): void {
    if (this.pending) {
      this.once("ready", () => this.put(chunk, latin1, many, encoding, cb));
      return;
    }
    if (this.destroyed) return;
    this[kUpdateTimer]();
    if (!this.headersSent) this[kProceed]();
    // The head could not be sent.
    if (this.destroyed) return;
    const size = (chunk as Uint8Array).byteLength ?? chunk.length;
    const state = this[kState];
    const session = this[kSession]!;
    const handle = session[kHandle];
    state.writeQueueSize += size;
    session[kState].writeQueueSize += size;
    if (handle !== undefined) handle.chunksSentSinceLastWrite = 0;

    // The last chunk is sent together with the end of the stream: whether it is the last one is known a tick later.
    const ws = this._writableState;
    const last = ws.ending && ws.buffered.length === 0 && !state.shut && (state.flags & flags.HAS_TRAILERS) === 0;
    state.writeCallback = cb;
    state.writeSize = size;
    state.writeError = undefined;
    if (last) {
      state.shut = true;
      this.on("finish", maybeDestroy);
      state.writeWaits = 1;
    } else {
      state.writeWaits = 2;
      process.nextTick(checkEnd, this);
    }
    this[kHandle]!.write(chunk, latin1, last, this);
    if (session[kType] === SESSION_CLIENT) {
      const { bodyChunkSent } = streamChannels().client;
      if (bodyChunkSent.hasSubscribers)
        bodyChunkSent.publish({ stream: this, writev: many !== undefined, data: publishedData(chunk, many), encoding });
    }
  }

  _write(chunk: Chunk, encoding: string | undefined, cb: Done): void {
    if (typeof chunk === "string") {
      switch (encoding) {
        case "utf8":
        case "utf-8":
        case undefined:
        case null:
        case "":
          break;
        case "latin1":
        case "binary":
        case "ascii":
          this.put(chunk, true, undefined, encoding, cb);
          return;
        default:
          chunk = Buffer.from(chunk, encoding);
      }
    }
    this.put(chunk, false, undefined, encoding, cb);
  }

  _writev(list: Piece[], cb: Done): void {
    const chunks = list.map(({ chunk, encoding }) =>
      typeof chunk === "string" ? Buffer.from(chunk, encoding) : chunk,
    );
    this.put(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks), false, list, "", cb);
  }

  _final(cb: Done): void {
    if (this.pending) {
      this.once("ready", () => this._final(cb));
      return;
    }
    shutDown(this, cb);
    if (this[kSession]?.[kType] === SESSION_CLIENT) {
      const { bodySent } = streamChannels().client;
      if (bodySent.hasSubscribers) bodySent.publish({ stream: this });
    }
  }

  _read(): void {
    if (this.destroyed) {
      this.push(null);
      return;
    }
    const state = this[kState];
    if (!state.didRead) {
      this._readableState.readingMore = false;
      state.didRead = true;
    }
    if (this.pending) this.once("ready", startReading);
    else startReading.call(this);
  }

  sendTrailers(headers: HeaderObject): void {
    if (this.destroyed || this.closed) throw new codes.ERR_HTTP2_INVALID_STREAM();
    if (this[kSentTrailers]) throw new codes.ERR_HTTP2_TRAILERS_ALREADY_SENT();
    if (!this[kState].trailersReady) throw new codes.ERR_HTTP2_TRAILERS_NOT_READY();
    assertIsObject(headers, "headers");
    headers = Object.assign(Object.create(null), headers);
    this[kUpdateTimer]();
    const text = headerText(headers, assertValidPseudoHeaderTrailer, this[kSession]![kStrictSingleValueFields]);
    this[kSentTrailers] = headers;
    setImmediate(() => {
      if (this.destroyed) return;
      this[kState].flags &= ~flags.HAS_TRAILERS;
      const result = this[kHandle]!.trailers(text);
      if (result < 0) this.destroy(new NghttpError(result));
      else this[kMaybeDestroy]();
    });
  }

  close(code: number = NO_ERROR, callback?: () => void): void {
    validateInteger(code, "code", 0, MAX_UINT32);
    if (callback !== undefined) validateFunction(callback, "callback");
    if (this.closed) return;
    if (callback !== undefined) this.once("close", callback);
    close(this, code, RESET);
  }

  _destroy(error: NodeError | null | undefined, callback: Done): void {
    const session = this[kSession]!;
    const handle = this[kHandle];
    const state = this[kState];
    const sessionState = session[kState];
    const sessionCode = sessionState.goawayCode || sessionState.destroyCode;
    // A stream that came to a good end is not spoilt by what happens to its session afterwards.
    let code = this.closed ? this.rstCode : sessionCode;
    if (error != null) code = sessionCode || (error instanceof AbortError ? CANCEL : INTERNAL_ERROR);
    if (!this.closed) close(this, code, handle !== undefined ? FORCE_RESET : NO_RESET);
    this.push(null);
    if (handle !== undefined) {
      handle.destroy();
      sessionState.streams.delete(this[kID]!);
    } else {
      sessionState.pendingStreams.delete(this);
    }
    sessionState.writeQueueSize -= state.writeQueueSize;
    state.writeQueueSize = 0;
    // CANCEL is how a client says that it has lost interest; "aborted" has told so.
    if (error == null && code !== NO_ERROR && code !== CANCEL)
      error = new codes.ERR_HTTP2_STREAM_ERROR(nameForErrorCode[code] || code);
    const channels = error ? channelsOf(this) : undefined;
    this[kSession] = undefined;
    this[kHandle] = undefined;
    setImmediate(() => session[kMaybeDestroy]());
    if (channels?.error.hasSubscribers) channels.error.publish({ stream: this, error });
    callback(error);
  }

  /** Destroys a stream that is over on both sides. */
  [kMaybeDestroy](code: unknown = NO_ERROR): void {
    if (code !== NO_ERROR) {
      this.destroy();
      return;
    }
    if (!this.writableFinished) return;
    if (!this.readable && this.closed) {
      this.destroy();
      return;
    }
    // A server that has answered and never looked at the request's body is done with it. Promises that were made meanwhile go first.
    const state = this[kState];
    if (
      this.headersSent &&
      this[kSession]?.[kType] === SESSION_SERVER &&
      (state.flags & flags.HAS_TRAILERS) === 0 &&
      !state.didRead &&
      this.readableFlowing === null
    ) {
      setImmediate(closeLater, this);
    }
  }
}

function closeLater(stream: Http2Stream): void {
  stream.close();
}

function emitOn(stream: Http2Stream, event: string, headers: unknown, wire: number, list: string[]): void {
  stream.emit(event, headers, wire, list);
}

Object.defineProperty(Http2Stream.prototype, "setTimeout", {
  configurable: true,
  enumerable: true,
  writable: true,
  value: setStreamTimeout,
});
(Http2Stream.prototype as { priority?: unknown }).priority = deprecate(
  function priority(this: Http2Stream) {
    if (this.destroyed) throw new codes.ERR_HTTP2_INVALID_STREAM();
  },
  "http2Stream.priority is longer supported after priority signalling was deprecated in RFC 9113",
  "DEP0194",
);

// ---------------------------------------------------------------------------------------------------------------------
// Servers

/** Options of an answer. */
interface RespondOptions {
  endStream?: boolean;
  waitForTrailers?: boolean;
  /** True unless it says otherwise. */
  sendDate?: boolean;
}

/** Statuses whose answers have no body. */
function isBodyless(status: number): boolean {
  return status === 204 || status === 205 || status === 304;
}

function checkResponse(headers: HeaderObject | HeaderList, status: number): void {
  if (status < 200 || status > 599) throw new codes.ERR_HTTP2_STATUS_INVALID(status);
  const sensitive = headers[kSensitiveHeaders];
  if (sensitive !== undefined && !Array.isArray(sensitive)) {
    throw new codes.ERR_INVALID_ARG_VALUE("headers[http2.neverIndex]", sensitive);
  }
}

function responseFromObject(given: HeaderObject | null | undefined, options: RespondOptions) {
  assertIsObject(given, "headers", ["Object", "Array"]);
  const headers: HeaderObject = Object.create(null);
  if (given !== undefined && given !== null) {
    for (const key in given) if (Object.hasOwn(given, key)) headers[key] = given[key];
    headers[kSensitiveHeaders] = given[kSensitiveHeaders];
  }
  const status = (headers[":status"] = headers[":status"]! | 0 || 200);
  if (options.sendDate == null || options.sendDate) headers.date ??= utcDate();
  checkResponse(headers, status);
  return { headers, status };
}

function responseFromArray(headers: HeaderList, options: RespondOptions) {
  let status = 0;
  let dated = false;
  for (let i = 0; i < headers.length; i += 2) {
    const name = (headers[i] as string).toLowerCase();
    if (name === ":status") status = (headers[i + 1] as number) | 0;
    else if (name === "date") dated = true;
  }
  if (!status) headers.unshift(":status", (status = 200));
  if (!dated && (options.sendDate == null || options.sendDate)) headers.push("date", utcDate());
  checkResponse(headers, status);
  return { headers, status };
}

/** What a push leads to. */
type Pushed = (error: NodeError | null, stream?: ServerHttp2Stream, headers?: HeaderObject, flags?: number) => void;

export class ServerHttp2Stream extends Http2Stream {
  declare [kProtocol]: string | undefined;
  declare [kAuthority]: string | undefined;
  /** Whether the file that is sent is to be closed. */
  declare ownsFd: boolean;

  constructor(session: Http2Session, handle: NativeStream, id: number, headers: HeaderObject) {
    super(session);
    const self = this;
    self[kInit](id, handle);
    self[kProtocol] = headers[":scheme"];
    self[kAuthority] = getAuthority(headers);
  }

  get pushAllowed(): boolean {
    const session = this[kSession]!;
    return (
      !this.destroyed && !this.closed && !session.closed && !session.destroyed && session.remoteSettings.enablePush!
    );
  }

  pushStream(headers: HeaderObject, options?: { endStream?: boolean } | Pushed, callback?: Pushed): void {
    if (!this.pushAllowed) throw new codes.ERR_HTTP2_PUSH_DISABLED();
    if (this[kID]! % 2 === 0) throw new codes.ERR_HTTP2_NESTED_PUSH();
    const session = this[kSession]!;
    this[kUpdateTimer]();
    if (typeof options === "function") {
      callback = options;
      options = undefined;
    }
    validateFunction(callback, "callback");
    assertIsObject(options, "options");
    options = { ...options };
    options.endStream = Boolean(options.endStream);
    assertIsObject(headers, "headers");
    headers = Object.assign(Object.create(null), headers);
    if (headers[":method"] === undefined) headers[":method"] = "GET";
    if (getAuthority(headers) === undefined) headers[":authority"] = this[kAuthority];
    if (headers[":scheme"] === undefined) headers[":scheme"] = this[kProtocol];
    if (headers[":path"] === undefined) headers[":path"] = "/";
    const head = headers[":method"] === "HEAD";
    if (head) options.endStream = true;
    const text = headerText(headers, assertValidPseudoHeader, session[kStrictSingleValueFields]);
    const result = this[kHandle]!.pushPromise(text, options.endStream ? EMPTY_PAYLOAD : 0);
    if (typeof result === "number") {
      const error =
        result === -509
          ? new codes.ERR_HTTP2_OUT_OF_STREAMS()
          : result === -510
            ? new codes.ERR_HTTP2_INVALID_STREAM()
            : new NghttpError(result);
      process.nextTick(callback, error);
      return;
    }
    const stream = new ServerHttp2Stream(session, result, result.id(), headers);
    stream[kSentHeaders] = headers;
    stream.push(null);
    if (options.endStream) stream.end();
    if (head) stream[kState].flags |= flags.HEAD_REQUEST;
    const channels = streamChannels().server;
    process.nextTick(() => {
      if (channels.start.hasSubscribers) channels.start.publish({ stream, headers });
      callback!(null, stream, headers, 0);
    });
    if (channels.created.hasSubscribers) channels.created.publish({ stream, headers });
  }

  respond(given?: HeaderObject | HeaderList, options?: RespondOptions): void {
    if (this.destroyed || this.closed) throw new codes.ERR_HTTP2_INVALID_STREAM();
    if (this.headersSent) throw new codes.ERR_HTTP2_HEADERS_SENT();
    const state = this[kState];
    if (options !== undefined) assertIsObject(options, "options");
    options ??= kEmptyObject;
    this[kUpdateTimer]();
    let bits = options!.endStream ? EMPTY_PAYLOAD : 0;
    if (options!.waitForTrailers) {
      bits |= GET_TRAILERS;
      state.flags |= flags.HAS_TRAILERS;
    }
    const many = Array.isArray(given);
    const { headers, status } = many ? responseFromArray(given, options!) : responseFromObject(given, options!);
    this[(many ? kRawHeaders : kSentHeaders) as typeof kSentHeaders] = headers as HeaderObject;
    const text = headerText(headers, assertValidPseudoHeaderResponse, this[kSession]![kStrictSingleValueFields]);
    state.flags |= flags.HEADERS_SENT;
    if (options!.endStream || isBodyless(status) || this.headRequest) {
      bits |= EMPTY_PAYLOAD;
      this.end();
    }
    const result = this[kHandle]!.respond(text, bits);
    if (result < 0) {
      this.destroy(new NghttpError(result));
      return;
    }
    const { finish } = streamChannels().server;
    if (finish.hasSubscribers) finish.publish({ stream: this, headers, flags: state.flags });
  }

  respondWithFD(fd: number | { fd: number; stat: unknown }, headers?: HeaderObject, options?: FileOptions): void {
    options = this[kStartFile](options);
    if (typeof fd === "object" && fd !== null && typeof fd.fd === "number" && typeof fd.stat === "function") fd = fd.fd;
    else if (typeof fd !== "number") throw new codes.ERR_INVALID_ARG_TYPE("fd", ["number", "FileHandle"], fd);
    this[kUpdateTimer]();
    this.ownsFd = false;
    const prepared = this.fileHeaders(headers, options);
    require("internal/http/http2/file").respondWithFd(this, fd, prepared, options);
  }

  respondWithFile(path: string, headers?: HeaderObject, options?: FileOptions): void {
    options = this[kStartFile](options);
    this[kUpdateTimer]();
    this.ownsFd = true;
    const prepared = this.fileHeaders(headers, options);
    require("internal/http/http2/file").respondWithFile(this, path, prepared, options);
  }

  [kStartFile](options: FileOptions | undefined): FileOptions {
    if (this.destroyed || this.closed) throw new codes.ERR_HTTP2_INVALID_STREAM();
    if (this.headersSent) throw new codes.ERR_HTTP2_HEADERS_SENT();
    assertIsObject(options, "options");
    options = { ...options };
    for (const [name, type] of [
      ["offset", "number"],
      ["length", "number"],
      ["statCheck", "function"],
    ] as const) {
      if (options![name] !== undefined && typeof options![name] !== type)
        throw new codes.ERR_INVALID_ARG_VALUE(`options.${name}`, options![name]);
    }
    if (options.waitForTrailers) this[kState].flags |= flags.HAS_TRAILERS;
    return options;
  }

  fileHeaders(given: HeaderObject | undefined, options: RespondOptions): HeaderObject {
    const { headers, status } = responseFromObject(given, options);
    if (isBodyless(status) || this.headRequest) throw new codes.ERR_HTTP2_PAYLOAD_FORBIDDEN(status);
    return headers;
  }

  additionalHeaders(headers: HeaderObject): void {
    if (this.destroyed || this.closed) throw new codes.ERR_HTTP2_INVALID_STREAM();
    if (this.headersSent) throw new codes.ERR_HTTP2_HEADERS_AFTER_RESPOND();
    assertIsObject(headers, "headers");
    headers = Object.assign(Object.create(null), headers);
    if (headers[":status"] != null) {
      const status = (headers[":status"] |= 0);
      if (status === 101) throw new codes.ERR_HTTP2_STATUS_101();
      if (status < 100 || status >= 200) throw new codes.ERR_HTTP2_INVALID_INFO_STATUS(status);
    }
    this[kUpdateTimer]();
    const text = headerText(headers, assertValidPseudoHeaderResponse, this[kSession]![kStrictSingleValueFields]);
    (this[kInfoHeaders] ??= []).push(headers);
    const result = this[kHandle]!.info(text);
    if (result < 0) this.destroy(new NghttpError(result));
  }
}
ServerHttp2Stream.prototype[kProceed] = ServerHttp2Stream.prototype.respond;

// ---------------------------------------------------------------------------------------------------------------------
// Clients

function onContinue(this: ClientHttp2Stream, headers: HeaderObject): void {
  if (headers[":status"] === 100) this.emit("continue");
}

export class ClientHttp2Stream extends Http2Stream {
  constructor(session: Http2Session, handle?: NativeStream, id?: number) {
    super(session);
    const self = this;
    self[kState].flags |= flags.HEADERS_SENT;
    if (id !== undefined) self[kInit](id, handle!);
    this.on("headers", onContinue);
  }
}

export { kOrigin };
