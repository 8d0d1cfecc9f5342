// Http2Session and its two kinds (https://nodejs.org/api/http2.html#class-http2session).
//
// A session owns its socket. It is open, closed (no new streams; it ends with the last one) or destroyed.

import EventEmitter from "node:events";
import { asyncContext, captureContext, runInContext } from "internal/events/async_context";
import { AbortError, codes } from "internal/core/errors";
import { Http2Session as NativeSession } from "internal/http/http2/native";
import {
  CANCEL,
  EMPTY_PAYLOAD,
  emitLater,
  GET_TRAILERS,
  INTERNAL_ERROR,
  kBoundSession,
  kHandle,
  kMaybeDestroy,
  kOrigin,
  kRawHeaders,
  kSentHeaders,
  kServer,
  kSession,
  kSessions,
  kState,
  kType,
  kUpdateTimer,
  NO_ERROR,
  REFUSED_STREAM,
  setStreamTimeout,
  streamChannels,
  timedOut,
} from "internal/http/http2/symbols";
import { ClientHttp2Stream, flags, type Http2Stream, kInit, ServerHttp2Stream } from "internal/http/http2/stream";
import {
  assertIsObject,
  checkRemoteCustom,
  isPayloadMeaningless,
  kAuthority,
  kProtocol,
  kProxySocket,
  kSocket,
  kStrictSingleValueFields,
  limitList,
  type HeaderList,
  type HeaderObject,
  NghttpError,
  type PreparedHeaders,
  prepareRequestHeadersArray,
  prepareRequestHeadersObject,
  SESSION_CLIENT,
  SESSION_SERVER,
  type SessionOptions,
  type Settings,
  settingsList,
  settingsObject,
  toHeaderObject,
  validateSettings,
} from "internal/http/http2/util";
import { kTimeout, type Timeout } from "internal/core/timers";
import { customInspectSymbol, deprecate } from "internal/core/util";
import {
  validateAbortSignal,
  validateBoolean,
  validateBuffer,
  validateFunction,
  validateInt32,
  validateNumber,
  validateString,
} from "internal/core/validators";
import type { Http2Stream as NativeStream, PingCallback } from "internal/http/http2/native";
import type { NetServer, Socket } from "internal/http/types";

/** The state of a session. */
interface SessionState {
  /** The socket is connected. */
  ready: boolean;
  closed: boolean;
  destroyed: boolean;
  destroyCode: number;
  /** Of the peer's GOAWAY. */
  goawayCode: number | null;
  goawayLastStreamID: number | null;
  streams: Map<number, Http2Stream>;
  /** Those that have no number yet. */
  pendingStreams: Set<Http2Stream>;
  /** Settings that the peer has not acknowledged. */
  pendingAck: number;
  writeQueueSize: number;
  originSet: Set<string> | undefined;
}

/** The connection of a session. */
export interface SessionSocket extends Socket {
  [kBoundSession]?: Http2Session | undefined;
  [kServer]?: SessionServer | undefined;
}

/** A server, as its sessions know it. */
interface SessionServer extends NetServer {
  [kSessions]: Set<ServerHttp2Session>;
}

/** Options of a request: https://nodejs.org/api/http2.html#clienthttp2sessionrequestheaders-options */
interface RequestOptions {
  endStream?: boolean;
  exclusive?: boolean;
  parent?: number;
  silent?: boolean;
  signal?: AbortSignal;
  waitForTrailers?: boolean;
  weight?: number;
}

const kAlpn = Symbol("alpnProtocol");
const kEncrypted = Symbol("encrypted");
const kLocalSettings = Symbol("local-settings");
const kRemoteSettings = Symbol("remote-settings");
const kPendingRequests = Symbol("pending-requests");

const MAX_STREAMS = 4294967295;
const MAX_ALTSVC = 16382;
/** Milliseconds that a peer has to react to a GOAWAY because of its errors. */
const HANG_UP_AFTER = 2000;
const quotedString = /^[\x09\x20-\x5b\x5d-\x7e\x80-\xff]*$/;

