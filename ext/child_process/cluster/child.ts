// node:cluster in a worker (https://nodejs.org/api/cluster.html).

import EventEmitter from "node:events";
import { role } from "internal/child_process/cluster/role";
import { Worker, messageListener, sendMessage } from "internal/child_process/cluster/worker";

import type {
  ClusterMessage,
  ClusterServer,
  ListenQuery,
  QueryMessage,
  SharedSocket,
  Worker as WorkerType,
  WorkerConstructor,
  WorkerOptions,
} from "internal/child_process/types";
import type { EventEmitter as Emitter } from "internal/events/types";
import type { Address, Server } from "internal/net/types";
import type { StreamHandle } from "internal/net/native";

const EADDRINUSE = -98;
const EINVAL = -22;

/** https://nodejs.org/api/cluster.html */
interface Cluster extends Emitter {
  isMaster: boolean;
  isPrimary: boolean;
  isWorker: boolean;
  SCHED_NONE: number;
  SCHED_RR: number;
  Worker: typeof Worker;
  worker: WorkerType | null;
  /** Called before the program runs, once there is a channel. */
  _setupWorker(): void;
  /** Gets a listening handle for `server` from the primary. node:net and node:dgram call it. */
  _getServer<T>(server: Emitter, query: ListenQuery, callback: (errno: number, handle: T) => void): void;
}
type GotHandle = (errno: number, handle: never) => void;

/** What stands for a socket of the primary: a copy, or the face of one that only the primary has. */
type Shared = Pick<SharedSocket, "close"> & {
  owner?: Server;
  onconnection?(errno: number, handle: StreamHandle): void;
};

const cluster = new EventEmitter() as Cluster;
/** Sockets of this worker by the primary's key. */
const handles = new Map<string, Shared>();
/** How often each address was asked for: one address can be listened on more than once, with ports of the system's choice. */
const indexes = new Map<string, { next: number; set: Set<number> }>();

cluster.isWorker = true;
cluster.isMaster = false;
cluster.isPrimary = false;
cluster.worker = null;
cluster.Worker = Worker;
cluster.SCHED_NONE = 1;
cluster.SCHED_RR = 2;

/** Called before the program runs, once there is a channel. */
cluster._setupWorker = function () {
  const worker = new (Worker as WorkerConstructor)({
    id: Number(process.env.NODE_UNIQUE_ID) | 0,
    process,
    state: "online",
  } as unknown as WorkerOptions);
  cluster.worker = worker;
  role.isWorker = true;
  process.once("disconnect", () => {
    // Without its primary a worker is of no use.
    worker.emit("disconnect");
    if (!worker.exitedAfterDisconnect) process.exit(0);
  });
  process.on(
    "internalMessage",
    messageListener(worker, (message, handle) => {
      if (message.act === "newconn") newConnection(message, handle as StreamHandle | undefined);
      else if (message.act === "disconnect") disconnect(worker, true);
    }),
  );
  sendMessage(process, { act: "online" });
};

/** Gets a listening handle for `server` from the primary: `callback(errno, handle)`. node:net and node:dgram call it. */
cluster._getServer = function (server: ClusterServer, options, callback: GotHandle) {
  let { address } = options;
  // The primary may work in another directory.
  if ((options.port as number) < 0 && typeof address === "string") address = require("node:path").resolve(address);
  const indexKey = `${address}:${options.port}:${options.addressType}:${options.fd}`;
  let entry = indexes.get(indexKey);
  if (entry === undefined) indexes.set(indexKey, (entry = { next: 0, set: new Set() }));
  const index = entry.next++;
  entry.set.add(index);
  const message: QueryMessage = { act: "queryServer", index, data: null, ...options, address };
  if (server._getServerData) message.data = server._getServerData();

  sendMessage(process, message, undefined, (reply, handle) => {
    if (typeof server._setServerData === "function") server._setServerData(reply.data);
    const forget = () => {
      entry!.set.delete(index);
      if (entry!.set.size === 0) indexes.delete(indexKey);
    };
    if (handle) shared(reply, handle as Shared, forget, callback);
    else roundRobin(reply, forget, callback);
  });
  server.once("listening", () => {
    // The server may have been closed.
    if (!server.address) return;
    cluster.worker!.state = "listening";
    let place: Address | string | null | undefined;
    try {
      place = server.address();
    } catch {
      // Without an address of its own.
    }
    message.act = "listening";
    message.port = (place as Address | undefined)?.port || options.port;
    sendMessage(process, message);
  });
};

