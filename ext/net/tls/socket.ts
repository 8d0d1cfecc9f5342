// tls.TLSSocket (https://nodejs.org/api/tls.html#class-tlstlssocket). TLS itself is between the native handle and the
// kernel: this is a net.Socket whose bytes are plaintext, and what decides whom to talk to.

import { codes, connResetException } from "internal/core/errors";
import { isIP } from "internal/net/ip";
import { StreamHandle, TCP, UV_EINVAL, UV_EPROTO } from "internal/net/native";
import { initSocketHandle, Socket } from "internal/net/socket";
import { createSecureContext } from "internal/net/tls/context";
import { checkServerIdentity } from "internal/net/tls/identity";
import { cipherOf, groups, signatureName, verifyError } from "internal/net/tls/names";
import { clientKey, serverKey } from "internal/net/tls/shared_keys";
import { clearTimer, setUnrefTimeout } from "internal/core/timers";
import {
  validateBuffer,
  validateFunction,
  validateInt32,
  validateString,
  validateUint32,
} from "internal/core/validators";
import {
  TLS_EVENT_FAILED,
  TLS_EVENT_HELLO,
  TLS_EVENT_KEY_LOG,
  TLS_EVENT_PRE_SHARED_KEY,
  TLS_EVENT_SECURED,
  TLS_EVENT_SESSIONS,
  TLS_HELLO_EVENT,
  TLS_HELLO_HAS_HINT,
  TLS_HELLO_WANTS_STATUS,
  TLS_MARK_ASKS,
  TLS_MARK_REQUIRES,
  TLS_MARK_SHARED_KEYS,
  TLS_MARK_TELL_KEYS,
  TLS_MARK_TELL_SESSIONS,
  TLS_MARK_TRACED,
  TLS_MARK_WANTS_STATUS,
} from "internal/net/native_constants";

import type { Timeout } from "internal/core/timers";
import type { SecureContext } from "internal/net/tls/context";
import type { Answer as SharedKey } from "internal/net/tls/shared_keys";
import type {
  ContextHolder,
  Duplex,
  PeerCertificate,
  ProtocolNames,
  Socket as NetSocket,
  SocketOptions,
  TLSOptions,
  TLSSocket as SecureSocket,
} from "internal/net/types";

const net = native("net");

const kStarted = Symbol("started");
const kOptions = Symbol("options");
const kCertificates = Symbol("certificates");
const kTimer = Symbol("handshake timer");
/** How many sessions a server is storing, and whether only that keeps a connection from being told of. */
const kStoring = Symbol("storing");
const kSecured = Symbol("secured");
/** Whether setKeyCert() has chosen the context. */
const kOwnContext = Symbol("own context");
/** Ciphertext that a socket had read before it was to be secure. */
const kEarly = Symbol("early");
/** Sessions that came before a connection was secure. */
const kSessions = Symbol("sessions");
const kNoRenegotiation = Symbol("no renegotiation");

/** A TLS socket with what only this module looks at. */
interface State extends SecureSocket {
  [kStarted]: boolean;
  [kOptions]: TLSOptions;
  [kCertificates]: PeerCertificate[] | undefined;
  [kTimer]: Timeout | undefined;
  [kStoring]: number;
  [kSecured]: boolean;
  [kOwnContext]: boolean;
  [kEarly]: Buffer | undefined;
  [kSessions]: Buffer[];
  [kNoRenegotiation]: boolean;
}

export interface TLSSocketConstructor {
  new (socket?: Duplex, options?: TLSOptions): SecureSocket;
  (this: SecureSocket, socket?: Duplex, options?: TLSOptions): SecureSocket | void;
  readonly prototype: SecureSocket;
}

