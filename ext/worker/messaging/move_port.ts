// worker_threads.moveMessagePortToContext(): a port as an object of a context of node:vm. It is no EventTarget there: messages go to its
// `onmessage` and `onmessageerror`, as in Node.

import { codes } from "internal/core/errors";
import { check, isPacked, pack, transferList, type TransferOptions } from "internal/worker/messaging/message";
import { moved } from "internal/worker/messaging/transfer";
import { detach, isOpenPort, isPort } from "web/message_port";

const { post, startInContext, pause, close } = native("messaging");
const { keepAlive } = native("loop");

/**
 * Evaluated in the context: gives what makes a port there of a native one. `ops` is of the main realm; nothing of that realm gets out.
 * The names of the language are taken from literals, because the program may have put others in their place.
 */
const source = `(function (ops) {
  "use strict";
  const { constructor: Object } = {};
  const { constructor: Array } = [];
  const fail = () => { null.x; };
  const { TypeError, Error } = (() => {
    try {
      fail();
    } catch (error) {
      return { TypeError: error.constructor, Error: Object.getPrototypeOf(error.constructor) };
    }
  })();
  const hidden = (value) => ({ value, writable: true, enumerable: false, configurable: true });

  class DOMException extends Error {
    #code;
    constructor(message, name, code) {
      super(message);
      Object.defineProperty(this, "name", hidden(name));
      this.#code = code;
    }
    get code() {
      return this.#code;
    }
  }

  /** Calls a function of the main realm: what it throws becomes an error of this realm. */
  const calling = (fn, ...args) => {
    try {
      return fn(...args);
    } catch (thrown) {
      const { name, message, code } = thrown;
      if (typeof code === "number") throw new DOMException(message, name, code);
      // An exception of the program's own, out of a getter.
      if (!ops.isOurs(thrown)) throw thrown;
      const error = new (name === "TypeError" ? TypeError : Error)(message);
      if (code !== undefined) error.code = code;
      throw error;
    }
  };

  class MessageEvent {
    constructor(type, target, data, ports) {
      this.type = type;
      this.target = target;
      this.data = data;
      this.ports = ports === undefined ? [] : Array.from(ports);
    }
  }

  class MessagePort {
    #handle;
    #refed = false;
    #started = false;
    constructor(handle) {
      if (!ops.isHandle(handle)) throw new TypeError("Illegal constructor");
      this.#handle = handle;
      ops.register(this, () => {
        const own = this.#handle;
        this.#end();
        return own;
      });
    }
    #end() {
      this.unref();
      this.#handle = undefined;
      this.#started = false;
    }
    #arrive(kind, value, ports) {
      if (kind === 2) {
        if (this.#handle !== undefined) this.close();
        return;
      }
      let type = kind === 0 ? "message" : "messageerror";
      if (kind === 1 || ops.isPacked(value)) {
        type = "messageerror";
        value = new Error("A message object could not be deserialized successfully in the target vm.Context");
        value.code = "ERR_MESSAGE_TARGET_CONTEXT_UNAVAILABLE";
      }
      const listener = type === "message" ? this.onmessage : this.onmessageerror;
      if (typeof listener === "function") listener.call(this, new MessageEvent(type, this, value, ports));
    }
    postMessage(value, options) {
      if (arguments.length === 0) throw new TypeError("Not enough arguments to MessagePort.postMessage");
      calling(ops.postMessage, this, this.#handle, value, options);
    }
    start() {
      if (this.#handle === undefined || this.#started) return;
      this.#started = true;
      ops.start(this.#handle, (kind, value, ports) => this.#arrive(kind, value, ports), (handle) => new MessagePort(handle));
    }
    close() {
      if (this.#handle === undefined) return;
      ops.close(this.#handle);
      this.#end();
    }
    ref() {
      if (this.#refed || this.#handle === undefined) return;
      this.#refed = true;
      ops.keepAlive(1);
    }
    unref() {
      if (!this.#refed) return;
      this.#refed = false;
      ops.keepAlive(-1);
    }
    hasRef() {
      return this.#refed;
    }
  }
  return (handle) => new MessagePort(handle);
})`;

/** What makes ports of a context, by its object. */
const makers = new WeakMap<object, (handle: unknown) => unknown>();
/** Native ports on their way into an object of a context. */
const { isPortHandle } = native("messaging");

const ops = {
  __proto__: null,
  isPacked,
  isHandle: isPortHandle,
  isOurs: (error: unknown) => error instanceof Error || error instanceof require("web/dom_exception").DOMException,
  register: (port: object, take: () => unknown) => {
    moved.set(port, () => {
      const handle = take();
      if (handle !== undefined) pause(handle);
      return handle;
    });
  },
  postMessage(port: unknown, handle: Native.Port | undefined, value: unknown, options: TransferOptions): void {
    const list = transferList(options);
    if (list?.includes(port)) throw new DOMException("Transfer list contains source port", "DataCloneError");
    if (handle === undefined) structuredClone(value, list === undefined ? undefined : { transfer: list });
    else check(post(handle, pack(value, list), list), value);
  },
  start: (handle: unknown, callback: unknown, attach: unknown) => startInContext(handle, callback, attach),
  close: (handle: unknown) => void close(handle),
  keepAlive: (count: number) => keepAlive(count),
};

/** `port` is of no use afterwards; what comes back is an object of the context. */
export function moveMessagePortToContext(port: object, context: object): unknown {
  if (!isPort(port) && !moved.has(port)) throw new codes.ERR_INVALID_ARG_TYPE("port", "MessagePort", port);
  if (isPort(port) && !isOpenPort(port)) throw new codes.ERR_CLOSED_MESSAGE_PORT();
  if (!require("internal/vm/context").isContext(context))
    throw new codes.ERR_INVALID_ARG_TYPE("contextifiedSandbox", "vm.Context", context);
  const handle = isPort(port) ? detach(port) : moved.get(port)!();
  if (handle === undefined) throw new codes.ERR_CLOSED_MESSAGE_PORT();
  let make = makers.get(context);
  if (make === undefined) {
    make = require("node:vm").runInContext(source, context, { filename: "node:internal/per_context/messageport" })(
      ops,
    ) as (handle: unknown) => unknown;
    makers.set(context, make);
  }
  return make(handle);
}
