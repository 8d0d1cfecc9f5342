/**
 * How a class of JavaScript takes part in structured clone, whatever the message goes through (structuredClone, ports, workers, broadcast
 * channels). An object of such a class may be anywhere in the message.
 *
 * `[kClone]()` and `[kTransfer]()` are methods of its prototype. Both give a {@link Packed}: the receiving side calls the export `name`
 * of the built-in module `module` with a copy of `data`, which may hold further such objects, and puts what that gives in the object's
 * place. They may throw a DataCloneError: `cannotClone()` makes the usual one. `[kClone]` is called for objects that are not in the transfer list,
 * `[kTransfer]` for those that are; a class may have one of them or both.
 */

export interface Packed {
  module: string;
  name: string;
  data: unknown;
  /** The data never changes: a copy in the same thread may stand on the same. */
  shared?: boolean;
}

/** With the descriptions that they have in Node. */
export const kClone = Symbol("messaging_clone_symbol");
export const kTransfer = Symbol("messaging_transfer_symbol");

native("messaging").setCloneSymbols(kClone, kTransfer);

export function cannotClone(): Error {
  const { DOMException } = require("web/dom_exception");
  return new DOMException("Cannot clone object of unsupported type.", "DataCloneError");
}

/** For an object that has to be in the transfer list. */
export function needsTransfer(): Error {
  const { DOMException } = require("web/dom_exception");
  return new DOMException(
    "Object that needs transfer was found in message but not listed in transferList",
    "DataCloneError",
  );
}
