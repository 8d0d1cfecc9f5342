// The shortest list of edits that makes one list of texts into another (Myers' algorithm, libs/text).

const binding = native("util");

// What becomes of the next item of one or both lists; 0: it is in both.

/** The item is in the first list only. */
export const DELETE = 1;
/** The item is in the second list only. */
export const INSERT = 2;

/**
 * The edits in their order. `ignoreComma`: texts that differ in a comma at the end are the same. Undefined if there are
 * more than `most` of them besides those that keep an item.
 */
export function listDiff(
  old: ArrayLike<string>,
  next: ArrayLike<string>,
  ignoreComma = false,
  most = Infinity,
): Uint8Array | undefined {
  const known = new Map<string, number>();
  const number = (text: string): number => {
    let found = known.get(text);
    if (found === undefined) known.set(text, (found = known.size));
    return found;
  };
  const numbers = (list: ArrayLike<string>) => new Uint8Array(Uint32Array.from(list, number).buffer);
  const [a, b] = [numbers(old), numbers(next)];
  const comma = new Uint32Array(ignoreComma ? known.size : 0).fill(known.size);
  if (ignoreComma) {
    for (const [text, place] of known) comma[place] = known.get(`${text},`) ?? known.size;
  }
  return binding.diff(a, b, new Uint8Array(comma.buffer), most);
}
