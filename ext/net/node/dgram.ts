/** node:dgram (https://nodejs.org/api/dgram.html). */
import { diagnostics } from "internal/events/diagnostics";
import { role } from "internal/child_process/cluster/role";
import EventEmitter from "node:events";
import { codes, errnoException, exceptionWithHostPort } from "internal/core/errors";
import { FastBuffer } from "internal/buffer/base";
import { kState } from "internal/net/dgram_state";
import { orDenied } from "internal/net/denied";
import { isIP } from "internal/net/ip";
import { UDP } from "internal/net/native";
import {
  validateAbortSignal,
  validateFunction,
  validateNumber,
  validatePort,
  validateString,
  validateUint32,
} from "internal/core/validators";
import { BIND_IPV6_ONLY, BIND_REUSE_ADDR, BIND_REUSE_PORT } from "internal/net/native_constants";

import type { EventEmitter as Emitter } from "internal/events/types";
import type { BlockList } from "internal/net/blocklist";
import type { Address } from "internal/net/types";

const net = native("net");

const UNBOUND = 0;
const BINDING = 1;
const BOUND = 2;
const DISCONNECTED = 0;
const CONNECTING = 1;
const CONNECTED = 2;

const SOL_SOCKET = 1;
const SO_SNDBUF = 7;
const SO_RCVBUF = 8;
const SO_BROADCAST = 6;
const IPPROTO_IP = 0;
const IP_TTL = 2;
const IP_MULTICAST_TTL = 33;
const IP_MULTICAST_LOOP = 34;
const IPPROTO_IPV6 = 41;
const IPV6_UNICAST_HOPS = 16;
const IPV6_MULTICAST_HOPS = 18;
const IPV6_MULTICAST_LOOP = 19;
const UV_EINVAL = -22;
const UV_EBADF = -9;

/** What a socket tells of a datagram: where it came from, and its size. */
interface RemoteInfo {
  address: string;
  family: string;
  port: number;
  size: number;
}

type Resolve = (hostname: string, family: number, callback: Resolved) => void;
type Resolved = (error: NodeError | null | undefined, ip?: string) => void;

/** A handle as Node has it: also programs call `lookup` and `onmessage`. */
type Handle = UDP & {
  owner: Socket;
  lookup(hostname: string | undefined, callback: Resolved): void;
  /** `nread`: the number of bytes, or a negative errno. */
  onmessage(nread: number, handle: Handle, buffer: Uint8Array | undefined, rinfo: RemoteInfo | undefined): void;
};

interface SocketOptions {
  type: string;
  lookup?: Resolve;
  recvBufferSize?: number;
  sendBufferSize?: number;
  signal?: AbortSignal;
  reuseAddr?: boolean;
  reusePort?: boolean;
  ipv6Only?: boolean;
  receiveBlockList?: BlockList;
  sendBlockList?: BlockList;
}

interface SocketState extends Omit<SocketOptions, "type" | "lookup" | "signal"> {
  /** Null when closed. */
  handle: Handle | null;
  family: 4 | 6;
  receiving: boolean;
  bindState: number;
  connectState: number;
  /** What waits until the socket is bound. */
  queue: (() => void)[] | undefined;
}

/** Options of bind(). */
interface BindOptions {
  port?: number | string;
  address?: string;
  exclusive?: boolean;
  fd?: number;
}

type MessageListener = (message: Uint8Array, rinfo: RemoteInfo) => void;
type Chunk = string | ArrayBufferView;
/** Of send(): an error, or the number of bytes. */
type Sent = (error: NodeError | null, bytes?: number) => void;

