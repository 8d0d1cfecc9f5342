/**
 * The mark that `worker_threads.markAsUntransferable()` leaves on an object, invisible to programs: a private field
 * put on a foreign object by a constructor that returns it.
 */
class Identity {
  constructor(object: object) {
    // Returning another object is the point: the derived class adds its field to it.
    return object;
  }
}

class Mark extends Identity {
  #marked = true;
  static isOn(object: object): boolean {
    return #marked in object;
  }
}

class Uncloneable extends Identity {
  #marked = true;
  static isOn(object: object): boolean {
    return #marked in object;
  }
}

let anyUncloneable = false;

/** Makes cloning `object` throw DataCloneError; nothing happens for values that are not objects, and for buffers and their views. */
export function markAsUncloneable(object: unknown): void {
  if ((typeof object !== "object" && typeof object !== "function") || object === null) return;
  if (!anyUncloneable) {
    anyUncloneable = true;
    native("messaging").expectMarks();
  }
  if (!Uncloneable.isOn(object)) new Uncloneable(object);
}

/** Whether {@link markAsUncloneable} was called on `object`, which is one. */
export function isMarkedAsUncloneable(object: object): boolean {
  return (
    anyUncloneable &&
    Uncloneable.isOn(object) &&
    !ArrayBuffer.isView(object) &&
    !require("node:util").types.isAnyArrayBuffer(object)
  );
}

/** Makes transferring `object` throw DataCloneError; nothing happens for values that are not objects. */
export function markAsUntransferable(object: unknown): void {
  if ((typeof object !== "object" && typeof object !== "function") || object === null) return;
  // A private field can only be added once.
  if (!Mark.isOn(object)) new Mark(object);
}

/** Whether {@link markAsUntransferable} was called on `object`. */
export function isMarkedAsUntransferable(object: unknown): boolean {
  if ((typeof object !== "object" && typeof object !== "function") || object === null) return false;
  return Mark.isOn(object);
}

/** Throws the DataCloneError of a transfer list that holds a marked object, a closed port, or something twice. */
export function refuseUntransferable(list: unknown[]): void {
  const fail = (text: string) => {
    const { DOMException } = require("web/dom_exception");
    return new DOMException(text, "DataCloneError");
  };
  const seen = new Set();
  for (const item of list) {
    if (isMarkedAsUntransferable(item)) throw fail("An object in the transfer list is marked as untransferable");
    const isBuffer = item instanceof ArrayBuffer;
    const { isPort, isOpenPort } = isBuffer ? ({} as BuiltinModules["web/message_port"]) : require("web/message_port");
    const port = !isBuffer && isPort(item);
    if (seen.has(item)) {
      throw fail(`Transfer list contains duplicate ${isBuffer ? "ArrayBuffer" : port ? "MessagePort" : "object"}`);
    }
    seen.add(item);
    if (port && !isOpenPort(item)) throw fail("MessagePort in transfer list is already detached");
  }
}
