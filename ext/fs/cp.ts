// fs.cp, fs.cpSync, promises.cp (https://nodejs.org/api/fs.html#fscpsrc-dest-options-callback).
//
// One algorithm for both ways of running: a generator that yields the file operations it needs. The synchronous driver
// does them at once, the other one on the thread pool.

import type { CheckedPath } from "internal/fs/types";
import path from "node:path";
import { codes } from "internal/core/errors";
import { validateBoolean, validateFunction, validateObject } from "internal/core/validators";
import { decodePath, lazyBuffer, nativePath, smallMode } from "internal/fs/utils";
import { STATUS_BIGINT, STATUS_MAYBE, STATUS_NO_FOLLOW } from "internal/fs/native_constants";

const binding = native("fs");

const EEXIST = 17;
const ENOTDIR = 20;
const EISDIR = 21;
const EINVAL = 22;

/** Whether something is copied, or a promise of that. */
type Filter = (src: string, dest: string) => unknown;

export interface CpOptions {
  dereference: boolean;
  errorOnExist: boolean;
  filter: Filter | undefined;
  force: boolean;
  preserveTimestamps: boolean;
  recursive: boolean;
  verbatimSymlinks: boolean;
  mode: number;
  /** With `errorOnExist` a directory that exists is an error, too: so it is in Node, but not for cpSync. */
  strict: boolean;
}

/** The options with defaults; throws for wrong ones. */
export function validateCpOptions(options: unknown): CpOptions {
  // `strict` is set by the drivers.
  const checked: Omit<CpOptions, "strict"> & { strict?: boolean } = {
    dereference: false,
    errorOnExist: false,
    filter: undefined,
    force: true,
    preserveTimestamps: false,
    recursive: false,
    verbatimSymlinks: false,
    mode: 0,
  };
  if (options === undefined) return checked as CpOptions;
  validateObject(options, "options");
  Object.assign(checked, options);
  validateBoolean(checked.dereference, "options.dereference");
  validateBoolean(checked.errorOnExist, "options.errorOnExist");
  validateBoolean(checked.force, "options.force");
  validateBoolean(checked.preserveTimestamps, "options.preserveTimestamps");
  validateBoolean(checked.recursive, "options.recursive");
  validateBoolean(checked.verbatimSymlinks, "options.verbatimSymlinks");
  checked.mode = smallMode(checked.mode, 0);
  if (checked.dereference && checked.verbatimSymlinks) {
    throw new codes.ERR_INCOMPATIBLE_OPTION_PAIR("dereference", "verbatimSymlinks");
  }
  if (checked.filter !== undefined) validateFunction(checked.filter, "options.filter");
  return checked as CpOptions;
}

// ---------------------------------------------------------------------------------------------------------------------
// Paths in native form (see internal/fs/utils): a raw one starts with U+0000

function isRaw(one: string): boolean {
  return one.charCodeAt(0) === 0;
}

/** The bytes of a path, one per character. */
function rawOf(one: string): string {
  return isRaw(one) ? one.slice(1) : lazyBuffer().from(one).latin1Slice();
}

function join(directory: string, name: string): string {
  const slash = directory.endsWith("/") ? "" : "/";
  if (!isRaw(directory) && !isRaw(name)) return directory + slash + name;
  return `\0${rawOf(directory)}${slash}${rawOf(name)}`;
}

function isAbsolute(one: string): boolean {
  return one.charCodeAt(isRaw(one) ? 1 : 0) === 47;
}

function dirname(one: string): string {
  return isRaw(one) ? `\0${path.dirname(one.slice(1))}` : path.dirname(one);
}

function resolve(...parts: string[]): string {
  if (!parts.some(isRaw)) return path.resolve(...parts);
  return `\0${path.resolve(rawOf(process.cwd()), ...parts.map(rawOf))}`;
}

/** For people: messages, filters. */
function shown(one: string): string {
  return decodePath(one, "utf8");
}

