/**
 * Blobs, Files and keys in structuredClone(). The engine's serialiser does not know them: they are taken out before it runs and
 * put back into its result. Loaded with the first such object of a program, see {@link cloneBlobs} in lib/internal/globals.
 */

import { cloneBlobs } from "internal/globals";

const MARK = "\u0000bao.blob";

const kindOf = (value: unknown) => cloneBlobs.kinds.find((kind) => kind.is(value));

function isPlain(value: any): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null;
}

/** Calls `visit` for every value below an array, a plain object, a Map or a Set. */
function children(value: any, visit: (child: unknown) => void) {
  if (Array.isArray(value)) value.forEach(visit);
  else if (value instanceof Map) for (const [key, item] of value) visit(key), visit(item);
  else if (value instanceof Set) value.forEach(visit);
  else if (isPlain(value)) for (const key of Object.keys(value)) visit(value[key]);
}

function hasBlob(value: unknown, seen: Set<unknown>): boolean {
  if (value === null || typeof value !== "object" || seen.has(value)) return false;
  if (kindOf(value) !== undefined) return true;
  seen.add(value);
  let found = false;
  children(value, (child) => (found ||= hasBlob(child, seen)));
  return found;
}

/** A copy of the containers in `value`, its other objects as they are, each value passed through `leaf`. */
function copy(value: any, leaf: (value: any) => any, seen: Map<unknown, unknown>): any {
  if (value === null || typeof value !== "object") return value;
  if (seen.has(value)) return seen.get(value);
  const replaced = leaf(value);
  if (replaced !== value) {
    seen.set(value, replaced);
    return replaced;
  }
  if (Array.isArray(value)) {
    const list: any[] = new Array(value.length);
    seen.set(value, list);
    for (const key of Object.keys(value)) list[key as any] = copy(value[key as any], leaf, seen);
    return list;
  }
  if (value instanceof Map) {
    const map = new Map();
    seen.set(value, map);
    for (const [key, item] of value) map.set(copy(key, leaf, seen), copy(item, leaf, seen));
    return map;
  }
  if (value instanceof Set) {
    const set = new Set();
    seen.set(value, set);
    for (const item of value) set.add(copy(item, leaf, seen));
    return set;
  }
  if (!isPlain(value)) return value;
  const object: any = {};
  seen.set(value, object);
  for (const key of Object.keys(value)) object[key] = copy(value[key], leaf, seen);
  return object;
}

/** A value that may hold Blobs, as one that the serialiser takes: `{ [key]: { value, blobs } }`. Undefined where it holds none. */
export function packBlobs(value: unknown, key: string): any {
  if (!hasBlob(value, new Set())) return undefined;
  const blobs: any[] = [];
  const marked = copy(value, (item) => {
    const kind = kindOf(item);
    if (kind === undefined) return item;
    blobs.push({ module: kind.module, data: kind.serialize(item) });
    return { [MARK]: blobs.length - 1 };
  }, new Map());
  return { [key]: { value: marked, blobs } };
}

/** What {@link packBlobs} was given, from a copy of the object under its key. */
export function unpackBlobs({ value, blobs }: { value: unknown; blobs: any[] }): any {
  const made = new Map<number, unknown>();
  return copy(value, (item) => {
    const index = isPlain(item) ? item[MARK] : undefined;
    if (index === undefined) return item;
    if (!made.has(index)) made.set(index, require(blobs[index].module).deserialize(blobs[index].data));
    return made.get(index);
  }, new Map());
}

/** `clone` of a value that may hold Blobs; undefined where it holds none. */
export function cloneWithBlobs(value: unknown, clone: (value: unknown) => any): { value: any } | undefined {
  const packed = packBlobs(value, "packed")?.packed;
  // The bytes of a Blob never change: its copy shares them.
  return packed === undefined ? undefined : { value: unpackBlobs({ value: clone(packed.value), blobs: packed.blobs }) };
}
