/** Bun.udpSocket: https://bun.com/docs/api/udp. */
// For the methods of the buffers below.
import "node:buffer";
import { FastBuffer } from "internal/buffer/base";
import { captureContext } from "internal/events/async_context";
import { isIP } from "internal/net/ip";
import { closeIfAbandoned, table } from "internal/net/native";
import { bytesOf, invalidType } from "bun/util";
import { fieldsOf, seal, systemError } from "internal/net/sockets/socket";

const net = native("net");
const { triggerUncaughtException } = native("loop");

const SOL_SOCKET = 1;
const SO_BROADCAST = 6;
const IPPROTO_IP = 0;
const IPPROTO_IPV6 = 41;
const REUSE_PORT = 2;

/** What is wrong with a datagram that was received: nothing, as there is room for the longest. */
const flags4 = { truncated: false, ipv6: false };
const flags6 = { truncated: false, ipv6: true };

/** A function of a program: it gets the socket, and what there is to tell. */
type Handler = (this: unknown, socket: unknown, ...details: unknown[]) => unknown;

function handlerOf(given: object, name: string): Handler | undefined {
  const value = (given as Record<string, unknown>)[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "function") throw invalidType(`Expected "socket.${name}" to be a function`);
  return value as Handler;
}

/** A datagram socket, as native code calls it. */
class Port {
  id = -1;
  context: unknown = captureContext();
  isOwnSocket = true;
  onclose: unknown = undefined;
  data: Handler | undefined = undefined;
  drain: Handler | undefined = undefined;
  error: Handler | undefined = undefined;
  binary = "buffer";
  family = 4;
  connected = false;
  hostname = "";
  api: unknown = undefined;

  configure(options: { socket?: unknown; binaryType?: unknown }): void {
    const { socket } = options;
    if (socket !== undefined && socket !== null) {
      if (typeof socket !== "object") throw invalidType('Expected "socket" to be an object');
      const data = handlerOf(socket, "data");
      const drain = handlerOf(socket, "drain");
      const error = handlerOf(socket, "error");
      this.data = data;
      this.drain = drain;
      this.error = error;
    }
    const { binaryType } = options;
    if (binaryType !== undefined && binaryType !== null) {
      if (binaryType !== "buffer" && binaryType !== "uint8array" && binaryType !== "arraybuffer") {
        throw invalidType("Expected \"binaryType\" to be 'arraybuffer', 'uint8array', or 'buffer'");
      }
      this.binary = binaryType;
    }
  }

  received(bytes: ArrayBuffer | undefined, errno: number, address: string, port: number, family: number): void {
    if (bytes === undefined) {
      this.failed(systemError(errno, "recv"));
      return;
    }
    const { data, api, binary } = this;
    if (data === undefined) return;
    try {
      data.call(
        api,
        api,
        binary === "buffer" ? new FastBuffer(bytes) : binary === "uint8array" ? new Uint8Array(bytes) : bytes,
        port,
        address,
        family === 6 ? { ...flags6 } : { ...flags4 },
      );
    } catch (error) {
      this.failed(error);
    }
  }

  written(): void {
    const { drain, api } = this;
    if (drain === undefined || this.id < 0) return;
    try {
      drain.call(api, api);
    } catch (error) {
      this.failed(error);
    }
  }

  /** Bun passes the error alone; its types have the socket before it. */
  failed(error: unknown): void {
    const { error: handler, api } = this;
    if (handler === undefined) {
      triggerUncaughtException(error, false);
      return;
    }
    try {
      if (handler.length >= 2) handler.call(api, api, error);
      else handler.call(api, error);
    } catch (another) {
      triggerUncaughtException(another, false);
    }
  }
}

function payload(value: unknown, message: string): string | Uint8Array {
  if (typeof value === "string") return value;
  if (value instanceof String) return `${value}`;
  const bytes = bytesOf(value);
  if (bytes === undefined) throw invalidType(message);
  return bytes;
}

function portNumber(value: unknown): number {
  const port = Number(value);
  if (!Number.isInteger(port) || port < 1 || port > 65535)
    throw invalidType('Expected "port" to be an integer between 1 and 65535');
  return port;
}

interface SocketAddress {
  address: string;
  family: string;
  port: number;
}

