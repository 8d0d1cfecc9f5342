// MessagePort and MessageChannel (https://html.spec.whatwg.org/multipage/web-messaging.html#message-channels), with Node's additions:
// on()/once() that get the data itself, ref()/unref(), 'close' events on both sides.

import {
  defineEventHandler,
  Event,
  kCreateEvent,
  kHybridDispatch,
  kNewListener,
  kRemoveListener,
  makeEnumerable,
  NodeEventTarget,
} from "web/event_target";
import type { EventCallback } from "web/event_target";
import { MessageEvent } from "web/events";
import {
  check,
  pack,
  packWithEnvironment,
  transferList,
  type TransferOptions,
  unpack,
} from "internal/worker/messaging/message";
import { codes } from "internal/core/errors";
import { tracking } from "internal/events/async_context";
import { nextTick } from "internal/core/task_queues";

const { createChannel, postPlain, post, start, watch, pause, close, receive } = native("messaging");
const { keepAlive } = native("loop");
const { arePair } = native("messaging");
const inspectCustom = Symbol.for("nodejs.util.inspect.custom");
const kCreate = Symbol("create");
/** What native code gives where there is no message. */
const nothing = {};
const onlyMessage = "message";

// Access to the private state for the functions below; assigned in the class's static block.
let handleOf: (port: unknown) => Native.Port | undefined;
let takeHandle: (port: Port) => Native.Port;
let receiveNow: (port: Port) => unknown;

/** One end of a channel. Made by MessageChannel, or received in a message. The constructor that programs see is below. */
class Port extends NodeEventTarget {
  /** Undefined when closed. */
  #handle: Native.Port | undefined;
  #refed = false;
  #started = false;
  /** Native code calls #arrive() when the other port is gone, which it also does once the port is started. */
  #watching = false;
  /** Ports that came with the message being dispatched. */
  #ports: unknown[] | undefined;

  constructor() {
    if (arguments[0] !== kCreate) throw new codes.ERR_CONSTRUCT_CALL_INVALID();
    super();
    this.#handle = arguments[1];
  }