/** Names of protocols as a list: an array, or a buffer of length-prefixed names. */
export function protocolList(value: ProtocolNames | undefined): string[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      const length = typeof item === "string" ? item.length : (item.byteLength ?? String(item).length);
      if (length > 255)
        throw new codes.ERR_OUT_OF_RANGE(
          `The byte length of the protocol at index ${index} exceeds the maximum length.`,
          "<= 255",
          length,
          true,
        );
    }
    return value.map((item) =>
      typeof item === "string" ? item : require("node:buffer").Buffer.from(item).toString("latin1"),
    );
  }
  const bytes = require("node:buffer").Buffer.from(value.buffer ?? value, value.byteOffset, value.byteLength);
  const list: string[] = [];
  for (let at = 0; at < bytes.length; at += 1 + bytes[at])
    list.push(bytes.toString("latin1", at + 1, at + 1 + bytes[at]));
  return list;
}

/** net.Socket, called for what inherits from it. */
type SocketBase = { call(self: NetSocket, options?: SocketOptions): void };
type JoinedSocket = NetSocket & { stream: Duplex };
type JoinedHandle = StreamHandle & { _parentWrap?: JoinedSocket };

/** A socket whose bytes are those of a stream; with a handle, the end of that which is joined to the stream. */
export function JSStreamSocket(this: JoinedSocket, stream: Duplex, handle?: StreamHandle): void {
  (Socket as SocketBase).call(this, {
    handle: handle ?? bridge(stream),
    allowHalfOpen: true,
  });
  this.stream = stream;
}
Object.setPrototypeOf(JSStreamSocket.prototype, Socket.prototype);
Object.setPrototypeOf(JSStreamSocket, Socket);

// A stream that is no socket of this process is joined to one end of a pair of sockets.
function bridge(stream: Duplex): JoinedHandle {
  if (typeof stream.pipe !== "function") throw new codes.ERR_INVALID_ARG_TYPE("socket", "stream.Duplex", stream);
  const pair = net.socketPair();
  if (pair[0] !== 0) throw require("internal/core/errors").errnoException(pair[0], "socketpair");
  const inner = new (JSStreamSocket as unknown as new (stream: Duplex, handle: StreamHandle) => JoinedSocket)(
    stream,
    new TCP(pair[2]),
  );
  stream.pipe(inner);
  inner.pipe(stream);
  stream.on("error", () => inner.destroy());
  stream.on("close", () => inner.destroySoon());
  inner.on("error", () => stream.destroy());
  const handle: JoinedHandle = new TCP(pair[1]);
  // Where packages look for Node's class of such sockets.
  handle._parentWrap = inner;
  return handle;
}

