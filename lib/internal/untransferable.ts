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

/** `worker_threads.markAsUncloneable()`: cloning `object` throws DataCloneError; nothing happens for buffers and for what is no object. */
export function markAsUncloneable(object: any): void {
  if ((typeof object !== "object" && typeof object !== "function") || object === null) return;
  if (ArrayBuffer.isView(object) || object instanceof ArrayBuffer || Uncloneable.isOn(object)) return;
  require("internal/globals").uncloneable.any = true;
  new Uncloneable(object);
}

/** Throws DataCloneError for a value that is marked, or has a marked object in its containers. */
export function refuseUncloneable(value: unknown, seen = new Set<unknown>()): void {
  if (typeof value !== "object" || value === null || seen.has(value)) return;
  seen.add(value);
  if (Uncloneable.isOn(value)) {
    const { DOMException } = require("web/dom_exception");
    throw new DOMException("Cannot clone object of unsupported type.", "DataCloneError");
  }
  if (value instanceof Map) for (const [key, item] of value) refuseUncloneable(key, seen), refuseUncloneable(item, seen);
  else if (value instanceof Set) for (const item of value) refuseUncloneable(item, seen);
  else if (!ArrayBuffer.isView(value)) {
    // Getters run when the engine copies the object, once.
    for (const key of Object.keys(value)) {
      const property = Object.getOwnPropertyDescriptor(value, key);
      if (property !== undefined && "value" in property) refuseUncloneable(property.value, seen);
    }
  }
}

/** Makes transferring `object` throw DataCloneError; nothing happens for values that are not objects. */
export function markAsUntransferable(object: any): void {
  if ((typeof object !== "object" && typeof object !== "function") || object === null) return;
  // A private field can only be added once.
  if (!Mark.isOn(object)) new Mark(object);
}

/** Whether {@link markAsUntransferable} was called on `object`. */
export function isMarkedAsUntransferable(object: any): boolean {
  if ((typeof object !== "object" && typeof object !== "function") || object === null) return false;
  return Mark.isOn(object);
}

/** Throws the DataCloneError of a transfer list that holds a marked object. */
export function refuseUntransferable(list: unknown[]): void {
  if (!list.some(isMarkedAsUntransferable)) return;
  const { DOMException } = require("web/dom_exception");
  throw new DOMException("An object in the transfer list is marked as untransferable", "DataCloneError");
}