/** Whether `dest` is `src` or below it, by name. */
function isBelow(src: string, dest: string): boolean {
  const above = rawOf(resolve(src)).split("/").filter(Boolean);
  const below = rawOf(resolve(dest)).split("/").filter(Boolean);
  return above.every((part, i) => part === below[i]);
}

// ---------------------------------------------------------------------------------------------------------------------
// The operations

/** An operation that a step is named after: of the native half, with a blocking and a waiting form. */
type Operation = "chmod" | "copyFile" | "mkdir" | "mkdirAll" | "readdir" | "readlink" | "symlink" | "unlink" | "utimes";

type Step =
  | [kind: "stat", path: string, flags: number]
  | [kind: "filter", filter: Filter, src: string, dest: string]
  | [kind: Operation, path: string, ...args: (string | number)[]];

/** What a step gives is of the type that the one who yields it expects. */
type Result = Status | string | Uint8Array | undefined;
type Steps<T> = Generator<Step, T, Result>;

/** Values of a status: mode 1, ino 7, dev 0, atime 10, mtime 11 (nanoseconds). */
type Status = BigInt64Array;

const S_IFMT = 0o170000n;

function typeOf(status: Status): number {
  return Number(status[1]! & S_IFMT);
}

const isDirectory = (status: Status) => typeOf(status) === 0o040000;
const sameFile = (a: Status, b: Status) => a[7] !== 0n && a[7] === b[7] && a[0] === b[0];

/** Does one step at once. */
function stepSync([kind, ...args]: Step): unknown {
  switch (kind) {
    case "stat": {
      const out = new BigInt64Array(14);
      return binding.statSync(args[0] as string, out, args[1] as number) ? out : undefined;
    }
    case "filter": {
      const copy = (args[0] as Filter)(args[1] as string, args[2] as string);
      if (require("internal/util/types").isPromise(copy)) {
        throw new codes.ERR_INVALID_RETURN_VALUE("boolean", "filter", copy);
      }
      return copy;
    }
    default:
      return (binding[`${kind as Operation}Sync`] as (...values: unknown[]) => unknown)(...args);
  }
}

/** Starts one step; a promise. */
function stepAsync([kind, ...args]: Step): Promise<unknown> {
  if (kind === "filter") return (async () => (args[0] as Filter)(args[1] as string, args[2] as string))();
  return new Promise((resolve, reject) => {
    (binding[kind as Operation | "stat"] as (...values: unknown[]) => void)(
      ...args,
      (error: unknown, value: Uint8Array) => {
        if (error) reject(error);
        else resolve(kind === "stat" && value !== undefined ? new BigInt64Array(value.buffer) : value);
      },
    );
  });
}

/** Copies now. `src` and `dest` are checked paths. */
export function cpSync(src: CheckedPath, dest: CheckedPath, options: CpOptions): void {
  const steps = copy(nativePath(src), nativePath(dest), { ...options, strict: false });
  let step = steps.next();
  while (!step.done) {
    let value: Result;
    try {
      value = stepSync(step.value) as Result;
    } catch (error) {
      step = steps.throw(error);
      continue;
    }
    step = steps.next(value);
  }
}