/** What a program must not do to the socket of a session. */
const forbidden = new Set<unknown>([
  "destroy",
  "emit",
  "end",
  "pause",
  "read",
  "resume",
  "write",
  "setEncoding",
  "setKeepAlive",
  "setNoDelay",
]);
const ofSession = new Set<unknown>(["setTimeout", "ref", "unref"]);

function boundSocket(session: Http2Session): SessionSocket {
  const socket = session[kSocket];
  if (socket === undefined) throw new codes.ERR_HTTP2_SOCKET_UNBOUND();
  return socket;
}

const socketProxy = {
  get(session: Http2Session, name: string): unknown {
    if (ofSession.has(name)) return session[name as "ref"].bind(session);
    if (forbidden.has(name)) throw new codes.ERR_HTTP2_NO_SOCKET_MANIPULATION();
    const socket = boundSocket(session);
    const value = socket[name as "ref"] as unknown;
    return typeof value === "function" ? value.bind(socket) : value;
  },
  getPrototypeOf: (session: Http2Session) => Reflect.getPrototypeOf(boundSocket(session)),
  set(session: Http2Session, name: string, value: unknown): boolean {
    if (ofSession.has(name)) {
      session[name as "ref"] = value as () => void;
      return true;
    }
    if (forbidden.has(name)) throw new codes.ERR_HTTP2_NO_SOCKET_MANIPULATION();
    boundSocket(session)[name as "timeout"] = value as number;
    return true;
  },
};

function originOf(url: string): string {
  return new URL(url).origin;
}

function originsOf(session: Http2Session): Set<string> {
  const state = session[kState];
  if (state.originSet === undefined) {
    const socket = session[kSocket]!;
    let host = socket.servername;
    if (host === null || host === false || host === undefined) {
      host = socket.remoteFamily === "IPv6" ? `[${socket.remoteAddress}]` : socket.remoteAddress;
    }
    const port = socket.remotePort != null ? `:${socket.remotePort}` : "";
    state.originSet = new Set([originOf(`https://${host}${port}`)]);
  }
  return state.originSet;
}

function pingAnswer(callback: Callback): PingCallback {
  return (ack, duration, payload) => {
    if (ack) callback(null, duration, payload);
    else callback(new codes.ERR_HTTP2_PING_CANCEL());
  };
}

// ---- the socket

function socketOnError(this: SessionSocket, error: NodeError): void {
  const session = this[kBoundSession];
  if (session === undefined) return;
  // After a GOAWAY the other side may hang up as it likes.
  if (error.code === "ECONNRESET" && session[kState].goawayCode !== null) session.destroy();
  else session.destroy(error);
}

function socketOnClose(this: SessionSocket): void {
  const session = this[kBoundSession];
  if (session === undefined) return;
  session[kHandle]?.receiveArrived();
  if (session.destroyed) return;
  const error = session.connecting ? new codes.ERR_SOCKET_CLOSED() : null;
  const { streams, pendingStreams } = session[kState];
  for (const stream of [...streams.values()]) stream.close(CANCEL);
  for (const stream of [...pendingStreams]) stream.close(CANCEL);
  session.close();
  tearDown(session, NO_ERROR, error, error === null);
}

// ---- the end

function emitEnd(session: Http2Session, error: NodeError | null | undefined): void {
  if (error) session.emit("error", error);
  session.emit("close");
}

function finish(session: Http2Session, error: NodeError | null | undefined): void {
  const socket = session[kSocket];
  const server = session[kServer];
  session[kProxySocket] = undefined;
  session[kSocket] = undefined;
  session[kHandle] = undefined;
  if (server) server[kSessions].delete(session as ServerHttp2Session);
  if (socket) {
    socket[kBoundSession] = undefined;
    socket[kServer] = undefined;
  }
  if (!socket || socket.destroyed) {
    process.nextTick(emitEnd, session, error);
    return;
  }
  socket.on("close", () => emitEnd(session, error));
  // So that the end of the other side is seen.
  if (session.closed) socket.resume();
  socket.end(() => {
    if (!session.closed) setImmediate(() => socket.destroy(error));
  });
}

