// Symbols and small parts of sessions and streams, which know each other.

import { clearTimer, getTimerDuration, kTimeout, setUnrefTimeout } from "internal/core/timers";
import { validateFunction } from "internal/core/validators";

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

let channels: any;

/** The diagnostics channels of streams: created, start, error, finish, close of clients and servers, bodies of clients. */
export function streamChannels(): any {
  if (channels === undefined) {
    const { channel } = require("node:diagnostics_channel");
    channels = { client: {}, server: {} };
    for (const side of ["client", "server"]) {
      for (const event of ["created", "start", "error", "finish", "close", "bodyChunkSent", "bodySent"]) {
        channels[side][event] = channel(`http2.${side}.stream.${event}`);
      }
    }
  }
  return channels;
}

/** setTimeout() of sessions and streams. */
export function setStreamTimeout(this: any, msecs: any, callback?: Callback): any {
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
export function timedOut(subject: any, session: any): void {
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
export function emitLater(emitter: unknown, event: string, ...args: unknown[]): void {
  process.nextTick(emitNow, emitter, event, args);
}

function emitNow(emitter: any, event: string, args: unknown[]): void {
  emitter.emit(event, ...args);
}
