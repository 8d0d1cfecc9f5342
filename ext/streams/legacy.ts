/**
 * The base class of all Node streams, and the `pipe` of streams older than Readable: anything that emits
 * `data`, `end` and `close` and can `pause()` and `resume()`.
 */
import EventEmitter from "node:events";
import type { Listener } from "internal/events/types";
import type { NodeDuplex, NodeStream, StreamOptions } from "internal/streams/types";

const EE = EventEmitter;

/** require("node:stream") itself: an EventEmitter that knows how to pipe. Callable without `new`. */
export function Stream(this: object, options?: StreamOptions): void {
  EE.call(this, options);
}
Object.setPrototypeOf(Stream.prototype, EE.prototype);
Object.setPrototypeOf(Stream, EE);

/**
 * Adds `listener` before those that are already there, also on emitters that have no prependListener
 * (objects that only look like an EventEmitter, of which npm has plenty).
 */
export function prependListener(emitter: NodeStream, event: string | symbol, listener: Listener): void {
  if (typeof emitter.prependListener === "function") {
    emitter.prependListener(event, listener);
    return;
  }
  const existing = emitter._events?.[event];
  if (!existing) emitter.on(event, listener);
  else if (Array.isArray(existing)) existing.unshift(listener);
  else emitter._events![event] = [listener, existing];
}

/** The piping of old-style streams; Readable has its own. Returns `dest`. */
Stream.prototype.pipe = function (this: NodeStream, dest: NodeDuplex, options?: { end?: boolean }): unknown {
  const source = this;
  let ended = false;

  function ondata(chunk: unknown) {
    if (dest.writable && dest.write(chunk) === false && source.pause) source.pause();
  }
  function ondrain() {
    if (source.readable && source.resume) source.resume();
  }
  function onend() {
    if (ended) return;
    ended = true;
    dest.end();
  }
  function onclose() {
    if (ended) return;
    ended = true;
    if (typeof dest.destroy === "function") dest.destroy();
  }
  function onerror(this: NodeStream, error: unknown) {
    cleanup();
    // With our own listener gone, an error nobody else handles has to surface as unhandled.
    if (Reflect.apply(EE.prototype.listenerCount, this, ["error"]) === 0) this.emit("error", error);
  }
  function cleanup() {
    source.removeListener("data", ondata);
    dest.removeListener("drain", ondrain);
    source.removeListener("end", onend);
    source.removeListener("close", onclose);
    source.removeListener("error", onerror);
    dest.removeListener("error", onerror);
    source.removeListener("end", cleanup);
    source.removeListener("close", cleanup);
    dest.removeListener("close", cleanup);
  }

  source.on("data", ondata);
  dest.on("drain", ondrain);
  // stdout and stderr outlive whatever is piped into them.
  if (!dest._isStdio && (!options || options.end !== false)) {
    source.on("end", onend);
    source.on("close", onclose);
  }
  prependListener(source, "error", onerror);
  prependListener(dest, "error", onerror);
  source.on("end", cleanup);
  source.on("close", cleanup);
  dest.on("close", cleanup);
  dest.emit("pipe", source);
  return dest;
};

// Node's streams list the events they know first, whatever order listeners came in.
const knownEvents = ["close", "error", "prefinish", "finish", "drain", "data", "end", "readable"];

Stream.prototype.eventNames = function eventNames(this: NodeStream): Array<string | symbol> {
  const names: Array<string | symbol> = EE.prototype.eventNames.call(this);
  if (names.length < 2 || (!this._readableState && !this._writableState)) return names;
  const known = knownEvents.filter((name) => names.includes(name));
  return [...known, ...names.filter((name) => !known.includes(name as string))];
};
