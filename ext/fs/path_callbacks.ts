// The callback functions of node:fs about names (https://nodejs.org/api/fs.html#callback-api): status, links, directories, modes,
// owners and times. See callbacks.ts.

import type { Dirent } from "internal/fs/dirent";
import type { BigIntStats, StatFs, Stats } from "internal/fs/stats";
import type { CheckedOptions, Done, GivenPath, StatusOptions } from "internal/fs/types";
import { validateBoolean } from "internal/core/validators";
import { type Callback, converting, plain } from "internal/fs/callback_results";
import { statFsFromBytes, statsFromBytes } from "internal/fs/stats";
import { checkSymlinkType, type MkdirOptions, mkdirOptions, symlinkDenied, tempPrefix } from "internal/fs/sync";
import {
  checkCallback,
  decodeNames,
  decodePath,
  getOptions,
  getValidatedFd,
  getValidatedPath,
  asText,
  nativePath,
  parseFileMode,
  pathOf,
  rmIsDirectory,
  rmdirRecursive,
  smallMode,
  toUnixTimestamp,
  validateId,
  validateRmOptions,
} from "internal/fs/utils";
import { STATUS_BIGINT, STATUS_MAYBE, STATUS_NO_FOLLOW } from "internal/fs/native_constants";

const binding = native("fs");

// ---------------------------------------------------------------------------------------------------------------------
// Status

function pathStatus(
  path: unknown,
  options: StatusOptions | Callback | null | undefined,
  callback: Callback | undefined,
  flags: number,
): void {
  if (typeof options === "function") {
    callback = options as Callback;
    options = undefined;
  }
  checkCallback(callback);
  const target = pathOf(path);
  const bigint = Boolean(options?.bigint);
  if (bigint) flags |= STATUS_BIGINT;
  if (options?.throwIfNoEntry === false) flags |= STATUS_MAYBE;
  const done = converting(callback, (bytes: Uint8Array | undefined) =>
    bytes === undefined ? undefined : statsFromBytes(bytes, bigint),
  );
  binding.stat(target, flags, done);
}

/** `(path[, { bigint }], callback)` */
export function stat(path: unknown, callback: Done<[Stats]>): void;
export function stat(
  path: unknown,
  options: StatusOptions | null | undefined,
  callback: Done<[Stats | BigIntStats | undefined]>,
): void;
export function stat(
  path: unknown,
  options: StatusOptions | Callback | null | undefined = undefined,
  callback?: Callback,
): void {
  pathStatus(path, options, callback, 0);
}

export function lstat(path: unknown, callback: Done<[Stats]>): void;
export function lstat(
  path: unknown,
  options: StatusOptions | null | undefined,
  callback: Done<[Stats | BigIntStats | undefined]>,
): void;
export function lstat(
  path: unknown,
  options: StatusOptions | Callback | null | undefined = undefined,
  callback?: Callback,
): void {
  pathStatus(path, options, callback, STATUS_NO_FOLLOW);
}

export function fstat(fd: number, callback: Done<[Stats]>): void;
export function fstat(
  fd: number,
  options: StatusOptions | null | undefined,
  callback: Done<[Stats | BigIntStats]>,
): void;
export function fstat(
  fd: number,
  options: StatusOptions | Callback | null | undefined = undefined,
  callback?: Callback,
): void {
  if (typeof options === "function") {
    callback = options as Callback;
    options = undefined;
  }
  checkCallback(callback);
  fd = getValidatedFd(fd);
  const bigint = Boolean(options?.bigint);
  binding.fstat(
    fd,
    bigint ? STATUS_BIGINT : 0,
    converting(callback, (bytes) => statsFromBytes(bytes, bigint)),
  );
}

export function statfs(path: unknown, callback: Done<[StatFs]>): void;
export function statfs(path: unknown, options: StatusOptions | null | undefined, callback: Done<[StatFs]>): void;
export function statfs(
  path: unknown,
  options: StatusOptions | Callback | null | undefined = undefined,
  callback?: Callback,
): void {
  if (typeof options === "function") {
    callback = options as Callback;
    options = undefined;
  }
  checkCallback(callback);
  const target = pathOf(path);
  const bigint = Boolean(options?.bigint);
  binding.statfs(
    target,
    bigint,
    converting(callback, (bytes) => statFsFromBytes(bytes, bigint)),
  );
}

