// What the package `ws` speaks of: sockets, requests and options as a program gives them.

import type { Duplex as PlainDuplex, NetServer } from "internal/http/types";
import type { EventEmitter, Listener } from "internal/events/types";
import type { StreamHandle } from "internal/net/native";

/** What a callback of `send` gets. */
export type Sent = (error?: Error | null) => void;

/** A stream both ways. */
export interface Duplex extends PlainDuplex {
  readonly readableEnded: boolean;
  readonly readableObjectMode: boolean;
}

/** A connection that was upgraded: a socket of node:net or node:tls, or any Duplex. */
export interface Connection extends Duplex {
  unshift(chunk: Uint8Array): void;
  _handle?: StreamHandle | null;
  authorized?: boolean;
  encrypted?: boolean;
  setTimeout?(milliseconds: number): void;
  setNoDelay?(): void;
}

/** A request for an upgrade, an answer to one. */
export interface Incoming {
  method: string;
  url: string;
  statusCode: number;
  headers: Record<string, string | undefined>;
  socket: Connection;
}

/** A request of a client under way. */
export interface Outgoing extends EventEmitter {
  setHeader(name: string, value: string): void;
  socket?: { destroyed: boolean; destroy(): unknown } | null;
  abort(): void;
  end(): void;
}

export type HttpServer = NetServer & {
  listen(port: number, host: string | undefined, backlog: number | undefined, callback: Listener | undefined): void;
  address(): unknown;
  close(callback: () => void): void;
};

/** `perMessageDeflate` of both sides (https://github.com/websockets/ws/blob/master/doc/ws.md). */
export interface DeflateOptions {
  serverNoContextTakeover?: boolean;
  clientNoContextTakeover?: boolean;
  serverMaxWindowBits?: number | boolean;
  clientMaxWindowBits?: number | boolean;
  zlibDeflateOptions?: { level?: number; memLevel?: number };
  threshold?: number;
}

/** Options that both ends have. */
export interface Limits {
  allowSynchronousEvents?: boolean;
  maxBufferedChunks?: number;
  maxFragments?: number;
  maxPayload?: number;
  skipUTF8Validation?: boolean;
  generateMask?: (key: Uint8Array) => void;
}
