// A client of the inspector's protocol (https://chromedevtools.github.io/devtools-protocol/): finds the target that a server
// has, and sends commands over its WebSocket.
import EventEmitter from "node:events";
import { codes } from "internal/core/errors";
import { inspect } from "internal/util/inspect";
import { WebSocket } from "internal/ws/socket";

/** Parameters of a command, what it gives, and parameters of an event. */
export type Fields = Record<string, unknown>;

/** Where a server listens. */
export interface Address {
  host: string;
  port: number;
}

/** A command that waits for its answer. */
interface Waiting {
  resolve(result: Fields): void;
  reject(error: Error): void;
}

/** What a message of the protocol has. */
interface Message {
  id?: number;
  method?: string;
  params?: Fields;
  result?: Fields;
  error?: { message: string };
}

/** The error of a command that a debugger refuses: its code is ERR_DEBUGGER_ERROR, as in Node. */
export function refusal(message: string): Error {
  const error = new codes.ERR_DEBUGGER_ERROR(message);
  // One line: where in the debugger it was thrown says nothing.
  return Object.defineProperty(error, inspect.custom, { value: () => `Error [${error.code}]: ${message}` });
}

/** The protocol over one WebSocket. Emits the protocol's events by their names, and `"close"` once. */
export class Connection extends EventEmitter {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, Waiting>();
  #last = 0;
  isOpen = true;

  private constructor(socket: WebSocket) {
    super();
    this.setMaxListeners(0);
    this.#socket = socket;
    socket.on("message", (data: Buffer) => this.#receive(data.toString()));
    socket.on("close", () => this.#end());
  }

  /**
   * Connects to the first target of a server.
   *
   * # Errors
   * What the system says of the connection, or an error that tells what is wrong with the server's answer.
   */
  static async open(address: Address): Promise<Connection> {
    const { host, port } = address;
    const targets = await getJson(address, "/json");
    const target = Array.isArray(targets) ? (targets[0] as Fields | undefined) : undefined;
    if (typeof target?.webSocketDebuggerUrl !== "string")
      throw new Error(`${host}:${port} has no target for debuggers`);
    // The server names itself by the Host field; the way there may be another one.
    const { pathname } = new URL(target.webSocketDebuggerUrl);
    const socket = new WebSocket(`ws://${authority(address)}${pathname}`, { perMessageDeflate: false });
    await new Promise<void>((resolve, reject) => {
      socket.once("open", resolve);
      socket.once("error", (error: Error) => {
        reject(/Sec-WebSocket-Accept/.test(error.message) ? new Error("WebSocket secret mismatch") : error);
      });
    });
    socket.on("error", () => {});
    return new Connection(socket);
  }

  /** Sends a command. Rejects with what the server says of one that it refuses, and where the connection ends first. */
  send(method: string, params: Fields = {}): Promise<Fields> {
    if (!this.isOpen) return Promise.reject(refusal("The connection to the program has ended"));
    const id = ++this.#last;
    this.#socket.send(JSON.stringify({ id, method, params }));
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }

  /** Hangs up. Nothing is emitted any more but `"close"`. */
  close(): void {
    this.#socket.terminate();
    this.#end();
  }

  #receive(text: string): void {
    if (!this.isOpen) return;
    const message = messageOf(text);
    if (message === undefined) {
      this.#socket.terminate();
      this.#end("The server does not speak the protocol of debuggers");
      return;
    }
    const { id, method, params, result, error } = message;
    if (id === undefined) {
      if (method !== undefined) this.emit(method, params ?? {});
      return;
    }
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error === undefined) waiting?.resolve(result ?? {});
    else waiting?.reject(refusal(error.message));
  }

  #end(reason = "The program has ended"): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    for (const { reject } of this.#waiting.values()) reject(refusal(reason));
    this.#waiting.clear();
    this.emit("close");
  }
}

/** A message of a server; undefined if it is none. */
function messageOf(text: string): Message | undefined {
  try {
    const message: unknown = JSON.parse(text);
    return typeof message === "object" && message !== null ? message : undefined;
  } catch {
    return undefined;
  }
}

/** Host and port as a URL has them. */
function authority({ host, port }: Address): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

/** What a server has under a path, as JSON. */
function getJson({ host, port }: Address, path: string): Promise<unknown> {
  const http = require("node:http");
  return new Promise((resolve, reject) => {
    const request = http.get({ host, port, path, agent: false }, (response) => {
      let text = "";
      response.on("data", (chunk: Buffer) => {
        text += chunk.toString("latin1");
      });
      response.on("end", () => {
        if (response.statusCode !== 200) {
          reject(new Error(`${host}:${port} answers with ${response.statusCode}: ${text.slice(0, 200)}`));
          return;
        }
        try {
          resolve(JSON.parse(Buffer.from(text, "latin1").toString()));
        } catch {
          reject(new Error(`${host}:${port} is not a debugger: its answer is not JSON`));
        }
      });
    });
    request.on("error", reject);
  });
}
