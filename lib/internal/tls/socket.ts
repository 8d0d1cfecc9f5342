// tls.TLSSocket (https://nodejs.org/api/tls.html#class-tlstlssocket). TLS itself is between the native handle and the
// kernel: this is a net.Socket whose bytes are plaintext, and what decides whom to talk to.

import { codes, connResetException } from "internal/errors";
import { isIP } from "internal/net/ip";
import { StreamHandle, TCP } from "internal/net/native";
import { initSocketHandle, Socket } from "internal/net/socket";
import { createSecureContext } from "internal/tls/context";
import { checkServerIdentity } from "internal/tls/identity";
import { clearTimer, setUnrefTimeout } from "internal/timers";

const net = native("net");

const kStarted = Symbol("started");
const kOptions = Symbol("options");
const kCertificates = Symbol("certificates");
const kTimer = Symbol("handshake timer");

/** Names of protocols as a list: an array, or a buffer of length-prefixed names. */
export function protocolList(value: any): string[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) {
    for (const item of value) if (String(item).length > 255) throw new codes.ERR_OUT_OF_RANGE("The byte length of the protocol", "<= 255", String(item).length);
    return value.map((item) => typeof item === "string" ? item : require("node:buffer").Buffer.from(item).toString("latin1"));
  }
  const bytes = require("node:buffer").Buffer.from(value.buffer ?? value, value.byteOffset, value.byteLength);
  const list: string[] = [];
  for (let at = 0; at < bytes.length; at += 1 + bytes[at]) list.push(bytes.toString("latin1", at + 1, at + 1 + bytes[at]));
  return list;
}

/** A socket whose bytes are those of a stream; with a handle, the end of that which is joined to the stream. */
function JSStreamSocket(this: any, stream: any, handle?: any): void {
  (Socket as any).call(this, { handle: handle ?? bridge(stream), allowHalfOpen: true });
  this.stream = stream;
}
Object.setPrototypeOf(JSStreamSocket.prototype, (Socket as any).prototype);
Object.setPrototypeOf(JSStreamSocket, Socket);

// A stream that is no socket of this process is joined to one end of a pair of sockets.
function bridge(stream: any): any {
  const pair = net.socketPair();
  if (pair[0] !== 0) throw require("internal/errors").errnoException(pair[0], "socketpair");
  const inner = new (JSStreamSocket as any)(stream, new TCP(pair[2]));
  stream.pipe(inner);
  inner.pipe(stream);
  stream.on("error", () => inner.destroy());
  stream.on("close", () => inner.destroySoon());
  inner.on("error", () => stream.destroy());
  const handle: any = new TCP(pair[1]);
  // Where packages look for Node's class of such sockets.
  handle._parentWrap = inner;
  return handle;
}

