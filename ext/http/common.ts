// What http servers and clients share: the message parser, checks of names and values, the Date header.

import { FastBuffer } from "internal/buffer/base";
import { captureContext, ownership } from "internal/events/async_context";
import { codes } from "internal/core/errors";
import { kTimeout } from "internal/core/timers";
import { StreamHandle, table } from "internal/net/native";
import { HEAD_COMPLETE, HEAD_KEEP_ALIVE } from "internal/net/native_constants";
import type { IncomingMessage } from "internal/http/incoming";
import type { OutgoingMessage } from "internal/http/outgoing";
import type { ConnectionHandle, NetServer, Socket } from "internal/http/types";

const net = native("net");

export const methods: string[] = net.httpMethods();

export const kIncomingMessage = Symbol("IncomingMessage");
export const kOutHeaders = Symbol("kOutHeaders");
export const kNeedDrain = Symbol("kNeedDrain");

export const continueExpression = /(?:^|\W)100-continue(?:$|\W)/i;
export const chunkExpression = /(?:^|\W)chunked(?:$|\W)/i;

/** http.maxHeaderSize: bytes of a head, as `--max-http-header-size` says; 0 stands for the default. */
export function maxHeaderSizeOption(): number {
  const option = native("process").cliOption("--max-http-header-size");
  return option === undefined ? 16 << 10 : Number(option);
}

/** Bytes of a head that a parser takes. */
export function maxHeaderSize(): number {
  return maxHeaderSizeOption() || 16 << 10;
}

let insecure: boolean | undefined;
/** Whether --insecure-http-parser was given. */
export function isInsecure(): boolean {
  return (insecure ??= native("process").cliOption("--insecure-http-parser") === true);
}

