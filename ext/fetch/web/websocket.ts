/**
 * `WebSocket`: https://websockets.spec.whatwg.org. As in Bun (https://bun.com/docs/runtime/http/websockets) the second argument may
 * be an object with `headers`, `protocols`, `tls`, `proxy` and `perMessageDeflate`, binary data comes as Buffers unless
 * `binaryType` says otherwise, and there are `ping`, `pong`, `terminate`, `pause` and `resume`.
 */
import { own } from "internal/events/async_context";
import { Event, EventTarget, defineEventHandler } from "web/event_target";
import { CloseEvent, ErrorEvent, MessageEvent } from "web/events";
import { isAnyArrayBuffer, isArrayBufferView } from "internal/buffer/base";
import type { Client, ClientOptions } from "internal/fetch/websocket/client";

const CONNECTING = 0,
  OPEN = 1,
  CLOSING = 2,
  CLOSED = 3;
const notToken = /[^!#$%&'*+\-.^_`|~A-Za-z0-9]/;
const binaryTypes = ["blob", "arraybuffer", "nodebuffer", "uint8array"];
const MAX_REASON = 123;
/** Milliseconds. */
const TASK = 4;

function exception(message: string, name: string) {
  const { DOMException } = require("web/dom_exception");
  return new DOMException(message, name);
}

/** A path of a URL as a file's name; a percent sign that begins no byte stands for itself. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/**
 * What a `ws+unix:` or `wss+unix:` URL stands for, as in Bun and in the package ws: the path of a socket and, behind a colon, the
 * target of the request; undefined for other schemes. Throws a SyntaxError without a path.
 */
function localTarget(url: URL): { unix: string; url: URL } | undefined {
  const isSecure = url.protocol === "wss+unix:";
  if (!isSecure && url.protocol !== "ws+unix:") return undefined;
  const [path, ...rest] = url.pathname.split(":");
  if (path === "") throw exception(`Invalid url for WebSocket ${url.href}: it names no socket`, "SyntaxError");
  const request = rest.join(":");
  return {
    unix: decoded(path!),
    url: new URL(`${isSecure ? "wss" : "ws"}://localhost${request.startsWith("/") ? "" : "/"}${request}${url.search}`),
  };
}

class WebSocket extends EventTarget {
  #client!: Client;
  #url: string;
  #origin: string;
  #state = CONNECTING;
  #protocol = "";
  #extensions = "";
  #binaryType = "nodebuffer";
  #buffered = 0;
  /** Bytes of the messages of this task, and when the last one was sent. */
  #sent = 0;
  #sentAt = -Infinity;
  /** What the peer has closed with. */
  #closed: { code: number; reason: string; clean: boolean } | undefined = undefined;
  #failure: Error | undefined = undefined;

  /**
   * @param url ws:, wss:, http: or https:
   * @param protocols a name, a list of names, or Bun's options
   */
  constructor(url: unknown, protocols: unknown = undefined) {
    super();
    if (arguments.length === 0) {
      const error: NodeError = new TypeError("Not enough arguments");
      error.code = "ERR_MISSING_ARGS";
      throw error;
    }
    let options: ClientOptions | undefined;
    if (
      typeof protocols === "object" &&
      protocols !== null &&
      typeof (protocols as Partial<Iterable<unknown>>)[Symbol.iterator] !== "function"
    ) {
      options = protocols as ClientOptions;
      protocols = options!.protocols ?? options!.protocol;
    }
    const text = `${url}`.toWellFormed();
    const parsed = URL.parse(text);
    if (parsed === null) throw exception(`Invalid url for WebSocket ${text}`, "SyntaxError");
    if (parsed.protocol === "http:") parsed.protocol = "ws:";
    else if (parsed.protocol === "https:") parsed.protocol = "wss:";
    const local = localTarget(parsed);
    if (local === undefined && parsed.protocol !== "ws:" && parsed.protocol !== "wss:")
      throw exception(`Wrong url scheme for WebSocket ${parsed.href}`, "SyntaxError");
    if (parsed.href.includes("#")) throw exception(`URL has fragment component ${parsed.href}`, "SyntaxError");
    const list: string[] =
      protocols === undefined || protocols === null
        ? []
        : typeof protocols === "object"
          ? [...(protocols as Iterable<unknown>)].map(String)
          : [`${protocols}`];
    for (const name of list) {
      if (name === "" || notToken.test(name)) throw exception(`Wrong protocol for WebSocket '${name}'`, "SyntaxError");
    }
    const seen = new Set<string>();
    for (const name of list) {
      if (seen.has(name.toLowerCase()))
        throw exception(`WebSocket protocols contain duplicates: '${name}'`, "SyntaxError");
      seen.add(name.toLowerCase());
    }
    own(this as WebSocket, (socket) => socket.#abandon());
    this.#url = parsed.href;
    this.#origin = `${parsed.protocol}//${parsed.host}`;
    const { Client } = require("internal/fetch/websocket/client");
    this.#client = new Client(local?.url ?? parsed, local?.unix, list, options, {
      opened: (protocol: string, extensions: string) => this.#opened(protocol, extensions),
      message: (data: string | Uint8Array) => this.#message(data),
      closing: (code: number, reason: string) => {
        this.#closed = { code, reason, clean: true };
        this.#state = CLOSING;
      },
      ended: (failure: Error | undefined) => this.#ended(failure),
      drained: () => {
        this.#buffered = 0;
      },
      ping: (data: Uint8Array) => this.#event("ping", data),
      pong: (data: Uint8Array) => this.#event("pong", data),
    });
  }

  /** Hangs up and tells nobody: the graph of modules that it belongs to is disposed. */
  #abandon(): void {
    this.#state = CLOSED;
    this.#client.terminate();
  }

  #opened(protocol: string, extensions: string): void {
    if (this.#state !== CONNECTING) return;
    this.#state = OPEN;
    this.#protocol = protocol;
    this.#extensions = extensions;
    this.dispatchEvent(new Event("open"));
  }

  #event(name: string, data: Uint8Array): void {
    this.dispatchEvent(new MessageEvent(name, { data: Buffer.from(data.buffer, data.byteOffset, data.byteLength) }));
  }

  #message(data: string | Uint8Array): void {
    if (this.#state !== OPEN) return;
    let value: unknown = data;
    if (typeof data !== "string") {
      switch (this.#binaryType) {
        case "blob":
          value = new Blob([data]);
          break;
        case "arraybuffer":
          value = data.buffer.byteLength === data.byteLength ? data.buffer : data.slice().buffer;
          break;
        case "uint8array":
          break;
        default:
          value = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
      }
    }
    this.dispatchEvent(new MessageEvent("message", { data: value, origin: this.#origin }));
  }

  /** The connection is gone. */
  #ended(failure: Error | undefined): void {
    if (this.#state === CLOSED) return;
    this.#state = CLOSED;
    this.#buffered = 0;
    if (failure !== undefined || this.#failure !== undefined) {
      const error = (failure ?? this.#failure)!;
      this.dispatchEvent(new ErrorEvent("error", { message: error.message, error }));
    }
    const { code, reason, clean } = this.#closed ?? { code: 1006, reason: "", clean: false };
    this.dispatchEvent(new CloseEvent("close", { code, reason, wasClean: clean && failure === undefined }));
  }

  get url(): string {
    return this.#url;
  }
  get URL(): string {
    return this.#url;
  }
  get readyState(): number {
    return this.#state;
  }
  /** Bytes that the system has not taken yet. */
  get bufferedAmount(): number {
    if (this.#state !== OPEN) return this.#buffered;
    // What was sent in the same task counts, whether the system has it or not; a task is taken to be over after a while.
    return Math.max(this.#client.buffered, performance.now() - this.#sentAt < TASK ? this.#sent : 0);
  }
  get protocol(): string {
    return this.#protocol;
  }
  get extensions(): string {
    return this.#extensions;
  }
  get binaryType(): string {
    return this.#binaryType;
  }
  set binaryType(value: unknown) {
    const text = `${value}`;
    if (binaryTypes.includes(text)) this.#binaryType = text;
  }

  /** Sends a string, bytes or a Blob. */
  send(data: unknown): void {
    if (arguments.length === 0) throw new TypeError("Not enough arguments");
    if (this.#state === CONNECTING) throw exception("The object is in an invalid state.", "InvalidStateError");
    if (typeof data === "object" && data !== null && !isArrayBufferView(data) && !isAnyArrayBuffer(data)) {
      const { isBlob, blobBytesSync } = require("web/blob");
      if (isBlob(data)) {
        const bytes = blobBytesSync(data);
        if (bytes === undefined) {
          // In its place among the messages.
          this.#client.sendLater(data.bytes());
          return;
        }
        data = bytes;
      } else {
        data = `${data}`;
      }
    }
    if (typeof data !== "object" || data === null) data = `${data}`.toWellFormed();
    else
      data = isArrayBufferView(data)
        ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
        : new Uint8Array(data as ArrayBuffer);
    if (this.#state !== OPEN) {
      this.#buffered += typeof data === "string" ? Buffer.byteLength(data) : (data as Uint8Array).byteLength;
      return;
    }
    const now = performance.now();
    if (now - this.#sentAt >= TASK) this.#sent = 0;
    this.#sentAt = now;
    this.#sent += typeof data === "string" ? Buffer.byteLength(data) : (data as Uint8Array).byteLength;
    this.#client.send(data as string | Uint8Array);
  }

  /** Begins to close. `code`: 1000 or 3000 to 4999 (Bun allows what the protocol does); `reason`: at most 123 bytes. */
  close(code: number | undefined = undefined, reason: string | undefined = undefined): void {
    if (code !== undefined) {
      code = Math.trunc(Number(code)) || 0;
      if (code < 1000 || code > 4999 || (code >= 1004 && code <= 1006) || (code >= 1015 && code < 3000)) {
        throw exception("The code must be either 1000, or between 3000 and 4999.", "InvalidAccessError");
      }
    }
    const text = reason === undefined ? "" : `${reason}`.toWellFormed();
    const length = Buffer.byteLength(text);
    if (length > MAX_REASON) {
      throw exception(
        `The close reason must not be greater than 123 UTF-8 bytes. Received ${length} bytes.`,
        "SyntaxError",
      );
    }
    if (this.#state >= CLOSING) return;
    const early = this.#state === CONNECTING;
    this.#state = CLOSING;
    if (early) {
      this.#failure = new Error(
        `WebSocket connection to '${this.#url}' failed: WebSocket is closed before the connection is established`,
      );
      this.#client.terminate();
    } else {
      this.#client.close(code, text);
    }
  }

  /** Hangs up without a closing handshake (Bun, ws). */
  terminate(): void {
    if (this.#state === CLOSED) return;
    this.#state = CLOSING;
    this.#client.terminate();
  }

  ping(data: unknown = undefined): void {
    if (this.#state === CONNECTING) throw exception("The object is in an invalid state.", "InvalidStateError");
    if (this.#state === OPEN) this.#client.control(true, data);
  }

  pong(data: unknown = undefined): void {
    if (this.#state === CONNECTING) throw exception("The object is in an invalid state.", "InvalidStateError");
    if (this.#state === OPEN) this.#client.control(false, data);
  }

  /** Takes nothing more from the network until `resume` (ws). */
  pause(): void {
    this.#client.setPaused(true);
  }
  resume(): void {
    this.#client.setPaused(false);
  }
  get isPaused(): boolean {
    return this.#client.paused;
  }
}

for (const name of Object.getOwnPropertyNames(WebSocket.prototype)) {
  if (name !== "constructor") Object.defineProperty(WebSocket.prototype, name, { enumerable: true });
}
for (const [name, value] of Object.entries({ CONNECTING, OPEN, CLOSING, CLOSED })) {
  Object.defineProperty(WebSocket, name, { value, enumerable: true, writable: false, configurable: false });
  Object.defineProperty(WebSocket.prototype, name, { value, enumerable: true, writable: false, configurable: false });
}
Object.defineProperty(WebSocket.prototype, Symbol.toStringTag, { value: "WebSocket", configurable: true });
Object.defineProperty(WebSocket, "length", { value: 1, configurable: true });
for (const name of ["open", "message", "error", "close"]) defineEventHandler(WebSocket.prototype, name);

export { WebSocket };
