// The types of node:net and node:tls: https://nodejs.org/api/net.html, https://nodejs.org/api/tls.html

import type { EventEmitter } from "internal/events/types";
import type { BlockList } from "internal/net/blocklist";
import type { ListenHandle, StreamHandle } from "internal/net/native";
import type { NodeDuplex } from "internal/streams/types";
import type { SecureContext } from "internal/net/tls/context";

/** What a write, a shutdown or a destruction tells: an error, if there is one. */
export type Done = (error?: NodeError | null) => void;

/** A chunk that waits in a stream. */
export interface PendingChunk {
  chunk: Chunk;
  encoding: string;
}
export type Chunk = string | Uint8Array;

/** A stream of both directions with bytes, as sockets and the streams of processes are. */
export interface Duplex extends NodeDuplex {
  readonly errored: NodeError | null;
  destroySoon(): void;
  end(chunk?: unknown, encoding?: unknown, callback?: Done): this;
  read(n?: number): Buffer | null;
  write(chunk: unknown, encoding?: unknown, callback?: unknown): boolean;
  _destroy(error: NodeError | null, callback: Done): void;
  _final(callback: Done): void;
  _write(chunk: Chunk, encoding: string, callback: Done): void;
  _writev(chunks: { chunk: unknown; encoding: string }[], callback: Done): void;
  [Symbol.asyncIterator](): AsyncIterableIterator<Buffer>;
}

/** A class of streams, which may be called by old-style inheritance too. */
export interface StreamConstructor<T, O = object> {
  new (options?: O): T;
  (this: T, options?: O): T | void;
  readonly prototype: T;
  call(self: object, options?: O): void;
}

/** What address() tells; of unix sockets nothing. */
export interface Address {
  address?: string;
  port?: number;
  family?: string;
}

/** What a program takes bytes with instead of the stream: `callback` gets their number and the buffer. */
export interface OnRead {
  buffer: Uint8Array | (() => Uint8Array);
  callback(count: number, buffer: Uint8Array): unknown;
}

export interface SocketOptions {
  fd?: number;
  handle?: StreamHandle;
  allowHalfOpen?: boolean;
  blockList?: BlockList;
  keepAlive?: boolean;
  /** Milliseconds. */
  keepAliveInitialDelay?: number;
  noDelay?: boolean;
  onread?: OnRead | null;
  readable?: boolean;
  writable?: boolean;
  readableHighWaterMark?: number;
  writableHighWaterMark?: number;
  highWaterMark?: number;
  signal?: AbortSignal;
  typeOfService?: number;
  /** Nothing is read before somebody asks. */
  manualStart?: boolean;
  pauseOnCreate?: boolean;
  objectMode?: boolean;
  readableObjectMode?: boolean;
  writableObjectMode?: boolean;
  // As for streams.
  emitClose?: boolean;
  autoDestroy?: boolean;
  decodeStrings?: boolean;
}

/** An address as a lookup function gives it. */
export interface LookupAddress {
  address: string;
  family: number;
}

/** What a lookup tells: one address with its family, or with `all` a list. */
export type LookupCallback = (
  error: NodeError | null | undefined,
  address: string | LookupAddress[],
  family: number,
) => void;
export interface LookupOptions {
  family?: number | string;
  hints?: number;
  all?: boolean;
}
export type Lookup = (hostname: string, options: LookupOptions, callback: LookupCallback) => void;

/** Options of net.connect(): a port or a path. */
export interface ConnectOptions extends SocketOptions {
  port?: number | string;
  path?: string;
  host?: string;
  localAddress?: string;
  localPort?: number;
  family?: number | string;
  hints?: number;
  lookup?: Lookup;
  autoSelectFamily?: boolean;
  autoSelectFamilyAttemptTimeout?: number;
  /** Milliseconds. */
  timeout?: number;
}

/** Options of server.listen(). */
export interface ListenOptions {
  port?: number | string | null;
  host?: string;
  path?: string;
  fd?: number;
  backlog?: number;
  /** In a worker of a cluster: a socket of its own. */
  exclusive?: boolean;
  ipv6Only?: boolean;
  reusePort?: boolean;
  readableAll?: boolean;
  writableAll?: boolean;
  signal?: AbortSignal;
  handle?: ListenHandle;
  _handle?: ListenHandle;
}

export interface ServerOptions {
  allowHalfOpen?: boolean;
  pauseOnConnect?: boolean;
  noDelay?: boolean;
  keepAlive?: boolean;
  keepAliveInitialDelay?: number;
  highWaterMark?: number;
  blockList?: BlockList;
}

