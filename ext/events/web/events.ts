// Further event classes of the web platform: MessageEvent, CloseEvent, ErrorEvent, PromiseRejectionEvent, ProgressEvent.

import { Event, makeEnumerable } from "web/event_target";
import type { EventInit } from "web/event_target";
import { codes } from "internal/core/errors";

const { defineProperty } = Object;

function tag(constructor: { name: string; prototype: object }, ...keys: string[]): void {
  defineProperty(constructor.prototype, Symbol.toStringTag, { configurable: true, value: constructor.name });
  makeEnumerable(constructor.prototype, ...keys);
}

function invalidThis(name: string): never {
  throw new codes.ERR_INVALID_THIS(name);
}

/** Node has these classes from undici, whose errors have no code. */
function missingType(name: string): never {
  throw new TypeError(`${name} constructor: 1 argument required, but 0 found.`);
}

interface MessageEventInit extends EventInit {
  data?: unknown;
  origin?: string;
  lastEventId?: string;
  source?: unknown;
  ports?: Iterable<unknown>;
}

/** https://html.spec.whatwg.org/multipage/comms.html#messageevent */
export class MessageEvent extends Event {
  #data: unknown;
  #origin: string;
  #lastEventId: string;
  #source: unknown;
  #ports: readonly unknown[];

  constructor(type: string, options: MessageEventInit | null | undefined = undefined) {
    if (arguments.length === 0) missingType("MessageEvent");
    super(type, options);
    this.#data = options?.data === undefined ? null : options.data;
    this.#origin = options?.origin === undefined ? "" : `${options.origin}`;
    this.#lastEventId = options?.lastEventId === undefined ? "" : `${options.lastEventId}`;
    this.#source = options?.source === undefined || options.source === null ? null : aPort(options.source, "source");
    this.#ports = options?.ports === undefined ? noPorts : portsOf(options.ports);
  }