/** `hungUp`: by the other side, after everything was said. What has come of streams that were at their end may still be read. */
function tearDown(
  session: Http2Session,
  code: number | undefined,
  error: NodeError | null | undefined,
  hungUp = false,
): void {
  const state = session[kState];
  if (state.destroyed) return;
  state.destroyed = true;
  state.destroyCode = code!;
  session.setTimeout(0);
  session.removeAllListeners("timeout");
  const { pendingStreams, streams } = state;
  if (pendingStreams.size > 0 || streams.size > 0) {
    const cancel = new codes.ERR_HTTP2_STREAM_CANCEL(error);
    for (const stream of [...pendingStreams]) stream.destroy(cancel);
    for (const stream of [...streams.values()]) if (!hungUp || !stream.hasRest()) stream.destroy(error);
  }
  const handle = session[kHandle];
  if (handle === undefined) {
    finish(session, error);
    return;
  }
  handle.ondone = () => finish(session, error);
  handle.destroy(code!, session[kSocket]!.destroyed);
}

export class Http2Session extends EventEmitter {
  declare [kState]: SessionState;
  declare [kEncrypted]: boolean | undefined;
  declare [kAlpn]: string | false | null | undefined;
  declare [kType]: number;
  declare [kProxySocket]: Http2Session | null | undefined;
  /** Undefined, as the handle, when the session has ended. */
  declare [kSocket]: SessionSocket | undefined;
  declare [kHandle]: NativeSession | undefined;
  declare [kTimeout]: Timeout | null;
  declare timeout?: number;
  declare [kStrictSingleValueFields]: boolean;
  declare [kLocalSettings]: Settings | undefined;
  declare [kRemoteSettings]: Settings | undefined;
  declare [kServer]: SessionServer | undefined;
  /** Of clients: whom a request is for that does not say. */
  declare [kAuthority]: string | undefined;
  declare [kProtocol]: string | undefined;
  declare setTimeout: (msecs: number, callback?: () => void) => this;

  constructor(type: number, options: SessionOptions, socket: SessionSocket) {
    super();
    const self = this;
    if (socket[kBoundSession] !== undefined) throw new codes.ERR_HTTP2_SOCKET_BOUND();
    socket[kBoundSession] = this;
    socket.on("error", socketOnError);
    socket.on("close", socketOnClose);
    self[kState] = {
      ready: false,
      closed: false,
      destroyed: false,
      destroyCode: NO_ERROR,
      goawayCode: null,
      goawayLastStreamID: null,
      streams: new Map(),
      pendingStreams: new Set(),
      pendingAck: 0,
      writeQueueSize: 0,
      originSet: undefined,
    };
    self[kEncrypted] = undefined;
    self[kAlpn] = undefined;
    self[kType] = type;
    self[kProxySocket] = null;
    self[kSocket] = socket;
    self[kTimeout] = null;
    self[kHandle] = undefined;
    self[kStrictSingleValueFields] = options.strictSingleValueFields!;
    if (typeof socket.setNoDelay === "function") socket.setNoDelay();
    if (typeof socket.disableRenegotiation === "function") socket.disableRenegotiation();
    if (socket.connecting || socket.secureConnecting) {
      socket.once(socket.encrypted ? "secureConnect" : "connect", () => {
        try {
          self.begin(socket, type, options);
        } catch (error) {
          socket.destroy(error);
        }
      });
    } else {
      self.begin(socket, type, options);
    }
    // What the socket has read already, once the program has had the chance to listen.
    process.nextTick(() => {
      if (!socket.readableLength) return;
      for (let chunk = socket.read(); chunk !== null; chunk = socket.read()) self[kHandle]?.receive(chunk);
    });
  }