/** `new TLSSocket(socket[, options])`; callable without `new`. */
export function TLSSocket(this: any, socket?: any, options: any = {}): any {
  if (!(this instanceof (TLSSocket as any))) return new (TLSSocket as any)(socket, options);
  options = { ...options };
  this[kOptions] = options;
  this[kStarted] = false;
  this[kCertificates] = undefined;
  this[kTimer] = undefined;
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

  let handle: any;
  if (socket) {
    handle = socket instanceof (Socket as any) && (socket._handle instanceof StreamHandle || socket.connecting) && !(socket instanceof (TLSSocket as any))
      ? socket._handle : bridge(socket);
  }
  (Socket as any).call(this, {
    handle: socket && socket.connecting ? undefined : handle,
    allowHalfOpen: socket ? socket.allowHalfOpen : options.allowHalfOpen,
    pauseOnCreate: options.pauseOnConnect,
    manualStart: true,
    highWaterMark: options.highWaterMark,
    onread: socket ? undefined : options.onread,
    signal: options.signal,
  });
  if (socket) {
    this._parent = socket;
    this.connecting = Boolean(socket.connecting);
    const adopt = () => {
      this._handle = socket._handle instanceof StreamHandle ? socket._handle : handle;
      this.connecting = false;
      initSocketHandle(this);
    };
    if (socket.connecting) {
      socket.once("connect", () => {
        adopt();
        this.emit("connect");
        start(this);
      });
      socket.on("error", (error: any) => this.destroy(error));
    } else {
      adopt();
      // What was read before the handshake belongs to it.
      const early = socket instanceof (Socket as any) && handle === socket._handle ? socket.read() : null;
      if (early !== null && early !== undefined) throw new Error("bao: TLS on a socket with unread data is not implemented");
    }
    socket.on("close", () => this.destroy());
    this.on("close", () => socket.destroy());
    const inner = handle?._parentWrap;
    if (inner !== undefined && !options.isServer && !options._connects) {
      // As in Node: a client begins when it writes. Until then it keeps nobody waiting.
      inner.unref();
      this._write = (...args: any[]) => {
        delete this._write;
        inner.ref();
        start(this);
        return this._write(...args);
      };
    } else if (!socket.connecting && (socket._handle || inner !== undefined)) {
      process.nextTick(() => { if (!this.destroyed) start(this); });
    }
  } else {
    this.on("connect", () => start(this));
  }
}
Object.setPrototypeOf(TLSSocket.prototype, (Socket as any).prototype);
Object.setPrototypeOf(TLSSocket, Socket);

const proto: any = TLSSocket.prototype;

/** Begins the handshake; the handle is connected. */
function start(socket: any): void {
  if (socket[kStarted] || !socket._handle) return;
  socket[kStarted] = true;
  const options = socket[kOptions];
  const handle = socket._handle;
  socket.ssl = handle;
  handle.ontls = (kind: number, first: string, second: string) => onTls(socket, kind, first, second);
  let errno: number;
  if (options.isServer) {
    errno = net.tlsStartServer(handle.id, Boolean(options.requestCert));
    const after = options.handshakeTimeout ?? options.server?._handshakeTimeout;
    if (after > 0) {
      socket[kTimer] = setUnrefTimeout(() => failed(socket, new codes.ERR_TLS_HANDSHAKE_TIMEOUT()), after);
    }
  } else {
    const context = (options.secureContext ??= createSecureContext(options)).context;
    const name = options.servername ?? (isIP(options.host ?? "") ? "" : options.host) ?? "";
    const sendName = name !== "" && !isIP(name);
    errno = net.tlsStartClient(handle.id, context.id, name || options.host || "localhost", sendName, protocolList(options.ALPNProtocols));
    if (sendName) socket.servername = name;
  }
  if (errno < 0) {
    socket.destroy(require("internal/errors").errnoException(errno, "write"));
    return;
  }
  handle.reading = true;
  handle.readStart();
}

function failed(socket: any, error: any): void {
  if (socket[kTimer]) clearTimer(socket[kTimer]);
  if (socket._secureEstablished) {
    socket.destroy(error);
    return;
  }
  const { isServer } = socket[kOptions];
  if (isServer) {
    socket._tlsError = error;
    socket.emit("_tlsError", error);
    socket.destroy();
  } else {
    socket.destroy(error);
  }
}

export function tlsError(code: string, text: string): any {
  const error: any = new Error(`error:0A000000:${text}`);
  error.library = "SSL routines";
  error.reason = text.replace(/^SSL routines::/, "");
  error.code = code;
  return error;
}

function onTls(socket: any, kind: number, first: string, second: string): void {
  if (socket.destroyed) return;
  if (kind === 2) chooseContext(socket, first, second);
  else if (kind === 1) failed(socket, tlsError(first, second));
  else secured(socket);
}

