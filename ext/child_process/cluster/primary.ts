// node:cluster in the primary (https://nodejs.org/api/cluster.html).

import EventEmitter from "node:events";
import { codes } from "internal/core/errors";
import { validatePort } from "internal/core/validators";
import { RoundRobinHandle, SharedHandle } from "internal/child_process/cluster/handles";
import { Worker, messageListener, sendMessage } from "internal/child_process/cluster/worker";

import type {
  ClusterSettings,
  QueryMessage,
  Worker as WorkerType,
  WorkerConstructor,
} from "internal/child_process/types";
import type { ChildProcess } from "internal/child_process/child";
import type { EventEmitter as Emitter } from "internal/events/types";

const SCHED_NONE = 1;
const SCHED_RR = 2;

/** https://nodejs.org/api/cluster.html */
interface Cluster extends Emitter {
  isMaster: boolean;
  isPrimary: boolean;
  isWorker: boolean;
  SCHED_NONE: number;
  SCHED_RR: number;
  Worker: typeof Worker;
  schedulingPolicy: number;
  settings: ClusterSettings;
  workers: Record<number, WorkerType>;
  disconnect(callback?: () => void): void;
  fork(env?: Record<string, unknown>): WorkerType;
  setupMaster(options?: ClusterSettings): void;
  setupPrimary(options?: ClusterSettings): void;
}

const cluster = new EventEmitter() as Cluster;
/** Tells of the end of the last worker; the event 'disconnect' of `cluster` tells of each. */
const intercom = new EventEmitter();
const handles = new Map<string, SharedHandle | RoundRobinHandle>();
let initialized = false;
let ids = 0;
let debugPortOffset = 1;

cluster.isWorker = false;
cluster.isMaster = true;
cluster.isPrimary = true;
cluster.Worker = Worker;
cluster.workers = {};
cluster.settings = {};
cluster.SCHED_NONE = SCHED_NONE;
cluster.SCHED_RR = SCHED_RR;

function policyOf(name: string | undefined): number | undefined {
  return ({ __proto__: null as never, none: SCHED_NONE, rr: SCHED_RR } as Record<string, number>)[name!];
}
cluster.schedulingPolicy = policyOf(process.env.NODE_CLUSTER_SCHED_POLICY) ?? SCHED_RR;

/** Options of the workers to come; what is left out stays as it was. */
cluster.setupPrimary = function (options) {
  const settings = {
    args: process.argv.slice(2),
    exec: process.argv[1],
    execArgv: process.execArgv,
    silent: false,
    ...cluster.settings,
    ...options,
  };
  cluster.settings = settings;
  if (initialized) {
    process.nextTick(() => cluster.emit("setup", settings));
    return;
  }
  initialized = true;
  const policy = cluster.schedulingPolicy;
  if (policy !== SCHED_NONE && policy !== SCHED_RR) {
    throw new codes.ERR_INTERNAL_ASSERTION(`Bad cluster.schedulingPolicy: ${policy}`);
  }
  process.nextTick(() => cluster.emit("setup", settings));
  process.on("internalMessage", (message: { cmd?: string }) => {
    if (message.cmd !== "NODE_DEBUG_ENABLED") return;
    for (const worker of Object.values(cluster.workers)) {
      if (worker.state === "online" || worker.state === "listening") process.kill(worker.process.pid!, "SIGUSR1");
      else worker.once("online", () => process.kill(worker.process.pid!, "SIGUSR1"));
    }
  });
};

// Its older name.
cluster.setupMaster = cluster.setupPrimary;

function createWorkerProcess(id: number, env: Record<string, unknown> | undefined): ChildProcess {
  const { settings } = cluster;
  const workerEnv = { ...process.env, ...env, NODE_UNIQUE_ID: `${id}` };
  const execArgv = [...settings.execArgv!];
  if (settings.inspectPort === null) throw new codes.ERR_SOCKET_BAD_PORT("Port", null, true);
  if (
    settings.inspectPort !== undefined ||
    execArgv.some((argument) => /^--inspect(?:-brk|-port)?(?:=|$)/.test(argument)) ||
    /(?:^|\s)--inspect(?:-brk|-port)?(?:=|\s|$)/.test(process.env["NODE_OPTIONS"] ?? "")
  ) {
    let port = typeof settings.inspectPort === "function" ? settings.inspectPort() : settings.inspectPort;
    if (port === undefined || port === null) port = process.debugPort + debugPortOffset++;
    validatePort(port);
    execArgv.push(`--inspect-port=${port}`);
  }
  return require("node:child_process").fork(settings.exec, settings.args, {
    cwd: settings.cwd,
    env: workerEnv,
    serialization: settings.serialization,
    silent: settings.silent,
    windowsHide: settings.windowsHide,
    execArgv,
    stdio: settings.stdio,
    gid: settings.gid,
    uid: settings.uid,
  });
}