  /** The socket is connected: native code takes over. */
  begin(socket: SessionSocket, type: number, options: SessionOptions): void {
    if (this.destroyed) {
      emitLater(this, "connect", this, socket);
      return;
    }
    if (options.remoteCustomSettings) checkRemoteCustom(options.remoteCustomSettings);
    this[kState].ready = true;
    const handle = new NativeSession(type, limitList(options));
    handle.owner = this;
    handle.consume(socket);
    handle.ongracefulclosecomplete = () => this[kMaybeDestroy](null);
    this[kHandle] = handle;
    handle.watchPriority(true);
    this[kEncrypted] = Boolean(socket.encrypted);
    this[kAlpn] = socket.encrypted ? socket.alpnProtocol : "h2c";
    this.settings(typeof options.settings === "object" ? options.settings : {});
    if (type === SESSION_SERVER && Array.isArray(options.origins))
      (this as unknown as ServerHttp2Session).origin(...options.origins);
    emitLater(this, "connect", this, socket);
  }

  // ---- called by native code

  receivedHeaders(
    handle: NativeStream,
    id: number,
    category: number,
    ended: boolean,
    list: string[],
    sensitive: string[],
  ): void {
    const state = this[kState];
    if (state.destroyed) return;
    this[kUpdateTimer]();
    const headers = toHeaderObject(list, sensitive);
    const wire = (ended ? 1 : 0) | 4;
    let stream = state.streams.get(id);
    if (stream === undefined) {
      if (state.closed) {
        handle.rstStream(REFUSED_STREAM);
        handle.destroy();
        return;
      }
      const server = this[kType] === SESSION_SERVER;
      stream = server ? new ServerHttp2Stream(this, handle, id, headers) : new ClientHttp2Stream(this, handle, id);
      const { created, start } = streamChannels()[server ? "server" : "client"];
      if (created.hasSubscribers) created.publish({ stream, headers });
      if (start.hasSubscribers) start.publish({ stream, headers });
      if (ended) stream.push(null);
      if (!server) {
        stream.end();
      } else if (headers[":method"] === "HEAD") {
        // There is nothing to write.
        stream.end();
        stream[kState].flags |= flags.HEAD_REQUEST;
      }
      if (ended) stream[kState].endAfterHeaders = true;
      process.nextTick(emitStream, this, stream, headers, wire, list);
      return;
    }
    const status = headers[":status"]!;
    let event: string;
    if (category === 1) event = !ended && status >= 100 && status < 200 ? "headers" : "response";
    else if (category === 2) event = "push";
    else if (status !== undefined && status >= 200) event = "response";
    else event = ended ? "trailers" : "headers";
    // The server does not answer for this origin.
    if (status === 421) originsOf(this).delete(stream[kOrigin]);
    stream.emitHeaders(event, headers, wire, list);
    if (event === "response" || event === "push") {
      const { finish: channel } = streamChannels().client;
      if (channel.hasSubscribers) channel.publish({ stream, headers, flags: wire });
    }
    if (ended) stream.push(null);
  }

  receivedSettings(): void {
    if (this.destroyed) return;
    this[kUpdateTimer]();
    this[kRemoteSettings] = undefined;
    if (this.listenerCount("remoteSettings") > 0) this.emit("remoteSettings", this.remoteSettings);
  }

  receivedPing(payload: unknown): void {
    if (this.destroyed) return;
    this[kUpdateTimer]();
    this.emit("ping", payload);
  }

  receivedGoaway(code: number, last: number, data: unknown): void {
    const state = this[kState];
    if (state.destroyed) return;
    state.goawayCode = code;
    state.goawayLastStreamID = last;
    this.emit("goaway", code, last, data);
    // The other side is in trouble, not this one.
    if (code === NO_ERROR) this.close();
    else this.destroy(new codes.ERR_HTTP2_SESSION_ERROR(code), NO_ERROR);
  }

  receivedPriority(id: number, parent: number, weight: number, exclusive: boolean): void {
    if (this.destroyed) return;
    const emitter = this[kState].streams.get(id) ?? this;
    if (emitter.destroyed) return;
    emitter[kUpdateTimer]();
    emitter.emit("priority", id, parent, weight, exclusive);
  }

  receivedAltSvc(stream: number, origin: string, value: string): void {
    if (this.destroyed) return;
    this[kUpdateTimer]();
    this.emit("altsvc", value, origin, stream);
  }

