/** Bun.listen and Bun.connect: https://bun.com/docs/api/tcp. */
import { captureContext, ownership } from "internal/events/async_context";
import { isIP } from "internal/net/ip";
import { closeIfAbandoned, silence, table } from "internal/net/native";
import { invalidType } from "bun/util";
import { fieldsOf, Handlers, handlersOf, Link, seal, socketFor } from "internal/net/sockets/socket";
import { BIND_IPV6_ONLY, BIND_REUSE_PORT } from "internal/net/native_constants";

import type { Terms, UpgradeOptions } from "internal/net/sockets/tls";
import type { Connection } from "internal/fetch/connection";

const net = native("net");
const BACKLOG = 511;
const TCP = 6;
const NO_DELAY = 1;

interface Options {
  handlers: Handlers;
  hostname: string | undefined;
  port: number;
  unix: string | undefined;
  fd: number | undefined;
  terms: Terms | undefined;
  flags: number;
  halfOpen: boolean;
  data: unknown;
}

/** Options of Bun.listen and Bun.connect as programs give them. */
interface GivenOptions extends UpgradeOptions {
  hostname?: unknown;
  host?: unknown;
  port?: unknown;
  unix?: unknown;
  fd?: unknown;
  ipv6Only?: unknown;
  reusePort?: unknown;
  allowHalfOpen?: unknown;
}

function optionsOf(options: GivenOptions, isServer: boolean): Options {
  if (typeof options !== "object" || options === null)
    throw invalidType(isServer ? "Expected object" : "Expected options object");
  const handlers = new Handlers(handlersOf(options));
  let { hostname, unix, fd } = options;
  hostname ??= options.host;
  const given: Options = {
    handlers,
    hostname: undefined,
    port: 0,
    unix: undefined,
    fd: undefined,
    terms: undefined,
    flags: (options.ipv6Only ? BIND_IPV6_ONLY : 0) | (options.reusePort ? BIND_REUSE_PORT : 0),
    halfOpen: Boolean(options.allowHalfOpen),
    data: options.data,
  };
  if (fd !== undefined && fd !== null) {
    if (typeof fd !== "number" || !Number.isInteger(fd) || fd < 0) throw invalidType('Expected "fd" to be a number');
    given.fd = fd;
  } else if (unix !== undefined && unix !== null && unix !== "") {
    if (typeof unix !== "string") throw invalidType("SocketOptions.unix must be a string");
    given.unix = unix.startsWith("unix://")
      ? unix.slice(7)
      : unix.startsWith("file://")
        ? require("node:url").fileURLToPath(unix)
        : unix;
  } else if (hostname !== undefined && hostname !== null && hostname !== "") {
    let host = `${hostname}`;
    let { port } = options;
    if (port === undefined || port === null) {
      // A host name may bring its port.
      const match = /^(\[.*\]|[^:]*):(\d+)$/.exec(host);
      if (match === null) throw invalidType('Missing "port"');
      host = match[1]!;
      port = match[2];
    }
    const number = typeof port === "string" && port.trim() === "" ? NaN : Number(port);
    if (!Number.isInteger(number)) outOfRange(`SocketOptions.port must be an integer (received ${number})`);
    if (number < 0 || number > 65535)
      outOfRange(`SocketOptions.port must be in the range [0, 65535] (received ${number})`);
    given.hostname = host.startsWith("[") && host.endsWith("]") ? host.slice(1, -1) : host;
    given.port = number;
  } else {
    throw invalidType('Expected either "hostname" or "unix"');
  }
  const { tls } = options;
  if (tls) given.terms = require("internal/net/sockets/tls").termsOf(tls, isServer);
  return given;
}

function outOfRange(message: string): never {
  const error: NodeError = new RangeError(message);
  error.code = "ERR_OUT_OF_RANGE";
  throw error;
}

// ---------------------------------------------------------------------------------------------------------------------

/** A listening socket, as native code calls it. */
class Acceptor {
  id = -1;
  context: unknown = captureContext();
  isOwnSocket = true;
  onclose: unknown = undefined;
  links = new Set<Link>();
  api: unknown = undefined;
  refed = true;
  given: Options;
  data: unknown;

  constructor(given: Options) {
    this.given = given;
    this.data = given.data;
  }

  connection(errno: number, id: number): void {
    if (errno !== 0) return;
    const { given } = this;
    const link = new Link(id, given.handlers, given.halfOpen, this);
    if (given.unix === undefined) net.setOption(id, TCP, NO_DELAY, 1);
    this.links.add(link);
    if (given.terms !== undefined) {
      const { Secure } = require("internal/net/sockets/tls");
      link.tls = new Secure(given.terms, undefined);
      link.tls.begin(id);
    }
    socketFor(link, this.data);
    link.start();
  }

  open(): void {
    const { given } = this;
    let id: number;
    if (given.fd !== undefined) {
      id = net.openListener(given.fd);
    } else if (given.unix !== undefined) {
      id = net.bindUnix(given.unix);
    } else {
      const hostname = given.hostname!;
      if (isIP(hostname)) {
        id = net.bindTcp(hostname, given.port, given.flags);
      } else {
        const { 0: code, 1: addresses } = net.getAddrInfoNow(hostname, 0, 0);
        if (code !== 0) throw new Error(`Failed to listen at ${hostname}`);
        id = -99; // EADDRNOTAVAIL
        for (const address of addresses) {
          id = net.bindTcp(address, given.port, given.flags);
          if (id >= 0) break;
        }
      }
    }
    let errno = id;
    if (id >= 0) {
      errno = net.listen(id, BACKLOG);
      if (errno < 0) net.close(id, false);
    }
    if (errno < 0) {
      const error: NodeError = new Error(`Failed to listen at ${given.unix ?? given.hostname ?? given.fd}`);
      error.syscall = "listen";
      error.errno = -errno;
      error.address = given.unix ?? given.hostname;
      if (given.unix === undefined) error.port = given.port;
      error.code = require("internal/core/errors").getSystemErrorName(errno);
      throw error;
    }
    this.id = id;
    table[id] = this;
    closeIfAbandoned(this);
  }
}

