/** The client's side of a WebSocket: handshake, messages and the end, over a connection of internal/fetch. */
import { Connection, Route, SILENCE } from "internal/fetch/connection";
import { proxyOf, Target, targetOf } from "internal/fetch/url_target";
import {
  acceptFor,
  BINARY,
  CLOSE,
  closePayload,
  Deflate,
  firstByte,
  PING,
  PONG,
  readFrames,
  Receiver,
  Sink,
  TEXT,
} from "internal/fetch/websocket/frames";
import type { Errand, FrameData, ProxyOption, Successor, TlsOptions } from "internal/fetch/types";

const net = native("net");
/** What a connection fails with; `cause` is that of an error of the network. */
type Failure = NodeError & { cause?: NodeError };

/** What an error of a connection means for a WebSocket. */
function reasonOf(error: Failure | undefined): string {
  const { code, cause } = error ?? ({} as Partial<Failure>);
  if (code === "ERR_PROXY_TUNNEL") {
    const status: string = cause!.message.slice(cause!.message.indexOf(": ") + 2);
    return status.startsWith("407") ? `Proxy authentication required: ${status}` : cause!.message;
  }
  if (code === "EPROTO") return "TLS handshake failed";
  return String(code).includes("CERT")
    ? `TLS handshake failed: ${cause?.message ?? error!.message}`
    : "Failed to connect";
}

const MAX_MESSAGE = 256 * 1024 * 1024;
/** Smaller messages are not worth compressing. */
const COMPRESS_FROM = 1024;
const CLOSE_TIMEOUT = (Number(process.env.BUN_CONFIG_WS_CLOSE_TIMEOUT) || 30) * 1000;
const HANDSHAKE_TIMEOUT = Number(process.env.BUN_CONFIG_WS_HANDSHAKE_TIMEOUT) * 1000 || SILENCE;

/** What a client tells. */
interface Listener {
  opened(protocol: string, extensions: string): void;
  message(data: string | Uint8Array): void;
  closing(code: number, reason: string): void;
  /** Once, at the end; with an error where that is not how it should end. */
  ended(failure: unknown): void;
  drained(): void;
  ping(data: Uint8Array): void;
  pong(data: Uint8Array): void;
}

/** The options of a WebSocket that are Bun's. */
export interface ClientOptions {
  headers?: unknown;
  protocols?: unknown;
  protocol?: unknown;
  proxy?: ProxyOption;
  tls?: TlsOptions | null;
  perMessageDeflate?: boolean;
}

export class Client implements Sink, Errand, Successor {
  // What Connection asks of the request that it is made for.
  method = "GET";
  href: string;
  route: Route;
  connection: Connection | undefined = undefined;
  silence = HANDSHAKE_TIMEOUT;
  responded = false;
  last = true;
  repeatable = false;

  paused = false;
  #url: URL;
  #target: Target;
  #protocols: string[];
  #headers: Headers;
  #options: ClientOptions;
  #listener: Listener;
  #key: string;
  #socket: Connection | undefined = undefined;
  #receiver: Receiver | undefined = undefined;
  #deflate: Deflate | undefined = undefined;
  #protocol = "";
  #extensions = "";
  #closeSent = false;
  #over = false;
  #timer: ReturnType<typeof setTimeout> | undefined = undefined;
  /** Sending waits for the bytes of a Blob. */
  #queue: Promise<void> | undefined = undefined;

  /** `unix`: the path of a socket to connect to in place of the URL's host. */
  constructor(
    url: URL,
    unix: string | undefined,
    protocols: string[],
    options: ClientOptions | undefined,
    listener: Listener,
  ) {
    this.#url = url;
    this.href = url.href;
    this.#options = options ?? {};
    this.#listener = listener;
    this.#headers = new Headers(this.#options.headers ?? undefined);
    // As in Bun, headers of the program win: a list of protocols (none if it is empty), and a key if it is one (16 bytes in base64).
    const names = this.#headers.get("sec-websocket-protocol")?.trim();
    if (names === undefined) this.#protocols = protocols;
    else this.#protocols = names === "" ? [] : names.split(",").map((name) => name.trim());
    const key = this.#headers.get("sec-websocket-key") ?? "";
    const bytes = Buffer.from(key, "base64");
    this.#key =
      bytes.length === 16 && bytes.toString("base64") === key
        ? key
        : Buffer.from(native("crypto").randomBytes(16)).toString("base64");
    const target = (this.#target = targetOf(
      `${url.protocol === "wss:" ? "https:" : "http:"}${url.href.slice(url.protocol.length)}`,
    ));
    const { tls, proxy } = this.#options;
    this.route = {
      key: "",
      target,
      proxy: unix === undefined ? proxyOf(target, proxy) : undefined,
      unix,
      tls: tls ?? undefined,
      tunnel: true,
      http2: false,
      http3: false,
    };
    // Listeners come first.
    queueMicrotask(() => {
      if (this.#over) return;
      try {
        new Connection(this);
      } catch (error) {
        this.fail(error);
      }
    });
  }