  receivedOrigin(origins: string[]): void {
    if (this.destroyed) return;
    this[kUpdateTimer]();
    if (!this.encrypted) return;
    const set = originsOf(this);
    for (const origin of origins) set.add(origin);
    this.emit("origin", origins);
  }

  frameError(id: number, type: number, code: number): void {
    if (this.destroyed) return;
    const stream = this[kState].streams.get(id);
    const emitter = stream ?? this;
    emitter[kUpdateTimer]();
    emitter.emit("frameError", type, code, id);
    // A GOAWAY with a better reason may be on its way.
    setImmediate(() => {
      stream?.close(code);
      this.close();
    });
  }

  internalError(code: number, name?: string): void {
    this.destroy(new NghttpError(code, name));
  }

  /** This side has ended the connection because of what it got. The peer has been told why. */
  terminated(code: number): void;
  terminated(): void {
    // It hangs up then. If it does not, this side does.
    const socket = this[kSocket];
    if (socket === undefined || socket.destroyed) return;
    setImmediate(() => socket.end());
    const timer = setTimeout(() => socket.destroy(), HANG_UP_AFTER);
    timer.unref();
    socket.once("close", () => clearTimeout(timer));
  }

  // ---- what programs see

  get encrypted(): boolean | undefined {
    return this[kEncrypted];
  }

  get alpnProtocol(): string | false | null | undefined {
    return this[kAlpn];
  }

  get originSet(): string[] | undefined {
    if (!this.encrypted || this.destroyed) return undefined;
    return [...originsOf(this)];
  }

  get connecting(): boolean {
    return !this[kState].ready;
  }

  get closed(): boolean {
    return this[kState].closed;
  }

  get destroyed(): boolean {
    return this[kState].destroyed;
  }

  [kUpdateTimer](): void {
    if (this[kTimeout] && !this.destroyed) this[kTimeout].refresh();
  }

  setNextStreamID(id: unknown): void {
    if (this.destroyed) throw new codes.ERR_HTTP2_INVALID_SESSION();
    validateNumber(id, "id");
    if (id <= 0 || id > MAX_STREAMS) throw new codes.ERR_OUT_OF_RANGE("id", `> 0 and <= ${MAX_STREAMS}`, id);
    this[kHandle]!.setNextStreamID(id);
  }

  setLocalWindowSize(windowSize: unknown): void {
    if (this.destroyed) throw new codes.ERR_HTTP2_INVALID_SESSION();
    validateInt32(windowSize, "windowSize", 0);
    this[kHandle]!.setLocalWindowSize(windowSize);
  }

  ping(payload?: ArrayBufferView | Callback, callback?: Callback): boolean | undefined {
    if (this.destroyed) throw new codes.ERR_HTTP2_INVALID_SESSION();
    if (typeof payload === "function") {
      callback = payload;
      payload = undefined;
    }
    if (payload) {
      validateBuffer(payload, "payload");
      if (payload.byteLength !== 8) throw new codes.ERR_HTTP2_PING_LENGTH();
    }
    validateFunction(callback, "callback");
    const answer = pingAnswer(callback!);
    if (this.connecting || this.closed) {
      process.nextTick(answer, false, 0, payload);
      return undefined;
    }
    return this[kHandle]!.ping(payload as ArrayBufferView | undefined, answer);
  }

  [customInspectSymbol](depth: unknown): unknown {
    if (typeof depth === "number" && depth < 0) return this;
    const { format } = require("node:util");
    return `Http2Session ${format({
      type: this[kType],
      closed: this.closed,
      destroyed: this.destroyed,
      state: this.state,
      localSettings: this.localSettings,
      remoteSettings: this.remoteSettings,
    })}`;
  }

  get socket(): unknown {
    const self = this;
    return self[kProxySocket] === null
      ? (self[kProxySocket] = new Proxy<Http2Session>(this, socketProxy))
      : self[kProxySocket];
  }

  get type(): number {
    return this[kType];
  }

