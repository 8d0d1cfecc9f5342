/** node:dgram (https://nodejs.org/api/dgram.html). */
import { diagnostics } from "internal/events/diagnostics";
import { role } from "internal/child_process/cluster/role";
import EventEmitter from "node:events";
import { codes, errnoException, exceptionWithHostPort } from "internal/core/errors";
import { FastBuffer } from "internal/buffer/base";
import { kState } from "internal/net/dgram_state";
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

/** `new Socket(type | options[, callback])`; callable without `new`. */
function Socket(this: any, type: string, listener?: (...values: unknown[]) => unknown): any {
  if (!(this instanceof (Socket as any))) return new (Socket as any)(type, listener);
  (EventEmitter as { call(...values: unknown[]): unknown }).call(this);
  let options: any;
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
  const handle: any = new UDP(id);
  handle.owner = this;
  handle.lookup = (address: any, callback: Callback) => lookup(family, options?.lookup, address, callback);
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
      queue: undefined as any,
      reuseAddr: options?.reuseAddr,
      reusePort: options?.reusePort,
      ipv6Only: options?.ipv6Only,
      recvBufferSize: options?.recvBufferSize,
      sendBufferSize: options?.sendBufferSize,
      receiveBlockList: options?.receiveBlockList,
      sendBlockList: options?.sendBlockList,
    },
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

const proto: any = Socket.prototype;

function createSocket(type: string, listener?: (...values: unknown[]) => unknown): any {
  return new (Socket as any)(type, listener);
}

function healthCheck(socket: any): void {
  if (!socket[kState].handle) throw new codes.ERR_SOCKET_DGRAM_NOT_RUNNING();
}

function lookup(family: number, resolve: any, address: any, callback: (error: NodeError, ip?: string) => void): void {
  const fallback = family === 4 ? "127.0.0.1" : "::1";
  (resolve ?? require("node:dns").lookup)(address || fallback, family, callback);
}

/** What a handle of Node's calls: `nread` is the number of bytes in `buffer`, or a negative errno. */
function onMessage(nread: number, handle: any, buffer: Uint8Array, rinfo: any): void {
  const socket = handle.owner;
  if (nread < 0) {
    socket.emit("error", errnoException(nread, "recvmsg"));
    return;
  }
  rinfo.size = nread;
  if (socket[kState].receiveBlockList?.check(rinfo.address, rinfo.family.toLowerCase())) return;
  socket.emit("message", buffer, rinfo);
}

/** The function of a handle that native code calls. */
function received(this: any, bytes: Uint8Array, errno: number, address: string, port: number, family: number): void {
  if (errno < 0) this.onmessage(errno, this, undefined, undefined);
  else
    this.onmessage(bytes.byteLength, this, new FastBuffer(bytes), {
      address,
      family: family === 6 ? "IPv6" : "IPv4",
      port,
      size: 0,
    });
}

function startListening(socket: any): void {
  const state = socket[kState];
  const { handle } = state;
  handle.owner = socket;
  handle.received = received;
  handle.onmessage = onMessage;
  net.udpReceive(handle.id, true);
  state.receiving = true;
  state.bindState = BOUND;
  if (state.recvBufferSize) bufferSize(socket, state.recvBufferSize, SO_RCVBUF);
  if (state.sendBufferSize) bufferSize(socket, state.sendBufferSize, SO_SNDBUF);
  socket.emit("listening");
}

function bufferSize(socket: any, size: number, option: number): number {
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
    const value = net.getOption(handle.id, SOL_SOCKET, option);
    return value < 0 ? fail(value, `uv_${name}_buffer_size`) : value;
  }
  // The kernel's option is a signed number.
  const errno = size > 0x7fffffff ? UV_EINVAL : net.setOption(handle.id, SOL_SOCKET, option, size);
  if (errno < 0) fail(errno, `uv_${name}_buffer_size`);
  return size;
}

/** Gets a bound socket from the primary: all workers that bind the same address share it. */
function bindInCluster(socket: any, address: any, port: any, fd: number, flags: number): void {
  const state = socket[kState];
  const query = { address, port, addressType: socket.type, fd, flags };
  require("internal/child_process/cluster/child").cluster._getServer(socket, query, (errno: number, handle: any) => {
    // Closed meanwhile.
    if (!state.handle) {
      handle?.close();
      return;
    }
    if (errno) {
      state.bindState = UNBOUND;
      socket.emit("error", exceptionWithHostPort(errno, "bind", address, port));
      return;
    }
    handle.lookup = state.handle.lookup;
    state.handle.close();
    state.handle = handle;
    startListening(socket);
  });
}