  /** Legacy way to set the attributes of an event that is not being dispatched. */
  initMessageEvent(
    type: unknown,
    bubbles: boolean = false,
    cancelable: boolean = false,
    data: unknown = null,
    origin: unknown = "",
    lastEventId: unknown = "",
    source: unknown = null,
    ports: Iterable<unknown> = noPorts,
  ): void {
    if (!(#data in this)) invalidThis("MessageEvent");
    if (arguments.length === 0) throw new codes.ERR_MISSING_ARGS("type");
    if (this.eventPhase !== 0) return;
    this.initEvent(type, bubbles, cancelable);
    this.#data = data;
    this.#origin = `${origin}`;
    this.#lastEventId = `${lastEventId}`;
    this.#source = source;
    this.#ports = Object.freeze([...ports]);
  }

  get data() {
    if (!(#data in this)) invalidThis("MessageEvent");
    return this.#data;
  }
  get origin(): string {
    if (!(#data in this)) invalidThis("MessageEvent");
    return this.#origin;
  }
  get lastEventId(): string {
    if (!(#data in this)) invalidThis("MessageEvent");
    return this.#lastEventId;
  }
  get source() {
    if (!(#data in this)) invalidThis("MessageEvent");
    return this.#source;
  }
  get ports(): readonly unknown[] {
    if (!(#data in this)) invalidThis("MessageEvent");
    return this.#ports;
  }
}
function aPort(value: unknown, what: string) {
  if (require("web/message_port").isPort(value)) return value;
  const text = typeof value === "object" ? JSON.stringify(value) : `${value}`;
  const error = new TypeError(
    `MessageEvent constructor: Expected eventInitDict.${what} ("${text}") to be an instance of MessagePort.`,
  ) as NodeError;
  error.code = "ERR_INVALID_ARG_TYPE";
  throw error;
}

function portsOf(value: Iterable<unknown>): readonly unknown[] {
  if (typeof value !== "object" || typeof value?.[Symbol.iterator] !== "function") {
    throw new TypeError(`MessageEvent constructor: eventInitDict.ports (${value}) is not iterable.`);
  }
  const ports = [...value];
  for (let i = 0; i < ports.length; i++) aPort(ports[i], `ports[${i}]`);
  return Object.freeze(ports);
}

const noPorts = Object.freeze([]);
tag(MessageEvent, "initMessageEvent", "data", "origin", "lastEventId", "source", "ports");

interface CloseEventInit extends EventInit {
  wasClean?: boolean;
  code?: number;
  reason?: string;
}

/** https://websockets.spec.whatwg.org/#the-closeevent-interface */
export class CloseEvent extends Event {
  #wasClean: boolean;
  #code: number;
  #reason: string;

  constructor(type: string, options: CloseEventInit | null | undefined = undefined) {
    if (arguments.length === 0) missingType("CloseEvent");
    super(type, options);
    this.#wasClean = !!options?.wasClean;
    this.#code = options?.code === undefined ? 0 : options.code & 0xffff;
    this.#reason = options?.reason === undefined ? "" : `${options.reason}`;
  }

  get wasClean(): boolean {
    if (!(#code in this)) invalidThis("CloseEvent");
    return this.#wasClean;
  }
  get code(): number {
    if (!(#code in this)) invalidThis("CloseEvent");
    return this.#code;
  }
  get reason(): string {
    if (!(#code in this)) invalidThis("CloseEvent");
    return this.#reason;
  }
}
tag(CloseEvent, "wasClean", "code", "reason");

interface ErrorEventInit extends EventInit {
  message?: string;
  filename?: string;
  lineno?: number;
  colno?: number;
  error?: unknown;
}

/** https://html.spec.whatwg.org/multipage/webappapis.html#the-errorevent-interface */
export class ErrorEvent extends Event {
  #message: string;
  #filename: string;
  #lineno: number;
  #colno: number;
  #error: unknown;

  constructor(type: string, options: ErrorEventInit | null | undefined = undefined) {
    if (arguments.length === 0) missingType("ErrorEvent");
    super(type, options);
    this.#message = options?.message === undefined ? "" : `${options.message}`;
    this.#filename = options?.filename === undefined ? "" : `${options.filename}`;
    this.#lineno = options?.lineno === undefined ? 0 : options.lineno >>> 0;
    this.#colno = options?.colno === undefined ? 0 : options.colno >>> 0;
    this.#error = options?.error;
  }

  get message(): string {
    if (!(#message in this)) invalidThis("ErrorEvent");
    return this.#message;
  }
  get filename(): string {
    if (!(#message in this)) invalidThis("ErrorEvent");
    return this.#filename;
  }
  get lineno(): number {
    if (!(#message in this)) invalidThis("ErrorEvent");
    return this.#lineno;
  }
  get colno(): number {
    if (!(#message in this)) invalidThis("ErrorEvent");
    return this.#colno;
  }
  get error() {
    if (!(#message in this)) invalidThis("ErrorEvent");
    return this.#error;
  }
}
tag(ErrorEvent, "message", "filename", "lineno", "colno", "error");

/** https://html.spec.whatwg.org/multipage/webappapis.html#the-promiserejectionevent-interface */
export class PromiseRejectionEvent extends Event {
  #promise: object;
  #reason: unknown;

  constructor(type: string, options: (EventInit & { promise: object; reason?: unknown }) | undefined = undefined) {
    if (arguments.length < 2) throw new codes.ERR_MISSING_ARGS("type", "eventInitDict");
    super(type, options);
    if (typeof options!.promise !== "object" || options!.promise === null) {
      throw new codes.ERR_INVALID_ARG_TYPE("eventInitDict.promise", "Object", options!.promise);
    }
    this.#promise = options!.promise;
    this.#reason = options!.reason;
  }

  get promise() {
    if (!(#promise in this)) invalidThis("PromiseRejectionEvent");
    return this.#promise;
  }
  get reason() {
    if (!(#promise in this)) invalidThis("PromiseRejectionEvent");
    return this.#reason;
  }
}
tag(PromiseRejectionEvent, "promise", "reason");

/** https://xhr.spec.whatwg.org/#interface-progressevent */
export class ProgressEvent extends Event {
  #lengthComputable: boolean;
  #loaded: number;
  #total: number;

  constructor(
    type: string,
    options:
      | (EventInit & { lengthComputable?: boolean; loaded?: number; total?: number })
      | null
      | undefined = undefined,
  ) {
    if (arguments.length === 0) throw new codes.ERR_MISSING_ARGS("type");
    super(type, options);
    this.#lengthComputable = !!options?.lengthComputable;
    this.#loaded = Number(options?.loaded ?? 0);
    this.#total = Number(options?.total ?? 0);
  }

  get lengthComputable(): boolean {
    if (!(#loaded in this)) invalidThis("ProgressEvent");
    return this.#lengthComputable;
  }
  get loaded(): number {
    if (!(#loaded in this)) invalidThis("ProgressEvent");
    return this.#loaded;
  }
  get total(): number {
    if (!(#loaded in this)) invalidThis("ProgressEvent");
    return this.#total;
  }
}
tag(ProgressEvent, "lengthComputable", "loaded", "total");
