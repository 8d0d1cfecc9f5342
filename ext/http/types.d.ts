// What node:http and node:http2 use of streams, connections and servers, and the shapes of headers.

import type { Timeout, kTimeout } from "internal/core/timers";
import type { EventEmitter } from "internal/events/types";
import type { ClientRequest } from "internal/http/client";
import type { HTTPParser } from "internal/http/common";
import type { OutgoingMessage } from "internal/http/outgoing";
import type { StreamHandle } from "internal/net/native";

/** What a write or an end calls when it is done. */
export type Done = (error?: NodeError | null) => void;
export type Chunk = string | Uint8Array;

// ---------------------------------------------------------------------------------------------- streams

export interface Readable extends EventEmitter {
  _readableState: {
    readingMore: boolean;
    ended: boolean;
    endEmitted: boolean;
    destroyed: boolean;
    closed: boolean;
    closeEmitted: boolean;
    resumeScheduled: boolean;
    length: number;
  };
  _eventsCount: number;
  destroyed: boolean;
  readable: boolean;
  readableFlowing: boolean | null;
  readonly readableDidRead: boolean;
  readonly readableEnded: boolean;
  readonly readableHighWaterMark: number;
  readonly readableLength: number;
  push(chunk: Uint8Array | null): boolean;
  read(size?: number): Uint8Array | null;
  pause(): this;
  resume(): this;
  destroy(error?: unknown): this;
}

export interface Writable extends EventEmitter {
  _writableState: {
    length: number;
    corked: number;
    ending: boolean;
    destroyed: boolean;
    needDrain: boolean;
    buffered: unknown[];
  };
  destroyed: boolean;
  writable: boolean;
  readonly writableCorked: number;
  readonly writableEnded: boolean;
  readonly writableFinished: boolean;
  readonly writableHighWaterMark: number;
  readonly writableLength: number;
  write(chunk: Chunk, encoding?: string | Done | null, callback?: Done | null): boolean;
  end(chunk?: Chunk | Done | null, encoding?: string | Done | null, callback?: Done | null): unknown;
  cork(): void;
  uncork(): void;
  destroy(error?: unknown): this;
}

export interface Duplex extends Readable, Writable {
  destroy(error?: unknown): this;
}

/** A class of the old kind: with `new`, or called on an object that is to become one. */
export interface StreamClass<T> {
  new (options?: object): T;
  readonly prototype: T;
  call(self: T, options?: object): void;
}

/** What node:stream is used for here. */
export interface Streams {
  Readable: StreamClass<Readable>;
  Duplex: StreamClass<Duplex>;
  Stream: StreamClass<EventEmitter>;
}

// ---------------------------------------------------------------------------------------------- connections

/** The handle of a connection. */
export type ConnectionHandle = StreamHandle & {
  /** An http parser reads it, past the socket. */
  _consumed?: boolean;
  asyncReset?(): void;
};

/** A connection: a net.Socket, a TLSSocket, or another Duplex, which lacks what is optional. */
export interface Socket extends Duplex {
  _handle?: ConnectionHandle | null;
  _hadError?: boolean;
  /** The response (on servers) or request (on clients) that has the connection. */
  _httpMessage?: OutgoingMessage | null;
  /** Reading rests because answers wait to be written. */
  _paused?: boolean;
  [kTimeout]?: Timeout | null;
  parser?: HTTPParser | null;
  server?: NetServer | null;
  connecting?: boolean;
  secureConnecting?: boolean;
  encrypted?: boolean;
  alpnProtocol?: string | false | null;
  servername?: string | false | null;
  remoteAddress?: string;
  remoteFamily?: string;
  remotePort?: number;
  timeout?: number;
  setTimeout(msecs: number, callback?: () => void): this;
  setKeepAlive(enable?: boolean, initialDelay?: number): this;
  setNoDelay(enable?: boolean): this;
  setEncoding?(encoding?: string): void;
  disableRenegotiation?(): void;
  destroySoon?(): void;
  _onTimeout(): void;
  ref(): this;
  unref(): this;
}

/** The connection of a client. */
export interface ClientSocket extends Socket {
  _httpMessage?: ClientRequest | null;
}

/** A net.Server or tls.Server. */
export interface NetServer extends EventEmitter {
  _handle: unknown;
  close(callback?: (error?: NodeError) => void): unknown;
}

// ---------------------------------------------------------------------------------------------- headers

/** A value as programs set it; several ones become several lines. */
export type HeaderValue = string | number | string[];

/** Headers that were set, by their names in lower case. */
export interface OutHeaders {
  [name: string]: [name: string, value: HeaderValue];
}

/** Headers as writeHead() and requests take them: an object, a flat list, or pairs. */
export type GivenHeaders = { [name: string]: HeaderValue } | HeaderValue[] | [string, HeaderValue][];

/** The headers of a message that came, by their names in lower case. */
export interface IncomingHeaders {
  [name: string]: string | string[] | undefined;
  "content-length"?: string;
  expect?: string;
  host?: string;
  "keep-alive"?: string;
  "set-cookie"?: string[];
  te?: string;
  "transfer-encoding"?: string;
}

// ---------------------------------------------------------------------------------------------- diagnostics

/** A channel of node:diagnostics_channel. */
export interface Channel {
  readonly hasSubscribers: boolean;
  publish(message: object): void;
}
