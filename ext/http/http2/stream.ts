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

function channelsOf(stream: any): any {
  return streamChannels()[stream[kSession][kType] === SESSION_CLIENT ? "client" : "server"];
}

function close(stream: any, code: number, how: number): void {
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
  const { close: channel } = channelsOf(stream);
  if (channel.hasSubscribers) channel.publish({ stream });
}

/** A write is over when the handle has passed it on and it is known whether it was the last one. */
function writeStep(stream: any, error: NodeError | null | undefined): void {
  const state = stream[kState];
  if (error) state.writeError = state.writeError ? aggregateTwoErrors(state.writeError, error) : error;
  if (--state.writeWaits > 0) return;
  const { writeCallback, writeError } = state;
  state.writeCallback = undefined;
  if (writeError) stream.destroy(writeError);
  writeCallback?.(writeError);
}

function checkEnd(stream: any): void {
  const state = stream[kState];
  const { ending, buffered } = stream._writableState;
  if (!state.writeError && ending && buffered.length === 0 && (state.flags & flags.HAS_TRAILERS) === 0)
    shutDown(stream, undefined);
  writeStep(stream, null);
}

function onPause(this: any): void {
  if (!this.destroyed && !this.pending) this[kHandle].readStop();
}

function startReading(this: any): void {
  if (!this.destroyed) this[kHandle].readStart();
}

/** Ends the writing side: at once, as far as the program is concerned. */
function shutDown(stream: any, callback: Callback | undefined): void {
  const handle = stream[kHandle];
  const state = stream[kState];
  if (handle !== undefined && !state.shut) {
    state.shut = true;
    handle.shutdown();
    stream.on("finish", maybeDestroy);
  }
  callback?.();
}

function maybeDestroy(this: any): void {
  this[kMaybeDestroy]();
}

const kStreamOptions = { allowHalfOpen: true, decodeStrings: false, autoDestroy: false };