interface Socket extends Emitter {
  [kState]: SocketState;
  type: string;
  addMembership(group: string, iface?: string): void;
  addSourceSpecificMembership(source: string, group: string, iface?: string): void;
  address(): Address;
  bind(port?: number | string | BindOptions | (() => void) | null, address?: string | (() => void) | null): this;
  close(callback?: () => void): this;
  connect(port: number, address?: string | Resolved, callback?: Resolved): void;
  disconnect(): void;
  dropMembership(group: string, iface?: string): void;
  dropSourceSpecificMembership(source: string, group: string, iface?: string): void;
  getRecvBufferSize(): number;
  getSendBufferSize(): number;
  getSendQueueCount(): number;
  getSendQueueSize(): number;
  ref(): this;
  remoteAddress(): Address;
  /** `send(message[, offset, length][, port][, address][, callback])` */
  send(message: Chunk | readonly Chunk[], ...rest: unknown[]): void;
  sendto(message: Chunk, offset: number, length: number, port: number, address: string, callback: Sent): void;
  setBroadcast(on: boolean): void;
  setMulticastInterface(address: string): void;
  setMulticastLoopback(on: boolean): boolean;
  setMulticastTTL(ttl: number): number;
  setRecvBufferSize(size: number): void;
  setSendBufferSize(size: number): void;
  setTTL(ttl: number): number;
  unref(): this;
  [Symbol.asyncDispose](): Promise<void>;
}
interface SocketConstructor {
  new (type: string | SocketOptions, listener?: MessageListener): Socket;
  (this: Socket, type: string | SocketOptions, listener?: MessageListener): Socket | void;
  readonly prototype: Socket;
}

/** `new Socket(type | options[, callback])`; callable without `new`. */
function Socket(this: Socket, type: string | SocketOptions, listener?: MessageListener): Socket | void {
  if (!(this instanceof Socket)) return new (Socket as SocketConstructor)(type, listener);
  EventEmitter.call(this);
  let options: SocketOptions | undefined;
  if (type !== null && typeof type === "object") {
    options = type;
    type = options.type;
    const { lookup, recvBufferSize, sendBufferSize, signal } = options;
    if (lookup !== undefined) validateFunction(lookup, "lookup");
    if (recvBufferSize !== undefined) validateUint32(recvBufferSize, "options.recvBufferSize");
    if (sendBufferSize !== undefined) validateUint32(sendBufferSize, "options.sendBufferSize");
    if (signal !== undefined) validateAbortSignal(signal, "options.signal");
  }
  if (type !== "udp4" && type !== "udp6") throw new codes.ERR_SOCKET_BAD_TYPE();
  const family = type === "udp4" ? 4 : 6;
  const id = net.udpOpen(family);
  if (id < 0) throw errnoException(id, "socket");
  const handle = new UDP(id) as Handle;
  handle.owner = this;
  handle.lookup = (address, callback) => lookup(family, options?.lookup, address, callback);
  this.type = type;
  if (typeof listener === "function") this.on("message", listener);
  Object.defineProperty(this, kState, {
    enumerable: false,
    value: {
      handle,
      family,
      receiving: false,
      bindState: UNBOUND,
      connectState: DISCONNECTED,
      queue: undefined,
      reuseAddr: options?.reuseAddr,
      reusePort: options?.reusePort,
      ipv6Only: options?.ipv6Only,
      recvBufferSize: options?.recvBufferSize,
      sendBufferSize: options?.sendBufferSize,
      receiveBlockList: options?.receiveBlockList,
      sendBlockList: options?.sendBlockList,
    } satisfies SocketState,
  });
  if (options?.signal) {
    const { signal } = options;
    const onAborted = () => {
      if (this[kState].handle) this.close();
    };
    if (signal.aborted) {
      onAborted();
    } else {
      const disposable = require("node:events").addAbortListener(signal, onAborted);
      this.once("close", disposable[Symbol.dispose]);
    }
  }
  if (diagnostics.loaded) require("node:diagnostics_channel").channel("udp.socket").publish({ socket: this });
}
Object.setPrototypeOf(Socket.prototype, EventEmitter.prototype);
Object.setPrototypeOf(Socket, EventEmitter);

const proto: Socket = Socket.prototype;

function createSocket(type: string | SocketOptions, listener?: MessageListener): Socket {
  return new (Socket as SocketConstructor)(type, listener);
}

function healthCheck(socket: Socket): void {
  if (!socket[kState].handle) throw new codes.ERR_SOCKET_DGRAM_NOT_RUNNING();
}