proto.bind = function (port_?: any, address_?: any): any {
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
  let address: any;
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
      const { lookup } = state.handle;
      state.handle.close();
      state.handle = new UDP(id);
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
  state.handle.lookup(address, (error: unknown, ip?: string) => {
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
      bindInCluster(this, ip, port || 0, -1, flags);
      return;
    }
    const errno = net.udpBind(state.handle.id, ip!, +port || 0, flags);
    if (errno < 0) {
      state.bindState = UNBOUND;
      this.emit("error", exceptionWithHostPort(errno, "bind", ip!, port));
      return;
    }
    startListening(this);
  });
  return this;
};

proto.connect = function (port: number, address: any, callback?: Callback): void {
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
    state.handle.lookup(address, (error: NodeError, ip?: string) => {
      if (!state.handle) return;
      let failure = error;
      if (!failure) {
        if (state.sendBlockList?.check(ip, `ipv${isIP(ip)}`)) {
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

proto.disconnect = function (): void {
  const state = this[kState];
  if (state.connectState !== CONNECTED) throw new codes.ERR_SOCKET_DGRAM_NOT_CONNECTED();
  const errno = net.udpConnect(state.handle.id, undefined, 0);
  if (errno < 0) throw errnoException(errno, "connect");
  state.connectState = DISCONNECTED;
};

function enqueue(socket: any, work: () => void): void {
  const state = socket[kState];
  if (state.queue === undefined) {
    state.queue = [];
    const run = () => {
      socket.removeListener(EventEmitter.errorMonitor, drop);
      const { queue } = state;
      state.queue = undefined;
      for (const item of queue) item();
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

function sliceBuffer(buffer: Uint8Array, offset: number, length: number): any {
  const { Buffer } = require("node:buffer");
  if (typeof buffer === "string") buffer = Buffer.from(buffer);
  else if (!ArrayBuffer.isView(buffer))
    throw new codes.ERR_INVALID_ARG_TYPE("buffer", ["Buffer", "TypedArray", "DataView", "string"], buffer);
  offset >>>= 0;
  length >>>= 0;
  if (offset > buffer.byteLength) throw new codes.ERR_BUFFER_OUT_OF_BOUNDS("offset");
  if (offset + length > buffer.byteLength) throw new codes.ERR_BUFFER_OUT_OF_BOUNDS("length");
  return Buffer.from(buffer.buffer, buffer.byteOffset + offset, length);
}

function fixList(list: any[]): any[] | undefined {
  const { Buffer } = require("node:buffer");
  const out = [];
  for (const item of list) {
    if (typeof item === "string") out.push(Buffer.from(item));
    else if (ArrayBuffer.isView(item)) out.push(Buffer.from(item.buffer, item.byteOffset, item.byteLength));
    else return undefined;
  }
  return out;
}

proto.sendto = function (
  buffer: Uint8Array,
  offset: number,
  length: number,
  port: number,
  address: any,
  callback: Callback,
): void {
  validateNumber(offset, "offset");
  validateNumber(length, "length");
  validateNumber(port, "port");
  validateString(address, "address");
  this.send(buffer, offset, length, port, address, callback);
};

// send(msg[, offset, length][, port][, address][, callback])
proto.send = function (
  buffer: Uint8Array,
  offset?: any,
  length?: any,
  port?: any,
  address?: any,
  callback?: any,
): void {
  const state = this[kState];
  const connected = state.connectState === CONNECTED;
  if (!connected) {
    if (address || (port && typeof port !== "function")) {
      buffer = sliceBuffer(buffer, offset, length);
    } else {
      callback = port;
      port = offset;
      address = length;
    }
  } else {
    if (typeof length === "number") {
      buffer = sliceBuffer(buffer, offset, length);
      if (typeof port === "function") {
        callback = port;
        port = null;
      }
    } else {
      callback = offset;
    }
    if (port || address) throw new codes.ERR_SOCKET_DGRAM_IS_CONNECTED();
  }
  let list: any[] | undefined;
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
    if (connected) doSend(this, null, undefined, items, address, port, callback);
    else
      state.handle.lookup(address, (error: unknown, ip?: string) =>
        doSend(this, error, ip, items, address, port, callback),
      );
  };
  if (state.bindState !== BOUND) enqueue(this, work);
  else work();
};

function doSend(
  socket: any,
  error: unknown,
  ip: string | undefined,
  list: any[],
  address: any,
  port: number,
  callback: Callback | undefined,
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
    if (errno < 0) callback(exceptionWithHostPort(errno, "send", address ?? ip, port));
    else callback(null, size);
  };
  if (result === 1) state.handle.waiting.push(done);
  else if (callback) process.nextTick(done, result);
}

proto.close = function (callback?: Callback): any {
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
  handle.received = () => {};
  handle.close(() => this.emit("close"));
  return this;
};

proto[Symbol.asyncDispose] = async function (): Promise<void> {
  if (!this[kState].handle) return;
  await new Promise<void>((resolve) => this.close(() => resolve()));
};

function addressOf(socket: any, peer: boolean, syscall: string) {
  healthCheck(socket);
  const out: { [key: string]: unknown } = {};
  const { handle } = socket[kState];
  const errno = peer ? handle.getpeername(out) : handle.getsockname(out);
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

function option(socket: any, level: number, name: number, value: number, syscall: string): void {
  healthCheck(socket);
  const { handle, bindState } = socket[kState];
  if (bindState !== BOUND) throw errnoException(UV_EBADF, syscall);
  const errno = net.setOption(handle.id, level, name, value);
  if (errno < 0) throw errnoException(errno, syscall);
}

proto.setBroadcast = function (on: any): void {
  option(this, SOL_SOCKET, SO_BROADCAST, on ? 1 : 0, "setBroadcast");
};

proto.setTTL = function (ttl: any): number {
  validateNumber(ttl, "ttl");
  if (ttl < 1 || ttl > 255) throw errnoException(UV_EINVAL, "setTTL");
  if (this[kState].family === 6) option(this, IPPROTO_IPV6, IPV6_UNICAST_HOPS, ttl, "setTTL");
  else option(this, IPPROTO_IP, IP_TTL, ttl, "setTTL");
  return ttl;
};

proto.setMulticastTTL = function (ttl: any): number {
  validateNumber(ttl, "ttl");
  if (ttl < 0 || ttl > 255) throw errnoException(UV_EINVAL, "setMulticastTTL");
  if (this[kState].family === 6) option(this, IPPROTO_IPV6, IPV6_MULTICAST_HOPS, ttl, "setMulticastTTL");
  else option(this, IPPROTO_IP, IP_MULTICAST_TTL, ttl, "setMulticastTTL");
  return ttl;
};

proto.setMulticastLoopback = function (on: any): any {
  if (this[kState].family === 6) option(this, IPPROTO_IPV6, IPV6_MULTICAST_LOOP, on ? 1 : 0, "setMulticastLoopback");
  else option(this, IPPROTO_IP, IP_MULTICAST_LOOP, on ? 1 : 0, "setMulticastLoopback");
  return on;
};

proto.setMulticastInterface = function (address: any): void {
  healthCheck(this);
  validateString(address, "interfaceAddress");
  const errno = net.udpMulticastInterface(this[kState].handle.id, address);
  if (errno < 0) throw errnoException(errno, "setMulticastInterface");
};

function membership(
  socket: any,
  join: boolean,
  group: any,
  iface: any,
  source: string | undefined,
  syscall: string,
): void {
  healthCheck(socket);
  const errno = net.udpMembership(socket[kState].handle.id, join, group, iface ?? undefined, source);
  if (errno < 0) throw errnoException(errno, syscall);
}

proto.addMembership = function (group: any, iface?: any): void {
  if (!group) throw new codes.ERR_MISSING_ARGS("multicastAddress");
  healthCheck(this);
  if (this[kState].bindState === UNBOUND) this.bind({ port: 0, exclusive: true }, null);
  membership(this, true, group, iface, undefined, "addMembership");
};

proto.dropMembership = function (group: any, iface?: any): void {
  if (!group) throw new codes.ERR_MISSING_ARGS("multicastAddress");
  membership(this, false, group, iface, undefined, "dropMembership");
};

proto.addSourceSpecificMembership = function (source: string, group: any, iface?: any): void {
  healthCheck(this);
  validateString(source, "sourceAddress");
  validateString(group, "groupAddress");
  if (this[kState].bindState === UNBOUND) this.bind(0);
  membership(this, true, group, iface, source, "addSourceSpecificMembership");
};

proto.dropSourceSpecificMembership = function (source: string, group: any, iface?: any): void {
  healthCheck(this);
  validateString(source, "sourceAddress");
  validateString(group, "groupAddress");
  membership(this, false, group, iface, source, "dropSourceSpecificMembership");
};

proto.ref = function (): any {
  this[kState].handle?.ref();
  return this;
};

proto.unref = function (): any {
  this[kState].handle?.unref();
  return this;
};

function checkSize(size: number): void {
  if (size >>> 0 !== size) throw new codes.ERR_SOCKET_BAD_BUFFER_SIZE();
}

proto.setRecvBufferSize = function (size: number): void {
  checkSize(size);
  bufferSize(this, size, SO_RCVBUF);
};
proto.setSendBufferSize = function (size: number): void {
  checkSize(size);
  bufferSize(this, size, SO_SNDBUF);
};
proto.getRecvBufferSize = function (): number {
  return bufferSize(this, 0, SO_RCVBUF);
};
proto.getSendBufferSize = function (): number {
  return bufferSize(this, 0, SO_SNDBUF);
};
proto.getSendQueueSize = function (): number {
  return this[kState].handle ? net.udpQueued(this[kState].handle.id)[0] : 0;
};
proto.getSendQueueCount = function (): number {
  return this[kState].handle ? net.udpQueued(this[kState].handle.id)[1] : 0;
};

export default { createSocket, Socket };