/** What Bun.udpSocket's promise gives. */
class UDPSocket {
  #port: Port;
  /** What `address` and `remoteAddress` gave last: the same object as long as it is true. */
  #addresses: (SocketAddress | undefined)[] = [];

  constructor(port: Port) {
    this.#port = port;
    port.api = this;
  }

  #address(peer: boolean): SocketAddress | undefined {
    const { id } = this.#port;
    if (id < 0) return undefined;
    const { 0: errno, 1: parts } = net.socketAddress(id, peer);
    if (errno !== 0) return undefined;
    const [address, port, family] = parts!;
    const last = this.#addresses[Number(peer)];
    if (last !== undefined && last.address === address && last.port === port) return last;
    return (this.#addresses[Number(peer)] = { address, family: family === 6 ? "IPv6" : "IPv4", port });
  }

  get address(): SocketAddress | undefined {
    return this.#address(false);
  }
  get binaryType(): string {
    return this.#port.binary;
  }
  get closed(): boolean {
    return this.#port.id < 0;
  }
  get fd(): number {
    const { id } = this.#port;
    return id < 0 ? -1 : net.socketFd(id);
  }
  get hostname(): string {
    return this.#port.hostname;
  }
  get port(): number | undefined {
    return this.#address(false)?.port;
  }
  get remoteAddress(): SocketAddress | undefined {
    return this.#port.connected ? this.#address(true) : undefined;
  }

  /** Sends a datagram: false where the system has no room, `drain` tells then when to try again. */
  send(data?: unknown, port?: unknown, address?: unknown): boolean {
    const target = this.#port;
    if (target.id < 0) throw new Error("Socket is closed");
    const count = arguments.length;
    let list: (string | number | Uint8Array | undefined)[] | (string | number | Uint8Array)[];
    if (target.connected) {
      if (count > 1) throw invalidType("Cannot specify destination on connected socket");
      if (count < 1) throw invalidType("Expected 1 argument, got 0");
      list = [payload(data, "Expected ArrayBufferView or string as first argument"), 0, undefined];
    } else {
      if (count < 3) throw invalidType(`Expected 3 arguments, got ${count}`);
      list = [
        payload(data, "Expected ArrayBufferView or string as first argument"),
        portNumber(port),
        this.#to(address),
      ];
    }
    const sent: number = net.udpSendSome(target.id, list);
    if (sent < 0) throw systemError(sent, "send");
    return sent === 1;
  }