/** What Bun.listen returns. */
class Listener {
  #acceptor: Acceptor;
  #port: number | undefined;

  constructor(acceptor: Acceptor) {
    this.#acceptor = acceptor;
    this.#port = acceptor.given.unix === undefined ? net.socketAddress(acceptor.id, false)[1]![1] : undefined;
    acceptor.api = this;
  }

  get data(): unknown {
    return this.#acceptor.id < 0 ? undefined : this.#acceptor.data;
  }
  set data(value: unknown) {
    this.#acceptor.data = value;
  }

  get fd(): number {
    const { id } = this.#acceptor;
    return id < 0 ? -1 : net.socketFd(id);
  }

  get hostname(): string | undefined {
    return this.#acceptor.given.hostname;
  }

  get port(): number | undefined {
    return this.#port;
  }

  get unix(): string | undefined {
    return this.#acceptor.given.unix;
  }

  /** Writes address, port and family into an object. */
  getsockname(out: { address?: string; port?: number; family?: string }): void {
    const { id } = this.#acceptor;
    if (id < 0) return;
    const parts = net.socketAddress(id, false)[1];
    out.address = parts![0];
    out.port = parts![1];
    out.family = parts![2] === 6 ? "IPv6" : "IPv4";
  }

  ref(): void {
    const acceptor = this.#acceptor;
    acceptor.refed = true;
    if (acceptor.id >= 0) net.setRef(acceptor.id, true);
  }

  unref(): void {
    const acceptor = this.#acceptor;
    acceptor.refed = false;
    if (acceptor.id >= 0) net.setRef(acceptor.id, false);
  }

  /** Replaces the handlers of all connections, those to come as well. */
  reload(options?: { socket?: unknown }): void {
    if (arguments.length === 0 || this.#acceptor.id < 0) throw invalidType("Expected 1 argument");
    this.#acceptor.given.handlers.replace(handlersOf(options));
  }

  /** Listens no longer; with `closeActiveConnections` nothing is left of it. */
  stop(closeActiveConnections: boolean = false): void {
    const acceptor = this.#acceptor;
    const { id, given } = acceptor;
    if (id >= 0) {
      acceptor.id = -1;
      net.close(id, false);
      if (given.unix !== undefined && !given.unix.startsWith("\0")) {
        try {
          require("node:fs").unlinkSync(given.unix);
        } catch {
          // Somebody else has taken it away.
        }
      }
    }
    if (closeActiveConnections) for (const link of [...acceptor.links]) link.finish(undefined);
  }

  [Symbol.dispose](): void {
    this.stop(true);
  }

  [Symbol.for("nodejs.util.inspect.custom")](_depth: number, options: unknown): string {
    return `Listener ${require("internal/util/inspect").inspect(fieldsOf(this, Listener.prototype), options)}`;
  }
}
seal(Listener.prototype, "Listener");

/** Listens for connections: https://bun.com/docs/api/tcp#start-a-server-bun-listen. */
export function listen(options: GivenOptions): Listener {
  const acceptor = new Acceptor(optionsOf(options, true));
  acceptor.open();
  return new Listener(acceptor);
}

// ---------------------------------------------------------------------------------------------------------------------

/** Makes a connection; the promise is settled when it is open, before a handshake. */
export function connect(options: GivenOptions): Promise<unknown> {
  const given = optionsOf(options, false);
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const { handlers, terms } = given;
  const link = new Link(-1, handlers, given.halfOpen, undefined);
  if (terms !== undefined) {
    const { Secure } = require("internal/net/sockets/tls");
    link.tls = new Secure(terms, given.hostname);
  }
  const socket = socketFor(link, given.data);
  const attempt = {
    route: { target: { hostname: given.hostname, port: given.port }, proxy: undefined, unix: given.unix },
    dialer: undefined,
    exchange: undefined,
    connectedTo(id: number) {
      link.id = id;
      table[id] = link;
      if (ownership.isAbandoned?.(link.context) === true) {
        silence(link);
        return;
      }
      if (given.unix === undefined) net.setOption(id, TCP, NO_DELAY, 1);
      if (!link.refed) net.setRef(id, false);
      if (link.tls !== undefined) link.tls.begin(id);
      link.start();
      resolve(socket);
    },
    fail(cause: NodeError) {
      if (ownership.isAbandoned?.(link.context) === true) return;
      let error = cause;
      if (cause.syscall === "connect") {
        error = new Error("Failed to connect");
        error.code = cause.code;
        error.syscall = "connect";
        error.errno = cause.errno;
      }
      if (handlers.connectError !== undefined) {
        // It is known there: nobody need look at the promise.
        promise.catch(() => {});
        try {
          handlers.connectError.call(socket, socket, error);
        } catch (thrown) {
          native("loop").triggerUncaughtException(thrown, false);
        }
      }
      reject(error);
    },
  };
  if (given.fd !== undefined) {
    const id = net.openStream(given.fd);
    if (id < 0) {
      const { errnoException } = require("internal/core/errors");
      setImmediate(() => attempt.fail(errnoException(id, "connect")));
    } else {
      setImmediate(() => attempt.connectedTo(id));
    }
  } else {
    require("internal/fetch/connect").dial(attempt as unknown as Connection);
  }
  return promise;
}
