// `node:worker_threads` (https://nodejs.org/api/worker_threads.html). The classes are in web/message_port, web/broadcast_channel and
// internal/worker/parent; only what a program asks for is loaded.

import { lazyProperty } from "internal/core/lazy";
import { own, SHARE_ENV } from "internal/worker/thread_info";

const { isMainThread, threadId } = native("process");

const threads = {
  /** The thread of the hooks of `module.register`, for example. */
  isInternalThread: own.serves !== undefined,
  isMainThread: isMainThread(),
  /** From now on cloning `object` throws DataCloneError; for values that are no objects, and for buffers, nothing happens. */
  markAsUncloneable(object: unknown): void {
    require("internal/worker/untransferable").markAsUncloneable(object);
  },
  markAsUntransferable(object: unknown): void {
    require("internal/worker/untransferable").markAsUntransferable(object);
  },
  isMarkedAsUntransferable(object: unknown): boolean {
    return require("internal/worker/untransferable").isMarkedAsUntransferable(object);
  },
  /** The port, made anew in a context of node:vm: an object of that context's own classes, whose messages are as well. */
  moveMessagePortToContext(port: object, contextifiedSandbox: object): unknown {
    return require("internal/worker/messaging/move_port").moveMessagePortToContext(port, contextifiedSandbox);
  },
  /** `{ message }` of the next message of a port, without waiting; undefined where there is none. */
  receiveMessageOnPort(port: unknown): { message: unknown } | undefined {
    return require("web/message_port").receiveMessageOnPort(port);
  },
  resourceLimits: own.resourceLimits,
  /** Sends a copy of `value` to the thread with that number, whose process emits 'workerMessage'. */
  postMessageToThread(threadId: number, value: unknown, transferList?: unknown, timeout?: number): Promise<void> {
    return require("internal/worker/thread_messages").postMessageToThread(threadId, value, transferList, timeout);
  },
  threadId: threadId(),
  threadName: own.threadName,
  SHARE_ENV,
  parentPort: own.parentPort,
  workerData: own.workerData,
  /** Data that workers made later get a copy of; undefined removes the key. */
  setEnvironmentData(key: unknown, value: unknown): void {
    if (value === undefined) own.environmentData.delete(key);
    else own.environmentData.set(key, value);
  },
  getEnvironmentData: (key: unknown) => own.environmentData.get(key),
};

function lazy(name: string, load: () => unknown): void {
  lazyProperty(threads, name, load);
}
lazy("Worker", () => require("internal/worker/parent").Worker);
lazy("MessagePort", () => require("web/message_port").MessagePort);
lazy("MessageChannel", () => require("web/message_port").MessageChannel);
lazy("BroadcastChannel", () => require("web/broadcast_channel").BroadcastChannel);
lazy("locks", () => require("web/locks").locks);

export default threads as typeof threads & {
  Worker: BuiltinModules["internal/worker/parent"]["Worker"];
  MessagePort: BuiltinModules["web/message_port"]["MessagePort"];
  MessageChannel: BuiltinModules["web/message_port"]["MessageChannel"];
  BroadcastChannel: BuiltinModules["web/broadcast_channel"]["BroadcastChannel"];
  locks: BuiltinModules["web/locks"]["locks"];
};