  static {
    handleOf = (port) => (typeof port === "object" && port !== null && #handle in port ? port.#handle : undefined);
    takeHandle = (port) => {
      const handle = port.#handle!;
      // Messages that have come stay with the handle.
      pause(handle);
      port.#end();
      return handle;
    };
    receiveNow = (port) => (port.#handle === undefined ? nothing : receive(port.#handle, nothing));
  }

  #end(): void {
    this.unref();
    this.#handle = undefined;
    this.#started = false;
    this.#watching = false;
    if (tracking.enabled) require("internal/events/async_ids").endObject(this);
  }

  /** What native code calls: 0 a message, 1 one that cannot be read, 2 the other port is gone. */
  #arrive(kind: number, value: unknown, ports: unknown[] | undefined): void {
    if (!tracking.enabled) this.#deliver(kind, value, ports);
    else require("internal/events/async_ids").callWithin(this, () => this.#deliver(kind, value, ports));
  }

  #deliver(kind: number, value: unknown, ports: unknown[] | undefined): void {
    if (kind === 2) {
      if (this.#handle !== undefined) {
        close(this.#handle);
        this.#end();
      }
      this[kHybridDispatch](undefined, "close");
      return;
    }
    if (kind === 1) {
      this[kHybridDispatch](value, "messageerror");
      return;
    }
    if (typeof value === "object") {
      try {
        value = unpack(value);
      } catch (error) {
        this[kHybridDispatch](error, "messageerror");
        return;
      }
    }
    this.#ports = ports;
    this[kHybridDispatch](value, "message");
    this.#ports = undefined;
  }

  [kCreateEvent](value: unknown, type: string): Event {
    if (type === "close") return new Event("close");
    if (type !== onlyMessage && type !== "messageerror") return super[kCreateEvent](value, type);
    return new MessageEvent(type, { data: value, ports: this.#ports });
  }

  [kNewListener](size: number, type: string): void {
    if (size !== 1) return;
    if (type === onlyMessage) {
      this.ref();
      this.start();
    } else if (type === "close" && this.#handle !== undefined && !this.#started && !this.#watching) {
      this.#watch();
    }
  }

  [kRemoveListener](size: number, type: string): void {
    if (type !== onlyMessage || size !== 0) return;
    this.unref();
    if (!this.#started) return;
    // What comes from now on waits for the next listener, as in Node.
    pause(this.#handle);
    this.#started = false;
    if (this.listenerCount("close") > 0) this.#watch();
  }

  /** To hear of the end of the other port. */
  #watch(): void {
    this.#watching = true;
    watch(this.#handle, (kind: number, value: unknown, ports: unknown[] | undefined) =>
      this.#arrive(kind, value, ports),
    );
  }

  /** Sends a copy of `value`; the objects in the list are moved. Throws DataCloneError. */
  postMessage(value: unknown, options: TransferOptions = undefined): void {
    if (arguments.length === 0) throw new TypeError("Not enough arguments to MessagePort.postMessage");
    const handle = this.#handle;
    let ours = true;
    let lost = false;
    if (options === undefined && handle !== undefined) {
      const left = postPlain(handle, value);
      if (left === 0) return;
      ours = left === 2;
    }
    const list = transferList(options);
    if (list !== undefined) {
      if (list.includes(this)) throw new DOMException("Transfer list contains source port", "DataCloneError");
      // The other end of this very channel: messages have nowhere to go from then on.
      for (const item of list) {
        if (handle !== undefined && isPort(item) && handleOf(item) !== undefined && arePair(handle, handleOf(item)!)) {
          process.emitWarning("The target port was posted to itself, and the communication channel was lost");
          lost = true;
        }
      }
    }
    if (handle === undefined) {
      // Nothing is sent, but what cannot be cloned is an error all the same, and what is transferred is gone.
      structuredClone(value, list === undefined ? undefined : { transfer: list });
      return;
    }
    const refused = post(handle, ours ? pack(value, list) : value, list);
    if (refused !== undefined) {
      // The one proxy that is an ordinary object to programs; nothing has been transferred yet.
      const again = packWithEnvironment(value, list);
      check(again === value ? refused : post(handle, again, list), value);
    }
    if (lost) {
      pause(handle);
      this.#end();
    }
  }

  /** Begins to deliver messages; the first 'message' listener does it as well. */
  start(): void {
    if (this.#handle === undefined || this.#started) return;
    this.#started = true;
    this.#watching = false;
    start(this.#handle, (kind: number, value: unknown, ports: unknown[] | undefined) =>
      this.#arrive(kind, value, ports),
    );
  }

  /** Ends both ports. What was posted before still arrives at the other one. */
  close(callback: unknown = undefined): void {
    if (typeof callback === "function") this.once("close", callback as EventCallback);
    if (this.#handle === undefined) return;
    // Messages that have come are still delivered, and then the end.
    if (close(this.#handle)) {
      this.#end();
      return;
    }
    this.#handle = undefined;
    this.#started = false;
    this.#watching = false;
    nextTick(() => {
      if (!tracking.enabled) {
        this.#end();
        this[kHybridDispatch](undefined, "close");
        return;
      }
      try {
        require("internal/events/async_ids").callWithin(this, () => this[kHybridDispatch](undefined, "close"));
      } finally {
        this.#end();
      }
    });
  }

  ref(): void {
    if (this.#refed || this.#handle === undefined) return;
    this.#refed = true;
    keepAlive(1);
  }

  unref(): void {
    if (!this.#refed) return;
    this.#refed = false;
    keepAlive(-1);
  }

  hasRef(): boolean {
    return this.#refed;
  }

  [inspectCustom](depth: number, options: unknown, inspect: (...values: unknown[]) => unknown): string {
    if (depth < 0) return "MessagePort";
    return `MessagePort ${inspect({ active: this.#handle !== undefined, refed: this.#refed }, options)}`;
  }
}
makeEnumerable(Port.prototype, "postMessage", "start", "close", "ref", "unref", "hasRef");
defineEventHandler(Port.prototype, "message");
defineEventHandler(Port.prototype, "messageerror");
const { defineProperty, setPrototypeOf } = Object;

/** Programs neither call nor construct it. */
export const MessagePort = function MessagePort() {
  throw new codes.ERR_CONSTRUCT_CALL_INVALID();
};
defineProperty(MessagePort, "prototype", { value: Port.prototype, writable: false });
defineProperty(Port.prototype, "constructor", { value: MessagePort, writable: true, configurable: true });
setPrototypeOf(MessagePort, NodeEventTarget);
defineProperty(Port.prototype, Symbol.toStringTag, { configurable: true, value: "MessagePort" });

/** Two ports; what is posted to one arrives at the other. */
export const MessageChannel = function MessageChannel(this: { port1: Port; port2: Port }) {
  if (!new.target) throw new codes.ERR_CONSTRUCT_CALL_REQUIRED("MessageChannel");
  const { 0: one, 1: two } = createChannel();
  this.port1 = attach(one);
  this.port2 = attach(two);
} as unknown as new () => { readonly port1: Port; readonly port2: Port };
defineProperty(MessageChannel.prototype, Symbol.toStringTag, { configurable: true, value: "MessageChannel" });

/** The port object of a native one. */
export function attach(handle: unknown): Port {
  const port = Reflect.construct(Port, [kCreate, handle]);
  if (tracking.enabled) require("internal/events/async_ids").initObject(port, "MESSAGEPORT");
  return port;
}

/** Takes the native port out of its object, which is closed from then on. */
export function detach(port: Port): Native.Port {
  return takeHandle(port);
}

export type { Port };

export function isPort(value: unknown): value is Port {
  return value instanceof Port;
}

/** Whether `value` is a port that has not been closed or transferred. */
export function isOpenPort(value: unknown): boolean {
  return handleOf(value) !== undefined;
}

/** worker_threads.receiveMessageOnPort(): `{ message }` of the next message, or undefined. */
export function receiveMessageOnPort(port: unknown): { message: unknown } | undefined {
  if (!isPort(port)) {
    if (port instanceof require("web/broadcast_channel").BroadcastChannel)
      return require("web/broadcast_channel").receiveOn(port);
    const error: NodeError = new TypeError('The "port" argument must be a MessagePort instance');
    error.code = "ERR_INVALID_ARG_TYPE";
    throw error;
  }
  const received = receiveNow(port);
  return received === nothing ? undefined : { message: unpack(received) };
}
