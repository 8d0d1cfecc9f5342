// The properties of arrays that are no elements.

const ops = native("inspect");

const { isArray } = Array;
const { getOwnPropertySymbols, keys: objectKeys } = Object;

/** Own keys of an array or typed array that are no indices, symbols included; with `onlyEnumerable` not all of them. */
export function nonIndexKeys(value: any, onlyEnumerable: boolean): PropertyKey[] {
  // Indices come first: if the last key of a short array is its last index, there is nothing else.
  if (onlyEnumerable && isArray(value)) {
    const { length } = value;
    if (length <= 64) {
      const keys = objectKeys(value);
      if (
        keys.length === length && (length === 0 || keys[length - 1] === `${length - 1}`) &&
        getOwnPropertySymbols(value).length === 0
      ) {
        return [];
      }
    }
  }
  return ops.ownNonIndexKeys(value, onlyEnumerable);
}