  #to(address: unknown): string {
    if (typeof address !== "string" || !isIP(address)) throw invalidType("Invalid address");
    // A socket of IPv6 reaches the other family by mapped addresses.
    return this.#port.family === 6 && isIP(address) === 4 ? `::ffff:${address}` : address;
  }

  /** Sends many datagrams, `[data, port, address, …]` or connected `[data, …]`: how many the system has taken. */
  sendMany(packets?: unknown): number {
    if (arguments.length === 0) throw invalidType("Expected 1 argument, got 0");
    const target = this.#port;
    if (target.id < 0) throw new Error("Socket is closed");
    if (!Array.isArray(packets)) throw invalidType("Expected first argument to be a array for 'sendMany'.");
    const list = [];
    if (target.connected) {
      for (const data of packets)
        list.push(payload(data, "Expected ArrayBufferView or string as payload"), 0, undefined);
    } else {
      if (packets.length % 3 !== 0) throw invalidType("Expected 3 arguments for each packet");
      for (let i = 0; i < packets.length; i += 3) {
        list.push(
          payload(packets[i], "Expected ArrayBufferView or string as payload"),
          portNumber(packets[i + 1]),
          this.#to(packets[i + 2]),
        );
      }
    }
    if (list.length === 0) return 0;
    const sent: number = net.udpSendSome(target.id, list);
    if (sent < 0) throw systemError(sent, "send");
    return sent;
  }

  /** Replaces the handlers. */
  reload(options?: unknown): void {
    if (arguments.length === 0) throw invalidType("Expected 1 argument");
    if (typeof options !== "object" || options === null) throw invalidType("Expected an object");
    this.#port.configure(options);
  }

  #set(level: number, name: number, value: number): void {
    const { id } = this.#port;
    const errno: number = id < 0 ? -9 /* EBADF */ : net.setOption(id, level, name, value);
    if (errno < 0) throw systemError(errno, "setsockopt");
  }

  /** A number as the system takes it: what is none is refused there. */
  #number(count: number, value: unknown): number {
    if (count === 0) throw invalidType("Expected 1 argument, got 0");
    const isOpen = this.#port.id >= 0;
    const number = Number(value);
    // By what the conversion has called.
    if (isOpen && this.#port.id < 0) throw new Error("Socket is closed");
    return Number.isInteger(number) && number >= 0 && number <= 255 ? number : -2;
  }

  setBroadcast(on?: unknown): boolean {
    if (arguments.length === 0) throw invalidType("Expected 1 argument, got 0");
    this.#set(SOL_SOCKET, SO_BROADCAST, on ? 1 : 0);
    return Boolean(on);
  }

  setTTL(ttl?: unknown): number {
    const number = this.#number(arguments.length, ttl);
    this.#set(
      this.#port.family === 6 ? IPPROTO_IPV6 : IPPROTO_IP,
      this.#port.family === 6 ? 16 /* UNICAST_HOPS */ : 2 /* IP_TTL */,
      number,
    );
    return number;
  }

  setMulticastTTL(ttl?: unknown): number {
    const number = this.#number(arguments.length, ttl);
    this.#set(
      this.#port.family === 6 ? IPPROTO_IPV6 : IPPROTO_IP,
      this.#port.family === 6 ? 18 /* MULTICAST_HOPS */ : 33 /* MULTICAST_TTL */,
      number,
    );
    return number;
  }

  setMulticastLoopback(on?: unknown): boolean {
    if (arguments.length === 0) throw invalidType("Expected 1 argument, got 0");
    this.#set(
      this.#port.family === 6 ? IPPROTO_IPV6 : IPPROTO_IP,
      this.#port.family === 6 ? 19 : 34 /* MULTICAST_LOOP */,
      on ? 1 : 0,
    );
    return Boolean(on);
  }

  setMulticastInterface(address?: unknown): boolean {
    if (arguments.length === 0) throw invalidType("Expected 1 argument, got 0");
    const { id } = this.#port;
    if (id < 0 || typeof address !== "string" || !isIP(address.split("%")[0]!)) return false;
    const errno: number = net.udpMulticastInterface(id, address);
    if (errno < 0) throw systemError(errno, "setsockopt");
    return true;
  }

  #membership(join: boolean, group: unknown, interfaceAddress: unknown, source: unknown): boolean {
    const { id } = this.#port;
    const text = (value: unknown) => (value === undefined || value === null ? undefined : `${value}`);
    let errno: number = id < 0 ? -9 : net.udpMembership(id, join, `${group}`, text(interfaceAddress), text(source));
    if (errno === -19 /* ENODEV */) errno = -22;
    if (errno < 0) throw systemError(errno, "setsockopt");
    return true;
  }

  addMembership(group?: unknown, interfaceAddress?: unknown): boolean {
    if (arguments.length === 0) throw invalidType("Expected 1 argument, got 0");
    return this.#membership(true, group, interfaceAddress, undefined);
  }

  dropMembership(group?: unknown, interfaceAddress?: unknown): boolean {
    if (arguments.length === 0) throw invalidType("Expected 1 argument, got 0");
    return this.#membership(false, group, interfaceAddress, undefined);
  }

  addSourceSpecificMembership(source?: unknown, group?: unknown, interfaceAddress?: unknown): boolean {
    if (arguments.length < 2) throw invalidType(`Expected 2 arguments, got ${arguments.length}`);
    return this.#membership(true, group, interfaceAddress, source);
  }

  dropSourceSpecificMembership(source?: unknown, group?: unknown, interfaceAddress?: unknown): boolean {
    if (arguments.length < 2) throw invalidType(`Expected 2 arguments, got ${arguments.length}`);
    return this.#membership(false, group, interfaceAddress, source);
  }

  ref(): void {
    const { id } = this.#port;
    if (id >= 0) net.setRef(id, true);
  }

  unref(): void {
    const { id } = this.#port;
    if (id >= 0) net.setRef(id, false);
  }

  close(): void {
    const port = this.#port;
    const { id } = port;
    if (id < 0) return;
    port.id = -1;
    net.close(id, false);
  }

  [Symbol.dispose](): void {
    this.close();
  }

  [Symbol.for("nodejs.util.inspect.custom")](_depth: number, options: unknown): string {
    return `UDPSocket ${require("internal/util/inspect").inspect(fieldsOf(this, UDPSocket.prototype), options)}`;
  }
}
seal(UDPSocket.prototype, "UDPSocket");

