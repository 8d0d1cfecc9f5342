/** The socket to a server of PostgreSQL, plain or with TLS, and what asks a server to end a query. */

import { type Options, TLS_DISABLE, TLS_PREFER, TLS_VERIFY_CA, TLS_VERIFY_FULL } from "internal/sql/adapter";
import type { StreamHandle } from "internal/net/native";
import { postgresError } from "internal/sql/postgres/errors";

/** What of a socket is used. */
export interface Socket {
  write(chunk: Uint8Array): boolean;
  end(done?: () => void): void;
  destroy(): void;

  ref(): void;
  unref(): void;
  setNoDelay(on: boolean): void;
  on(event: string, listener: (value: never) => void): void;
  once(event: string, listener: (value: never) => void): void;
  removeAllListeners(event?: string): void;
  /** null once it is closed. */
  readonly _handle?: StreamHandle | null;
  getPeerCertificate?(): { raw?: Buffer };
}

const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);
const CANCEL_CODE = 80_877_102;
const S = 83,
  N = 78;

const nothing = (): void => {};

/** Options of node:tls for a mode. */
function tlsOptions({ tls, sslMode, hostname, path }: Options): Record<string, unknown> {
  const files = require("internal/fetch/tls").withFiles((tls ?? {}) as never);
  const given = { ...(files as Record<string, unknown>) };
  const { isIP } = require("node:net");
  if (given.servername === undefined && path === undefined && isIP(hostname) === 0) given.servername = hostname;
  const isChecked = sslMode >= TLS_VERIFY_CA;
  given.rejectUnauthorized ??= isChecked || given.ca !== undefined;
  if (isChecked) given.rejectUnauthorized = given.rejectUnauthorized !== false;
  // Only the strictest mode compares the name.
  if (sslMode === TLS_VERIFY_FULL) given.host = hostname;
  else given.checkServerIdentity ??= nothing;
  return given;
}

/** What becomes of a socket that is being opened. */
interface SocketEvents {
  /** Ready for the first message; `isSecure` with TLS. */
  open(socket: Socket, isSecure: boolean): void;
  failed(error: Error): void;
}

/** Names of what may happen to a connection that is opened. */
function refused(error: Error): Error {
  const { code } = error as { code?: string };
  if (code === "ECONNREFUSED" || code === "ENOENT") return postgresError("CONNECTION_REFUSED", "Failed to connect");
  return error;
}

/** Connects, and asks for TLS. Gives the function that gives up. */
export function openSocket(options: Options, events: SocketEvents): () => void {
  const net = require("node:net");
  const { path, hostname, port, sslMode } = options;
  const socket = net.connect(path === undefined ? { host: hostname, port } : { path }) as unknown as Socket;
  let current = socket;
  const failed = (error: Error): void => {
    current.removeAllListeners();
    current.on("error", nothing);
    current.destroy();
    if (current !== socket) socket.destroy();
    events.failed(refused(error));
  };
  const ended = (): void => failed(postgresError("CONNECTION_CLOSED", "Connection closed"));
  socket.on("error", failed);
  socket.on("close", ended);
  const plain = (): void => {
    socket.removeAllListeners("error");
    socket.removeAllListeners("close");
    events.open(socket, false);
  };
  socket.once("connect", () => {
    socket.setNoDelay(true);
    if (sslMode === TLS_DISABLE) return plain();
    socket.write(SSL_REQUEST);
    socket.once("data", (answer: Buffer) => {
      // More than the one byte was written by somebody who wants it to be read as if it came through TLS.
      if (answer.length !== 1)
        return failed(postgresError("UNEXPECTED_MESSAGE", "The server answers more than it was asked"));
      if (answer[0] === N) {
        if (sslMode === TLS_PREFER) return plain();
        return failed(postgresError("TLS_NOT_AVAILABLE", "Server does not support SSL"));
      }
      if (answer[0] !== S)
        return failed(postgresError("INVALID_MESSAGE", "The server does not speak PostgreSQL's protocol"));
      const tls = require("node:tls");
      try {
        current = tls.connect({ ...tlsOptions(options), socket: socket as never }) as unknown as Socket;
      } catch (error) {
        return failed(error as Error);
      }
      socket.removeAllListeners("error");
      socket.removeAllListeners("close");
      current.on("error", failed);
      current.on("close", ended);
      current.once("secureConnect", () => {
        current.removeAllListeners("error");
        current.removeAllListeners("close");
        events.open(current, true);
      });
    });
  });
  return () => {
    current.removeAllListeners();
    current.on("error", nothing);
    current.destroy();
    if (current !== socket) socket.destroy();
  };
}

/** Asks the server over a connection of its own to end what another connection runs; calls `done` when it has been told, or cannot be. */
export function requestCancel(options: Options, pid: number, secret: Buffer, done: () => void): void {
  const message = Buffer.alloc(12 + secret.length);
  message.writeInt32BE(message.length, 0);
  message.writeInt32BE(CANCEL_CODE, 4);
  message.writeInt32BE(pid, 8);
  message.set(secret, 12);
  openSocket(options, {
    open(socket) {
      socket.on("error", nothing);
      socket.on("data", nothing);
      socket.on("close", done);
      socket.write(message);
      socket.end();
    },
    failed: done,
  });
}

/** Hash of the server's certificate, for channel binding; undefined without one. */
export function bindingOf(socket: Socket): Buffer | undefined {
  const raw = socket.getPeerCertificate?.()?.raw;
  if (raw === undefined) return undefined;
  const crypto = require("node:crypto");
  const { signatureAlgorithm } = new crypto.X509Certificate(raw) as { signatureAlgorithm?: string };
  const name = /sha(\d{3})/i.exec(signatureAlgorithm ?? "")?.[1] ?? "256";
  return crypto
    .createHash(`sha${name === "384" || name === "512" ? name : "256"}`)
    .update(raw)
    .digest();
}