function lookup(family: number, resolve: Resolve | undefined, address: string | undefined, callback: Resolved): void {
  const fallback = family === 4 ? "127.0.0.1" : "::1";
  (resolve ?? require("node:dns").lookup)(address || fallback, family, callback);
}

/** What a handle of Node's calls: `nread` is the number of bytes in `buffer`, or a negative errno. */
function onMessage(nread: number, handle: Handle, buffer: Uint8Array | undefined, rinfo: RemoteInfo | undefined): void {
  const socket = handle.owner;
  if (nread < 0) {
    socket.emit("error", errnoException(nread, "recvmsg"));
    return;
  }
  rinfo!.size = nread;
  if (socket[kState].receiveBlockList?.check(rinfo!.address, rinfo!.family.toLowerCase())) return;
  socket.emit("message", buffer, rinfo);
}

/** The function of a handle that native code calls. */
function received(
  this: Handle,
  bytes: ArrayBuffer,
  errno: number,
  address: string,
  port: number,
  family: number,
): void {
  if (errno < 0) this.onmessage(errno, this, undefined, undefined);
  else
    this.onmessage(bytes.byteLength, this, new FastBuffer(bytes), {
      address,
      family: family === 6 ? "IPv6" : "IPv4",
      port,
      size: 0,
    });
}

function startListening(socket: Socket): void {
  const state = socket[kState];
  const { handle } = state;
  handle!.owner = socket;
  handle!.received = received as UDP["received"];
  handle!.onmessage = onMessage;
  net.udpReceive(handle!.id, true);
  state.receiving = true;
  state.bindState = BOUND;
  if (state.recvBufferSize) bufferSize(socket, state.recvBufferSize, SO_RCVBUF);
  if (state.sendBufferSize) bufferSize(socket, state.sendBufferSize, SO_SNDBUF);
  socket.emit("listening");
}

function bufferSize(socket: Socket, size: number, option: number): number {
  const { handle } = socket[kState];
  const fail = (errno: number, syscall: string): never => {
    const { uvErrmapGet } = require("internal/core/errors");
    const { 0: code, 1: message } = uvErrmapGet(errno);
    throw new codes.ERR_SOCKET_BUFFER_SIZE({ errno, code, message, syscall });
  };
  const name = option === SO_RCVBUF ? "recv" : "send";
  // As in Node, where there is no descriptor before the socket is bound.
  if (!handle || socket[kState].bindState !== BOUND) fail(UV_EBADF, `uv_${name}_buffer_size`);
  if (size === 0) {
    const value = net.getOption(handle!.id, SOL_SOCKET, option);
    return value < 0 ? fail(value, `uv_${name}_buffer_size`) : value;
  }
  // The kernel's option is a signed number.
  const errno = size > 0x7fffffff ? UV_EINVAL : net.setOption(handle!.id, SOL_SOCKET, option, size);
  if (errno < 0) fail(errno, `uv_${name}_buffer_size`);
  return size;
}

/** Gets a bound socket from the primary: all workers that bind the same address share it. */
function bindInCluster(
  socket: Socket,
  address: string | null | undefined,
  port: number | string | null,
  fd: number,
  flags: number,
): void {
  const state = socket[kState];
  const query = { address, port, addressType: socket.type, fd, flags };
  require("internal/child_process/cluster/child").cluster._getServer(
    socket,
    query,
    (errno: number, handle: Handle | null) => {
      // Closed meanwhile.
      if (!state.handle) {
        handle?.close();
        return;
      }
      if (errno) {
        state.bindState = UNBOUND;
        socket.emit("error", exceptionWithHostPort(errno, "bind", address as string, port as number));
        return;
      }
      handle!.lookup = state.handle.lookup;
      state.handle.close();
      state.handle = handle;
      startListening(socket);
    },
  );
}