export async function cpAsync(src: CheckedPath, dest: CheckedPath, options: CpOptions): Promise<void> {
  const steps = copy(nativePath(src), nativePath(dest), { ...options, strict: true });
  let step = steps.next();
  while (!step.done) {
    let value: Result;
    try {
      value = (await stepAsync(step.value)) as Result;
    } catch (error) {
      step = steps.throw(error);
      continue;
    }
    step = steps.next(value);
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// The algorithm

function failure(code: string, message: string, at: string, errno: number, name: string): Error {
  return new codes[code]({ message, path: shown(at), syscall: "cp", errno, code: name });
}

function toSelf(src: string, dest: string): Error {
  const message = `cannot copy ${shown(src)} to a subdirectory of self ${shown(dest)}`;
  return failure("ERR_FS_CP_EINVAL", message, dest, EINVAL, "EINVAL");
}

function* copy(src: string, dest: string, options: CpOptions): Steps<void> {
  // The filter comes first: what it leaves out need not exist.
  if (options.filter && !(yield ["filter", options.filter, shown(src), shown(dest)])) return;
  const [srcStatus, destStatus] = yield* check(src, dest, options);
  yield* checkParents(src, srcStatus, dest);
  if (isDirectory(srcStatus) && !options.recursive) {
    const message = `Recursive option not enabled, cannot copy a directory: ${shown(src)}`;
    throw failure("ERR_FS_EISDIR", message, src, EISDIR, "EISDIR");
  }
  if (destStatus === undefined) yield ["mkdirAll", dirname(dest), 0o777];
  yield* copyOne(src, srcStatus, dest, destStatus, options);
}

/** Status of both (the destination's undefined if it is not there); throws where they do not go together. */
function* check(src: string, dest: string, options: CpOptions): Steps<[Status, Status | undefined]> {
  const follow = STATUS_BIGINT | (options.dereference ? 0 : STATUS_NO_FOLLOW);
  const srcStatus = (yield ["stat", src, follow]) as Status;
  const destStatus = (yield ["stat", dest, follow | STATUS_MAYBE]) as Status | undefined;
  if (destStatus !== undefined) {
    if (sameFile(srcStatus, destStatus)) {
      throw failure("ERR_FS_CP_EINVAL", "src and dest cannot be the same", dest, EINVAL, "EINVAL");
    }
    if (isDirectory(srcStatus) && !isDirectory(destStatus)) {
      throw failure(
        "ERR_FS_CP_DIR_TO_NON_DIR",
        `cannot overwrite non-directory ${shown(dest)} with directory ${shown(src)}`,
        dest,
        EISDIR,
        "EISDIR",
      );
    }
    if (!isDirectory(srcStatus) && isDirectory(destStatus)) {
      throw failure(
        "ERR_FS_CP_NON_DIR_TO_DIR",
        `cannot overwrite directory ${shown(dest)} with non-directory ${shown(src)}`,
        dest,
        ENOTDIR,
        "ENOTDIR",
      );
    }
  }
  if (isDirectory(srcStatus) && isBelow(src, dest)) throw toSelf(src, dest);
  return [srcStatus, destStatus];
}

/** Throws if a directory above `dest` is `src` under another name. */
function* checkParents(src: string, srcStatus: Status, dest: string): Steps<void> {
  if (!isDirectory(srcStatus)) return;
  const srcParent = dirname(resolve(src));
  let parent = dirname(resolve(dest));
  while (parent !== srcParent && dirname(parent) !== parent) {
    const status = (yield ["stat", parent, STATUS_BIGINT | STATUS_MAYBE]) as Status | undefined;
    if (status !== undefined && sameFile(srcStatus, status)) throw toSelf(src, dest);
    parent = dirname(parent);
  }
}

function* copyOne(
  src: string,
  srcStatus: Status,
  dest: string,
  destStatus: Status | undefined,
  options: CpOptions,
): Steps<void> {
  switch (typeOf(srcStatus)) {
    case 0o040000:
      return yield* copyDirectory(src, srcStatus, dest, destStatus, options);
    case 0o100000:
    case 0o020000:
    case 0o060000:
      return yield* copyFile(src, srcStatus, dest, destStatus, options);
    case 0o120000:
      return yield* copyLink(src, dest, destStatus, options);
    case 0o140000:
      throw failure("ERR_FS_CP_SOCKET", `cannot copy a socket file: ${shown(dest)}`, dest, EINVAL, "EINVAL");
    case 0o010000:
      throw failure("ERR_FS_CP_FIFO_PIPE", `cannot copy a FIFO pipe: ${shown(dest)}`, dest, EINVAL, "EINVAL");
    default:
      throw failure("ERR_FS_CP_UNKNOWN", `cannot copy an unknown file type: ${shown(dest)}`, dest, EINVAL, "EINVAL");
  }
}

function* copyFile(
  src: string,
  srcStatus: Status,
  dest: string,
  destStatus: Status | undefined,
  options: CpOptions,
): Steps<void> {
  if (destStatus !== undefined) {
    if (!options.force) {
      if (!options.errorOnExist) return;
      throw failure("ERR_FS_CP_EEXIST", `${shown(dest)} already exists`, dest, EEXIST, "EEXIST");
    }
    yield ["unlink", dest];
  }
  // Permissions are copied along.
  yield ["copyFile", src, dest, options.mode];
  if (!options.preserveTimestamps) return;
  const mode = Number(srcStatus[1]! & 0o7777n);
  // Times of a file that its owner may not write could not be set everywhere.
  const readOnly = (mode & 0o200) === 0;
  if (readOnly) yield ["chmod", dest, mode | 0o200];
  // Reading the file has changed its access time.
  const now = (yield ["stat", src, STATUS_BIGINT]) as Status;
  yield ["utimes", dest, Number(now[10]) / 1e9, Number(now[11]) / 1e9];
  if (readOnly) yield ["chmod", dest, mode];
}

function* copyDirectory(
  src: string,
  srcStatus: Status,
  dest: string,
  destStatus: Status | undefined,
  options: CpOptions,
): Steps<void> {
  if (destStatus === undefined) yield ["mkdir", dest, 0o777];
  else if (options.errorOnExist && !options.force && options.strict) {
    throw failure("ERR_FS_CP_EEXIST", `${shown(dest)} already exists`, dest, EEXIST, "EEXIST");
  }
  for (const name of splitNames((yield ["readdir", src]) as string | Uint8Array)) {
    const from = join(src, name);
    const to = join(dest, name);
    if (options.filter && !(yield ["filter", options.filter, shown(from), shown(to)])) continue;
    const [fromStatus, toStatus] = yield* check(from, to, options);
    yield* copyOne(from, fromStatus, to, toStatus, options);
  }
  if (destStatus === undefined) yield ["chmod", dest, Number(srcStatus[1]! & 0o7777n)];
}

/** Names from the native list, in native form. */
function splitNames(names: string | Uint8Array): string[] {
  if (typeof names === "string") return names === "" ? [] : names.split("\0");
  const { asBuffer, decodeNames } = require("internal/fs/utils");
  return decodeNames(names, "buffer").map((name) => nativePath(asBuffer(name)));
}

function* copyLink(src: string, dest: string, destStatus: Status | undefined, options: CpOptions): Steps<void> {
  let target = (yield ["readlink", src]) as string;
  if (!options.verbatimSymlinks && !isAbsolute(target)) target = resolve(dirname(src), target);
  if (destStatus === undefined) {
    yield ["symlink", target, dest];
    return;
  }
  let old: string;
  try {
    old = (yield ["readlink", dest]) as string;
  } catch (error) {
    // Something else is there: making the link tells so.
    if ((error as NodeError).code !== "EINVAL" && (error as NodeError).code !== "UNKNOWN") throw error;
    yield ["symlink", target, dest];
    return;
  }
  if (!isAbsolute(old)) old = resolve(dirname(dest), old);
  const from = isAbsolute(target) ? target : resolve(dirname(src), target);
  const status = (yield ["stat", src, STATUS_BIGINT | STATUS_MAYBE]) as Status | undefined;
  if (status !== undefined && isDirectory(status)) {
    if (isBelow(from, old)) throw toSelf(from, old);
    // The old link leads to a directory above the new target: replacing it would hide what is copied.
    if (isBelow(old, from)) {
      throw failure(
        "ERR_FS_CP_SYMLINK_TO_SUBDIRECTORY",
        `cannot overwrite ${shown(old)} with ${shown(from)}`,
        dest,
        EINVAL,
        "EINVAL",
      );
    }
  }
  yield ["unlink", dest];
  yield ["symlink", target, dest];
}