/** `new TLSSocket(socket[, options])`; callable without `new`. */
export function TLSSocket(
  this: State,
  socket?: Duplex & Partial<NetSocket>,
  options: TLSOptions = {},
): SecureSocket | void {
  if (!(this instanceof TLSSocket)) return new (TLSSocket as TLSSocketConstructor)(socket, options);
  options = { ...options };
  this[kOptions] = options;
  this[kStarted] = false;
  this[kCertificates] = undefined;
  this[kTimer] = undefined;
  this[kStoring] = 0;
  this[kSecured] = false;
  this[kSessions] = [];
  this[kEarly] = undefined;
  this[kOwnContext] = false;
  this[kNoRenegotiation] = false;
  this.authorized = false;
  this.authorizationError = null;
  this.encrypted = true;
  this.alpnProtocol = null;
  this.servername = null;
  this.secureConnecting = true;
  this._secureEstablished = false;
  this._SNICallback = options.SNICallback;
  this.ssl = null;
  this._tlsOptions = options;

  if (options.pskCallback) {
    validateFunction(options.pskCallback, "pskCallback");
    if (options.pskIdentityHint) validateString(options.pskIdentityHint, "options.pskIdentityHint");
  }
  if (options.SNICallback !== undefined && typeof options.SNICallback !== "function") {
    throw new codes.ERR_INVALID_ARG_TYPE("options.SNICallback", "Function", options.SNICallback);
  }
  let handle: JoinedHandle | null | undefined;
  // TLS speaks on the connection of the socket itself.
  let direct = false;
  if (socket) {
    direct =
      socket instanceof Socket &&
      (socket._handle instanceof StreamHandle || socket.connecting!) &&
      !(socket instanceof TLSSocket);
    handle = direct ? socket._handle : bridge(socket);
  }
  (Socket as SocketBase).call(this, {
    handle: socket && socket.connecting ? undefined : handle!,
    allowHalfOpen: socket ? socket.allowHalfOpen : options.allowHalfOpen,
    pauseOnCreate: options.pauseOnConnect,
    manualStart: true,
    highWaterMark: options.highWaterMark,
    onread: socket ? undefined : options.onread,
    signal: options.signal,
  });
  // The handshake reads all the same.
  if (options.pauseOnConnect) this.readableFlowing = false;
  this.on("newListener", listening);
  if (socket) {
    this._parent = socket as NetSocket;
    this.connecting = Boolean(socket.connecting);
    const adopt = () => {
      this._handle = direct ? socket._handle! : handle!;
      this.connecting = false;
      initSocketHandle(this);
    };
    if (socket.connecting) {
      socket.once("connect", () => {
        adopt();
        this.emit("connect");
        start(this);
      });
      socket.on("error", (error: unknown) => this.destroy(error));
    } else {
      adopt();
      // What was read before the handshake belongs to it.
      const early = socket instanceof Socket && handle === socket._handle ? socket.read() : null;
      if (early !== null && early !== undefined) this[kEarly] = early;
    }
    const inner = handle?._parentWrap;
    socket.on("close", () => {
      // What a stream gave before it was closed is still on its way through the pair of sockets; where nobody reads, nobody waits.
      if (inner === undefined || this.readableEnded || (this._secureEstablished && this.readableFlowing === null))
        this.destroy();
      else this.once("end", () => this.destroy());
    });
    this.on("close", (failed: boolean) => {
      if (inner === undefined || failed || !this.writableEnded || socket.writableFinished) socket.destroy();
      // The last bytes are on their way through the pair, whose end is the stream's.
      else socket.once("finish", () => socket.destroy());
    });
    if (inner !== undefined && !options.isServer && !options._connects) {
      // As in Node: a client begins when it writes. Until then it keeps nobody waiting.
      inner.unref();
      this._write = (...args) => {
        delete (this as Partial<State>)._write;
        inner.ref();
        start(this);
        return this._write(...args);
      };
    } else if (!socket.connecting && (socket._handle || inner !== undefined)) {
      process.nextTick(() => {
        // A connection that was destroyed meanwhile ends this socket by its "close"; only who connects is told that it has failed.
        if (!this.destroyed && !(direct && socket.destroyed && !options._connects)) start(this);
      });
    }
  } else {
    this.once("connect", () => start(this));
  }
}
Object.setPrototypeOf(TLSSocket.prototype, Socket.prototype);
Object.setPrototypeOf(TLSSocket, Socket);

const proto: State = TLSSocket.prototype;

/** What native code is to tell of: 1 new sessions, 2 lines for key logs. */
function wanted(socket: State): number {
  const { server } = socket[kOptions];
  const sessions = server ? server.listenerCount("newSession") > 0 : socket.listenerCount("session") > 0;
  const keys = (server ?? socket).listenerCount("keylog") > 0 || keyLog() !== undefined;
  return (sessions ? TLS_MARK_TELL_SESSIONS : 0) | (keys ? TLS_MARK_TELL_KEYS : 0);
}

// Who listens later is told from then on.
function listening(this: State, event: string): void {
  if ((event !== "session" && event !== "keylog") || !this[kStarted] || !this._handle || this[kOptions].isServer)
    return;
  const marks = wanted(this);
  net.tlsTell(
    this._handle.id,
    event === "session" || (marks & TLS_MARK_TELL_SESSIONS) !== 0,
    event === "keylog" || (marks & TLS_MARK_TELL_KEYS) !== 0,
  );
}

let keyFile: string | undefined | null;

/** The file that --tls-keylog names. */
function keyLog(): string | undefined {
  if (keyFile === undefined) {
    keyFile = (native("process").cliOption("--tls-keylog") as string | undefined) ?? null;
    if (keyFile)
      process.emitWarning(
        `Using --tls-keylog makes TLS connections insecure by writing secret key material to file ${keyFile}`,
      );
  }
  return keyFile ?? undefined;
}

