// What the parts of fetch and of the WebSocket client know of each other.

import type { Connection, Route } from "internal/fetch/connection";

/** What a request goes over: a connection of HTTP/1.1, or a stream of one of HTTP/2. */
export type Carrier = Pick<
  Connection,
  | "write"
  | "writeChunk"
  | "requestEnded"
  | "responseEnded"
  | "release"
  | "fail"
  | "abandon"
  | "gather"
  | "pause"
  | "resume"
  | "persistent"
  | "idleTime"
  | "closed"
>;

/** What a connection is for: an exchange of fetch, a WebSocket in the making, or a connection for later, which lacks some. */
export interface Errand {
  readonly route: Route;
  readonly href: string;
  connection: Carrier | undefined;
  /** Milliseconds without a byte after which it fails. */
  readonly silence: number;
  readonly method?: string;
  /** A head has come. */
  readonly responded?: boolean;
  /** The connection is not for another request. */
  readonly last?: boolean;
  /** May be sent again where a connection turns out to be closed. */
  readonly repeatable?: boolean;
  /** Begins again, with another connection. */
  start?(): void;
  /** The connection is there. */
  begin?(connection: Connection): void;
  /** What is behind TLS has agreed on a protocol. */
  secured?(connection: Connection, protocol: string): void;
  received?(
    connection: Connection,
    status: number,
    text: string,
    complete: boolean,
    body: ArrayBuffer | undefined,
  ): void;
  /** A piece of the body; false where the connection should wait. */
  data?(bytes: Uint8Array): boolean;
  ended?(): void;
  drained?(): void;
  upgraded?(connection: Connection, rest: Uint8Array): void;
  settled(): void;
  fail(error: unknown): void;
}

/** What native code tells of a frame: a text, what is wrong, or bytes; undefined for a text that is none. */
export type FrameData = string | ArrayBuffer | undefined;

/** What has taken a connection over: a WebSocket, a session of HTTP/2. */
export interface Successor {
  drained(): void;
  disconnected(): void;
  frame?(first: number, data: FrameData): void;
}

/** The option `tls`: what node:tls takes, with Blobs as files. */
export interface TlsOptions {
  [name: string]: unknown;
  checkServerIdentity?(hostname: string, certificate: object): unknown;
  rejectUnauthorized?: boolean;
  secureContext?: SecureContext;
  servername?: string;
  /** Another name of it. */
  serverName?: string;
}

/** A context of node:tls. */
export interface SecureContext {
  readonly context: { readonly id: number };
}

/** The option `proxy`. */
export type ProxyOption = string | URL | false | null | undefined | OwnProxy;

export interface OwnProxy {
  url?: unknown;
  /** For the proxy. */
  headers?: unknown;
  /** False: also for hosts of NO_PROXY. */
  respectNoProxy?: boolean;
}