/** What happens to a connection that is refused. */
export interface DroppedConnection {
  localAddress?: string;
  localPort?: number;
  localFamily?: string;
  remoteAddress?: string;
  remotePort?: number;
  remoteFamily?: string;
}

export interface Socket extends Duplex {
  connecting: boolean;
  timeout?: number;
  /** The server that accepted it. */
  server: Server | null;
  blockList?: BlockList;
  /** `address:port` of the attempts to connect so far. */
  autoSelectFamilyAttemptedAddresses?: string[];
  resetAndClosing?: boolean;
  readonly pending: boolean;
  readonly readyState: "opening" | "open" | "readOnly" | "writeOnly" | "closed";
  readonly bufferSize: number | undefined;
  readonly bytesRead: number;
  readonly bytesWritten: number | undefined;
  readonly localAddress: string | undefined;
  readonly localFamily: string | undefined;
  readonly localPort: number | undefined;
  readonly remoteAddress: string | undefined;
  readonly remoteFamily: string | undefined;
  readonly remotePort: number | undefined;
  address(): Address;
  connect(...args: unknown[]): this;
  ref(): this;
  unref(): this;
  resetAndDestroy(): this;
  getTypeOfService(): number;
  setKeepAlive(enable?: boolean, initialDelayMsecs?: number): this;
  setNoDelay(enable?: boolean): this;
  setTimeout(msecs: number, callback?: () => void): this;
  setTypeOfService(tos: number): this;

  _handle: StreamHandle | null;
  _hadError: boolean;
  /** The socket beneath one with TLS. */
  _parent: Socket | null;
  /** The name that is being connected to. */
  _host: string | null;
  _closeAfterHandlingError: boolean;
  /** What was written before there is a connection. */
  _pendingData: Chunk | PendingChunk[] | null;
  _pendingEncoding: string;
  _sockname: Address | null | undefined;
  _peername: Address | null | undefined;
  _server: Server | null;
  /** Makes the buffers of `onread`. */
  _bufferGen?: () => Uint8Array;
  readonly _bytesDispatched: number;
  readonly _connecting: boolean;
  _getpeername(): Address;
  _getsockname(): Address;
  _onTimeout(): void;
  _reset(): this;
  _unrefTimer(): void;
  _writeGeneric(many: true, data: PendingChunk[], encoding: string, callback: Done): boolean | void;
  _writeGeneric(many: boolean, data: Chunk | PendingChunk[], encoding: string, callback: Done): boolean | void;
}

export interface Server extends EventEmitter {
  allowHalfOpen: boolean;
  blockList?: BlockList;
  highWaterMark: number;
  keepAlive: boolean;
  keepAliveInitialDelay: number;
  readonly listening: boolean;
  maxConnections?: number;
  noDelay: boolean;
  pauseOnConnect: boolean;
  address(): Address | string | null | undefined;
  close(callback?: Done): this;
  getConnections(callback: (error: NodeError | null, count?: number) => void): this;
  listen(...args: unknown[]): this;
  ref(): this;
  unref(): this;
  [Symbol.asyncDispose](): Promise<void>;

  /** In a worker of a cluster it may be one that the primary has. */
  _handle: ListenHandle | null;
  /** `family:address:port`, as the cluster knows it. */
  _connectionKey?: string;
  _connections: number;
  /** Counts the calls of listen() and close(). */
  _listeningId: number;
  _unref: boolean;
  _usingWorkers: boolean;
  _workers: unknown[];
  _emitCloseIfDrained(): void;
  _listen2(
    address: string | null,
    port: number | null,
    addressType: number | null,
    backlog: number | false | undefined,
    fd?: number,
    flags?: number,
  ): void;
}

/** A certificate as tlsSocket.getPeerCertificate() gives it; empty where there is none. */
export interface PeerCertificate {
  raw?: Uint8Array;
  subject?: { CN?: string | string[] };
  issuer?: unknown;
  subjectaltname?: string;
  issuerCertificate?: PeerCertificate;
}

/** Certificates, keys and limits of createSecureContext(): texts and bytes, alone or in lists. */
export interface SecureContextOptions {
  allowPartialTrustChain?: boolean;
  ca?: unknown;
  cert?: unknown;
  ciphers?: string | null;
  clientCertEngine?: unknown;
  crl?: unknown;
  dhparam?: unknown;
  ecdhCurve?: string | null;
  honorCipherOrder?: boolean;
  key?: unknown;
  maxVersion?: string | null;
  minVersion?: string | null;
  passphrase?: unknown;
  pfx?: unknown;
  privateKeyEngine?: unknown;
  privateKeyIdentifier?: unknown;
  secureOptions?: number;
  secureProtocol?: string;
  sessionIdContext?: string | null;
  sessionTimeout?: number | null;
  sigalgs?: string | null;
  ticketKeys?: ArrayBufferView | null;
}

