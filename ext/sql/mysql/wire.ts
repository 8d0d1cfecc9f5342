/** The socket of a connection: TCP or a unix socket, which can become TLS. */

import type { StreamHandle } from "internal/net/native";
import { TLS_VERIFY_CA, type Options } from "internal/sql/adapter";

const ops = native("sql");

/** What of a socket of node:net or node:tls is used. */
interface Socket {
  _handle: StreamHandle | null;
  readonly authorizationError?: unknown;
  on(event: string, listener: (value: never) => void): void;
  once(event: string, listener: (value: never) => void): void;
  off(event: string, listener: (value: never) => void): void;
  removeAllListeners(): void;
  setNoDelay(on: boolean): void;
  setKeepAlive(on: boolean, delay: number): void;
  write(chunk: Uint8Array): boolean;
  end(): void;
  destroy(): void;
  ref(): void;
  unref(): void;
}

interface WireEvents {
  data(chunk: Buffer): void;
  /** The socket is gone, with the reason if it is not the peer's orderly end. Called once, not after `destroy`. */
  lost(error: Error | undefined): void;
}

/** Milliseconds of silence before the kernel asks whether the peer is still there. */
const KEEP_ALIVE = 30_000;

const nothing = (): void => {};

export class Wire {
  #socket: Socket;
  #events: WireEvents;
  #isGone = false;
  isTls = false;

  /** Connects. Throws what node:net throws for a host or port that is none. */
  constructor({ hostname, port, path }: Options, events: WireEvents) {
    this.#events = events;
    this.#socket = require("node:net").connect(
      path === undefined ? { host: hostname, port } : { path },
    ) as unknown as Socket;
    if (path === undefined) {
      this.#socket.setNoDelay(true);
      this.#socket.setKeepAlive(true, KEEP_ALIVE);
    }
    this.#listen();
  }

  #data = (chunk: Buffer): void => {
    if (!this.#isGone) this.#events.data(chunk);
  };

  #lost(error: Error | undefined): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#events.lost(error);
  }

  #listen(): void {
    const socket = this.#socket;
    socket.on("data", this.#data);
    socket.on("error", (error: Error) => this.#lost(error));
    socket.on("close", () => this.#lost(undefined));
  }

  /** Makes the connection TLS and calls `done` then; a certificate that is refused is an error of the connection. */
  secure(options: Options, done: () => void): void {
    const plain = this.#socket;
    const { hostname, path, sslMode } = options;
    const given = require("internal/fetch/tls").withFiles(options.tls ?? {});
    const { isIP } = require("node:net");
    // Without authorities and a mode that verifies, TLS keeps those out who only listen.
    const asked = given.rejectUnauthorized;
    const isVerified = asked !== false && (asked === true || given.ca !== undefined || sslMode >= TLS_VERIFY_CA);
    const isNameChecked = isVerified && path === undefined && (sslMode !== TLS_VERIFY_CA || asked === true);
    const servername = path === undefined && isIP(hostname) === 0 ? hostname : undefined;
    const checks = isNameChecked || given.checkServerIdentity !== undefined ? {} : { checkServerIdentity: nothing };
    plain.off("data", this.#data as never);
    plain.removeAllListeners();
    plain.on("error", nothing);
    const own = { socket: plain, host: hostname, servername, ...checks, ...given, rejectUnauthorized: isVerified };
    const socket = require("node:tls").connect(own as never) as unknown as Socket;
    this.#socket = socket;
    this.isTls = true;
    socket.once("secureConnect", done);
    this.#listen();
  }

  /** The native socket; undefined if it is gone. */
  get handle(): StreamHandle | undefined {
    return this.#socket._handle ?? undefined;
  }

  write(bytes: Uint8Array): void {
    this.#socket.write(bytes);
  }

  /** Whether the kernel knows of no end. */
  get isOpen(): boolean {
    const fd = this.#socket._handle?.fd ?? -1;
    return fd >= 0 && ops.isOpen(fd);
  }

  end(): void {
    this.#socket.end();
  }

  destroy(): void {
    this.#isGone = true;
    const socket = this.#socket;
    socket.removeAllListeners();
    socket.on("error", nothing);
    socket.destroy();
  }

  ref(): void {
    this.#socket.ref();
  }

  unref(): void {
    this.#socket.unref();
  }
}
