/** `EventSource`: https://html.spec.whatwg.org/#server-sent-events, over fetch. */
import { Event, EventTarget, defineEventHandler } from "web/event_target";
import { ErrorEvent, MessageEvent } from "web/events";

const CONNECTING = 0,
  OPEN = 1,
  CLOSED = 2;
/** Before it connects again, in ms. */
const RECONNECT = 3000;

class EventSource extends EventTarget {
  #url: string;
  #withCredentials: boolean;
  #headers: unknown;
  #state = CONNECTING;
  #controller = new AbortController();
  #reconnect = RECONNECT;
  #timer: ReturnType<typeof setTimeout> | undefined = undefined;
  #lastId = "";
  // Of the event under way.
  #id: string | undefined = undefined;
  #type = "";
  #data: string[] = [];

  /**
   * @param url an absolute URL
   * @param init `withCredentials`; and `headers`, which the standard does not have
   */
  constructor(url: unknown, init: { withCredentials?: unknown; headers?: unknown } | null | undefined = undefined) {
    super();
    if (arguments.length === 0) throw new TypeError("EventSource constructor: 1 argument required, but only 0 found.");
    const text = `${url}`.toWellFormed();
    const parsed = URL.parse(text);
    if (parsed === null) {
      const { DOMException } = require("web/dom_exception");
      throw new DOMException(`Invalid URL: ${text}`, "SyntaxError");
    }
    this.#url = parsed.href;
    this.#withCredentials = Boolean(init?.withCredentials);
    this.#headers = init?.headers;
    // Listeners come first.
    queueMicrotask(() => this.#connect());
  }

  get url(): string {
    return this.#url;
  }
  get withCredentials(): boolean {
    return this.#withCredentials;
  }
  get readyState(): number {
    return this.#state;
  }

  close(): void {
    this.#state = CLOSED;
    clearTimeout(this.#timer);
    this.#controller.abort();
  }

  async #connect(): Promise<void> {
    if (this.#state === CLOSED) return;
    const headers = new Headers(this.#headers);
    headers.set("Accept", "text/event-stream");
    headers.set("Cache-Control", "no-store");
    if (this.#lastId !== "") headers.set("Last-Event-ID", Buffer.from(this.#lastId).toString("latin1"));
    let response: Response;
    try {
      const { signal } = this.#controller;
      response = (await fetch(this.#url, { headers, signal, timeout: false })) as Response;
    } catch (error) {
      this.#lost(error as NodeError);
      return;
    }
    if ((this.#state as number) === CLOSED) return;
    const type = response.headers.get("content-type") ?? "";
    if (response.status !== 200 || !/^text\/event-stream(?:\s*;|\s*$)/i.test(type)) {
      this.#state = CLOSED;
      this.#controller.abort();
      this.#fail(
        response.status !== 200
          ? `Expected status 200, got ${response.status}`
          : `Expected content type text/event-stream, got ${type || "none"}`,
      );
      return;
    }
    this.#state = OPEN;
    this.dispatchEvent(new Event("open"));
    try {
      await this.#read(response, new URL(response.url).origin);
    } catch (error) {
      this.#lost(error as NodeError);
      return;
    }
    this.#lost(undefined);
  }

  #fail(message: string): void {
    this.dispatchEvent(new ErrorEvent("error", { message, error: new Error(message) }));
  }

  /** The connection is gone: tries again later. */
  #lost(error: NodeError | null | undefined): void {
    if (this.#state === CLOSED) return;
    this.#state = CONNECTING;
    this.#fail(error?.message ?? "The connection was closed");
    if ((this.#state as number) === CLOSED) return;
    this.#timer = setTimeout(() => this.#connect(), this.#reconnect);
  }

  async #read(response: Response, origin: string): Promise<void> {
    const decoder = new TextDecoder();
    let rest = "";
    // A line end may be split between two chunks.
    let carriage = false;
    this.#id = undefined;
    this.#type = "";
    this.#data = [];
    if (response.body === null) return;
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      let text = decoder.decode(chunk, { stream: true });
      if (text === "") continue;
      if (carriage && text.startsWith("\n")) text = text.slice(1);
      carriage = text.endsWith("\r");
      const lines = (rest + text).split(/\r\n|\r|\n/);
      rest = lines.pop()!;
      for (const line of lines) {
        this.#line(line, origin);
        if (this.#state === CLOSED) return;
      }
    }
  }

  #line(line: string, origin: string): void {
    if (line === "") {
      this.#dispatch(origin);
      return;
    }
    const colon = line.indexOf(":");
    if (colon === 0) return;
    const field = colon === -1 ? line : line.slice(0, colon);
    let value = colon === -1 ? "" : line.slice(colon + 1);
    if (value.startsWith(" ")) value = value.slice(1);
    switch (field) {
      case "event":
        this.#type = value;
        break;
      case "data":
        this.#data.push(value);
        break;
      case "id":
        if (!value.includes("\0")) this.#id = value;
        break;
      case "retry":
        if (/^\d+$/.test(value)) this.#reconnect = Number(value);
        break;
    }
  }

  #dispatch(origin: string): void {
    if (this.#id !== undefined) this.#lastId = this.#id;
    const data = this.#data;
    const type = this.#type || "message";
    this.#type = "";
    if (data.length === 0) return;
    this.#data = [];
    this.dispatchEvent(new MessageEvent(type, { data: data.join("\n"), origin, lastEventId: this.#lastId }));
  }
}

for (const name of ["url", "withCredentials", "readyState", "close"])
  Object.defineProperty(EventSource.prototype, name, { enumerable: true });
for (const [name, value] of Object.entries({ CONNECTING, OPEN, CLOSED })) {
  Object.defineProperty(EventSource, name, { value, enumerable: true, writable: false, configurable: false });
  Object.defineProperty(EventSource.prototype, name, { value, enumerable: true, writable: false, configurable: false });
}
Object.defineProperty(EventSource.prototype, Symbol.toStringTag, { value: "EventSource", configurable: true });
Object.defineProperty(EventSource, "length", { value: 1, configurable: true });
for (const name of ["open", "message", "error"]) defineEventHandler(EventSource.prototype, name);

export { EventSource };
