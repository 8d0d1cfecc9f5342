// The JavaScript side of HTTP/3 in native("net"): one object a session or endpoint.
//
// Commands only append to what is to be sent; it goes out at the end of the batch of datagrams that is being understood, or else in the check
// phase of the loop's turn, so that what a program does in one turn shares packets.

import { asyncContext, callInContext, captureContext } from "internal/events/async_context";

const net = native("net");

/** Codes by those of HTTP/2 that mean the same. */
const CODES: Record<number, number> = { 0: 0x100, 2: 0x102, 7: 0x10b, 8: 0x10c };
/** The peer was asked for something, and has done nothing about it. */
export const REJECTED = 0x10b;

const DONE = 0;
const HEADERS = 1;
const DATA = 2;
const END = 3;
const CLOSED = 4;
const WRITTEN = 5;
const GOAWAY = 6;
const DRAINED = 7;
const CONNECTED = 8;

/** What owns a number of native code. */
interface Owner {
  context: unknown;
  /** A server's endpoint has a new session. */
  accepted?(id: number): void;
}

/** Sessions and endpoints by their numbers. */
const owners: (Owner | undefined)[] = [];
let ready = false;

/** `a`, `b`, `c`: what the event has, of the types that its method takes. */
function onEvent(id: number, kind: number, stream: number, a: never, b: never, c: never): void {
  const owner = owners[id];
  if (owner === undefined) return;
  if (!(owner instanceof SessionBase)) {
    owner.accepted!(stream);
    return;
  }
  // Behind these two nothing follows.
  owner.feeding = kind !== DONE && kind !== DRAINED;
  try {
    if (asyncContext.active) callInContext(owner.context, dispatch, undefined, [owner, kind, stream, a, b, c]);
    else dispatch(owner, kind, stream, a, b, c);
  } catch (error) {
    // The end of this batch will not be told.
    owner.feeding = false;
    owner.schedule();
    throw error;
  }
}

function dispatch(session: SessionBase, kind: number, stream: number, a: never, b: never, c: never): void {
  switch (kind) {
    case DONE:
      break;
    case HEADERS:
      session.onHeaders(stream, a, b);
      break;
    case DATA:
      session.onData(stream, a);
      break;
    case END:
      session.onEnd(stream);
      break;
    case CLOSED:
      session.onClosed(stream, a);
      break;
    case WRITTEN:
      session.onWritten(stream);
      break;
    case GOAWAY:
      session.onGoaway();
      break;
    case DRAINED:
      session.onDrained();
      break;
    case CONNECTED:
      session.onConnected();
      break;
    default:
      session.onLost(a, b, c);
      break;
  }
}

function prepare(): void {
  if (ready) return;
  ready = true;
  net.h3Callback(onEvent);
}

/** Has `accepted` of `owner` called for each new session of an endpoint. */
export function ownEndpoint(id: number, owner: Owner & { accepted(id: number): void }): void {
  prepare();
  owners[id] = owner;
}

/** The endpoint is closed. */
export function disownEndpoint(id: number): void {
  owners[id] = undefined;
}

/** A session of native code. Its owner fills in what is called above. */
export abstract class SessionBase {
  declare id: number;
  declare context: unknown;
  /** Between the first event of a batch and its end: what is to be sent goes out then. */
  declare feeding: boolean;
  declare scheduled: boolean;

  constructor(id: number) {
    prepare();
    this.id = id;
    owners[id] = this;
    this.context = captureContext();
    this.feeding = false;
    this.scheduled = false;
  }

  abstract onHeaders(stream: number, flags: number, text: string): void;
  abstract onData(stream: number, bytes: ArrayBuffer): void;
  abstract onEnd(stream: number): void;
  abstract onClosed(stream: number, code: number): void;
  abstract onWritten(stream: number): void;
  abstract onGoaway(): void;
  abstract onDrained(): void;
  abstract onConnected(): void;
  /** `how` is one of native code's `Lost`. */
  abstract onLost(how: number, code: number, reason: string): void;

  // ---- commands

  sendHeaders(kind: number, stream: number, text: string, flags: number): number {
    return net.h3Headers(this.id, kind, stream, text, flags);
  }

  reply(stream: number, text: string, body: unknown, quiet: boolean): void {
    net.h3Reply(this.id, stream, text, body, quiet);
  }

  write(stream: number, body: string | Uint8Array, end = false): void {
    net.h3Write(this.id, stream, body, end);
  }

  shut(stream: number): void {
    net.h3Shut(this.id, stream);
  }

  setReading(stream: number, on: boolean): void {
    net.h3Reading(this.id, stream, on);
  }

  /** `code` is one of HTTP/2. */
  reset(stream: number, code: number): void {
    net.h3Reset(this.id, stream, CODES[code] ?? 0x102);
  }

  /** Has what was appended sent before the loop sleeps. */
  schedule(): void {
    if (this.feeding || this.scheduled) return;
    this.scheduled = true;
    setImmediate(flush, this);
  }

  /** Closes the connection with a code of HTTP/2; it has no events any more. */
  end(code: number): void {
    const { id } = this;
    if (id < 0) return;
    net.h3Close(id, CODES[code] ?? 0x102);
    this.free();
  }

  free(): void {
    const { id } = this;
    if (id < 0) return;
    this.id = -1;
    owners[id] = undefined;
    net.h3Free(id);
  }
}

function flush(session: SessionBase): void {
  session.scheduled = false;
  if (session.id < 0) return;
  net.h3Flush(session.id);
  session.feeding = false;
}