  get goawayCode(): number {
    return this[kState].goawayCode || NO_ERROR;
  }

  get goawayLastStreamID(): number {
    return this[kState].goawayLastStreamID || 0;
  }

  get pendingSettingsAck(): boolean {
    return this[kState].pendingAck > 0;
  }

  get state() {
    if (this.connecting || this.destroyed) return {};
    const list = this[kHandle]!.state();
    return {
      effectiveLocalWindowSize: list[0],
      effectiveRecvDataLength: list[1],
      nextStreamID: list[2],
      localWindowSize: list[3],
      lastProcStreamID: list[4],
      remoteWindowSize: list[5],
      outboundQueueSize: list[6],
      deflateDynamicTableSize: list[7],
      inflateDynamicTableSize: list[8],
    };
  }

  get localSettings(): Settings {
    const self = this;
    if (self[kLocalSettings] !== undefined) return self[kLocalSettings];
    if (this.destroyed || this.connecting) return {};
    return (self[kLocalSettings] = settingsObject(self[kHandle]!.settingsOf(false)));
  }

  get remoteSettings(): Settings {
    const self = this;
    if (self[kRemoteSettings] !== undefined) return self[kRemoteSettings];
    if (this.destroyed || this.connecting) return {};
    return (self[kRemoteSettings] = settingsObject(self[kHandle]!.settingsOf(true)));
  }

  settings(settings: Settings, callback?: Callback): void {
    if (this.destroyed) throw new codes.ERR_HTTP2_INVALID_SESSION();
    assertIsObject(settings, "settings");
    validateSettings(settings);
    if (callback) validateFunction(callback, "callback");
    this[kState].pendingAck++;
    const list = { ...settings };
    // A server never says that pushing is allowed (RFC 9113, 6.5.2).
    if (list.enablePush === true && this[kType] === SESSION_SERVER) delete list.enablePush;
    const submit = () => {
      if (this.destroyed) return;
      this[kUpdateTimer]();
      const acknowledged = (ack: boolean, duration: number) => {
        this[kState].pendingAck--;
        this[kLocalSettings] = undefined;
        if (!ack) {
          callback?.(new codes.ERR_HTTP2_SETTINGS_CANCEL());
          return;
        }
        const now = this.localSettings;
        callback?.(null, now, duration);
        this.emit("localSettings", now);
      };
      if (!this[kHandle]!.settings(settingsList(list), acknowledged))
        this.destroy(new codes.ERR_HTTP2_MAX_PENDING_SETTINGS_ACK());
    };
    if (this.connecting) this.once("connect", submit);
    else submit();
  }

  goaway(code: number = NO_ERROR, lastStreamID: number = 0, opaqueData?: ArrayBufferView): void {
    if (this.destroyed) throw new codes.ERR_HTTP2_INVALID_SESSION();
    if (opaqueData !== undefined) validateBuffer(opaqueData, "opaqueData");
    validateNumber(code, "code");
    validateNumber(lastStreamID, "lastStreamID");
    const submit = () => {
      if (this.destroyed) return;
      this[kUpdateTimer]();
      this[kHandle]!.goaway(code, lastStreamID, opaqueData);
    };
    if (this.connecting) this.once("connect", submit);
    else submit();
  }

  destroy(error: NodeError | number | null | undefined = NO_ERROR, code?: number): void {
    if (this.destroyed) return;
    if (typeof error === "number") {
      code = error;
      error = code !== NO_ERROR ? new codes.ERR_HTTP2_SESSION_ERROR(code) : undefined;
    }
    if (code === undefined && error != null) code = INTERNAL_ERROR;
    tearDown(this, code, error);
  }

  close(callback?: () => void): void {
    if (this.closed || this.destroyed) return;
    this[kState].closed = true;
    if (typeof callback === "function") this.once("close", callback);
    this.goaway();
    this[kHandle]?.setGracefulClose();
    this[kMaybeDestroy]();
  }

  [Symbol.for("nodejs.rejection")](error: unknown, event: string, ...args: [Http2Stream]): void {
    if (event === "stream") args[0].destroy(error);
    else this.destroy(error as NodeError);
  }