proto.bind = function (port_, address_) {
  healthCheck(this);
  const state = this[kState];
  if (state.bindState !== UNBOUND) throw new codes.ERR_SOCKET_ALREADY_BOUND();
  state.bindState = BINDING;
  const cb = arguments.length > 0 ? arguments[arguments.length - 1] : undefined;
  if (typeof cb === "function") {
    const removeListeners = () => {
      this.removeListener("error", removeListeners);
      this.removeListener("listening", onListening);
    };
    const onListening = () => {
      removeListeners();
      cb.call(this);
    };
    this.on("error", removeListeners);
    this.on("listening", onListening);
  }
  let port = port_;
  let address: string | null | undefined;
  let exclusive = false;
  if (port !== null && typeof port === "object") {
    address = port.address || "";
    if (typeof port.fd === "number" && port.fd >= 0) {
      if (role.isWorker && !port.exclusive) {
        bindInCluster(this, null, null, port.fd, 0);
        return this;
      }
      const id = net.udpAdopt(port.fd);
      if (id < 0) {
        state.bindState = UNBOUND;
        if (id === UV_EINVAL) throw new codes.ERR_INVALID_FD_TYPE(native("process").guessHandleType(port.fd));
        throw errnoException(id, "open");
      }
      const { lookup } = state.handle!;
      state.handle!.close();
      state.handle = new UDP(id) as Handle;
      state.handle.lookup = lookup;
      startListening(this);
      return this;
    }
    exclusive = Boolean(port.exclusive);
    port = port.port;
  } else {
    address = typeof address_ === "function" ? "" : address_;
    if (typeof port === "function") port = 0;
  }
  if (!address) address = state.family === 4 ? "0.0.0.0" : "::";
  state.handle!.lookup(address, (error, ip) => {
    // Closed meanwhile.
    if (!state.handle) return;
    if (error) {
      state.bindState = UNBOUND;
      this.emit("error", error);
      return;
    }
    const flags =
      (state.ipv6Only ? BIND_IPV6_ONLY : 0) |
      (state.reusePort ? BIND_REUSE_PORT : 0) |
      (state.reuseAddr ? BIND_REUSE_ADDR : 0);
    if (role.isWorker && !exclusive && !state.reusePort) {
      bindInCluster(this, ip, (port as number) || 0, -1, flags);
      return;
    }
    const { id } = state.handle;
    const errno = orDenied(() => net.udpBind(id, ip!, +(port as number) || 0, flags));
    if (typeof errno !== "number" || errno < 0) {
      state.bindState = UNBOUND;
      const denied = typeof errno !== "number";
      this.emit("error", denied ? errno : exceptionWithHostPort(errno, "bind", ip!, port as number));
      return;
    }
    startListening(this);
  });
  return this;
};

proto.connect = function (port, address, callback) {
  port = validatePort(port, "Port", false);
  if (typeof address === "function") {
    callback = address;
    address = "";
  } else if (address === undefined) {
    address = "";
  }
  validateString(address, "address");
  const state = this[kState];
  if (state.connectState !== DISCONNECTED) throw new codes.ERR_SOCKET_DGRAM_IS_CONNECTED();
  state.connectState = CONNECTING;
  if (state.bindState === UNBOUND) this.bind({ port: 0, exclusive: true }, null);
  const start = () =>
    state.handle!.lookup(address, (error, ip) => {
      if (!state.handle) return;
      let failure = error;
      if (!failure) {
        if (state.sendBlockList?.check(ip!, `ipv${isIP(ip)}`)) {
          failure = new codes.ERR_IP_BLOCKED(ip);
        } else {
          const errno = net.udpConnect(state.handle.id, ip, port);
          if (errno < 0) failure = exceptionWithHostPort(errno, "connect", ip!, port);
        }
      }
      if (failure) {
        state.connectState = DISCONNECTED;
        process.nextTick(() => {
          if (callback) callback(failure);
          else this.emit("error", failure);
        });
        return;
      }
      state.connectState = CONNECTED;
      if (callback) this.once("connect", callback);
      process.nextTick(() => this.emit("connect"));
    });
  if (state.bindState !== BOUND) enqueue(this, start);
  else start();
};

