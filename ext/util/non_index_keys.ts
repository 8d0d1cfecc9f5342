// The properties of arrays that are no elements.

const ops = native("inspect");

const { isArray } = Array;
const { ownKeys } = Reflect;

/** Own keys of an array or typed array that are no indices, symbols included; with `onlyEnumerable` not all of them. */
export function nonIndexKeys(value: { length?: unknown }, onlyEnumerable: boolean): PropertyKey[] {
  // Indices come first: if a short array has as many keys as elements (and "length"), and the last of those is its last
  // index, there is nothing else.
  if (onlyEnumerable && isArray(value)) {
    const { length } = value;
    if (length <= 64) {
      const keys = ownKeys(value);
      if (keys.length === length + 1 && (length === 0 || keys[length - 1] === `${length - 1}`)) return [];
    }
  }
  return ops.ownNonIndexKeys(value, onlyEnumerable);
}