  /** Destroys a closed session with its last stream. */
  [kMaybeDestroy](error?: NodeError | null | undefined): void {
    if (error == null) {
      const { streams, pendingStreams, closed } = this[kState];
      if (!closed || streams.size > 0 || pendingStreams.size > 0 || this[kHandle]?.hasPendingData()) return;
    }
    this.destroy(error);
  }

  _onTimeout(): void {
    timedOut(this, this);
  }

  ref(): void {
    this[kSocket]?.ref?.();
  }

  unref(): void {
    this[kSocket]?.unref?.();
  }
}
Object.defineProperty(Http2Session.prototype, "setTimeout", {
  configurable: true,
  enumerable: true,
  writable: true,
  value: setStreamTimeout,
});

function emitStream(
  session: Http2Session,
  stream: Http2Stream,
  headers: HeaderObject,
  wire: number,
  list: string[],
): void {
  session.emit("stream", stream, headers, wire, list);
}

export class ServerHttp2Session extends Http2Session {
  constructor(options: SessionOptions, socket: SessionSocket, server: SessionServer | undefined) {
    super(SESSION_SERVER, options, socket);
    const self = this;
    self[kServer] = server;
    if (server) server[kSessions].add(this);
  }

  get server(): SessionServer | undefined {
    return this[kServer];
  }

  altsvc(alt: string, originOrStream?: string | number | { origin: string }): void {
    if (this.destroyed) throw new codes.ERR_HTTP2_INVALID_SESSION();
    let stream = 0;
    let origin: string | undefined;
    if (typeof originOrStream === "string") {
      origin = originOf(originOrStream);
      if (origin === "null") throw new codes.ERR_HTTP2_ALTSVC_INVALID_ORIGIN();
    } else if (typeof originOrStream === "number") {
      if (originOrStream >>> 0 !== originOrStream || originOrStream === 0) {
        throw new codes.ERR_OUT_OF_RANGE("originOrStream", `> 0 && < ${2 ** 32}`, originOrStream);
      }
      stream = originOrStream;
    } else if (originOrStream !== undefined) {
      if (originOrStream !== null && typeof originOrStream === "object")
        ({ origin } = originOrStream as { origin: string });
      if (typeof origin !== "string") {
        throw new codes.ERR_INVALID_ARG_TYPE("originOrStream", ["string", "number", "URL", "object"], originOrStream);
      }
      if (origin === "null" || origin.length === 0) throw new codes.ERR_HTTP2_ALTSVC_INVALID_ORIGIN();
    }
    validateString(alt, "alt");
    if (!quotedString.test(alt)) throw new codes.ERR_INVALID_CHAR("alt");
    if (alt.length + (origin?.length ?? 0) > MAX_ALTSVC) throw new codes.ERR_HTTP2_ALTSVC_LENGTH();
    this[kHandle]!.altsvc(stream, origin || "", alt);
  }

  origin(...origins: (string | { origin: string })[]): void {
    if (this.destroyed) throw new codes.ERR_HTTP2_INVALID_SESSION();
    if (origins.length === 0) return;
    let length = 0;
    const list = origins.map((given) => {
      const origin =
        typeof given === "string" ? originOf(given) : given != null && typeof given === "object" ? given.origin : given;
      validateString(origin, "origin");
      if (origin === "null") throw new codes.ERR_HTTP2_INVALID_ORIGIN();
      length += origin.length;
      return origin;
    });
    if (length > MAX_ALTSVC) throw new codes.ERR_HTTP2_ORIGIN_LENGTH();
    this[kHandle]!.origin(list);
  }
}

const warnOfWeight = deprecate(() => {}, "Priority signaling has been deprecated as of RFC 9113.", "DEP0194");

function checkPriority(options: RequestOptions): void {
  if (options.weight !== undefined) warnOfWeight();
  if (options.parent === undefined) options.parent = 0;
  else validateNumber(options.parent, "options.parent", 0);
  for (const name of ["exclusive", "silent"] as const) {
    if (options[name] === undefined) options[name] = false;
    else validateBoolean(options[name], `options.${name}`);
  }
}

