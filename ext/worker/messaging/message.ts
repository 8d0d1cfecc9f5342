/**
 * What postMessage() does with a value before and after the serialiser, for ports, broadcast channels and workers. Strings and plain data
 * never come here: see `postPlain` in ext/worker/native/ports.rs.
 */

import { dataCloneError } from "internal/worker/structured_clone";

const WRAPPED = "\u0000bao.message";

/** The value to hand to the serialiser, see internal/messaging/platform. Throws DataCloneError. */
export function pack(value: unknown, transfer: unknown[] | undefined): unknown {
  if (typeof value !== "object" || value === null) return value;
  return require("internal/worker/messaging/platform_objects").pack(value, transfer);
}

/** {@link pack} for a value that the serialiser has refused: process.env in it is copied as a plain object. */
export function packWithEnvironment(value: unknown, transfer: unknown[] | undefined): unknown {
  return require("internal/worker/messaging/platform_objects").pack(
    value,
    transfer,
    undefined,
    globalThis.process?.env,
  );
}

/** Whether there are marks in what the serialiser gave back. */
export function isPacked(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.hasOwn(value, WRAPPED);
}

/** The value that {@link pack} was given, from what the serialiser gave back. */
export function unpack(value: unknown): unknown {
  if (!isPacked(value)) return value;
  return require("internal/worker/messaging/platform_objects").unpack(value);
}

/** Throws the DataCloneError of a native `message`, if there is one. */
export function check(message: string | undefined, value: unknown): void {
  if (message !== undefined) throw dataCloneError(message, value);
}

function notIterable(what: string): Error {
  const error: NodeError = new TypeError(`Optional ${what} argument must be an iterable`);
  error.code = "ERR_INVALID_ARG_TYPE";
  return error;
}

/** The second argument of postMessage(). */
export type TransferOptions = Iterable<unknown> | { transfer?: Iterable<unknown> | null } | null | undefined;

/** The transfer list of postMessage's second argument: an iterable, or an object with one as `transfer`. */
export function transferList(options: TransferOptions): unknown[] | undefined {
  if (options === undefined || options === null) return undefined;
  if (typeof options !== "object" && typeof options !== "function") throw notIterable("transferList");
  let list = options as Iterable<unknown> | null | undefined;
  if (typeof (options as Iterable<unknown>)[Symbol.iterator] !== "function") {
    list = (options as { transfer?: Iterable<unknown> | null }).transfer;
    if (list === undefined) return undefined;
    if (list === null || typeof list !== "object" || typeof list[Symbol.iterator] !== "function") {
      throw notIterable("options.transfer");
    }
  }
  const iterator = list![Symbol.iterator]();
  if (typeof iterator?.next !== "function") throw notIterable(list === options ? "transferList" : "options.transfer");
  const items: unknown[] = [];
  for (let next; !(next = iterator.next()).done;) items.push(next.value);
  if (items.length === 0) return undefined;
  require("internal/worker/untransferable").refuseUntransferable(items);
  return items;
}
