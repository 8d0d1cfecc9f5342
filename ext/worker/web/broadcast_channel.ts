// BroadcastChannel (https://html.spec.whatwg.org/multipage/web-messaging.html#broadcasting-to-other-browsing-contexts) between all threads
// of the process, with Node's ref() and unref().

import { defineEventHandler, EventTarget, makeEnumerable } from "web/event_target";
import { MessageEvent } from "web/events";
import { check, pack, unpack } from "internal/worker/messaging/message";
import { codes } from "internal/core/errors";

const { joinChannel, broadcast, start, close, receive } = native("messaging");
const { keepAlive } = native("loop");
const inspectCustom = Symbol.for("nodejs.util.inspect.custom");

/** What native code gives where there is no message. */
const nothing = {};
let receiveNow: (channel: BroadcastChannel) => unknown;

export class BroadcastChannel extends EventTarget {
  #name: string;
  #handle: Native.Port | undefined;
  #refed = true;

  /** Joins the channel `name`; it keeps the process alive until it is closed or unref'ed. */
  constructor(name: unknown) {
    if (arguments.length === 0) throw new codes.ERR_MISSING_ARGS("name");
    super();
    if (typeof name === "symbol") throw new TypeError("Cannot convert a Symbol value to a string");
    this.#name = `${name}`;
    this.#handle = joinChannel(this.#name);
    keepAlive(1);
    start(this.#handle, (kind: number, value: unknown) => this.#arrive(kind, value));
  }

  static {
    receiveNow = (channel) => (channel.#handle === undefined ? nothing : receive(channel.#handle, nothing));
  }

  #arrive(kind: number, value: unknown): void {
    if (this.#handle === undefined || kind === 2) return;
    const type = kind === 0 ? "message" : "messageerror";
    this.dispatchEvent(new MessageEvent(type, { data: kind === 0 ? unpack(value) : value }));
  }

  get name(): string {
    if (!(#name in this)) throw new codes.ERR_INVALID_THIS("BroadcastChannel");
    return this.#name;
  }

  /** Sends a copy to all other members of the channel. Throws DataCloneError; InvalidStateError after close(). */
  postMessage(message: unknown): void {
    if (!(#name in this)) throw new codes.ERR_INVALID_THIS("BroadcastChannel");
    if (arguments.length === 0) throw new codes.ERR_MISSING_ARGS("message");
    if (this.#handle === undefined) throw new DOMException("BroadcastChannel is closed.", "InvalidStateError");
    check(broadcast(this.#handle, this.#name, pack(message, undefined)), message);
  }

  close(): void {
    if (!(#name in this)) throw new codes.ERR_INVALID_THIS("BroadcastChannel");
    if (this.#handle === undefined) return;
    this.unref();
    close(this.#handle);
    this.#handle = undefined;
  }

  ref(): this {
    if (!(#name in this)) throw new codes.ERR_INVALID_THIS("BroadcastChannel");
    if (!this.#refed && this.#handle !== undefined) {
      this.#refed = true;
      keepAlive(1);
    }
    return this;
  }

  unref(): this {
    if (!(#name in this)) throw new codes.ERR_INVALID_THIS("BroadcastChannel");
    if (this.#refed && this.#handle !== undefined) {
      this.#refed = false;
      keepAlive(-1);
    }
    return this;
  }

  [inspectCustom](depth: number, options: unknown, inspect: (...values: unknown[]) => unknown): string {
    if (typeof this !== "object" || this === null || !(#name in this))
      throw new codes.ERR_INVALID_THIS("BroadcastChannel");
    if (depth < 0) return "BroadcastChannel";
    return `BroadcastChannel ${inspect({ name: this.#name, active: this.#handle !== undefined }, options)}`;
  }
}
makeEnumerable(BroadcastChannel.prototype, "name", "close", "postMessage");
defineEventHandler(BroadcastChannel.prototype, "message");
defineEventHandler(BroadcastChannel.prototype, "messageerror");
Object.defineProperty(BroadcastChannel.prototype, Symbol.toStringTag, {
  configurable: true,
  value: "BroadcastChannel",
});

/** See receiveMessageOnPort() of web/message_port. */
export function receiveOn(channel: BroadcastChannel): { message: unknown } | undefined {
  const received = receiveNow(channel);
  return received === nothing ? undefined : { message: unpack(received) };
}
