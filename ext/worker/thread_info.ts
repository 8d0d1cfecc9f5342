// What a thread knows of itself; ext/worker/child fills it in a worker.

export const own = {
  workerData: null,
  /** The MessagePort to the parent of a worker. */
  parentPort: null,
  threadName: "",
  resourceLimits: {} as Record<string, number>,
  environmentData: new Map<any, any>(),
  /** Made by `new Worker()` of the web, not by node:worker_threads. */
  isWeb: false,
};

/** The `env` option that shares process.env with the parent. */
export const SHARE_ENV = Symbol.for("nodejs.worker_threads.SHARE_ENV");
