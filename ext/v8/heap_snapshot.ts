// Heap snapshots in V8's format: their options, and the streams and files that they come as.

import { codes } from "internal/core/errors";
import { validateBoolean, validateObject } from "internal/core/validators";

/** Options of v8.getHeapSnapshot() and its like, checked. */
export function snapshotOptions(options: unknown): { exposeInternals: boolean } {
  if (options === undefined) return { exposeInternals: false };
  validateObject(options, "options");
  const { exposeInternals = false, exposeNumericValues = false } = options;
  validateBoolean(exposeInternals, "options.exposeInternals");
  validateBoolean(exposeNumericValues, "options.exposeNumericValues");
  // Numbers are no cells of this engine's heap.
  if (exposeNumericValues) throw new codes.ERR_NOT_IMPLEMENTED("exposeNumericValues");
  return { exposeInternals };
}

/** The text of a snapshot of this thread's heap. */
export function takeSnapshot(options: unknown): string {
  return native("v8").heapSnapshot(snapshotOptions(options).exposeInternals);
}

/** A readable stream of `text`. */
export function streamOf(text: string) {
  const { Readable } = require("node:stream");
  const stream = new Readable({ read() {} });
  stream.push(text);
  stream.push(null);
  return stream;
}

let files = 0;

/** `Heap-DATE-TIME-PID-THREAD-NUMBER.heapsnapshot`, in local time. */
function defaultName(): string {
  const two = (number: number) => String(number).padStart(2, "0");
  const now = new Date();
  const date = `${now.getFullYear()}${two(now.getMonth() + 1)}${two(now.getDate())}`;
  const time = `${two(now.getHours())}${two(now.getMinutes())}${two(now.getSeconds())}`;
  const { threadId } = native("process");
  return `Heap-${date}-${time}-${process.pid}-${threadId()}-${String(++files).padStart(3, "0")}.heapsnapshot`;
}

/** v8.writeHeapSnapshot(): the file's name. */
export function writeSnapshot(filename: unknown, options: unknown): string {
  if (filename !== undefined) filename = require("internal/fs/utils").getValidatedPath(filename);
  const text = takeSnapshot(options);
  const target = filename ?? defaultName();
  require("node:fs").writeFileSync(target, text);
  return `${target}`;
}
