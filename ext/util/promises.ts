// Promises and abort signals for node:util.

import { codes } from "internal/core/errors";
import { kValidateObjectAllowObjects, validateAbortSignal, validateObject } from "internal/core/validators";
import { isPromise } from "internal/util/types";

const { then } = Promise.prototype;

/** Marks a promise as handled: its rejection is not reported as unhandled. */
export function markPromiseAsHandled(promise: Promise<unknown>) {
  if (!isPromise(promise)) throw new codes.ERR_INVALID_ARG_TYPE("promise", "Promise", promise);
  then.call(promise, undefined, () => {});
}

/**
 * A promise that is fulfilled when `signal` is aborted, if `resource` has not been collected by then. Rejects with
 * ERR_INVALID_ARG_TYPE for other arguments.
 */
export async function aborted(signal: unknown, resource: unknown): Promise<unknown> {
  if (signal === undefined) throw new codes.ERR_INVALID_ARG_TYPE("signal", "AbortSignal", signal);
  validateAbortSignal(signal, "signal");
  validateObject(resource, "resource", kValidateObjectAllowObjects);
  if (signal.aborted) return undefined;
  const { kResistStopPropagation, kWeakHandler } = require("web/event_target");
  const { promise, resolve } = Promise.withResolvers<unknown>();
  signal.addEventListener("abort", resolve, { once: true, [kWeakHandler]: resource, [kResistStopPropagation]: true });
  // (The value is the event, as in Node.)
  return promise;
}

/** On an AbortSignal that may go in the transfer list of postMessage. */
const kTransferableSignal = Symbol.for("bao.transferableSignal");

/** Marks a signal as transferable and returns it. */
export function transferableAbortSignal(signal: unknown): AbortSignal {
  if (!(signal instanceof AbortSignal)) throw new codes.ERR_INVALID_ARG_TYPE("signal", "AbortSignal", signal);
  Object.defineProperty(signal, kTransferableSignal, { value: true, enumerable: false, configurable: true });
  return signal;
}

/** An AbortController whose signal is transferable. */
export function transferableAbortController(): AbortController {
  const controller = new AbortController();
  transferableAbortSignal(controller.signal);
  return controller;
}