proto.disconnect = function () {
  const state = this[kState];
  if (state.connectState !== CONNECTED) throw new codes.ERR_SOCKET_DGRAM_NOT_CONNECTED();
  const errno = net.udpConnect(state.handle!.id, undefined, 0);
  if (errno < 0) throw errnoException(errno, "connect");
  state.connectState = DISCONNECTED;
};

function enqueue(socket: Socket, work: () => void): void {
  const state = socket[kState];
  if (state.queue === undefined) {
    state.queue = [];
    const run = () => {
      socket.removeListener(EventEmitter.errorMonitor, drop);
      const { queue } = state;
      state.queue = undefined;
      for (const item of queue!) item();
    };
    const drop = () => {
      socket.removeListener("listening", run);
      state.queue = undefined;
    };
    socket.once("listening", run);
    // Before the listeners of errors see it.
    socket.once(EventEmitter.errorMonitor, drop);
  }
  state.queue.push(work);
}

function sliceBuffer(buffer: Chunk, offset: number, length: number): Buffer {
  const { Buffer } = require("node:buffer");
  if (typeof buffer === "string") buffer = Buffer.from(buffer) as Buffer;
  else if (!ArrayBuffer.isView(buffer))
    throw new codes.ERR_INVALID_ARG_TYPE("buffer", ["Buffer", "TypedArray", "DataView", "string"], buffer);
  offset >>>= 0;
  length >>>= 0;
  if (offset > buffer.byteLength) throw new codes.ERR_BUFFER_OUT_OF_BOUNDS("offset");
  if (offset + length > buffer.byteLength) throw new codes.ERR_BUFFER_OUT_OF_BOUNDS("length");
  return Buffer.from(buffer.buffer, buffer.byteOffset + offset, length);
}

function fixList(list: readonly unknown[]): ArrayBufferView[] | undefined {
  const { Buffer } = require("node:buffer");
  const out = [];
  for (const item of list) {
    if (typeof item === "string") out.push(Buffer.from(item));
    else if (ArrayBuffer.isView(item)) out.push(Buffer.from(item.buffer, item.byteOffset, item.byteLength));
    else return undefined;
  }
  return out;
}

proto.sendto = function (buffer, offset, length, port, address, callback) {
  validateNumber(offset, "offset");
  validateNumber(length, "length");
  validateNumber(port, "port");
  validateString(address, "address");
  this.send(buffer, offset, length, port, address, callback);
};

// send(msg[, offset, length][, port][, address][, callback])
proto.send = function (
  buffer: unknown,
  offset?: unknown,
  length?: unknown,
  port?: unknown,
  address?: unknown,
  callback?: unknown,
) {
  const state = this[kState];
  const connected = state.connectState === CONNECTED;
  if (!connected) {
    if (address || (port && typeof port !== "function")) {
      buffer = sliceBuffer(buffer as Chunk, offset as number, length as number);
    } else {
      callback = port;
      port = offset;
      address = length;
    }
  } else {
    if (typeof length === "number") {
      buffer = sliceBuffer(buffer as Chunk, offset as number, length);
      if (typeof port === "function") {
        callback = port;
        port = null;
      }
    } else {
      callback = offset;
    }
    if (port || address) throw new codes.ERR_SOCKET_DGRAM_IS_CONNECTED();
  }
  let list: ArrayBufferView[] | undefined;
  if (!Array.isArray(buffer)) {
    if (typeof buffer === "string") {
      list = [require("node:buffer").Buffer.from(buffer)];
    } else if (!ArrayBuffer.isView(buffer)) {
      throw new codes.ERR_INVALID_ARG_TYPE("buffer", ["Buffer", "TypedArray", "DataView", "string"], buffer);
    } else {
      list = [buffer];
    }
  } else if ((list = fixList(buffer)) === undefined) {
    throw new codes.ERR_INVALID_ARG_TYPE(
      "buffer list arguments",
      ["Buffer", "TypedArray", "DataView", "string"],
      buffer,
    );
  }
  if (!connected) port = validatePort(port, "Port", false);
  if (typeof callback !== "function") callback = undefined;
  if (typeof address === "function") {
    callback = address;
    address = undefined;
  } else if (address != null) {
    validateString(address, "address");
  }
  healthCheck(this);
  if (state.bindState === UNBOUND) this.bind({ port: 0, exclusive: true }, null);
  if (list.length === 0) list.push(new FastBuffer(0));
  const items = list;
  const work = () => {
    if (connected)
      doSend(
        this,
        null,
        undefined,
        items,
        address as string | undefined,
        port as number | null,
        callback as Sent | undefined,
      );
    else
      state.handle!.lookup(address as string | undefined, (error, ip) =>
        doSend(
          this,
          error,
          ip,
          items,
          address as string | undefined,
          port as number | null,
          callback as Sent | undefined,
        ),
      );
  };
  if (state.bindState !== BOUND) enqueue(this, work);
  else work();
};

