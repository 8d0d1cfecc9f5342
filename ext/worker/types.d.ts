// The types of worker threads: https://nodejs.org/api/worker_threads.html

import type { Port } from "web/message_port";

/** The options of `new Worker()` as programs give them. */
export interface WorkerOptions {
  argv?: readonly unknown[] | null;
  env?: Record<string, unknown> | symbol | null;
  eval?: unknown;
  execArgv?: readonly unknown[] | null;
  name?: unknown;
  resourceLimits?: Record<string, unknown> | null;
  stderr?: unknown;
  stdin?: unknown;
  stdout?: unknown;
  trackUnmanagedFds?: unknown;
  transferList?: Iterable<unknown>;
  workerData?: unknown;
}

/** What a worker gets from its parent before its program runs. */
export interface Setup {
  port: Port;
  control: Port;
  /** As of pack(). */
  workerData: unknown;
  environmentData: Map<unknown, unknown>;
  /** Undefined where it shares the environment of the process. */
  env: Record<string, string> | undefined;
  name: string;
  limits: Record<string, number>;
  stdin: boolean;
  stdout: boolean;
  stderr: boolean;
  isWeb: boolean;
  /** Its work, if it has no program of its own. */
  serves: "macros" | "hooks" | undefined;
  trackFds: unknown;
}

/** An uncaught error on its way to the parent. */
export interface ErrorMessage {
  type: "error";
  /** In the place of the rest, where the error cannot be cloned. */
  text?: string;
  value?: unknown;
  name?: string;
  /** Own properties that can be cloned. */
  properties?: Record<string, unknown>;
  stack?: string;
  noStack?: boolean;
}

/** What a worker tells its parent by the control port. */
export type FromWorker =
  | { type: "online" }
  | ErrorMessage
  | { type: "answer"; id: number; value: unknown }
  | { type: "output"; fd: number; chunk: Uint8Array | string };

/** What a parent tells its worker by the control port. A chunk of null ends the input. */
export type ToWorker =
  | { type: "input"; chunk: Uint8Array | null }
  | { type: "capture"; fd: number }
  | { type: "ask"; id: number; what: string };
