// Listening sockets of the primary, on behalf of its workers.

import { createServerHandle } from "internal/net/server";
import { sendMessage } from "internal/child_process/cluster/worker";

import type { ListenQuery, SharedSocket, Worker } from "internal/child_process/types";
import type { ListenHandle, StreamHandle } from "internal/net/native";
import type { Address, Server } from "internal/net/types";

type Added = (errno: number, reply: { sockname: Address } | null, handle: SharedSocket | null) => void;

/** Closes a listening socket, and removes its file if it has one. */
function closeListener(handle: SharedSocket): void {
  const out: Address = {};
  const path = (handle as ListenHandle).tcp === false && handle.getsockname(out) === 0 ? out.address : undefined;
  handle.close();
  if (!path || path[0] === "\0") return;
  try {
    require("node:fs").unlinkSync(path);
  } catch {
    // Somebody else has removed it.
  }
}

/** A bound datagram socket, or a negative errno. */
function createDatagramHandle(address: string, port: number, addressType: string, fd: number, flags: number) {
  const net = native("net");
  const { UDP } = require("internal/net/native");
  if (typeof fd === "number" && fd >= 0) {
    const id = net.udpAdopt(fd);
    return id < 0 ? id : new UDP(id);
  }
  const id = net.udpOpen(addressType === "udp6" ? 6 : 4);
  if (id < 0) return id;
  const handle = new UDP(id);
  const errno = net.udpBind(id, address, port, flags);
  if (errno === 0) return handle;
  handle.close();
  return errno;
}

/** One socket that all workers have a copy of: the kernel decides who accepts. */
export class SharedHandle {
  /** What the workers keep with it, see Server._getServerData. */
  declare data: unknown;
  key: string;
  workers = new Map<number, Worker>();
  handle: SharedSocket | null = null;
  errno = 0;

  constructor(key: string, address: string, { port, addressType, fd, flags }: ListenQuery) {
    this.key = key;
    const handle =
      addressType === "udp4" || addressType === "udp6"
        ? createDatagramHandle(address, port as number, addressType, fd!, flags!)
        : createServerHandle(address, port as number | null, addressType, fd, flags);
    if (typeof handle === "number") this.errno = handle;
    else this.handle = handle;
  }

  add(worker: Worker, send: Added): void {
    this.workers.set(worker.id, worker);
    send(this.errno, null, this.handle);
  }

  /** True where that was the last worker: the handle is gone. */
  remove(worker: Worker): boolean {
    if (!this.workers.delete(worker.id)) return false;
    if (this.workers.size !== 0) return false;
    if (this.handle) closeListener(this.handle);
    this.handle = null;
    return true;
  }

  has(worker: Worker): boolean {
    return this.workers.has(worker.id);
  }
}

/** One socket that the primary accepts from; connections go to the workers in turn, to those that are ready. */
export class RoundRobinHandle {
  declare data: unknown;
  key: string;
  all = new Map<number, Worker>();
  free = new Map<number, Worker>();
  handles: StreamHandle[] = [];
  handle: ListenHandle | null = null;
  server: Server | null;

  constructor(key: string, address: unknown, { port, fd, flags, backlog, readableAll, writableAll }: ListenQuery) {
    this.key = key;
    this.server = require("node:net").createServer();
    if (fd! >= 0) {
      this.server.listen({ fd, backlog });
    } else if ((port as number) >= 0) {
      this.server.listen({ port, host: address, ipv6Only: Boolean(flags! & 1), backlog });
    } else {
      // A path.
      this.server.listen({ path: address, backlog, readableAll, writableAll });
    }
    this.server.once("listening", () => {
      this.handle = this.server!._handle!;
      this.handle.onconnection = (errno, handle) => {
        if (errno === 0) this.#distribute(handle);
      };
      this.server!._handle = null;
      this.server = null;
    });
  }

  add(worker: Worker, send: Added): void {
    this.all.set(worker.id, worker);
    const done = () => {
      const out: Address = {};
      if (this.handle!.tcp && this.handle!.getsockname(out) === 0) {
        send(0, { sockname: { address: out.address, family: out.family, port: out.port } }, null);
      } else {
        send(0, null, null);
      }
      this.#handOff(worker);
    };
    if (this.server === null) {
      done();
      return;
    }
    this.server.once("listening", done);
    this.server.once("error", (error: NodeError) => send(error.errno!, null, null));
  }

  remove(worker: Worker): boolean {
    if (!this.all.delete(worker.id)) return false;
    this.free.delete(worker.id);
    if (this.all.size !== 0) return false;
    while (this.handles.length > 0) this.handles.shift()!.close();
    if (this.handle) closeListener(this.handle);
    this.handle = null;
    return true;
  }

  has(worker: Worker): boolean {
    return this.all.has(worker.id);
  }

  #distribute(handle: StreamHandle): void {
    this.handles.push(handle);
    for (const [id, worker] of this.free) {
      this.free.delete(id);
      this.#handOff(worker);
      return;
    }
  }

  /** The worker gets a connection now, or is free for the next. */
  #handOff(worker: Worker): void {
    if (!this.all.has(worker.id)) return;
    const handle = this.handles.shift();
    if (handle === undefined) {
      this.free.set(worker.id, worker);
      return;
    }
    const sent = sendMessage(worker.process, { act: "newconn", key: this.key }, handle, (reply) => {
      if (reply.accepted) handle.close();
      else this.#distribute(handle);
      this.#handOff(worker);
    });
    // The worker has just gone.
    if (!sent) this.#distribute(handle);
  }
}