function doSend(
  socket: Socket,
  error: unknown,
  ip: string | undefined,
  list: ArrayBufferView[],
  address: string | null | undefined,
  port: number | null,
  callback: Sent | undefined,
): void {
  const state = socket[kState];
  if (error) {
    if (callback) process.nextTick(callback, error);
    else process.nextTick(() => socket.emit("error", error));
    return;
  }
  if (!state.handle) return;
  if (ip !== undefined && state.sendBlockList?.check(ip, `ipv${isIP(ip)}`)) {
    if (callback) process.nextTick(callback, new codes.ERR_IP_BLOCKED(ip));
    return;
  }
  let size = 0;
  for (const item of list) size += item.byteLength;
  const result = state.handle.send(list, ip, port ?? 0);
  const done = (errno: number) => {
    if (!callback) return;
    if (errno < 0) callback(exceptionWithHostPort(errno, "send", (address ?? ip)!, port!));
    else callback(null, size);
  };
  if (result === 1) state.handle.waiting.push(done);
  else if (callback) process.nextTick(done, result);
}

proto.close = function (callback) {
  const state = this[kState];
  if (typeof callback === "function") this.on("close", callback);
  if (state.queue !== undefined) {
    state.queue.push(() => this.close());
    return this;
  }
  healthCheck(this);
  const { handle } = state;
  state.handle = null;
  state.receiving = false;
  handle!.received = () => {};
  handle!.close(() => this.emit("close"));
  return this;
};

proto[Symbol.asyncDispose] = async function () {
  if (!this[kState].handle) return;
  await new Promise<void>((resolve) => this.close(() => resolve()));
};

function addressOf(socket: Socket, peer: boolean, syscall: string) {
  healthCheck(socket);
  const out: Address = {};
  const { handle } = socket[kState];
  const errno = peer ? handle!.getpeername(out) : handle!.getsockname(out);
  if (errno) throw errnoException(errno, syscall);
  return { address: out.address, family: out.family, port: out.port };
}

proto.address = function () {
  healthCheck(this);
  if (this[kState].bindState !== BOUND) throw errnoException(UV_EBADF, "getsockname");
  return addressOf(this, false, "getsockname");
};

proto.remoteAddress = function () {
  healthCheck(this);
  if (this[kState].connectState !== CONNECTED) throw new codes.ERR_SOCKET_DGRAM_NOT_CONNECTED();
  return addressOf(this, true, "getpeername");
};

function option(socket: Socket, level: number, name: number, value: number, syscall: string): void {
  healthCheck(socket);
  const { handle, bindState } = socket[kState];
  if (bindState !== BOUND) throw errnoException(UV_EBADF, syscall);
  const errno = net.setOption(handle!.id, level, name, value);
  if (errno < 0) throw errnoException(errno, syscall);
}

proto.setBroadcast = function (on) {
  option(this, SOL_SOCKET, SO_BROADCAST, on ? 1 : 0, "setBroadcast");
};