/** A copy of the primary's socket. */
function shared(reply: ClusterMessage, handle: Shared, forget: () => void, callback: GotHandle): void {
  const { key } = reply;
  const { close } = handle;
  handle.close = function (...args) {
    sendMessage(process, { act: "close", key });
    handles.delete(key!);
    forget();
    handle.close = close;
    return close.apply(handle, args);
  };
  handles.set(key!, handle);
  callback(reply.errno!, handle as never);
}

/** Something that looks like a listening socket: the primary accepts, and sends the connections. */
function roundRobin(reply: ClusterMessage, forget: () => void, callback: GotHandle): void {
  if (reply.errno) {
    forget();
    callback(reply.errno, null as never);
    return;
  }
  let { key } = reply;
  let alive: ReturnType<typeof setInterval> | undefined;

  function ref(): void {
    alive ??= setInterval(() => {}, 0x7fffffff);
  }

  function unref(): void {
    clearInterval(alive);
    alive = undefined;
  }

  const handle = {
    tcp: Boolean(reply.sockname),
    /** Where a second server wants the same socket: not before the first one is closed. */
    listen(): number {
      return key === undefined ? EINVAL : 0;
    },
    close(done?: () => void): void {
      if (key !== undefined) {
        unref();
        // What the primary has sent already finds no server any more, and goes to another worker.
        sendMessage(process, { act: "close", key });
        handles.delete(key);
        forget();
        key = undefined;
      }
      if (typeof done === "function") process.nextTick(done);
    },
    getsockname(out: { family?: string }): number {
      if (key === undefined) return EINVAL;
      if (reply.sockname) Object.assign(out, reply.sockname);
      else out.family = "unix";
      return 0;
    },
    ref,
    unref,
    fd: -1,
  };
  ref();
  if (handles.has(key!)) {
    callback(EADDRINUSE, null as never);
    return;
  }
  handles.set(key!, handle);
  native("net").keepHeapSmall();
  callback(0, handle as never);
}

/** A connection from the primary. */
function newConnection(message: ClusterMessage, connection: StreamHandle | undefined): void {
  const handle = handles.get(message.key!);
  let accepted = handle !== undefined && connection !== undefined;
  if (accepted && handle!.owner) {
    const server: Server & { dropMaxConnection?: boolean } = handle!.owner;
    if (
      server.maxConnections != null &&
      server._connections >= server.maxConnections &&
      server.dropMaxConnection !== true
    ) {
      accepted = false;
    }
  }
  sendMessage(process, { ack: message.seq, accepted });
  if (accepted) handle!.onconnection!(0, connection!);
  else connection?.close();
}

function disconnect(worker: { exitedAfterDisconnect?: boolean }, primaryInitiated: boolean): void {
  worker.exitedAfterDisconnect = true;
  let waiting = 1;
  const closed = () => {
    if (--waiting !== 0) return;
    // The primary has to know that this is no crash before it sees the channel close.
    if (primaryInitiated) process.disconnect();
    else sendMessage(process, { act: "exitedAfterDisconnect" }, undefined, () => process.disconnect());
  };
  for (const handle of [...handles.values()]) {
    waiting++;
    if (handle.owner) handle.owner.close(closed);
    else handle.close(closed);
  }
  handles.clear();
  closed();
}

/** In the worker: closes its servers, then its channel. */
Worker.prototype.disconnect = function (): unknown {
  if (this.state !== "disconnecting" && this.state !== "destroying") {
    this.state = "disconnecting";
    disconnect(this, false);
  }
  return this;
};

/** In the worker: the same, then the process ends. */
Worker.prototype.destroy = function (): void {
  if (this.state === "destroying") return;
  this.exitedAfterDisconnect = true;
  if (!this.isConnected()) {
    process.exit(0);
  } else {
    this.state = "destroying";
    sendMessage(process, { act: "exitedAfterDisconnect" }, undefined, () => process.disconnect());
    process.once("disconnect", () => process.exit(0));
  }
};

export { cluster };
