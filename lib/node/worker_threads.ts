// `node:worker_threads` (https://nodejs.org/api/worker_threads.html), as far as one thread goes. Making workers, ports and
// channels throws ERR_NOT_IMPLEMENTED.
import { codes } from "internal/errors";
import { validateObject } from "internal/validators";

function notImplemented(name: string): never {
  throw new codes.ERR_NOT_IMPLEMENTED(`worker_threads.${name}`);
}

class Worker {
  constructor(..._args: any[]) {
    notImplemented("Worker");
  }
}

class MessagePort {
  constructor(..._args: any[]) {
    const error: any = new TypeError("Illegal constructor");
    error.code = "ERR_CONSTRUCT_CALL_INVALID";
    throw error;
  }
}

class MessageChannel {
  constructor(..._args: any[]) {
    notImplemented("MessageChannel");
  }
}

class BroadcastChannel {
  constructor(..._args: any[]) {
    notImplemented("BroadcastChannel");
  }
}

const environmentData = new Map<any, any>();

/** Data that workers made later get a copy of; undefined removes the key. */
function setEnvironmentData(key: any, value: any): void {
  if (value === undefined) environmentData.delete(key);
  else environmentData.set(key, value);
}

function getEnvironmentData(key: any): any {
  return environmentData.get(key);
}

export default {
  isInternalThread: false,
  isMainThread: true,
  MessagePort,
  MessageChannel,
  markAsUncloneable(object: any): void {
    validateObject(object, "object", 4 | 2);
    notImplemented("markAsUncloneable");
  },
  markAsUntransferable(object: any): void {
    require("internal/untransferable").markAsUntransferable(object);
  },
  isMarkedAsUntransferable(object: any): boolean {
    return require("internal/untransferable").isMarkedAsUntransferable(object);
  },
  moveMessagePortToContext: () => notImplemented("moveMessagePortToContext"),
  receiveMessageOnPort: () => notImplemented("receiveMessageOnPort"),
  resourceLimits: {},
  postMessageToThread: () => notImplemented("postMessageToThread"),
  threadId: 0,
  threadName: "",
  SHARE_ENV: Symbol.for("nodejs.worker_threads.SHARE_ENV"),
  Worker,
  parentPort: null,
  workerData: null,
  BroadcastChannel,
  setEnvironmentData,
  getEnvironmentData,
};
