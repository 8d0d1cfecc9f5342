/**
 * Objects of bao's own classes as the value of structuredClone(): the engine takes them for plain objects. Only the value itself
 * is looked at; inside of a container such an object is still cloned as a plain one.
 */

/** Classes by their Symbol.toStringTag: the module, and what structuredClone() does with an object of it. */
const kinds: Record<string, [module: string, kind: "none" | "transfer" | "exception"]> = {
  __proto__: null as any,
  URL: ["web/url", "none"],
  URLSearchParams: ["web/url_search_params", "none"],
  URLPattern: ["web/url_pattern", "none"],
  Headers: ["web/headers", "none"],
  Request: ["web/request", "none"],
  Response: ["web/response", "none"],
  FormData: ["web/form_data", "none"],
  MessageEvent: ["web/events", "none"],
  BroadcastChannel: ["web/broadcast_channel", "none"],
  MessagePort: ["web/message_port", "transfer"],
  ReadableStream: ["web/streams", "transfer"],
  WritableStream: ["web/streams", "transfer"],
  TransformStream: ["web/streams", "transfer"],
  DOMException: ["web/dom_exception", "exception"],
};

/**
 * The copy of a platform object whose prototype has the Symbol.toStringTag `name`, or undefined where the engine's serialiser is to decide. Throws DataCloneError for objects that
 * cannot be cloned, and for streams that are not in `transfer`.
 */
export function clonePlatformObject(value: any, name: string, transfer: Iterable<unknown> | null | undefined): any {
  const entry = kinds[name];
  if (entry === undefined || !(value instanceof require(entry[0])[name])) return undefined;
  const { DOMException } = require("web/dom_exception");
  if (entry[1] === "exception") {
    const copy = new DOMException(value.message, value.name);
    Object.defineProperty(copy, "stack", { value: value.stack, writable: true, configurable: true });
    return copy;
  }
  if (entry[1] === "none") throw new DOMException("Cannot clone object of unsupported type.", "DataCloneError");
  for (const item of transfer ?? []) if (item === value) return undefined;
  throw new DOMException("Object that needs transfer was found in message but not listed in transferList", "DataCloneError");
}
