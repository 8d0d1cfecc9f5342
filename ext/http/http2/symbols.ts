// Symbols and small parts of sessions and streams, which know each other.

import { clearTimer, getTimerDuration, kTimeout, setUnrefTimeout } from "internal/core/timers";
import { validateFunction } from "internal/core/validators";
import type { Timeout } from "internal/core/timers";
import type { EventEmitter } from "internal/events/types";
import type { Http2Session } from "internal/http/http2/session";
import type { Channel } from "internal/http/types";

export const kBoundSession = Symbol("bound-session");
export const kHandle = Symbol("handle");
export const kID = Symbol("id");
export const kInfoHeaders = Symbol("sent-info-headers");
export const kMaybeDestroy = Symbol("maybe-destroy");
export const kOptions = Symbol("options");
export const kOrigin = Symbol("origin");
export const kRawHeaders = Symbol("raw-headers");
export const kSentHeaders = Symbol("sent-headers");
export const kSentTrailers = Symbol("sent-trailers");
export const kServer = Symbol("server");
export const kSession = Symbol("session");
export const kSessions = Symbol("sessions");
export const kState = Symbol("state");
export const kType = Symbol("type");
export const kUpdateTimer = Symbol("update-timer");

export const NO_ERROR = 0;
export const INTERNAL_ERROR = 2;
export const REFUSED_STREAM = 7;
export const CANCEL = 8;

/** Options of a header block for the handle. */
export const EMPTY_PAYLOAD = 1;
export const GET_TRAILERS = 2;

/** The channels of one side. */
type StreamChannels = Record<
  "created" | "start" | "error" | "finish" | "close" | "bodyChunkSent" | "bodySent",
  Channel
>;

let channels: { client: StreamChannels; server: StreamChannels } | undefined;

/** The diagnostics channels of streams: created, start, error, finish, close of clients and servers, bodies of clients. */
export function streamChannels(): { client: StreamChannels; server: StreamChannels } {
  if (channels === undefined) {
    const { channel } = require("node:diagnostics_channel");
    channels = { client: {} as StreamChannels, server: {} as StreamChannels };
    for (const side of ["client", "server"] as const) {
      for (const event of ["created", "start", "error", "finish", "close", "bodyChunkSent", "bodySent"] as const) {
        channels[side][event] = channel(`http2.${side}.stream.${event}`);
      }
    }
  }
  return channels;
}

/** A session or a stream, as what is told when nothing happens on it. */
interface Timed extends EventEmitter {
  readonly destroyed: boolean;
  timeout?: number;
  [kTimeout]: Timeout | null;
  [kState]: { writeQueueSize: number };
  [kSession]?: Http2Session;
  [kUpdateTimer](): void;
  _onTimeout(): void;
}

/** setTimeout() of sessions and streams. */
export function setStreamTimeout<T extends Timed>(this: T, msecs: number, callback?: () => void): T {
  if (this.destroyed && this[kTimeout] === null) return this;
  this.timeout = msecs;
  const after = getTimerDuration(msecs, "msecs");
  if (this[kTimeout]) clearTimer(this[kTimeout]);
  if (after === 0) {
    this[kTimeout] = null;
    if (callback !== undefined) {
      validateFunction(callback, "callback");
      this.removeListener("timeout", callback);
    }
  } else {
    this[kTimeout] = setUnrefTimeout(() => this._onTimeout(), after);
    if (this[kSession]) this[kSession][kUpdateTimer]();
    if (callback !== undefined) {
      validateFunction(callback, "callback");
      this.once("timeout", callback);
    }
  }
  return this;
}

/** A time of silence is over, unless a write has made progress meanwhile. */
export function timedOut(subject: Timed, session: Http2Session): void {
  if (subject.destroyed) return;
  if (subject[kState].writeQueueSize > 0) {
    const handle = session[kHandle];
    if (handle !== undefined && handle.chunksSentSinceLastWrite !== handle.updateChunksSent()) {
      subject[kUpdateTimer]();
      return;
    }
  }
  subject.emit("timeout");
}

/** Emits on the next tick. */
export function emitLater(emitter: EventEmitter, event: string, ...args: unknown[]): void {
  process.nextTick(emitNow, emitter, event, args);
}

function emitNow(emitter: EventEmitter, event: string, args: unknown[]): void {
  emitter.emit(event, ...args);
}
