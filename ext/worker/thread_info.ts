// What a thread knows of itself; ext/worker/child fills it in a worker.

import type { Port } from "web/message_port";

export const own = {
  workerData: null as unknown,
  /** The MessagePort to the parent of a worker. */
  parentPort: null as Port | null,
  threadName: "",
  resourceLimits: {} as Record<string, number>,
  environmentData: new Map<unknown, unknown>(),
  /** Made by `new Worker()` of the web, not by node:worker_threads. */
  isWeb: false,
  /** What it does, if it runs no program. */
  serves: undefined as "macros" | "hooks" | undefined,
};

/** The `env` option that shares process.env with the parent. */
export const SHARE_ENV = Symbol.for("nodejs.worker_threads.SHARE_ENV");