const tokenPattern = /^[\^_`a-zA-Z\-0-9!#$%&'*+.|~]+$/;
const invalidValue = /[^\t\x20-\x7e\x80-\xff]/;
const knownTokens = new Set<string>();

/** Whether a string is a token of RFC 9110, which names of headers and methods are. */
export function checkIsHttpToken(value: string): boolean {
  if (knownTokens.has(value)) return true;
  if (!tokenPattern.test(value)) return false;
  // The same few names come again and again.
  if (knownTokens.size < 512 && value.length < 64) knownTokens.add(value);
  return true;
}

/** Whether a header's value has characters that it may not have. */
export function checkInvalidHeaderChar(value: unknown): boolean {
  return invalidValue.test(value as string);
}

export function validateHeaderName(name: unknown, label?: string): void {
  if (typeof name !== "string" || !name || !checkIsHttpToken(name)) {
    throw new codes.ERR_INVALID_HTTP_TOKEN(label || "Header name", name);
  }
}

export function validateHeaderValue(name: string, value: unknown): void {
  if (value === undefined) throw new codes.ERR_HTTP_INVALID_HEADER_VALUE(value, name);
  if (invalidValue.test(value as string)) throw new codes.ERR_INVALID_CHAR("header content", name);
}

let dateCache: string | undefined;
function resetDate(): void {
  dateCache = undefined;
}

/** The Date header's value, kept until the second is over. */
export function utcDate(): string {
  if (dateCache === undefined) {
    const now = new Date();
    dateCache = now.toUTCString();
    const { setSharedTimeout } = require("internal/core/timers");
    setSharedTimeout(resetDate, 1000 - now.getMilliseconds());
  }
  return dateCache;
}

export function ondrain(this: Socket): void {
  if (this._httpMessage) this._httpMessage.emit("drain");
}

export function readStart(socket: Socket | null | undefined): void {
  if (socket && !socket._paused && socket.readable) {
    const handle = socket._handle;
    if (handle?.reading === false || handle === undefined || !(handle instanceof StreamHandle)) socket.resume();
    if (handle instanceof StreamHandle && !handle.reading) handle.readStart();
  }
}

export function readStop(socket: Socket | null | undefined): void {
  if (socket?._handle instanceof StreamHandle) socket._handle.readStop();
  else if (socket) socket.pause();
}

function noop(): void {}

/** A server that says which class its messages are of. */
type MessageServer = NetServer & { [kIncomingMessage]?: MessageClass };

/**
 * Parses what comes over one connection. `onIncoming(message, keepAlive)` is called for each head and answers what to
 * do with the body. Where the socket's handle is a native one, its bytes never reach JavaScript (`consume`).
 */
export class HTTPParser {
  declare id: number;
  declare context: unknown;
  /** Null, as `onIncoming`, when the parser has been freed. */
  declare socket: Socket;
  declare incoming: IncomingMessage | null;
  declare outgoing: OutgoingMessage | null;
  /** A head has come, `info` as native code has it; the answer is one of ANSWER_. */
  declare onIncoming: (message: IncomingMessage, keepAlive: boolean, info: number) => number;
  declare onUpgrade: (head: Uint8Array) => void;
  declare onError: (error: ParseError) => void;
  declare maxHeaderPairs: number;
  declare joinDuplicateHeaders: boolean | undefined;
  declare _consumed: boolean;
  declare response: boolean;

  constructor(response: boolean, limit: number, lenient: boolean, socket: Socket) {
    this.id = net.httpCreate(response, limit, lenient);
    table[this.id] = this;
    this.context = captureContext();
    this.socket = socket;
    this.incoming = null;
    this.outgoing = null;
    this.onIncoming = null!;
    this.onUpgrade = noop;
    this.onError = noop;
    this.maxHeaderPairs = 2000;
    this.joinDuplicateHeaders = undefined;
    this._consumed = false;
    this.response = response;
  }

  /** Reads from a handle from now on. */
  consume(handle: ConnectionHandle | null | undefined): boolean {
    if (!(handle instanceof StreamHandle) || handle._consumed || handle.id < 0) return false;
    // Something was read before.
    if (this.socket.readableLength > 0) return false;
    if (!net.httpConsume(this.id, handle.id)) return false;
    handle._consumed = true;
    this._consumed = true;
    return true;
  }

  unconsume(): void {
    if (!this._consumed) return;
    this._consumed = false;
    if (this.id >= 0) net.httpUnconsume(this.id);
    const handle = this.socket?._handle;
    if (handle) handle._consumed = false;
  }

  /** Node's name for the end of a parser. */
  close(): void {
    this.free();
  }

  execute(bytes: Uint8Array): void {
    if (this.id >= 0) net.httpExecute(this.id, bytes);
  }

  /** The connection has ended; the error where that is in the middle of a message. */
  finish(): ParseError | undefined {
    if (this.id < 0) return undefined;
    const problem = net.httpFinish(this.id);
    return problem === undefined ? undefined : parseError(problem[0], problem[1], 0, undefined);
  }

  free(): void {
    if (this.id < 0) return;
    const { id } = this;
    if (this._consumed) this.unconsume();
    this.id = -1;
    table[id] = undefined;
    net.httpFree(id);
    this.socket = null!;
    this.incoming = null;
    this.outgoing = null;
    this.onIncoming = null!;
    this.onUpgrade = noop;
    this.onError = noop;
  }

  // Calls from native code.

  head(info: number, text: string, body: ArrayBuffer | undefined): number {
    const { socket } = this;
    if (socket[kTimeout]) socket[kTimeout].refresh();
    const Message = this.response
      ? classes.IncomingMessage
      : ((socket.server as MessageServer | null | undefined)?.[kIncomingMessage] ?? classes.IncomingMessage);
    const message = new Message(socket);
    this.incoming = message;
    message.setHead(this, info, text);
    const answer = this.onIncoming(message, (info & HEAD_KEEP_ALIVE) !== 0, info);
    if ((info & HEAD_COMPLETE) !== 0) {
      if (body !== undefined && !message._dumped) message.push(new FastBuffer(body));
      this.end(undefined, message);
    }
    return answer;
  }

  body(bytes: ArrayBuffer): void {
    if (this.socket[kTimeout]) this.socket[kTimeout].refresh();
    const message = this.incoming;
    // A message that was dumped or destroyed takes nothing more.
    if (message === null || message._dumped) return;
    if (!message.push(new FastBuffer(bytes))) readStop(this.socket);
  }

  end(trailers: string | undefined, message: IncomingMessage | null = this.incoming): void {
    if (message !== null) {
      message.complete = true;
      if (trailers !== undefined) message.setTrailers(this, trailers);
      if (!message._dumped || !message.readableEnded) message.push(null);
    }
    // The next message may be read.
    const handle = this.socket?._handle;
    if (!handle?.reading) readStart(this.socket);
  }

  failed(code: string, reason: string, parsed: number, packet: ArrayBuffer): void {
    this.onError(parseError(code, reason, parsed, new FastBuffer(packet)));
  }

  upgraded(rest: ArrayBuffer): void {
    this._consumed = false;
    const handle = this.socket?._handle;
    if (handle) handle._consumed = false;
    this.onUpgrade(new FastBuffer(rest));
  }
}

// The parsers of a disposed graph's connections; one over a connection of the global agent, which is nobody's, stays.
ownership.closers.push((isOwned) => {
  for (const parser of table) {
    if (parser instanceof HTTPParser && isOwned(parser.socket?._handle?.context)) parser.free();
  }
});

/** What a parser finds wrong. */
export interface ParseError extends CodedError {
  bytesParsed: number;
  rawPacket?: Uint8Array;
}

export function parseError(
  code: string,
  reason: string,
  bytesParsed: number,
  rawPacket: FastBuffer | undefined,
): ParseError {
  const error = new Error(`Parse Error: ${reason}`) as ParseError;
  error.bytesParsed = bytesParsed;
  error.code = code;
  error.reason = reason;
  if (rawPacket !== undefined) error.rawPacket = rawPacket;
  return error;
}

/** Frees a parser with what refers to it. */
export function freeParser(
  parser: HTTPParser | null | undefined,
  message: IncomingMessage | OutgoingMessage | null | undefined,
  socket: Socket | null | undefined,
): void {
  if (parser) {
    if (parser.socket) parser.socket.parser = null;
    parser.free();
  }
  if (message) (message as OutgoingMessage).parser = null;
  if (socket) socket.parser = null;
}

/** The class of the messages of a server, or of all; programs may have their own. */
export type MessageClass = new (socket: Socket) => IncomingMessage;

/** The class of messages; internal/http/incoming puts it here. */
export const classes: { IncomingMessage: MessageClass } = { IncomingMessage: undefined! };