let traces: boolean | undefined;

/** --trace-tls */
function isTraced(): boolean {
  if (traces === undefined) {
    traces = native("process").cliOption("--trace-tls") !== undefined;
    if (traces) process.emitWarning("Enabling --trace-tls can expose sensitive data in the resulting log");
  }
  return traces;
}

/** Begins the handshake; the handle is connected. */
function start(socket: State): void {
  if (socket[kStarted] || !socket._handle) return;
  socket[kStarted] = true;
  const options = socket[kOptions];
  const handle = socket._handle;
  socket.ssl = handle;
  socket.once("close", destroyState);
  // What programs ask that look at the peer on their own: the error of its certificate, null if there is none.
  handle.verifyError = () => (socket.destroyed ? null : problemOf(net.tlsDescribe(handle.id)));
  handle.ontls = (kind: number, first: string, second: string) => onTls(socket, kind, first, second);
  const context = (options.secureContext ??= createSecureContext(options)).context;
  let marks = wanted(socket);
  if (options.pskCallback) marks |= TLS_MARK_SHARED_KEYS;
  if (options.enableTrace || isTraced()) marks |= TLS_MARK_TRACED;
  let errno: number;
  if (options.isServer) {
    if (options.requestCert) marks |= TLS_MARK_ASKS | (options.rejectUnauthorized !== false ? TLS_MARK_REQUIRES : 0);
    try {
      errno = net.tlsStartServer(handle.id, context.id, marks, options.pskIdentityHint || undefined);
    } catch (error) {
      failed(socket, error as NodeError);
      return;
    }
    if (errno === UV_EINVAL) {
      failed(socket, new codes.ERR_TLS_PSK_SET_IDENTITY_HINT_FAILED());
      return;
    }
    const after = options.handshakeTimeout ?? options.server?._handshakeTimeout;
    if (after! > 0) {
      socket[kTimer] = setUnrefTimeout(() => failed(socket, new codes.ERR_TLS_HANDSHAKE_TIMEOUT()), after!);
    }
  } else {
    if (options.requestOCSP) marks |= TLS_MARK_WANTS_STATUS;
    const name = options.servername ?? (isIP(options.host ?? "") ? "" : options.host) ?? "";
    const sent = isIP(name) ? "" : name;
    const session = options.session || undefined;
    try {
      errno = net.tlsStartClient(
        handle.id,
        context.id,
        sent,
        protocolList(options.ALPNProtocols),
        marks,
        undefined,
        typeof session === "string" ? require("node:buffer").Buffer.from(session, "latin1") : session,
      );
    } catch (error) {
      process.nextTick(() => socket.destroy(error));
      return;
    }
    if (sent !== "") socket.servername = name;
  }
  if (errno < 0) {
    socket.destroy(require("internal/core/errors").errnoException(errno, "write"));
    return;
  }
  handle.reading = true;
  handle.readStart();
  const early = socket[kEarly];
  if (early !== undefined) {
    socket[kEarly] = undefined;
    net.tlsFeed(handle.id, early);
  }
}

function failed(socket: State, error: NodeError): void {
  if (socket[kTimer]) clearTimer(socket[kTimer]);
  if (socket._secureEstablished) {
    socket.destroy(error);
    return;
  }
  const { isServer } = socket[kOptions];
  if (isServer) {
    socket._tlsError = error;
    // A tls.Server listens and tells its program; without one this is an error of the socket.
    socket.destroy(socket.emit("_tlsError", error) ? undefined : error);
  } else {
    socket.destroy(error);
  }
}

/** An error of OpenSSL's numbering. */
interface TLSError extends CodedError {
  library: string;
}

export function tlsError(code: string, text: string): TLSError {
  const error: Partial<TLSError> & Error = new Error(`error:0A000000:${text}`);
  error.library = "SSL routines";
  error.reason = text.replace(/^SSL routines::/, "");
  error.code = code;
  return error as TLSError;
}