/** Either what createSecureContext() has given, or something that has it. */
export type ContextHolder = { context: SecureContext };

export interface TLSOptions extends SecureContextOptions, ConnectOptions {
  isServer?: boolean;
  server?: TLSServer;
  secureContext?: ContextHolder;
  requestCert?: boolean;
  rejectUnauthorized?: boolean;
  requestOCSP?: boolean;
  ALPNProtocols?: ProtocolNames;
  ALPNCallback?(this: TLSSocket, offer: { servername: string | undefined; protocols: string[] }): string | undefined;
  SNICallback?: SNICallback;
  checkServerIdentity?(hostname: string, certificate: PeerCertificate | null): NodeError | undefined;
  /** Milliseconds. */
  handshakeTimeout?: number;
  servername?: string;
  session?: string | ArrayBufferView;
  /** A stream to speak TLS on. */
  socket?: Socket;
  pauseOnConnect?: boolean;
  /** What is sent and received is said on standard error. */
  enableTrace?: boolean;
  /** The pre-shared key: of a client by the server's hint, of a server by the socket and the identity. */
  pskCallback?(...question: unknown[]): ArrayBufferView | { psk: ArrayBufferView; identity: string } | null | undefined;
  pskIdentityHint?: string;
  singleUse?: boolean;
  /** The socket is one of tls.connect(). */
  _connects?: boolean;
  /** The host that the program named, for errors. */
  _host?: string;
}

/** Names of protocols: a list, or bytes of names after their lengths. */
export type ProtocolNames = (string | Uint8Array)[] | ArrayBufferView | null;

/** Gives the context for a server's name. */
export type SNICallback = (
  this: TLSSocket,
  servername: string,
  callback: (error: NodeError | null | undefined, context?: Partial<ContextHolder> | null) => void,
) => void;

export interface TLSSocket extends Socket {
  alpnProtocol: string | false | null;
  authorizationError: string | null | undefined;
  authorized: boolean;
  encrypted: boolean;
  secureConnecting: boolean;
  servername: string | false | null;
  ssl: StreamHandle | null;
  _destroySSL(): void;
  disableRenegotiation(): void;
  enableTrace(): void;
  exportKeyingMaterial(length: number, label: string, context?: Uint8Array): Buffer;
  getCertificate(): PeerCertificate | null;
  getCipher(): { name: string; standardName: string; version: string } | undefined;
  getEphemeralKeyInfo(): { type?: string; name?: string; size?: number } | null;
  getFinished(): Buffer | undefined;
  getPeerCertificate(detailed?: boolean): PeerCertificate | null;
  getPeerFinished(): Buffer | undefined;
  getPeerX509Certificate(): unknown;
  getProtocol(): string | null;
  getSession(): Buffer | undefined;
  getSharedSigalgs(): string[];
  getTLSTicket(): Buffer | undefined;
  getX509Certificate(): unknown;
  isSessionReused(): boolean;
  renegotiate(options: object, callback?: Done): boolean | undefined;
  setKeyCert(context: Partial<ContextHolder> & SecureContextOptions): void;
  setMaxSendFragment(size: number): boolean;
  setServername(name: string): void;
  setSession(session: string | ArrayBufferView): void;

  _SNICallback: SNICallback | undefined;
  _secureEstablished: boolean;
  _tlsError?: NodeError;
  _tlsOptions: TLSOptions;
}

export interface TLSServer extends Server {
  ALPNCallback?: unknown;
  /** Protocols in the form of the wire, as `tls.convertALPNProtocols` gives them. */
  ALPNProtocols?: unknown;
  rejectUnauthorized: boolean;
  requestCert: boolean;
  addContext(servername: string, context: Partial<ContextHolder> & SecureContextOptions): void;
  getTicketKeys(): Buffer;
  setSecureContext(options: SecureContextOptions): void;
  setTicketKeys(keys: ArrayBufferView): void;

  _contexts: [RegExp, ContextHolder][];
  _contextFor(servername: string): ContextHolder;
  _handshakeTimeout: number;
  _sharedCreds: SecureContext;
  _tlsServerOptions: TLSOptions & ServerOptions;
}