/** Deprecated in Node: calls back with a boolean and no error. */
export function exists(path: unknown, callback: (found: boolean) => void): void {
  checkCallback(callback);
  let target: string;
  try {
    target = pathOf(path);
  } catch {
    callback(false);
    return;
  }
  binding.exists(target, (_, found: boolean) => callback(found === true));
}
Object.defineProperty(exists, Symbol.for("nodejs.util.promisify.custom"), {
  __proto__: null,
  // A method, so that its name does not hide the function.
  value: {
    exists(path: unknown): Promise<boolean> {
      return new Promise((resolve) => exists(path, resolve));
    },
  }.exists,
} as PropertyDescriptor);

export function access(path: unknown, callback: Done): void;
export function access(path: unknown, mode: number | undefined, callback: Done): void;
export function access(path: unknown, mode: number | Callback | undefined, callback?: Callback): void {
  if (typeof mode === "function") {
    callback = mode as Callback;
    mode = 0;
  }
  const target = pathOf(path);
  const done = plain(callback);
  binding.access(target, smallMode(mode, 0), done);
}

// ---------------------------------------------------------------------------------------------------------------------
// Names

export function rename(oldPath: unknown, newPath: unknown, callback: Done): void {
  const done = plain(callback);
  const from = pathOf(oldPath, "oldPath");
  binding.rename(from, pathOf(newPath, "newPath"), done);
}

export function link(existingPath: unknown, newPath: unknown, callback: Done): void {
  const done = plain(callback);
  const from = pathOf(existingPath, "existingPath");
  binding.link(from, pathOf(newPath, "newPath"), done);
}

/** `(target, path[, type], callback)` */
export function symlink(target: unknown, path: unknown, callback: Done): void;
export function symlink(target: unknown, path: unknown, type: unknown, callback: Done): void;
export function symlink(target: unknown, path: unknown, type: unknown, callback?: Callback): void {
  if (callback === undefined) {
    callback = type as Callback;
    type = undefined;
    checkCallback(callback);
  } else {
    checkSymlinkType(type);
  }
  const denied = symlinkDenied();
  if (denied !== undefined) {
    plain(callback)(denied);
    return;
  }
  const to = pathOf(target, "target");
  binding.symlink(to, pathOf(path), plain(callback));
}

export function readlink(path: unknown, callback: Done<[string]>): void;
export function readlink(path: unknown, options: unknown, callback: Done<[GivenPath]>): void;
export function readlink(path: unknown, options: unknown, callback?: Callback): void {
  callback = checkCallback(typeof options === "function" ? options : callback);
  const { encoding } = getOptions(options);
  binding.readlink(
    pathOf(path),
    converting(callback, (target) => decodePath(target, encoding)),
  );
}

export function realpath(path: unknown, callback: Done<[string]>): void;
export function realpath(path: unknown, options: unknown, callback: Done<[GivenPath]>): void;
export function realpath(path: unknown, options: unknown, callback?: Callback): void {
  callback = checkCallback(typeof options === "function" ? options : callback);
  const { encoding } = getOptions(options);
  binding.realpath(
    pathOf(asText(path)),
    false,
    converting(callback, (real) => decodePath(real, encoding)),
  );
}

export function realpathNative(path: unknown, callback: Done<[string]>): void;
export function realpathNative(path: unknown, options: unknown, callback: Done<[GivenPath]>): void;
export function realpathNative(path: unknown, options: unknown, callback?: Callback): void {
  callback = checkCallback(callback || options);
  const { encoding } = getOptions(options);
  binding.realpath(
    pathOf(path),
    true,
    converting(callback, (real) => decodePath(real, encoding)),
  );
}

export function unlink(path: unknown, callback: Done): void {
  const done = plain(callback);
  binding.unlink(pathOf(path), done);
}

export function rmdir(path: unknown, callback: Done): void;
export function rmdir(path: unknown, options: unknown, callback: Done): void;
export function rmdir(path: unknown, options: unknown, callback?: Callback): void {
  if (typeof options === "function") {
    callback = options as Callback;
    options = undefined;
  }
  const done = plain(callback);
  const target = pathOf(path);
  if (rmdirRecursive(options)) binding.rm(target, false, true, 0, 0, done);
  else binding.rmdir(target, done);
}

/** Removes a file or tree; see rmSync. */
export function rm(path: unknown, callback: Done): void;
export function rm(path: unknown, options: unknown, callback: Done): void;
export function rm(path: unknown, options: unknown, callback?: Callback): void {
  if (typeof options === "function") {
    callback = options as Callback;
    options = undefined;
  }
  const target = getValidatedPath(path);
  const { force, recursive, maxRetries, retryDelay } = validateRmOptions(options);
  checkCallback(callback);
  binding.rm(nativePath(target), force, recursive, maxRetries, retryDelay, (error, removed: boolean) => {
    callback!(error || (removed ? null : rmIsDirectory(target)));
  });
}

