/**
 * What postMessage() does with a value before and after the engine's serialiser: Blobs travel as their bytes, platform objects that
 * cannot be cloned are refused, errors are DataCloneErrors. Used by ports, broadcast channels and workers.
 */

import { cloneBlobs, dataCloneError, platformCopy } from "internal/globals";

const WRAPPED = "\u0000bao.message";

/** Refuses what structuredClone() refuses at the top, and takes Blobs out: the value to hand to the serialiser. */
export function pack(value: any, transfer: unknown[] | undefined): any {
  if (typeof value !== "object" || value === null) return value;
  const copy = platformCopy(value, transfer);
  if (copy !== undefined) return copy;
  if (!cloneBlobs.used) return value;
  return require("internal/clone_blobs").packBlobs(value, WRAPPED) ?? value;
}

/** The value that {@link pack} was given, from what the serialiser gave back. */
export function unpack(value: any): any {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, WRAPPED)) return value;
  return require("internal/clone_blobs").unpackBlobs(value[WRAPPED]);
}

/** Throws the DataCloneError of a native `message`, if there is one. */
export function check(message: string | undefined, value: unknown): void {
  if (message !== undefined) throw dataCloneError(message, value);
}

function notIterable(what: string): Error {
  const error: any = new TypeError(`Optional ${what} argument must be an iterable`);
  error.code = "ERR_INVALID_ARG_TYPE";
  return error;
}

/** The transfer list of postMessage's second argument: an iterable, or an object with one as `transfer`. */
export function transferList(options: any): unknown[] | undefined {
  if (options === undefined || options === null) return undefined;
  if (typeof options !== "object") throw notIterable("transferList");
  let list = options;
  if (typeof options[Symbol.iterator] !== "function") {
    list = options.transfer;
    if (list === undefined || list === null) return undefined;
    if (typeof list !== "object" || typeof list[Symbol.iterator] !== "function") {
      throw notIterable("options.transfer");
    }
  }
  const items = [...list];
  if (items.length === 0) return undefined;
  require("internal/untransferable").refuseUntransferable(items);
  return items;
}