export class Http2Stream extends (streams as any).Duplex {
  constructor(session: any) {
    super(kStreamOptions);
    const self: any = this;
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

  [kUpdateTimer](this: any): void {
    if (this.destroyed) return;
    if (this[kTimeout]) this[kTimeout].refresh();
    if (this[kSession]) this[kSession][kUpdateTimer]();
  }

  /** The stream has its number. */
  [kInit](this: any, id: number, handle: { owner?: unknown }): void {
    this[kState].flags |= flags.READY;
    const { pendingStreams, streams } = this[kSession][kState];
    pendingStreams.delete(this);
    streams.set(id, this);
    this[kID] = id;
    this[kHandle] = handle;
    handle.owner = this;
    this.uncork();
    this.emit("ready");
  }

  // ---- called by native code

  receivedData(this: any, bytes: ArrayBuffer): void {
    if (this.destroyed) return;
    this[kUpdateTimer]();
    if (!this.push(new FastBuffer(bytes)) && this[kHandle] !== undefined) this[kHandle].readStop();
  }

  receivedEnd(this: any): void {
    if (!this.destroyed) this.push(null);
  }

  emitHeaders(this: any, event: string, headers: unknown, wire: number, list: string[]): void {
    const context = this[kContext];
    if (asyncContext.active && context !== undefined) {
      callInContext(context, process.nextTick, process, [emitOn, this, event, headers, wire, list]);
    } else {
      process.nextTick(emitOn, this, event, headers, wire, list);
    }
  }

  rememberContext(): void {
    (this as any)[kContext] = captureContext();
  }

  wantTrailers(this: any): void {
    this[kState].trailersReady = true;
    if (this.destroyed || this.closed) return;
    if (!this.emit("wantTrailers")) this.sendTrailers({});
  }

  /** Whether the stream has come to a good end, and only its reader is behind. */
  hasRest(this: any): boolean {
    return (
      this.closed &&
      this.rstCode === NO_ERROR &&
      this[kHandle] !== undefined &&
      !this[kHandle].open &&
      this.readableLength > 0
    );
  }

  /** The protocol is done with the stream. False where nobody had to hear of it. */
  handleClosed(this: any, code: number): boolean {
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
    if (this[kSession][kType] === SESSION_SERVER && !this[kState].didRead && this.readableFlowing === null)
      this.resume();
    else this.read(0);
    return true;
  }

  // ---- what programs see

  [customInspectSymbol](this: any, depth: unknown): unknown {
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
    return (this as any)[kState].writeQueueSize + this.writableLength;
  }

  get endAfterHeaders(): boolean {
    return (this as any)[kState].endAfterHeaders;
  }

  get sentHeaders(): unknown {
    const self: any = this;
    const raw = self[kRawHeaders];
    if (self[kSentHeaders] || !raw) return self[kSentHeaders];
    const out: any = Object.create(null);
    for (let i = 0; i < raw.length; i += 2) {
      const known = out[raw[i]];
      if (known === undefined) out[raw[i]] = raw[i + 1];
      else if (Array.isArray(known)) known.push(raw[i + 1]);
      else out[raw[i]] = [known, raw[i + 1]];
    }
    if (raw[kSensitiveHeaders] !== undefined) out[kSensitiveHeaders] = raw[kSensitiveHeaders];
    return (self[kSentHeaders] = out);
  }

  get sentTrailers(): unknown {
    return (this as any)[kSentTrailers];
  }

  get sentInfoHeaders(): unknown {
    return (this as any)[kInfoHeaders];
  }

  get pending(): boolean {
    return (this as any)[kID] === undefined;
  }

  get id(): unknown {
    return (this as any)[kID];
  }

  get session(): unknown {
    return (this as any)[kSession];
  }

  _onTimeout(): void {
    timedOut(this, (this as any)[kSession]);
  }

  get headersSent(): boolean {
    return ((this as any)[kState].flags & flags.HEADERS_SENT) !== 0;
  }

  get aborted(): boolean {
    return ((this as any)[kState].flags & flags.ABORTED) !== 0;
  }

  get headRequest(): boolean {
    return ((this as any)[kState].flags & flags.HEAD_REQUEST) !== 0;
  }

  get rstCode(): number {
    return (this as any)[kState].rstCode;
  }

  get closed(): boolean {
    return ((this as any)[kState].flags & flags.CLOSED) !== 0;
  }

  get state() {
    const self: any = this;
    if (this.destroyed || self[kID] === undefined) return {};
    const list = self[kHandle].state();
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
  chunkWritten(this: any, error: NodeError | null | undefined): void {
    const state = this[kState];
    if (!this.destroyed) {
      state.writeQueueSize -= state.writeSize;
      this[kSession][kState].writeQueueSize -= state.writeSize;
    }
    writeStep(this, error);
  }

  /** Writes one chunk, or several that were corked. */
  put(this: any, chunk: FastBuffer, latin1: boolean, many: unknown, encoding: unknown, cb: unknown): void {
    if (this.pending) {
      this.once("ready", () => this.put(chunk, latin1, many, encoding, cb));
      return;
    }
    if (this.destroyed) return;
    this[kUpdateTimer]();
    if (!this.headersSent) this[kProceed]();
    // The head could not be sent.
    if (this.destroyed) return;
    const size = chunk.byteLength ?? chunk.length;
    const state = this[kState];
    const session = this[kSession];
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
    this[kHandle].write(chunk, latin1, last, this);
    if (session[kType] === SESSION_CLIENT) {
      const { bodyChunkSent } = streamChannels().client;
      if (bodyChunkSent.hasSubscribers)
        bodyChunkSent.publish({ stream: this, writev: many !== undefined, data: many ?? chunk, encoding });
    }
  }

  _write(this: any, chunk: Uint8Array, encoding: string | undefined, cb: unknown): void {
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

  _writev(this: any, list: any[], cb: unknown): void {
    const chunks = list.map(({ chunk, encoding }) =>
      typeof chunk === "string" ? Buffer.from(chunk, encoding) : chunk,
    );
    this.put(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks), false, list, "", cb);
  }

  _final(this: any, cb: Callback): void {
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

  _read(this: any): void {
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

  sendTrailers(this: any, headers: any): void {
    if (this.destroyed || this.closed) throw new codes.ERR_HTTP2_INVALID_STREAM();
    if (this[kSentTrailers]) throw new codes.ERR_HTTP2_TRAILERS_ALREADY_SENT();
    if (!this[kState].trailersReady) throw new codes.ERR_HTTP2_TRAILERS_NOT_READY();
    assertIsObject(headers, "headers");
    headers = Object.assign(Object.create(null), headers);
    this[kUpdateTimer]();
    const text = headerText(headers, assertValidPseudoHeaderTrailer, this[kSession][kStrictSingleValueFields]);
    this[kSentTrailers] = headers;
    setImmediate(() => {
      if (this.destroyed) return;
      this[kState].flags &= ~flags.HAS_TRAILERS;
      const result = this[kHandle].trailers(text);
      if (result < 0) this.destroy(new NghttpError(result));
      else this[kMaybeDestroy]();
    });
  }

  close(code: number = NO_ERROR, callback?: any): void {
    validateInteger(code, "code", 0, MAX_UINT32);
    if (callback !== undefined) validateFunction(callback, "callback");
    if (this.closed) return;
    if (callback !== undefined) this.once("close", callback);
    close(this, code, RESET);
  }

  _destroy(this: any, error: NodeError | null | undefined, callback: Callback): void {
    const session = this[kSession];
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
      sessionState.streams.delete(this[kID]);
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
  [kMaybeDestroy](this: any, code: unknown = NO_ERROR): void {
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

function closeLater(stream: any): void {
  stream.close();
}

function emitOn(stream: any, event: string, headers: unknown, wire: number, list: string[]): void {
  stream.emit(event, headers, wire, list);
}

Object.defineProperty(Http2Stream.prototype, "setTimeout", {
  configurable: true,
  enumerable: true,
  writable: true,
  value: setStreamTimeout,
});
(Http2Stream.prototype as { priority?: unknown }).priority = deprecate(
  function priority(this: any) {
    if (this.destroyed) throw new codes.ERR_HTTP2_INVALID_STREAM();
  },
  "http2Stream.priority is longer supported after priority signalling was deprecated in RFC 9113",
  "DEP0194",
);

// ---------------------------------------------------------------------------------------------------------------------
// Servers

/** Statuses whose answers have no body. */
function isBodyless(status: number): boolean {
  return status === 204 || status === 205 || status === 304;
}

function checkResponse(headers: any, status: number): void {
  if (status < 200 || status > 599) throw new codes.ERR_HTTP2_STATUS_INVALID(status);
  const sensitive = headers[kSensitiveHeaders];
  if (sensitive !== undefined && !Array.isArray(sensitive)) {
    throw new codes.ERR_INVALID_ARG_VALUE("headers[http2.neverIndex]", sensitive);
  }
}

function responseFromObject(given: any, options: { sendDate?: unknown }) {
  assertIsObject(given, "headers", ["Object", "Array"]);
  const headers: any = Object.create(null);
  if (given !== undefined && given !== null) {
    for (const key in given) if (Object.hasOwn(given, key)) headers[key] = given[key];
    headers[kSensitiveHeaders] = given[kSensitiveHeaders];
  }
  const status = (headers[":status"] = headers[":status"] | 0 || 200);
  if (options.sendDate == null || options.sendDate) headers.date ??= utcDate();
  checkResponse(headers, status);
  return { headers, status };
}

function responseFromArray(headers: any[], options: { sendDate?: unknown }) {
  let status = 0;
  let dated = false;
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i].toLowerCase();
    if (name === ":status") status = headers[i + 1] | 0;
    else if (name === "date") dated = true;
  }
  if (!status) headers.unshift(":status", (status = 200));
  if (!dated && (options.sendDate == null || options.sendDate)) headers.push("date", utcDate());
  checkResponse(headers, status);
  return { headers, status };
}

export class ServerHttp2Stream extends Http2Stream {
  constructor(session: unknown, handle: unknown, id: number, headers: { [key: string]: unknown }) {
    super(session);
    const self: any = this;
    self[kInit](id, handle);
    self[kProtocol] = headers[":scheme"];
    self[kAuthority] = getAuthority(headers);
  }

  get pushAllowed(): boolean {
    const session = (this as any)[kSession];
    return (
      !this.destroyed && !this.closed && !session.closed && !session.destroyed && session.remoteSettings.enablePush
    );
  }

  pushStream(this: any, headers: any, options?: any, callback?: unknown): void {
    if (!this.pushAllowed) throw new codes.ERR_HTTP2_PUSH_DISABLED();
    if (this[kID] % 2 === 0) throw new codes.ERR_HTTP2_NESTED_PUSH();
    const session = this[kSession];
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
    const result = this[kHandle].pushPromise(text, options.endStream ? EMPTY_PAYLOAD : 0);
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
    const stream: any = new ServerHttp2Stream(session, result, result.id(), headers);
    stream[kSentHeaders] = headers;
    stream.push(null);
    if (options.endStream) stream.end();
    if (head) stream[kState].flags |= flags.HEAD_REQUEST;
    const channels = streamChannels().server;
    process.nextTick(() => {
      if (channels.start.hasSubscribers) channels.start.publish({ stream, headers });
      callback(null, stream, headers, 0);
    });
    if (channels.created.hasSubscribers) channels.created.publish({ stream, headers });
  }

  respond(this: any, given?: unknown, options?: any): void {
    if (this.destroyed || this.closed) throw new codes.ERR_HTTP2_INVALID_STREAM();
    if (this.headersSent) throw new codes.ERR_HTTP2_HEADERS_SENT();
    const state = this[kState];
    if (options !== undefined) assertIsObject(options, "options");
    options ??= kEmptyObject;
    this[kUpdateTimer]();
    let bits = options.endStream ? EMPTY_PAYLOAD : 0;
    if (options.waitForTrailers) {
      bits |= GET_TRAILERS;
      state.flags |= flags.HAS_TRAILERS;
    }
    const many = Array.isArray(given);
    const { headers, status } = many ? responseFromArray(given, options) : responseFromObject(given, options);
    this[many ? kRawHeaders : kSentHeaders] = headers;
    const text = headerText(headers, assertValidPseudoHeaderResponse, this[kSession][kStrictSingleValueFields]);
    state.flags |= flags.HEADERS_SENT;
    if (options.endStream || isBodyless(status) || this.headRequest) {
      bits |= EMPTY_PAYLOAD;
      this.end();
    }
    const result = this[kHandle].respond(text, bits);
    if (result < 0) {
      this.destroy(new NghttpError(result));
      return;
    }
    const { finish } = streamChannels().server;
    if (finish.hasSubscribers) finish.publish({ stream: this, headers, flags: state.flags });
  }

  respondWithFD(this: any, fd: any, headers?: unknown, options?: any): void {
    options = this[kStartFile](options);
    if (typeof fd === "object" && fd !== null && typeof fd.fd === "number" && typeof fd.stat === "function") fd = fd.fd;
    else if (typeof fd !== "number") throw new codes.ERR_INVALID_ARG_TYPE("fd", ["number", "FileHandle"], fd);
    this[kUpdateTimer]();
    this.ownsFd = false;
    const prepared = this.fileHeaders(headers, options);
    require("internal/http/http2/file").respondWithFd(this, fd, prepared, options);
  }

  respondWithFile(this: any, path: unknown, headers?: unknown, options?: unknown): void {
    options = this[kStartFile](options);
    this[kUpdateTimer]();
    this.ownsFd = true;
    const prepared = this.fileHeaders(headers, options);
    require("internal/http/http2/file").respondWithFile(this, path, prepared, options);
  }

  [kStartFile](this: any, options: any): unknown {
    if (this.destroyed || this.closed) throw new codes.ERR_HTTP2_INVALID_STREAM();
    if (this.headersSent) throw new codes.ERR_HTTP2_HEADERS_SENT();
    assertIsObject(options, "options");
    options = { ...options };
    for (const [name, type] of [
      ["offset", "number"],
      ["length", "number"],
      ["statCheck", "function"],
    ]) {
      if (options[name!] !== undefined && typeof options[name!] !== type)
        throw new codes.ERR_INVALID_ARG_VALUE(`options.${name}`, options[name!]);
    }
    if (options.waitForTrailers) this[kState].flags |= flags.HAS_TRAILERS;
    return options;
  }

  fileHeaders(given: unknown, options: any): unknown {
    const { headers, status } = responseFromObject(given, options);
    if (isBodyless(status) || this.headRequest) throw new codes.ERR_HTTP2_PAYLOAD_FORBIDDEN(status);
    return headers;
  }

  additionalHeaders(this: any, headers: any): void {
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
    const text = headerText(headers, assertValidPseudoHeaderResponse, this[kSession][kStrictSingleValueFields]);
    (this[kInfoHeaders] ??= []).push(headers);
    const result = this[kHandle].info(text);
    if (result < 0) this.destroy(new NghttpError(result));
  }
}
(ServerHttp2Stream.prototype as any)[kProceed] = ServerHttp2Stream.prototype.respond;

// ---------------------------------------------------------------------------------------------------------------------
// Clients

function onContinue(this: any, headers: { [key: string]: unknown }): void {
  if (headers[":status"] === 100) this.emit("continue");
}

export class ClientHttp2Stream extends Http2Stream {
  constructor(session: any, handle?: any, id?: any) {
    super(session);
    const self: any = this;
    self[kState].flags |= flags.HEADERS_SENT;
    if (id !== undefined) self[kInit](id, handle);
    this.on("headers", onContinue);
  }
}

export { kOrigin };