function onTls(socket: State, kind: number, first: string, second: string): void {
  if (socket.destroyed) return;
  switch (kind & TLS_HELLO_EVENT) {
    case TLS_EVENT_SECURED:
      secured(socket);
      break;
    case TLS_EVENT_FAILED:
      failed(socket, handshakeError(socket, first, second));
      break;
    case TLS_EVENT_HELLO:
      greeted(socket, kind, first, second);
      break;
    case TLS_EVENT_SESSIONS:
      newSessions(socket);
      break;
    case TLS_EVENT_PRE_SHARED_KEY:
      askKey(socket, kind, first);
      break;
    case TLS_EVENT_KEY_LOG: {
      const line = require("node:buffer").Buffer.from(first, "latin1");
      const { server } = socket[kOptions];
      if (server) server.emit("keylog", line, socket);
      else socket.emit("keylog", line);
      const file = keyLog();
      if (file !== undefined) require("node:fs").appendFileSync(file, line, { mode: 0o600 });
    }
  }
}

// As in Node, what a client has written before the end of the handshake fails with it, and that error is the socket's.
function handshakeError(socket: State, first: string, second: string): NodeError {
  const error = tlsError(first, second);
  if (socket._secureEstablished || socket[kOptions].isServer || socket.bytesWritten === 0) return error;
  return require("internal/core/errors").errnoException(UV_EPROTO, "write", error.message);
}

/** The handshake has come to where a pre-shared key is needed; without one the library refuses it. */
function askKey(socket: State, kind: number, text: string): void {
  const handle = socket._handle!;
  const { isServer, pskCallback: ask } = socket[kOptions];
  let answer: SharedKey;
  try {
    answer = isServer
      ? serverKey(socket, ask!, text)
      : clientKey(socket, ask!, (kind & TLS_HELLO_HAS_HINT) === 0 ? null : text);
  } catch (error) {
    failed(socket, error as NodeError);
    return;
  }
  if (!socket.destroyed && handle.id >= 0) net.tlsAnswer(handle.id, answer[0], answer[1]);
}