proto.setTTL = function (ttl) {
  validateNumber(ttl, "ttl");
  if (ttl < 1 || ttl > 255) throw errnoException(UV_EINVAL, "setTTL");
  if (this[kState].family === 6) option(this, IPPROTO_IPV6, IPV6_UNICAST_HOPS, ttl, "setTTL");
  else option(this, IPPROTO_IP, IP_TTL, ttl, "setTTL");
  return ttl;
};

proto.setMulticastTTL = function (ttl) {
  validateNumber(ttl, "ttl");
  if (ttl < 0 || ttl > 255) throw errnoException(UV_EINVAL, "setMulticastTTL");
  if (this[kState].family === 6) option(this, IPPROTO_IPV6, IPV6_MULTICAST_HOPS, ttl, "setMulticastTTL");
  else option(this, IPPROTO_IP, IP_MULTICAST_TTL, ttl, "setMulticastTTL");
  return ttl;
};

proto.setMulticastLoopback = function (on) {
  if (this[kState].family === 6) option(this, IPPROTO_IPV6, IPV6_MULTICAST_LOOP, on ? 1 : 0, "setMulticastLoopback");
  else option(this, IPPROTO_IP, IP_MULTICAST_LOOP, on ? 1 : 0, "setMulticastLoopback");
  return on;
};

proto.setMulticastInterface = function (address) {
  healthCheck(this);
  validateString(address, "interfaceAddress");
  const errno = net.udpMulticastInterface(this[kState].handle!.id, address);
  if (errno < 0) throw errnoException(errno, "setMulticastInterface");
};

function membership(
  socket: Socket,
  join: boolean,
  group: string,
  iface: string | undefined,
  source: string | undefined,
  syscall: string,
): void {
  healthCheck(socket);
  const errno = net.udpMembership(socket[kState].handle!.id, join, group, iface ?? undefined, source);
  if (errno < 0) throw errnoException(errno, syscall);
}

proto.addMembership = function (group, iface) {
  if (!group) throw new codes.ERR_MISSING_ARGS("multicastAddress");
  healthCheck(this);
  if (this[kState].bindState === UNBOUND) this.bind({ port: 0, exclusive: true }, null);
  membership(this, true, group, iface, undefined, "addMembership");
};

proto.dropMembership = function (group, iface) {
  if (!group) throw new codes.ERR_MISSING_ARGS("multicastAddress");
  membership(this, false, group, iface, undefined, "dropMembership");
};

proto.addSourceSpecificMembership = function (source, group, iface) {
  healthCheck(this);
  validateString(source, "sourceAddress");
  validateString(group, "groupAddress");
  if (this[kState].bindState === UNBOUND) this.bind(0);
  membership(this, true, group, iface, source, "addSourceSpecificMembership");
};

proto.dropSourceSpecificMembership = function (source, group, iface) {
  healthCheck(this);
  validateString(source, "sourceAddress");
  validateString(group, "groupAddress");
  membership(this, false, group, iface, source, "dropSourceSpecificMembership");
};

proto.ref = function () {
  this[kState].handle?.ref();
  return this;
};

proto.unref = function () {
  this[kState].handle?.unref();
  return this;
};

function checkSize(size: number): void {
  if (size >>> 0 !== size) throw new codes.ERR_SOCKET_BAD_BUFFER_SIZE();
}

proto.setRecvBufferSize = function (size) {
  checkSize(size);
  bufferSize(this, size, SO_RCVBUF);
};
proto.setSendBufferSize = function (size) {
  checkSize(size);
  bufferSize(this, size, SO_SNDBUF);
};
proto.getRecvBufferSize = function () {
  return bufferSize(this, 0, SO_RCVBUF);
};
proto.getSendBufferSize = function () {
  return bufferSize(this, 0, SO_SNDBUF);
};
proto.getSendQueueSize = function () {
  return this[kState].handle ? net.udpQueued(this[kState].handle.id)[0] : 0;
};
proto.getSendQueueCount = function () {
  return this[kState].handle ? net.udpQueued(this[kState].handle.id)[1] : 0;
};

export default { createSocket, Socket } as { createSocket: typeof createSocket; Socket: SocketConstructor };
