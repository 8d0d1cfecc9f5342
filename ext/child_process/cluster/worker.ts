// cluster.Worker (https://nodejs.org/api/cluster.html#class-worker) and the messages between primary and workers.

import EventEmitter from "node:events";

import type {
  ClusterMessage,
  ClusterProcess,
  QueryMessage,
  Worker as WorkerType,
  WorkerConstructor,
  WorkerOptions,
} from "internal/child_process/types";

/** A worker: in the primary each of them, in a worker itself. Callable without `new`. */
export function Worker(this: WorkerType, options?: WorkerOptions): WorkerType | void {
  if (!(this instanceof Worker)) return new (Worker as WorkerConstructor)(options);
  EventEmitter.call(this);
  if (options === null || typeof options !== "object") options = {};
  this.exitedAfterDisconnect = undefined;
  this.state = options.state || "none";
  this.id = options.id! | 0;
  if (options.process) {
    this.process = options.process;
    this.process.on("error", (code: unknown, signal: unknown) => this.emit("error", code, signal));
    this.process.on("message", (message: unknown, handle: unknown) => this.emit("message", message, handle));
  }
}
Object.setPrototypeOf(Worker.prototype, EventEmitter.prototype);
Object.setPrototypeOf(Worker, EventEmitter);

Worker.prototype.kill = function (): void {
  this.destroy.apply(this, arguments);
};

Worker.prototype.send = function (): boolean {
  return this.process.send.apply(this.process, arguments);
};

Worker.prototype.isDead = function (): boolean {
  return this.process.exitCode != null || this.process.signalCode != null;
};

Worker.prototype.isConnected = function (): boolean {
  return this.process.connected;
};

/** Takes a message, with what came along. */
type Answer = (this: unknown, reply: ClusterMessage, handle?: unknown) => void;

const answers = new Map<number, Answer>();
let sequence = 0;

/** Sends a message of cluster's own to `target` (a process); `answer` is called with the reply. */
export function sendMessage(target: unknown, message: ClusterMessage, handle?: unknown, answer?: Answer): boolean {
  if (!(target as ClusterProcess).connected) return false;
  message = { cmd: "NODE_CLUSTER", ...message, seq: sequence };
  if (typeof answer === "function") answers.set(sequence, answer);
  sequence++;
  return (target as ClusterProcess)._send(message, handle, { swallowErrors: true });
}

/** A listener of 'internalMessage': replies go to their `answer`, others to `handler`, called on `worker`. */
export function messageListener<T>(worker: T, handler: (this: T, message: QueryMessage, handle: unknown) => void) {
  return function (message: QueryMessage, handle: unknown): void {
    if (message.cmd !== "NODE_CLUSTER") return;
    let call: (this: T, message: QueryMessage, handle: unknown) => void = handler;
    if (message.ack !== undefined) {
      const answer = answers.get(message.ack);
      if (answer !== undefined) {
        call = answer;
        answers.delete(message.ack);
      }
    }
    call.call(worker, message, handle);
  };
}
