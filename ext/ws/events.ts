/** `addEventListener` and the `on…` properties of a WebSocket of the package `ws`: listeners of its emitter that get objects. */

import type { WebSocket } from "internal/ws/socket";

const HANDLER = Symbol("handler");
const ATTRIBUTE = Symbol("attribute");
const TARGET = Symbol("target");

type Handler = ((event: Event) => void) | { handleEvent(event: Event): void };
type Wrapped = ((...args: never[]) => void) & { [HANDLER]?: Handler; [ATTRIBUTE]?: boolean };

class Event {
  #type: string;
  [TARGET]: unknown = null;

  constructor(type: string) {
    this.#type = type;
  }
  get target(): unknown {
    return this[TARGET];
  }
  get type(): string {
    return this.#type;
  }
}

class CloseEvent extends Event {
  #code: number;
  #reason: string;
  #wasClean: boolean;

  constructor(type: string, options: { code?: number; reason?: string; wasClean?: boolean } = {}) {
    super(type);
    this.#code = options.code ?? 0;
    this.#reason = options.reason ?? "";
    this.#wasClean = options.wasClean ?? false;
  }
  get code(): number {
    return this.#code;
  }
  get reason(): string {
    return this.#reason;
  }
  get wasClean(): boolean {
    return this.#wasClean;
  }
}

class ErrorEvent extends Event {
  #error: unknown;
  #message: string;

  constructor(type: string, options: { error?: unknown; message?: string } = {}) {
    super(type);
    this.#error = options.error ?? null;
    this.#message = options.message ?? "";
  }
  get error(): unknown {
    return this.#error;
  }
  get message(): string {
    return this.#message;
  }
}

class MessageEvent extends Event {
  #data: unknown;

  constructor(type: string, options: { data?: unknown } = {}) {
    super(type);
    this.#data = options.data ?? null;
  }
  get data(): unknown {
    return this.#data;
  }
}
for (const [type, names] of [
  [Event, ["target", "type"]],
  [CloseEvent, ["code", "reason", "wasClean"]],
  [ErrorEvent, ["error", "message"]],
  [MessageEvent, ["data"]],
] as const) {
  for (const name of names) Object.defineProperty(type.prototype, name, { enumerable: true });
}

/** The object for what an emitter tells. */
function eventOf(socket: WebSocket, type: string, first: unknown, second: unknown): Event | undefined {
  if (type === "message") return new MessageEvent(type, { data: second ? first : String(first) });
  if (type === "close") {
    const wasClean = socket._closeFrameReceived && socket._closeFrameSent;
    return new CloseEvent(type, { code: first as number, reason: String(first === undefined ? "" : second), wasClean });
  }
  if (type === "error") return new ErrorEvent(type, { error: first, message: (first as Error).message });
  return type === "open" ? new Event(type) : undefined;
}

function wrappers(socket: WebSocket, type: string): Wrapped[] {
  return socket.listeners(type) as Wrapped[];
}

/** Adds a listener for "open", "message", "error" or "close"; others are not heard. */
export function addEventListener(
  this: WebSocket,
  type: string,
  handler: Handler,
  options: { once?: boolean; [ATTRIBUTE]?: boolean } = {},
): void {
  const attribute = Boolean(options[ATTRIBUTE]);
  if (!attribute && wrappers(this, type).some((known) => known[HANDLER] === handler && !known[ATTRIBUTE])) return;
  if (type !== "open" && type !== "message" && type !== "error" && type !== "close") return;
  const socket = this;
  const wrapper: Wrapped = function (first?: unknown, second?: unknown): void {
    const event = eventOf(socket, type, first, second)!;
    event[TARGET] = socket;
    if (typeof handler === "object" && handler.handleEvent) handler.handleEvent.call(handler, event);
    else (handler as (event: Event) => void).call(socket, event);
  };
  wrapper[HANDLER] = handler;
  wrapper[ATTRIBUTE] = attribute;
  if (options.once) this.once(type, wrapper);
  else this.on(type, wrapper);
}

/** Removes what {@link addEventListener} added. */
export function removeEventListener(this: WebSocket, type: string, handler: Handler): void {
  for (const known of wrappers(this, type)) {
    if (known[HANDLER] === handler && !known[ATTRIBUTE]) {
      this.removeListener(type, known);
      return;
    }
  }
}

/** The property `on…` of a prototype. */
export function defineAttribute(prototype: WebSocket, type: string): void {
  Object.defineProperty(prototype, `on${type}`, {
    enumerable: true,
    configurable: true,
    get(this: WebSocket): unknown {
      return wrappers(this, type).find((known) => known[ATTRIBUTE])?.[HANDLER] ?? null;
    },
    set(this: WebSocket, handler: unknown): void {
      const known = wrappers(this, type).find((listener) => listener[ATTRIBUTE]);
      if (known !== undefined) this.removeListener(type, known);
      if (typeof handler === "function") addEventListener.call(this, type, handler as Handler, { [ATTRIBUTE]: true });
    },
  });
}
