// worker_threads.postMessageToThread(): messages to a thread by its number, which its process emits as 'workerMessage'.

import { codes } from "internal/core/errors";
import { check, pack, transferList, type TransferOptions, unpack } from "internal/worker/messaging/message";
import { validateNumber } from "internal/core/validators";

const { postToThread } = native("worker");
const { keepAlive } = native("loop");
const { threadId } = native("process");

const DELIVERED = 0;
const FAILED = 1;
const ERRORED = 2;

/** Called by native code in the thread that a message went to. */
export function receive(value: unknown, source: number): number {
  const process = require("node:process");
  if (process.listenerCount("workerMessage") === 0) return FAILED;
  try {
    process.emit("workerMessage", unpack(value), source);
    return DELIVERED;
  } catch {
    return ERRORED;
  }
}

/** Settles once a listener there was called; `timeout` in ms, or undefined for none. */
export async function postMessageToThread(
  thread: number,
  value: unknown,
  list?: unknown,
  timeout?: number,
): Promise<void> {
  if (typeof list === "number" && timeout === undefined) {
    timeout = list;
    list = [];
  }
  if (timeout !== undefined) validateNumber(timeout, "timeout", 0);
  if (thread === threadId()) throw new codes.ERR_WORKER_MESSAGING_SAME_THREAD();
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  // Numbers of threads are whole; what is none names no thread.
  const number = Number.isInteger(thread) && thread >= 0 ? thread : 0xffffffff;
  const transfer = typeof list === "object" ? transferList(list as TransferOptions) : undefined;
  check(postToThread(number, pack(value, transfer), transfer, resolve), value);
  keepAlive(1);
  let timer: ReturnType<BuiltinModules["node:timers"]["setTimeout"]> | undefined;
  if (timeout !== undefined) {
    timer = require("node:timers").setTimeout(() => reject(new codes.ERR_WORKER_MESSAGING_TIMEOUT()), timeout);
  }
  try {
    const status = await promise;
    if (status === FAILED) throw new codes.ERR_WORKER_MESSAGING_FAILED();
    if (status === ERRORED) throw new codes.ERR_WORKER_MESSAGING_ERRORED();
  } finally {
    keepAlive(-1);
    if (timer !== undefined) require("node:timers").clearTimeout(timer);
  }
}