export class ClientHttp2Session extends Http2Session {
  declare [kPendingRequests]: (() => void)[] | null;

  constructor(options: SessionOptions, socket: SessionSocket) {
    super(SESSION_CLIENT, options, socket);
    this[kPendingRequests] = null;
  }

  request(headers?: HeaderObject | HeaderList, options?: RequestOptions): ClientHttp2Stream {
    if (this.destroyed) throw new codes.ERR_HTTP2_INVALID_SESSION();
    if (this.closed) throw new codes.ERR_HTTP2_GOAWAY_SESSION();
    this[kUpdateTimer]();
    let prepared: PreparedHeaders;
    if (Array.isArray(headers)) prepared = prepareRequestHeadersArray(headers, this);
    else if (headers === undefined) prepared = prepareRequestHeadersObject({}, this);
    else if (headers && typeof headers === "object") prepared = prepareRequestHeadersObject(headers, this);
    else throw new codes.ERR_INVALID_ARG_TYPE("headers", ["Object", "Array"], headers);
    assertIsObject(options, "options");
    options = { ...options };
    checkPriority(options);
    if (options.endStream === undefined) options.endStream = isPayloadMeaningless(prepared.method);
    else validateBoolean(options.endStream, "options.endStream");

    const stream = new ClientHttp2Stream(this);
    stream[kSentHeaders] = prepared.headersObject;
    stream[kRawHeaders] = prepared.rawHeaders;
    stream[kOrigin] = `${prepared.scheme}://${prepared.authority}`;
    stream.rememberContext();
    if (options.endStream) stream.end();
    if (options.waitForTrailers) stream[kState].flags |= flags.HAS_TRAILERS;
    const { signal } = options;
    if (signal) {
      validateAbortSignal(signal, "options.signal");
      const abort = () => stream.destroy(new AbortError(undefined, { cause: signal.reason }));
      if (signal.aborted) {
        abort();
      } else {
        const listener = require("internal/events/async").addAbortListener(signal, abort);
        stream.once("close", listener[Symbol.dispose]);
      }
    }
    const context = captureContext();
    const begin = () => startRequest(stream, prepared.headersList, options);
    const start = () => {
      if (asyncContext.active) runInContext(context, begin, undefined, []);
      else begin();
    };
    if (!this.connecting) {
      start();
    } else if (this[kPendingRequests] !== null) {
      this[kPendingRequests].push(start);
    } else {
      this[kPendingRequests] = [start];
      this.once("connect", () => {
        for (const each of this[kPendingRequests]!) each();
        this[kPendingRequests] = null;
      });
    }
    const { created } = streamChannels().client;
    if (created.hasSubscribers) created.publish({ stream, headers: stream.sentHeaders });
    return stream;
  }
}

/** Sends a request; there is a connection. */
function startRequest(stream: ClientHttp2Stream, headers: string, options: RequestOptions): void {
  const session = stream[kSession];
  if (session === undefined || session.destroyed) return;
  if (session.closed) {
    stream.destroy(new codes.ERR_HTTP2_GOAWAY_SESSION());
    return;
  }
  const bits = (options.endStream ? EMPTY_PAYLOAD : 0) | (options.waitForTrailers ? GET_TRAILERS : 0);
  const handle = session[kHandle]!.request(headers, bits, options.parent! | 0, 16, Boolean(options.exclusive));
  if (typeof handle === "number") {
    if (handle === -509) stream.destroy(new codes.ERR_HTTP2_OUT_OF_STREAMS());
    else if (handle === -501) stream.destroy(new codes.ERR_HTTP2_STREAM_SELF_DEPENDENCY());
    else session.destroy(new NghttpError(handle));
    return;
  }
  stream[kInit](handle.id(), handle);
  const { start } = streamChannels().client;
  if (start.hasSubscribers) start.publish({ stream, headers: stream.sentHeaders });
}

export { kAuthority, kProtocol };
