// Uncaught errors on their way to the parent: the engine's serialiser keeps name, message, stack and cause of an error; its own
// properties (`code`, for example) travel beside it.

import type { ErrorMessage } from "internal/worker/types";

/** The control message for an uncaught error. What cannot be cloned is left out, in the worst case all but the text. */
export function packError(error: unknown): ErrorMessage {
  const message: ErrorMessage = { type: "error" };
  if (typeof error !== "object" || error === null) return { ...message, value: error };
  message.value = error;
  if (Error.isError(error)) {
    const properties: { [key: string]: unknown } = {};
    for (const key of Object.keys(error)) {
      try {
        properties[key] = structuredClone((error as unknown as Record<string, unknown>)[key]);
      } catch {
        // Functions, for example.
      }
    }
    message.properties = properties;
    // The accessor of the class: written where the error was made, with the positions of its sources.
    try {
      message.stack = error.stack;
    } catch {
      // A prepareStackTrace() that throws.
      message.noStack = true;
    }
    message.name = error.name;
  }
  return message;
}

/** For an error that {@link packError} could not make cloneable. */
export function packText(error: unknown): ErrorMessage {
  let text: string;
  try {
    text = require("internal/util/inspect").inspect(error);
  } catch {
    text = "An uncaught error that cannot be shown";
  }
  return { type: "error", text };
}

export function unpackError(message: ErrorMessage): unknown {
  if (message.text !== undefined) {
    const { codes } = require("internal/core/errors");
    const error = new codes.ERR_WORKER_UNSERIALIZABLE_ERROR();
    error.message += `: ${message.text}`;
    return error;
  }
  const error = message.value as Error;
  if (message.properties !== undefined) {
    const hidden = (value: unknown) => ({ value, writable: true, enumerable: false, configurable: true });
    if (message.stack !== undefined || message.noStack) Object.defineProperty(error, "stack", hidden(message.stack));
    if (message.name !== undefined && error.name !== message.name)
      Object.defineProperty(error, "name", hidden(message.name));
    Object.assign(error, message.properties);
  }
  return error;
}