/** Makes a directory; see mkdirSync. */
export function mkdir(path: unknown, callback: Done): void;
export function mkdir(path: unknown, options: MkdirOptions, callback: Done<[made: string | undefined]>): void;
export function mkdir(path: unknown, options: unknown, callback?: Callback): void {
  const target = pathOf(path);
  if (typeof options === "function") {
    callback = options as Callback;
    options = undefined;
  }
  const { mode, recursive } = mkdirOptions(options as MkdirOptions);
  if (!recursive) {
    binding.mkdir(target, mode, plain(callback));
    return;
  }
  const done = converting(callback, (made: string | undefined) =>
    made === undefined ? undefined : decodePath(made, "utf8"),
  );
  binding.mkdirAll(target, mode, done);
}

export function mkdtemp(prefix: unknown, callback: Done<[string]>): void;
export function mkdtemp(prefix: unknown, options: unknown, callback: Done<[GivenPath]>): void;
export function mkdtemp(prefix: unknown, options: unknown, callback?: Callback): void {
  callback = checkCallback(typeof options === "function" ? options : callback);
  const { encoding } = getOptions(options);
  binding.mkdtemp(
    tempPrefix(prefix),
    converting(callback, (path) => decodePath(path, encoding)),
  );
}

// ---------------------------------------------------------------------------------------------------------------------
// Directories

/** Lists a directory; see readdirSync. */
export function readdir(path: unknown, callback: Done<[string[]]>): void;
export function readdir(path: unknown, options: unknown, callback: Done<[GivenPath[] | Dirent<GivenPath>[]]>): void;
export function readdir(path: unknown, options: unknown, callback?: Callback): void {
  callback = checkCallback(typeof options === "function" ? options : callback);
  options = getOptions(options);
  const { encoding, withFileTypes } = options as CheckedOptions;
  const plainPath = getValidatedPath(path);
  const target = nativePath(plainPath);
  if ((options as CheckedOptions).recursive != null)
    validateBoolean((options as CheckedOptions).recursive, "options.recursive");
  const recursive = Boolean((options as CheckedOptions).recursive);
  if (!recursive && !withFileTypes) {
    binding.readdir(
      target,
      converting(callback, (names) => decodeNames(names, encoding)),
    );
    return;
  }
  binding.readdirTypes(
    target,
    recursive,
    converting(callback, ([names, types]) => {
      if (!withFileTypes) return decodeNames(names, encoding);
      const { direntsOf, direntsOfTree } = require("internal/fs/dirent");
      return (recursive ? direntsOfTree : direntsOf)(plainPath, names, types, encoding);
    }),
  );
}

// ---------------------------------------------------------------------------------------------------------------------
// Modes, owners, times

export function chmod(path: unknown, mode: number, callback: Done): void {
  const target = pathOf(path);
  mode = parseFileMode(mode, "mode");
  binding.chmod(target, mode, plain(callback));
}

export function fchmod(fd: number, mode: number, callback: Done): void {
  fd = getValidatedFd(fd);
  mode = parseFileMode(mode, "mode");
  binding.fchmod(fd, mode, plain(callback));
}

export function chown(path: unknown, uid: unknown, gid: unknown, callback: Done): void {
  const done = plain(callback);
  const target = pathOf(path);
  validateId(uid, "uid");
  validateId(gid, "gid");
  binding.chown(target, uid, gid, done);
}

export function lchown(path: unknown, uid: unknown, gid: unknown, callback: Done): void {
  const done = plain(callback);
  const target = pathOf(path);
  validateId(uid, "uid");
  validateId(gid, "gid");
  binding.lchown(target, uid, gid, done);
}

export function fchown(fd: number, uid: unknown, gid: unknown, callback: Done): void {
  fd = getValidatedFd(fd);
  validateId(uid, "uid");
  validateId(gid, "gid");
  binding.fchown(fd, uid, gid, plain(callback));
}

export function utimes(path: unknown, atime: unknown, mtime: unknown, callback: Done): void {
  const done = plain(callback);
  const target = pathOf(path);
  binding.utimes(target, toUnixTimestamp(atime), toUnixTimestamp(mtime), done);
}

export function lutimes(path: unknown, atime: unknown, mtime: unknown, callback: Done): void {
  const done = plain(callback);
  const target = pathOf(path);
  binding.lutimes(target, toUnixTimestamp(atime), toUnixTimestamp(mtime), done);
}

export function futimes(fd: number, atime: number, mtime: number, callback: Done): void {
  fd = getValidatedFd(fd);
  atime = toUnixTimestamp(atime, "atime");
  mtime = toUnixTimestamp(mtime, "mtime");
  binding.futimes(fd, atime, mtime, plain(callback));
}
