/**
 * The global object as an event target: `self`, addEventListener and its companions, as in Bun. An exception that nobody caught
 * is an "error" event (https://html.spec.whatwg.org/#report-the-exception) before it reaches process.on("uncaughtException").
 */

import { ErrorEvent } from "web/events";
import type { EventCallback, ListenerOptions } from "web/event_target";
import { EventTarget, kEvents, kMaxEventTargetListeners, kMaxEventTargetListenersWarned } from "web/event_target";
import { scopeEvents } from "internal/process/execution";

const { addEventListener: add, removeEventListener: remove, dispatchEvent: dispatch } = EventTarget.prototype;
const scope = globalThis as unknown as EventTarget;

const hidden = (value: unknown) => ({ value, writable: true, enumerable: false, configurable: true });
Object.defineProperties(scope, {
  [kEvents]: hidden(null),
  [kMaxEventTargetListeners]: hidden(0),
  [kMaxEventTargetListenersWarned]: hidden(false),
});

/** Dispatches the "error" event; whether a listener said that the error needs no further care. */
function report(error: NodeError): boolean {
  if (!scope[kEvents]?.has("error")) return false;
  let message: string;
  try {
    message = `Uncaught ${error}`;
  } catch {
    message = "Uncaught exception";
  }
  return !dispatch.call(scope, new ErrorEvent("error", { cancelable: true, message, error }));
}

/** HTML's `self`. */
export const self = globalThis;

// They are called without an object, so `this` says nothing.
export const { addEventListener, removeEventListener, dispatchEvent } = {
  addEventListener(type: string, listener: EventCallback, options: boolean | ListenerOptions | undefined = undefined) {
    scopeEvents.report = report;
    if (arguments.length < 2) Reflect.apply(add, scope, arguments);
    else add.call(scope, type, listener, options);
  },
  removeEventListener(
    type: string,
    listener: EventCallback,
    options: boolean | ListenerOptions | undefined = undefined,
  ) {
    if (arguments.length < 2) Reflect.apply(remove, scope, arguments);
    else remove.call(scope, type, listener, options);
  },
  dispatchEvent(event: unknown): boolean {
    return Reflect.apply(dispatch, scope, arguments);
  },
};