  #describe(cause: string): Error {
    return new Error(`WebSocket connection to '${this.#url.href}' failed: ${cause}`);
  }

  // ---- calls of the connection

  /** Sends the request for an upgrade. */
  begin(connection: Connection): void {
    const target = this.#target;
    const headers = this.#headers;
    let text = `GET ${target.path} HTTP/1.1\r\n`;
    if (!headers.has("host")) text += `Host: ${target.host}\r\n`;
    text += `Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${this.#key}\r\n`;
    if (this.#protocols.length > 0) text += `Sec-WebSocket-Protocol: ${this.#protocols.join(", ")}\r\n`;
    if (this.#options.perMessageDeflate !== false)
      text += "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\n";
    if (target.authorization !== undefined && !headers.has("authorization"))
      text += `Authorization: ${target.authorization}\r\n`;
    for (const [name, value] of headers) {
      if (
        /^(?:connection|upgrade|sec-websocket-(?:version|key|extensions|protocol)|content-length|transfer-encoding)$/.test(
          name,
        )
      )
        continue;
      text += `${name}: ${value}\r\n`;
    }
    connection.write(`${text}\r\n`, undefined);
    connection.requestDone = true;
  }

  /** The head of the answer. */
  received(connection: Connection, status: number, text: string): void {
    this.responded = true;
    const refuse = (why: string) => connection.fail(this.#describe(why));
    if (status !== 101) return refuse(`Expected 101 status code: ${status}`);
    const parts = text.split("\0");
    const found = new Map<string, string>();
    for (let i = 1; i < parts.length; i += 2) {
      const name = parts[i]!.toLowerCase();
      const before = found.get(name);
      found.set(name, before === undefined ? parts[i + 1]! : `${before}, ${parts[i + 1]}`);
    }
    if (found.get("upgrade")?.toLowerCase() !== "websocket") return refuse("Invalid upgrade header");
    if (!/(?:^|[\s,])upgrade(?:$|[\s,])/i.test(found.get("connection") ?? ""))
      return refuse("Invalid connection header");
    if (found.get("sec-websocket-accept") !== acceptFor(this.#key)) return refuse("Mismatch websocket accept header");
    const protocol = found.get("sec-websocket-protocol") ?? "";
    if (protocol !== "" && this.#protocols.length > 0 && !this.#protocols.includes(protocol))
      return refuse("Mismatch client protocol");
    if (protocol === "" && this.#protocols.length > 0) return refuse("Mismatch client protocol");
    this.#protocol = protocol;
    const extensions = found.get("sec-websocket-extensions") ?? "";
    if (extensions !== "") {
      const [name, ...params] = extensions.split(";").map((part) => part.trim().toLowerCase());
      if (name !== "permessage-deflate" || extensions.includes(",") || this.#options.perMessageDeflate === false) {
        return refuse("Unsupported extension");
      }
      let bits = 15;
      let keepOut = true;
      let keepIn = true;
      for (const param of params) {
        const [key, value] = param.split("=");
        if (key === "client_no_context_takeover") keepOut = false;
        else if (key === "server_no_context_takeover") keepIn = false;
        else if (key === "client_max_window_bits" && value !== undefined) bits = Number(value.replaceAll('"', ""));
        else if (key !== "server_max_window_bits") return refuse("Unsupported extension");
      }
      if (!(bits >= 8 && bits <= 15)) return refuse("Unsupported extension");
      this.#deflate = new Deflate(keepOut, keepIn, Math.max(bits, 9));
      this.#extensions = extensions;
    }
  }

  /** The connection speaks WebSocket now; `rest` came with the head. */
  upgraded(connection: Connection, rest: Uint8Array): void {
    connection.detach(this);
    this.#socket = connection;
    this.connection = undefined;
    this.#receiver = new Receiver(this, MAX_MESSAGE, this.#deflate);
    readFrames(connection.id, false, MAX_MESSAGE);
    this.#listener.opened(this.#protocol, this.#extensions);
    if (rest.byteLength > 0 && !this.#over) net.wsFeed(connection.id, rest);
  }

  /** There will be no WebSocket. */
  fail(error: unknown): void {
    const described =
      typeof (error as Error | undefined)?.message === "string" &&
      (error as Error).message.startsWith("WebSocket connection");
    this.#end(
      described ? error : Object.assign(this.#describe(reasonOf(error as Failure | undefined)), { cause: error }),
    );
  }

  drained(): void {
    this.#listener.drained();
  }

  settled(): void {}
  ended(): void {}
  data(): boolean {
    return true;
  }

  // ---- the socket

  frame(first: number, data: FrameData): void {
    this.#receiver!.frame(first, data);
  }

  disconnected(): void {
    this.#end(undefined);
  }

  #end(failure: unknown): void {
    if (this.#over) return;
    this.#over = true;
    clearTimeout(this.#timer);
    const connection = this.#socket ?? this.connection;
    this.#socket = undefined;
    this.connection = undefined;
    if (connection !== undefined && !connection.closed) {
      connection.exchange = undefined;
      connection.close();
    }
    this.#deflate?.close();
    this.#listener.ended(failure);
  }

  /** Hangs up. */
  terminate(): void {
    if (this.#over) return;
    // Events come later, not within the call.
    queueMicrotask(() => this.#end(undefined));
    const connection = this.#socket ?? this.connection;
    if (connection !== undefined) {
      connection.exchange = undefined;
      connection.socket = undefined;
      connection.close();
    }
  }

  setPaused(on: boolean): void {
    this.paused = on;
    if (on) this.#socket?.pause();
    else this.#socket?.resume();
  }

  get buffered(): number {
    return this.#socket === undefined || this.#socket.id < 0 ? 0 : net.queued(this.#socket.id);
  }

  // ---- frames in

  text(message: string): void {
    this.#listener.message(message);
  }

  binary(message: Uint8Array): void {
    this.#listener.message(message);
  }

  ping(data: Uint8Array): void {
    if (!this.#closeSent) this.#frame(PONG, false, data);
    this.#listener.ping(data);
  }

  pong(data: Uint8Array): void {
    this.#listener.pong(data);
  }

  closing(code: number, reason: string): void {
    this.#listener.closing(code, reason);
    if (!this.#closeSent) {
      this.#closeSent = true;
      this.#frame(CLOSE, false, closePayload(code, ""));
    }
    // The server hangs up first; one that does not is not waited for long.
    const connection = this.#socket;
    if (connection === undefined) return;
    net.shutdown(connection.id);
    this.#timer = setTimeout(() => this.#end(undefined), 2000);
    this.#timer.unref();
  }

  broken(code: number, reason: string): void {
    if (!this.#closeSent) {
      this.#closeSent = true;
      this.#frame(CLOSE, false, closePayload(code, reason));
    }
    this.#end(this.#describe(reason));
  }

  // ---- frames out

  #frame(opcode: number, compressed: boolean, payload: string | Uint8Array): void {
    const connection = this.#socket;
    if (connection !== undefined && !connection.closed)
      net.wsSend(connection.id, firstByte(opcode, compressed), payload, true);
  }

  send(data: string | Uint8Array): void {
    if (this.#queue !== undefined) {
      const copy = typeof data === "string" ? data : data.slice();
      this.#queue = this.#queue.then(() => this.#send(copy));
      return;
    }
    this.#send(data);
  }

  #send(data: string | Uint8Array): void {
    if (this.#over || this.#closeSent) return;
    const opcode = typeof data === "string" ? TEXT : BINARY;
    if (this.#deflate === undefined || data.length < COMPRESS_FROM) this.#frame(opcode, false, data);
    else this.#frame(opcode, true, this.#deflate.compress(typeof data === "string" ? Buffer.from(data) : data));
  }

  sendLater(bytes: Promise<Uint8Array>): void {
    const send = () =>
      bytes.then(
        (data) => this.#send(data),
        () => {},
      );
    const queue: Promise<void> = (this.#queue = (this.#queue ?? Promise.resolve()).then(send).then(() => {
      if (this.#queue === queue) this.#queue = undefined;
    }));
  }

  close(code: number | undefined, reason: string): void {
    const close = () => {
      if (this.#over || this.#closeSent) return;
      this.#closeSent = true;
      this.#frame(CLOSE, false, closePayload(code ?? (reason === "" ? undefined : 1000), reason));
      this.#timer = setTimeout(() => this.#end(undefined), CLOSE_TIMEOUT);
      this.#timer.unref();
    };
    if (this.#queue !== undefined) this.#queue = this.#queue.then(close);
    else close();
  }

  control(isPing: boolean, data: unknown): void {
    const bytes =
      data === undefined
        ? new Uint8Array(0)
        : typeof data === "string"
          ? Buffer.from(data)
          : ArrayBuffer.isView(data)
            ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
            : data instanceof ArrayBuffer
              ? new Uint8Array(data)
              : Buffer.from(`${data}`);
    if (bytes.byteLength > 125) throw new RangeError("The data of a control frame must not be longer than 125 bytes");
    if (!this.#closeSent) this.#frame(isPing ? PING : PONG, false, bytes);
  }
}
