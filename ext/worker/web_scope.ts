// The global scope of the web's Worker (https://html.spec.whatwg.org/multipage/workers.html#dedicated-workers-and-the-dedicatedworkerglobalscope-interface):
// postMessage, onmessage, close and name on the global object, whose 'message' events are those of the port to the parent.

import { defineEventHandler } from "web/event_target";
import { MessageEvent } from "web/events";
import type { TransferOptions } from "internal/worker/messaging/message";
import type { Port } from "web/message_port";

export function setUp(port: Port): void {
  const scope = globalThis as unknown as EventTarget;
  // The global object becomes an event target.
  require("web/global_scope");
  const own = require("internal/worker/thread_info").own;
  const define = (name: string, value: unknown) =>
    Object.defineProperty(scope, name, { value, writable: true, enumerable: true, configurable: true });
  define("name", own.threadName);
  define("postMessage", (value: unknown, options?: TransferOptions) => {
    port.postMessage(value, options);
  });
  define("close", () => process.exit());
  for (const name of ["message", "messageerror"]) defineEventHandler(scope, name);
  const forward = (type: string) => (event: MessageEvent) => {
    scope.dispatchEvent(new MessageEvent(type, { data: event.data, ports: event.ports }));
    // The listener may have been one for a single event.
    leave();
  };
  const forwardMessage = forward("message");
  const forwardError = forward("messageerror");
  // A worker without a listener ends with its program; one with a listener lives until it is ended or has removed it, as in Bun.
  const { addEventListener, removeEventListener } = scope;
  let listening = false;
  const listen = () => {
    if (listening) return;
    listening = true;
    port.addEventListener("message", forwardMessage);
    port.addEventListener("messageerror", forwardError);
  };
  const leave = () => {
    const { getEventListeners } = require("node:events");
    if (!listening || getEventListeners(scope, "message").length > 0) return;
    listening = false;
    port.removeEventListener("message", forwardMessage);
    port.removeEventListener("messageerror", forwardError);
  };
  scope.removeEventListener = function (type: string, ...rest: unknown[]) {
    (removeEventListener as (...values: unknown[]) => void).call(scope, type, ...rest);
    if (type === "message") leave();
  };
  scope.addEventListener = function (type: string, ...rest: unknown[]) {
    (addEventListener as (...values: unknown[]) => void).call(scope, type, ...rest);
    if (type === "message") listen();
  };
  for (const name of ["message", "messageerror"]) {
    const { get, set } = Object.getOwnPropertyDescriptor(scope, `on${name}`)!;
    Object.defineProperty(scope, `on${name}`, {
      get: () => get!.call(scope),
      set: (value) => {
        set!.call(scope, value);
        if (typeof value === "function") listen();
        else leave();
      },
      enumerable: true,
      configurable: true,
    });
  }
}