// A ClientHello: which certificate, which protocol.
function chooseContext(socket: any, servername: string, offered: string): void {
  const options = socket[kOptions];
  const handle = socket._handle;
  const choose = (context: any) => {
    if (socket.destroyed || handle.id < 0) return;
    let protocols = protocolList(options.ALPNProtocols);
    if (typeof options.ALPNCallback === "function" && offered !== "") {
      const list = offered.split(",");
      const chosen = options.ALPNCallback.call(socket, { servername: servername || undefined, protocols: list });
      if (chosen !== undefined && !list.includes(chosen)) {
        failed(socket, new codes.ERR_TLS_ALPN_CALLBACK_INVALID_RESULT(chosen, list));
        return;
      }
      protocols = chosen === undefined ? ["\0none"] : [chosen];
    }
    net.tlsChoose(handle.id, context.id, protocols);
  };
  const fallback = options.server?._contextFor?.(servername) ?? (options.secureContext ??= createSecureContext(options));
  const callback = options.SNICallback;
  if (servername === "" || typeof callback !== "function") {
    choose(fallback.context);
    return;
  }
  let called = false;
  callback.call(options.server ?? socket, servername, (error: any, context: any) => {
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
    choose(context ? context.context : fallback.context);
  });
}

export function verifyError(code: string): any {
  const texts: Record<string, string> = {
    DEPTH_ZERO_SELF_SIGNED_CERT: "self-signed certificate",
    SELF_SIGNED_CERT_IN_CHAIN: "self-signed certificate in certificate chain",
    UNABLE_TO_VERIFY_LEAF_SIGNATURE: "unable to verify the first certificate",
    UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "unable to get local issuer certificate",
    CERT_HAS_EXPIRED: "certificate has expired",
    CERT_NOT_YET_VALID: "certificate is not yet valid",
    CERT_REVOKED: "certificate revoked",
    CERT_SIGNATURE_FAILURE: "certificate signature failure",
    INVALID_PURPOSE: "unsuitable certificate purpose",
    CERT_REJECTED: "certificate rejected",
  };
  const error: any = new Error(texts[code] ?? code);
  error.code = code;
  return error;
}