function bufferOf(bytes: Uint8Array): Buffer {
  return require("node:buffer").Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function newSessions(socket: State): void {
  const list: Uint8Array[] = net.tlsSessions(socket._handle!.id);
  const { server } = socket[kOptions];
  for (let i = 0; i < list.length; i += 2) {
    const id = bufferOf(list[i]!);
    const session = bufferOf(list[i + 1]!);
    if (server === undefined) {
      // Programs hear of a session after the handshake, though its bytes may come with its end.
      if (!socket._secureEstablished) socket[kSessions].push(session);
      else socket.emit("session", session);
      continue;
    }
    // The connection is told of once the session is stored.
    socket[kStoring]++;
    let done = false;
    const stored = () => {
      if (done) return;
      done = true;
      if (--socket[kStoring] === 0 && socket[kSecured]) finishSecure(socket);
    };
    if (!server.emit("newSession", id, session, stored)) stored();
  }
}

// A ClientHello: which session, which certificate, which status of it, which protocol.
function greeted(socket: State, kind: number, servername: string, offered: string): void {
  socket.servername = servername || false;
  const { server } = socket[kOptions];
  const handle = socket._handle!;
  const id = (server?.listenerCount("resumeSession") ?? 0) > 0 ? bufferOf(net.tlsSession(handle.id, true)) : undefined;
  if (id === undefined || id.length === 0) {
    chooseContext(socket, kind, servername, offered, undefined);
    return;
  }
  let called = false;
  server!.emit("resumeSession", id, (error: unknown, session: string | Uint8Array | null | undefined) => {
    if (called) {
      socket.destroy(new codes.ERR_MULTIPLE_CALLBACK());
      return;
    }
    called = true;
    if (error) socket.destroy(error);
    else if (!socket.destroyed && handle.id >= 0) {
      const found =
        typeof session === "string" ? require("node:buffer").Buffer.from(session, "latin1") : (session ?? undefined);
      chooseContext(socket, kind, servername, offered, found);
    }
  });
}

function chooseContext(
  socket: State,
  kind: number,
  servername: string,
  offered: string,
  session: Uint8Array | undefined,
): void {
  const options = socket[kOptions];
  const { server } = options;
  const handle = socket._handle!;
  const choose = (context: SecureContext, status: Uint8Array | undefined) => {
    if (socket.destroyed || handle.id < 0) return;
    let protocols = protocolList(options.ALPNProtocols);
    if (typeof options.ALPNCallback === "function" && offered !== "") {
      const list = offered.split(",");
      let chosen: string | undefined;
      try {
        chosen = options.ALPNCallback.call(socket, { servername: servername || undefined, protocols: list });
      } catch (error) {
        failed(socket, error as NodeError);
        return;
      }
      if (chosen !== undefined && !list.includes(chosen)) {
        failed(socket, new codes.ERR_TLS_ALPN_CALLBACK_INVALID_RESULT(chosen, list));
        return;
      }
      protocols = chosen === undefined ? ["\0none"] : [chosen];
    }
    if (session !== undefined || status) net.tlsPrepare(handle.id, session, status || undefined);
    net.tlsChoose(handle.id, (socket[kOwnContext] ? options.secureContext!.context : context).id, protocols);
  };
  // The status of a certificate (OCSP) is the program's business.
  const settle = (context: SecureContext) => {
    if ((kind & TLS_HELLO_WANTS_STATUS) === 0 || (server?.listenerCount("OCSPRequest") ?? 0) === 0) {
      choose(context, undefined);
      return;
    }
    const { 0: certificate, 1: issuer } = net.tlsOwnCertificates(context.id);
    let called = false;
    server!.emit(
      "OCSPRequest",
      certificate && bufferOf(certificate),
      issuer ? bufferOf(issuer) : null,
      (error: unknown, status: Uint8Array | undefined) => {
        if (called) {
          socket.destroy(new codes.ERR_MULTIPLE_CALLBACK());
          return;
        }
        called = true;
        if (error) socket.destroy(error);
        else choose(context, status);
      },
    );
  };
  const fallback = server?._contextFor?.(servername) ?? options.secureContext!;
  const callback = options.SNICallback;
  if (servername === "" || typeof callback !== "function") {
    settle(fallback.context);
    return;
  }
  let called = false;
  callback.call(socket, servername, (error, context) => {
    if (called) {
      socket.destroy(new codes.ERR_MULTIPLE_CALLBACK());
      return;
    }
    called = true;
    if (error) {
      failed(socket, error);
      return;
    }
    if (context && !context.context) {
      failed(socket, new TypeError("Invalid SNI context"));
      return;
    }
    settle(context ? context.context! : fallback.context);
  });
}

/** What is wrong with the peer's certificate, by what native code says of a connection. */
function problemOf(info: ReturnType<typeof net.tlsDescribe>): CodedError | null {
  return info[4] === "" ? null : verifyError(info[4]!);
}

// The handshake is done: is this whom we want to talk to?
function secured(socket: State): void {
  const options = socket[kOptions];
  const { id } = socket._handle!;
  if (socket[kTimer]) clearTimer(socket[kTimer]);
  const info = net.tlsDescribe(id);
  socket.alpnProtocol = info[2] || false;
  if (options.isServer) socket.servername = info[3] || false;
  const problem = problemOf(info);
  const rejects = options.rejectUnauthorized !== false;
  if (options.requestOCSP && !options.isServer) {
    const status = net.tlsStatus(id);
    socket.emit("OCSPResponse", status ? bufferOf(status) : null);
    if (socket.destroyed) return;
  }

  if (options.isServer) {
    if (options.requestCert) {
      const error =
        socket.getPeerCertificate(false)?.raw === undefined ? verifyError("UNABLE_TO_GET_ISSUER_CERT") : problem;
      if (error === null) {
        socket.authorized = true;
      } else {
        socket.authorizationError = error.code;
        if (rejects) {
          socket.destroy();
          return;
        }
      }
    }
    net.tlsRelease(id);
    finishSecure(socket);
    return;
  }
  // Who is connected without tls.connect() looks at the peer on its own, as in Node.
  if (!options._connects) {
    socket.authorizationError = problem?.code ?? null;
    net.tlsRelease(id);
    finishSecure(socket);
    return;
  }
  let error: NodeError | null = problem;
  // Of a session that was resumed, too: it may have been made with another name.
  if (error === null) {
    const verify = options.checkServerIdentity ?? checkServerIdentity;
    const host = options.servername || options.host || "localhost";
    error = verify(host, socket.getPeerCertificate(true)) || null;
  }
  if (error !== null) {
    socket.authorized = false;
    socket.authorizationError = error.code || error.message;
    if (rejects && process.env.NODE_TLS_REJECT_UNAUTHORIZED !== "0") {
      socket.destroy(error);
      return;
    }
  } else {
    socket.authorized = true;
  }
  net.tlsRelease(id);
  finishSecure(socket);
}

function finishSecure(socket: State): void {
  if (socket[kStoring] > 0) {
    socket[kSecured] = true;
    return;
  }
  socket._secureEstablished = true;
  socket.secureConnecting = false;
  socket.emit("secure");
  if (socket[kOptions]._connects) {
    socket.emit("secureConnect");
    socket.removeListener("end", onHandshakeEnd);
  }
  for (const session of socket[kSessions].splice(0)) socket.emit("session", session);
  if (!socket.destroyed && socket._handle && !socket.isPaused()) socket.read(0);
}

/** The connection ended before it was secure. */
export function onHandshakeEnd(this: State): void {
  const options = this[kOptions];
  if (this._hadError || this._secureEstablished) return;
  this._hadError = true;
  const error: NodeError & Pick<TLSOptions, "host" | "localAddress"> = connResetException(
    "Client network socket disconnected before secure TLS connection was established",
  );
  error.path = options.path;
  error.host = options._host;
  error.port = options.port as number | undefined;
  error.localAddress = options.localAddress;
  this.destroy(error);
}

proto.connect = function (...args) {
  return Socket.prototype.connect.apply(this, args);
};

// The peer's chain, own certificate first; the last one is its own issuer where it is self-signed.
function certificates(socket: State): PeerCertificate[] {
  if (socket[kCertificates] === undefined) {
    if (!socket._handle || socket._handle.id < 0) return [];
    const { legacyCertificate } = require("internal/crypto/x509");
    socket[kCertificates] = net
      .tlsPeer(socket._handle.id, socket[kOptions].secureContext?.context.id)
      .map(legacyCertificate);
  }
  return socket[kCertificates];
}

function destroyState(this: State): void {
  this._destroySSL();
}

/** Node's name for the end of TLS's own state: what a socket that is closed has no longer. */
proto._destroySSL = function () {
  this.ssl = null;
};

proto.getPeerCertificate = function (detailed) {
  const list = certificates(this);
  if (list.length === 0) return this._handle ? {} : null;
  if (!detailed) return { ...list[0] };
  const { isDeepStrictEqual } = require("internal/util/comparisons");
  for (let i = 0; i < list.length; i++) {
    if (list[i + 1] !== undefined) list[i].issuerCertificate ??= list[i + 1];
    else if (isDeepStrictEqual(list[i].issuer, list[i].subject)) list[i].issuerCertificate ??= list[i];
  }
  return list[0];
};

proto.getPeerX509Certificate = function () {
  const list = certificates(this);
  if (list.length === 0) return undefined;
  return require("internal/crypto/x509").chainOf(list.map((certificate) => certificate.raw as Uint8Array));
};

function describe(socket: State): string[] {
  return socket._handle && socket._handle.id >= 0 ? net.tlsDescribe(socket._handle.id) : [];
}

proto.getCipher = function () {
  return cipherOf(describe(this));
};

proto.getProtocol = function () {
  return describe(this)[0] || null;
};

proto.exportKeyingMaterial = function (length, label, context) {
  validateUint32(length, "length", true);
  validateString(label, "label");
  if (context !== undefined) validateBuffer(context, "context");
  if (!this._secureEstablished) throw new codes.ERR_TLS_INVALID_STATE();
  const bytes = this._handle ? net.tlsExport(this._handle.id, length, label, context) : undefined;
  if (bytes === undefined) throw new codes.ERR_TLS_INVALID_STATE();
  return require("node:buffer").Buffer.from(bytes.buffer);
};

/** Bytes of a native answer that may be empty. */
function some(socket: State, ask: (id: number) => Uint8Array): Buffer | undefined {
  if (!socket._handle || !(socket._handle.id >= 0) || !socket[kStarted]) return undefined;
  const bytes = ask(socket._handle.id);
  return bytes.length === 0 ? undefined : bufferOf(bytes);
}

proto.getSession = function () {
  return some(this, (id) => net.tlsSession(id, false));
};
proto.setSession = function (session) {
  if (typeof session !== "string" && !ArrayBuffer.isView(session))
    throw new codes.ERR_INVALID_ARG_TYPE("session", ["string", "TypedArray", "DataView", "Buffer"], session);
  this[kOptions].session = session;
};
proto.isSessionReused = function () {
  return Boolean(this._handle && this._handle.id >= 0 && net.tlsIsResumed(this._handle.id));
};
proto.getTLSTicket = function () {
  return some(this, (id) => net.tlsTicket(id));
};
proto.getFinished = function () {
  return some(this, (id) => net.tlsFinished(id, false));
};
proto.getPeerFinished = function () {
  return some(this, (id) => net.tlsFinished(id, true));
};
proto.getSharedSigalgs = function () {
  return this._handle ? net.tlsPeerAlgorithms(this._handle.id).map(signatureName) : [];
};
proto.getEphemeralKeyInfo = function () {
  if (!this._handle) return null;
  // Only clients are told, as in Node.
  if (this[kOptions].isServer) return null;
  const group = groups[net.tlsGroup(this._handle.id)];
  return group === undefined ? {} : { type: "ECDH", name: group[0], size: group[1] };
};
proto.getCertificate = function () {
  if (!this._handle || this._handle.id < 0) return null;
  const bytes = net.tlsOwnCertificate(this._handle.id);
  return bytes ? require("internal/crypto/x509").legacyCertificate(bytes) : {};
};
proto.getX509Certificate = function () {
  const bytes = this._handle && this._handle.id >= 0 ? net.tlsOwnCertificate(this._handle.id) : undefined;
  return bytes ? new (require("node:crypto").X509Certificate)(bytes) : undefined;
};

proto.setServername = function (name) {
  if (typeof name !== "string") throw new codes.ERR_INVALID_ARG_TYPE("name", "string", name);
  if (this[kOptions].isServer) throw new codes.ERR_TLS_SNI_FROM_SERVER();
  this[kOptions].servername = name;
};
proto.renegotiate = function (options, callback) {
  if (options === null || typeof options !== "object")
    throw new codes.ERR_INVALID_ARG_TYPE("options", "Object", options);
  if (callback !== undefined && typeof callback !== "function")
    throw new codes.ERR_INVALID_ARG_TYPE("callback", "Function", callback);
  if (this.destroyed) return undefined;
  // TLS 1.3 has none, and the library begins none for 1.2.
  const error =
    this[kNoRenegotiation] || describe(this)[0] !== "TLSv1.3"
      ? new codes.ERR_TLS_RENEGOTIATION_DISABLED()
      : tlsError("ERR_SSL_WRONG_SSL_VERSION", "SSL routines::wrong ssl version");
  if (typeof callback === "function") process.nextTick(callback, error);
  return false;
};
/** There is none that could be switched off. */
proto.disableRenegotiation = function () {
  this[kNoRenegotiation] = true;
};
proto.setMaxSendFragment = function (size) {
  validateInt32(size, "size");
  return Boolean(this._handle && this._handle.id >= 0 && net.tlsMaxFragment(this._handle.id, size));
};
proto.setKeyCert = function (context) {
  this[kOptions].secureContext = context?.context ? (context as ContextHolder) : createSecureContext(context);
  this[kOwnContext] = true;
};
proto.enableTrace = function () {
  this[kOptions].enableTrace = true;
  if (this[kStarted] && this._handle && this._handle.id >= 0) net.tlsTrace(this._handle.id);
};