/** Addresses are told at once; names take a moment. */
function resolve(hostname: string, done: (address: string | undefined) => void): void {
  const bare = hostname.startsWith("[") && hostname.endsWith("]") ? hostname.slice(1, -1) : hostname;
  if (isIP(bare.split("%")[0]!)) done(bare);
  else
    require("internal/fetch/connect").resolveHost(bare, (error: unknown, list: string[] = []) =>
      done(error === undefined ? list[0] : undefined),
    );
}

function bindError(errno: number, hostname: string, syscall: string): unknown {
  const code = require("internal/core/errors").getSystemErrorName(errno);
  const error: NodeError = new Error(`${syscall} ${code} ${hostname}`);
  error.syscall = syscall;
  error.errno = -errno;
  error.address = hostname;
  error.code = code;
  return error;
}

/** Options of Bun.udpSocket as programs give them. */
interface GivenOptions {
  hostname?: unknown;
  port?: unknown;
  connect?: { hostname?: unknown; port?: unknown } | null;
  reusePort?: unknown;
  socket?: unknown;
  binaryType?: unknown;
}

/** Opens a datagram socket, bound and possibly connected. */
export function udpSocket(options: GivenOptions): Promise<unknown> {
  const port = new Port();
  let local: string;
  let localPort = 0;
  let remote: { hostname: string; port: number } | undefined;
  try {
    if (typeof options !== "object" || options === null) throw invalidType("Expected an object");
    const { hostname, connect } = options;
    if (hostname !== undefined && hostname !== null && typeof hostname !== "string")
      throw invalidType('Expected "hostname" to be a string');
    local = hostname || "0.0.0.0";
    if (options.port !== undefined && options.port !== null) {
      localPort = Number(options.port);
      if (!Number.isInteger(localPort) || localPort < 0 || localPort > 65535)
        throw invalidType('Expected "port" to be an integer between 0 and 65535');
    }
    port.configure(options);
    if (connect !== undefined && connect !== null) {
      if (typeof connect !== "object") throw invalidType('Expected "connect" to be an object');
      if (typeof connect.hostname !== "string") throw invalidType('Expected "connect.hostname" to be a string');
      if (connect.port === undefined || connect.port === null)
        throw invalidType('Expected "connect.port" to be an integer');
      const number = Number(connect.port);
      if (!Number.isInteger(number) || number < 1 || number > 65535)
        throw invalidType('Expected "connect.port" to be an integer between 1 and 65535');
      remote = { hostname: connect.hostname, port: number };
    }
  } catch (error) {
    return Promise.reject(error);
  }
  const { promise, resolve: settle, reject } = Promise.withResolvers<unknown>();
  port.hostname = local;
  const open = (address: string) => {
    port.family = isIP(address.split("%")[0]!) === 6 ? 6 : 4;
    const id: number = net.udpOpen(port.family);
    let errno = id < 0 ? id : net.udpBind(id, address, localPort, options.reusePort ? REUSE_PORT : 0);
    const fail = (code: number, hostname: string, syscall: string) => {
      if (id >= 0) net.close(id, false);
      reject(bindError(code, hostname, syscall));
    };
    if (errno < 0) {
      fail(errno, local, "bind");
      return;
    }
    const ready = () => {
      port.id = id;
      table[id] = port;
      closeIfAbandoned(port);
      errno = net.udpReceive(id, true);
      if (errno < 0) fail(errno, local, "bind");
      else settle(new UDPSocket(port));
    };
    if (remote === undefined) {
      ready();
      return;
    }
    const { hostname, port: number } = remote;
    // Kept from being given away while the name is looked up.
    table[id] = port;
    resolve(hostname, (found) => {
      errno =
        found === undefined
          ? -2 /* ENOENT */
          : net.udpConnect(id, port.family === 6 && isIP(found) === 4 ? `::ffff:${found}` : found, number);
      if (errno < 0) {
        fail(errno, hostname, "connect");
        return;
      }
      port.connected = true;
      ready();
    });
  };
  resolve(local, (address) => {
    if (address === undefined) reject(bindError(-2, local, "bind"));
    else open(address);
  });
  return promise;
}