// The handshake is done: is this whom we want to talk to?
function secured(socket: any): void {
  const options = socket[kOptions];
  const { id } = socket._handle;
  if (socket[kTimer]) clearTimer(socket[kTimer]);
  const info = net.tlsDescribe(id);
  socket.alpnProtocol = info[2] || false;
  if (options.isServer) socket.servername = info[3] || false;
  const problem = info[4] === "" ? null : verifyError(info[4]);
  const rejects = options.rejectUnauthorized !== false;

  if (options.isServer) {
    if (options.requestCert) {
      const error = socket.getPeerCertificate(false)?.raw === undefined
        ? Object.assign(new Error("peer did not return a certificate"), { code: "ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE" }) : problem;
      if (error === null) {
        socket.authorized = true;
      } else {
        socket.authorizationError = error.code;
        if (rejects) {
          failed(socket, error);
          return;
        }
      }
    }
    net.tlsRelease(id);
    finishSecure(socket);
    return;
  }
  let error = problem;
  if (error === null && !options._skipIdentity) {
    const verify = options.checkServerIdentity ?? checkServerIdentity;
    const host = options.servername || options.host || "localhost";
    error = verify(host, socket.getPeerCertificate(true)) ?? null;
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

function finishSecure(socket: any): void {
  socket._secureEstablished = true;
  socket.secureConnecting = false;
  socket.emit("secure");
  if (!socket[kOptions].isServer) {
    socket.emit("secureConnect");
    socket.removeListener("end", onHandshakeEnd);
  }
  if (!socket.destroyed && socket._handle && !socket.isPaused()) socket.read(0);
}

/** The connection ended before it was secure. */
export function onHandshakeEnd(this: any): void {
  const options = this[kOptions];
  if (this._hadError || this._secureEstablished) return;
  this._hadError = true;
  const error: any = connResetException("Client network socket disconnected before secure TLS connection was established");
  error.path = options.path;
  error.host = options.host;
  error.port = options.port;
  error.localAddress = options.localAddress;
  this.destroy(error);
}

proto.connect = function(...args: any[]): any {
  return (Socket as any).prototype.connect.apply(this, args);
};

// The peer's chain, own certificate first; the last one is its own issuer where it is self-signed.
function certificates(socket: any): any[] {
  if (socket[kCertificates] === undefined) {
    if (!socket._handle || socket._handle.id < 0) return [];
    const { parseCertificate } = require("internal/tls/certificate");
    socket[kCertificates] = net.tlsPeer(socket._handle.id).map(parseCertificate);
  }
  return socket[kCertificates];
}

proto.getPeerCertificate = function(detailed?: boolean): any {
  const list = certificates(this);
  if (list.length === 0) return this._handle ? {} : null;
  if (!detailed) return list[0];
  for (let i = 0; i < list.length; i++) list[i].issuerCertificate ??= list[i + 1] ?? list[i];
  return list[0];
};

proto.getPeerX509Certificate = function(): any {
  const list = certificates(this);
  return list.length === 0 ? undefined : new (require("node:crypto").X509Certificate)(list[0].raw);
};

const suites: Record<string, string> = {
  TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256: "ECDHE-ECDSA-AES128-GCM-SHA256",
  TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384: "ECDHE-ECDSA-AES256-GCM-SHA384",
  TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256: "ECDHE-ECDSA-CHACHA20-POLY1305",
  TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256: "ECDHE-RSA-AES128-GCM-SHA256",
  TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384: "ECDHE-RSA-AES256-GCM-SHA384",
  TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256: "ECDHE-RSA-CHACHA20-POLY1305",
};

function describe(socket: any): string[] {
  return socket._handle && socket._handle.id >= 0 ? net.tlsDescribe(socket._handle.id) : [];
}

/** What getCipher() gives for a native description. */
export function cipherOf({ 0: version, 1: suite }: string[]): any {
  if (!suite) return undefined;
  const standard = suite.replace(/^TLS13_/, "TLS_");
  return { name: suites[standard] ?? standard, standardName: standard, version };
}

proto.getCipher = function(): any {
  return cipherOf(describe(this));
};

proto.getProtocol = function(): any {
  return describe(this)[0] || null;
};

proto.exportKeyingMaterial = function(length: number, label: string, context?: any): any {
  if (!this._secureEstablished) throw new codes.ERR_TLS_INVALID_STATE();
  const bytes = this._handle ? net.tlsExport(this._handle.id, length, label, context) : undefined;
  if (bytes === undefined) throw new codes.ERR_TLS_INVALID_STATE();
  return require("node:buffer").Buffer.from(bytes.buffer);
};

// Sessions are resumed by the TLS library on its own; they cannot be taken out.
proto.getSession = function(): undefined {
  return undefined;
};
proto.isSessionReused = function(): boolean {
  return false;
};
proto.getTLSTicket = function(): undefined {
  return undefined;
};
proto.getCertificate = function(): any {
  const { cert } = this[kOptions];
  if (!cert) return {};
  const text = String(Array.isArray(cert) ? cert[0] : cert);
  const match = /-----BEGIN CERTIFICATE-----([^-]+)-----END/.exec(text);
  if (!match) return {};
  return require("internal/tls/certificate").parseCertificate(require("node:buffer").Buffer.from(match[1]!, "base64"));
};
proto.setServername = function(name: any): void {
  if (typeof name !== "string") throw new codes.ERR_INVALID_ARG_TYPE("name", "string", name);
  if (this[kOptions].isServer) throw new codes.ERR_TLS_SNI_FROM_SERVER();
  this[kOptions].servername = name;
};
proto.renegotiate = function(options: any, callback?: any): boolean {
  if (options === null || typeof options !== "object") throw new codes.ERR_INVALID_ARG_TYPE("options", "Object", options);
  // TLS 1.3 has none, and the library has none for 1.2.
  const error = new codes.ERR_TLS_RENEGOTIATION_DISABLED();
  if (typeof callback === "function") process.nextTick(callback, error);
  return false;
};
proto.disableRenegotiation = function(): void {};
proto.setMaxSendFragment = function(): boolean {
  return false;
};
proto.enableTrace = function(): void {
  throw new Error("bao: tlsSocket.enableTrace() is not implemented");
};
