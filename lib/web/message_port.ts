// MessagePort and MessageChannel (https://html.spec.whatwg.org/multipage/web-messaging.html#message-channels), with Node's additions:
// on()/once() that get the data itself, ref()/unref(), 'close' events on both sides.

import {
  defineEventHandler, Event, kCreateEvent, kHybridDispatch, kNewListener, kRemoveListener, makeEnumerable, NodeEventTarget,
} from "web/event_target";
import { MessageEvent } from "web/events";
import { check, pack, transferList, unpack } from "internal/messaging/message";
import { codes } from "internal/errors";
import { nextTick } from "internal/task_queues";

const { createChannel, post, start, pause, close, receive } = native("messaging");
const { keepAlive } = native("loop");
const inspectCustom = Symbol.for("nodejs.util.inspect.custom");
const kCreate = Symbol("create");
const onlyMessage = "message";

// Access to the private state for the functions below; assigned in the class's static block.
let handleOf: (port: any) => any;
let takeHandle: (port: any) => any;
let receiveNow: (port: any) => any;

/** One end of a channel. Made by MessageChannel, or received in a message. */
export class MessagePort extends NodeEventTarget {
  #handle: any;
  #refed = false;
  #started = false;
  /** Ports that came with the message being dispatched. */
  #ports: any[] | undefined;

  constructor() {
    if (arguments[0] !== kCreate) {
      const error: any = new TypeError("Constructor cannot be called");
      error.code = "ERR_CONSTRUCT_CALL_INVALID";
      throw error;
    }
    super();
    this.#handle = arguments[1];
  }

  static {
    handleOf = (port) => (typeof port === "object" && port !== null && #handle in port ? port.#handle : undefined);
    takeHandle = (port) => {
      const handle = port.#handle;
      // Messages that have come stay with the handle.
      pause(handle);
      port.#end();
      return handle;
    };
    receiveNow = (port) => {
      if (!(#handle in port)) return undefined;
      return port.#handle === undefined ? undefined : receive(port.#handle);
    };
  }

  #end(): void {
    this.unref();
    this.#handle = undefined;
    this.#started = false;
  }

  /** What native code calls: 0 a message, 1 one that cannot be read, 2 the other port is gone. */
  #arrive(kind: number, value: any, ports: any[] | undefined): void {
    if (kind === 2) {
      close(this.#handle);
      this.#end();
      this[kHybridDispatch](undefined, "close");
      return;
    }
    if (kind === 1) {
      this[kHybridDispatch](value, "messageerror");
      return;
    }
    this.#ports = ports;
    this[kHybridDispatch](unpack(value), "message");
    this.#ports = undefined;
  }

  [kCreateEvent](value: any, type: string): Event {
    if (type === "close") return new Event("close");
    return new MessageEvent(type, { data: value, ports: this.#ports });
  }

  [kNewListener](size: number, type: string): void {
    if (type !== onlyMessage || size !== 1) return;
    this.ref();
    this.start();
  }

  [kRemoveListener](size: number, type: string): void {
    if (type === onlyMessage && size === 0) this.unref();
  }

  /** Sends a copy of `value`; the objects in the list are moved. Throws DataCloneError. */
  postMessage(value: any, options: any = undefined): void {
    if (arguments.length === 0) throw new TypeError("Not enough arguments to MessagePort.postMessage");
    const list = options === undefined ? undefined : transferList(options);
    if (list?.includes(this)) {
      throw new DOMException("Transfer list contains source port", "DataCloneError");
    }
    const handle = this.#handle;
    if (handle === undefined) {
      // Nothing is sent, but what cannot be cloned is an error all the same, and what is transferred is gone.
      structuredClone(value, list === undefined ? undefined : { transfer: list as any });
      return;
    }
    check(post(handle, typeof value === "object" ? pack(value, list) : value, list), value);
  }

  /** Begins to deliver messages; the first 'message' listener does it as well. */
  start(): void {
    if (this.#handle === undefined || this.#started) return;
    this.#started = true;
    start(this.#handle, (kind: number, value: any, ports: any) => this.#arrive(kind, value, ports));
  }

  /** Ends both ports. What was posted before still arrives at the other one. */
  close(callback: any = undefined): void {
    if (typeof callback === "function") this.once("close", callback);
    if (this.#handle === undefined) return;
    close(this.#handle);
    this.#end();
    nextTick(() => this[kHybridDispatch](undefined, "close"));
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

  [inspectCustom](depth: number, options: any, inspect: any): any {
    if (depth < 0) return "MessagePort";
    return `MessagePort ${inspect({ active: this.#handle !== undefined, refed: this.#refed }, options)}`;
  }
}
makeEnumerable(MessagePort.prototype, "postMessage", "start", "close", "ref", "unref", "hasRef");
defineEventHandler(MessagePort.prototype, "message");
defineEventHandler(MessagePort.prototype, "messageerror");
defineEventHandler(MessagePort.prototype, "close");
Object.defineProperty(MessagePort.prototype, Symbol.toStringTag, { configurable: true, value: "MessagePort" });

/** Two ports; what is posted to one arrives at the other. */
export class MessageChannel {
  port1: MessagePort;
  port2: MessagePort;

  constructor() {
    const [one, two] = createChannel();
    this.port1 = attach(one);
    this.port2 = attach(two);
  }
}
Object.defineProperty(MessageChannel.prototype, Symbol.toStringTag, { configurable: true, value: "MessageChannel" });

/** The port object of a native one. */
export function attach(handle: any): MessagePort {
  return Reflect.construct(MessagePort, [kCreate, handle]);
}

/** Takes the native port out of its object, which is closed from then on. */
export function detach(port: MessagePort): any {
  return takeHandle(port);
}

export function isPort(value: any): boolean {
  return value instanceof MessagePort;
}

/** Whether `value` is a port that has not been closed or transferred. */
export function isOpenPort(value: any): boolean {
  return handleOf(value) !== undefined;
}

/** worker_threads.receiveMessageOnPort(): `{ message }` of the next message, or undefined. */
export function receiveMessageOnPort(port: any): { message: any } | undefined {
  if (!isPort(port)) {
    if (port instanceof require("web/broadcast_channel").BroadcastChannel) return require("web/broadcast_channel").receiveOn(port);
    throw new codes.ERR_INVALID_ARG_TYPE("port", "MessagePort", port);
  }
  const received = receiveNow(port);
  return received === undefined ? undefined : { message: unpack(received[0]) };
}