function removeWorker(worker: WorkerType): void {
  delete cluster.workers[worker.id];
  if (Object.keys(cluster.workers).length === 0) {
    if (handles.size !== 0) throw new codes.ERR_INTERNAL_ASSERTION("Resource leak detected.");
    intercom.emit("disconnect");
  }
}

function removeHandlesOf(worker: WorkerType): void {
  for (const [key, handle] of handles) if (handle.remove(worker)) handles.delete(key);
}

/** Starts a worker. */
cluster.fork = function (env) {
  cluster.setupPrimary();
  const id = ++ids;
  const worker: WorkerType = new (Worker as WorkerConstructor)({
    id,
    process: createWorkerProcess(id, env),
  });
  worker.on("message", (message: unknown, handle: unknown) => cluster.emit("message", worker, message, handle));

  worker.process.once("exit", (code: unknown, signal: unknown) => {
    // Handles are given up when the channel is closed: messages that are still on their way may ask for them.
    if (!worker.isConnected()) {
      removeHandlesOf(worker);
      removeWorker(worker);
    }
    worker.exitedAfterDisconnect = Boolean(worker.exitedAfterDisconnect);
    worker.state = "dead";
    worker.emit("exit", code, signal);
    cluster.emit("exit", worker, code, signal);
  });
  worker.process.once("disconnect", () => {
    removeHandlesOf(worker);
    // It stays in cluster.workers until it is dead as well.
    if (worker.isDead()) removeWorker(worker);
    worker.exitedAfterDisconnect = Boolean(worker.exitedAfterDisconnect);
    worker.state = "disconnected";
    worker.emit("disconnect");
    cluster.emit("disconnect", worker);
  });
  worker.process.on("internalMessage", messageListener(worker, onMessage));
  process.nextTick(() => cluster.emit("fork", worker));
  cluster.workers[worker.id] = worker;
  return worker;
};

/** Disconnects all workers; `callback` is called when they are gone. */
cluster.disconnect = function (callback) {
  const workers = Object.values(cluster.workers);
  if (workers.length === 0) {
    process.nextTick(() => intercom.emit("disconnect"));
  } else {
    for (const worker of workers) if (worker.isConnected()) worker.disconnect();
  }
  if (typeof callback === "function") intercom.once("disconnect", callback);
};

function onMessage(this: WorkerType, message: QueryMessage): void {
  const worker = this;
  switch (message.act) {
    case "online":
      worker.state = "online";
      worker.emit("online");
      cluster.emit("online", worker);
      break;
    case "queryServer":
      queryServer(worker, message);
      break;
    case "listening":
      listening(worker, message);
      break;
    case "exitedAfterDisconnect":
      worker.exitedAfterDisconnect = true;
      sendMessage(worker.process, { ack: message.seq });
      break;
    case "close": {
      const handle = handles.get(message.key!);
      if (handle?.remove(worker)) handles.delete(message.key!);
      break;
    }
  }
}

function queryServer(worker: WorkerType, message: QueryMessage): void {
  // A worker that is leaving gets no more sockets.
  if (worker.exitedAfterDisconnect) return;
  const key = `${message.address}:${message.port}:${message.addressType}:${message.fd}:${message.index}`;
  const cached = handles.get(key);
  let handle = cached;
  if (handle === undefined) {
    // A long path of a unix socket does not fit into the kernel's address; relative to here it may.
    let { address } = message;
    if ((message.port as number) < 0 && typeof address === "string" && address.length >= 108) {
      const relative = require("node:path").relative(process.cwd(), address);
      if (relative.length < address.length) address = relative;
    }
    const shared =
      cluster.schedulingPolicy !== SCHED_RR || message.addressType === "udp4" || message.addressType === "udp6";
    handle = new (shared ? SharedHandle : RoundRobinHandle)(key, address!, message);
    handles.set(key, handle);
  }
  handle.data ??= message.data;
  handle.add(worker, (errno, reply, server) => {
    const { data } = handles.get(key) ?? handle;
    if (errno !== 0 && handles.get(key) === handle) handles.delete(key);
    sendMessage(
      worker.process,
      { errno, key, ack: message.seq, data, sharedListen: Boolean(server), ...reply },
      server,
    );
  });
}

function listening(
  worker: WorkerType,
  message: { addressType?: unknown; address?: unknown; port?: unknown; fd?: unknown },
): void {
  const info = {
    addressType: message.addressType,
    address: message.address,
    port: message.port,
    fd: message.fd,
  };
  worker.state = "listening";
  worker.emit("listening", info);
  cluster.emit("listening", worker, info);
}

/** In the primary: asks the worker to close its servers and its channel. */
Worker.prototype.disconnect = function (): unknown {
  this.exitedAfterDisconnect = true;
  sendMessage(this.process, { act: "disconnect" });
  removeHandlesOf(this);
  // It is no longer one of the workers that can be given something to do.
  removeWorker(this);
  return this;
};

/** In the primary: ends the worker with a signal, SIGTERM if left out. */
Worker.prototype.destroy = function (signal?: unknown): void {
  this.process.kill(signal || "SIGTERM");
};

export { cluster };
