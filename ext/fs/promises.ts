// node:fs/promises (https://nodejs.org/api/fs.html#promises-api).

import type { CpOptions } from "internal/fs/cp";
import type { Dirent } from "internal/fs/dirent";
import type { BigIntStats, StatFs, Stats } from "internal/fs/stats";
import type { GivenPath, StatusOptions } from "internal/fs/types";
import { codes } from "internal/core/errors";
import { validateBoolean, validateInteger } from "internal/core/validators";
import { sharedConstants } from "internal/fs/constants";
import { FileHandle, isIterableData, run, runAbortable, writeToHandle } from "internal/fs/filehandle";
import { statFsFromBytes, statsFromBytes } from "internal/fs/stats";
import { checkSymlinkType, type MkdirOptions, mkdirOptions, symlinkDenied, tempPrefix } from "internal/fs/sync";
import {
  checkAborted,
  decodeNames,
  decodePath,
  getOptions,
  getValidatedPath,
  nativePath,
  parseFileMode,
  pathOf,
  rmIsDirectory,
  rmdirRecursive,
  smallMode,
  stringToFlags,
  takeBuffer,
  toBuffer,
  toUnixTimestamp,
  validateId,
  validateRmOptions,
  writeData,
  writeOptions,
} from "internal/fs/utils";
import { READ_START_ELSEWHERE, STATUS_BIGINT, STATUS_MAYBE, STATUS_NO_FOLLOW } from "internal/fs/native_constants";

const binding = native("fs");
const { defineProperty } = Object;

// The functions that programs call most are no async functions: the native promise is their result.

function access(path: unknown, mode: unknown = 0): Promise<void> {
  try {
    return binding.access(pathOf(path), smallMode(mode, 0));
  } catch (error) {
    return Promise.reject(error);
  }
}

async function copyFile(src: unknown, dest: unknown, mode?: unknown): Promise<void> {
  const from = pathOf(src, "src");
  const to = pathOf(dest, "dest");
  await run(binding.copyFile, from, to, smallMode(mode, 0));
}

async function cp(src: unknown, dest: unknown, options?: unknown): Promise<void> {
  const { cpAsync, validateCpOptions } = require("internal/fs/cp");
  options = validateCpOptions(options);
  const from = getValidatedPath(src, "src");
  const to = getValidatedPath(dest, "dest");
  await cpAsync(from, to, options as CpOptions);
}

/** Async iterator of the paths that match; see fs.glob. */
async function* glob(pattern: unknown, options?: unknown): AsyncGenerator<unknown> {
  const { Glob } = require("internal/fs/glob");
  yield* new Glob(pattern, options).glob();
}

/** Opens a file as a FileHandle. */
async function open(path: unknown, flags?: unknown, mode?: unknown): Promise<FileHandle> {
  const target = pathOf(path);
  const bits = stringToFlags(flags);
  mode = parseFileMode(mode, "mode", 0o666);
  return new FileHandle(await run(binding.open, target, bits, mode as number));
}

async function opendir(path: unknown, options?: unknown, _?: unknown): Promise<unknown> {
  const { opendirAsync } = require("internal/fs/dir");
  return new Promise((resolve, reject) => {
    opendirAsync(path, options, (error: NodeError | null | undefined, dir: unknown) =>
      error ? reject(error) : resolve(dir),
    );
  });
}

async function rename(oldPath: unknown, newPath: unknown): Promise<void> {
  const from = pathOf(oldPath, "oldPath");
  await run(binding.rename, from, pathOf(newPath, "newPath"));
}

async function truncate(path: unknown, len: number = 0): Promise<void> {
  const target = pathOf(path);
  validateInteger(len, "len");
  await run(binding.truncate, target, Math.max(0, len));
}

async function rm(path: unknown, options?: unknown): Promise<void> {
  const target = getValidatedPath(path);
  const { force, recursive, maxRetries, retryDelay } = validateRmOptions(options);
  if (!(await run(binding.rm, nativePath(target), force, recursive, maxRetries, retryDelay)))
    throw rmIsDirectory(target);
}

async function rmdir(path: unknown, options?: unknown): Promise<void> {
  const target = pathOf(path);
  if (rmdirRecursive(options)) await run(binding.rm, target, false, true, 0, 0);
  else await run(binding.rmdir, target);
}

async function mkdir(path: unknown, options?: unknown): Promise<string | undefined> {
  const target = pathOf(path);
  const { mode, recursive } = mkdirOptions(options as MkdirOptions);
  if (!recursive) {
    await run(binding.mkdir, target, mode);
    return undefined;
  }
  const made = await run(binding.mkdirAll, target, mode);
  return made === undefined ? undefined : decodePath(made, "utf8");
}

async function readdir(path: unknown, options?: unknown): Promise<GivenPath[] | Dirent<GivenPath>[]> {
  const { encoding, recursive, withFileTypes } = getOptions(options);
  const plain = getValidatedPath(path);
  const target = nativePath(plain);
  if (recursive != null) validateBoolean(recursive, "options.recursive");
  if (!recursive && !withFileTypes) return decodeNames(await run(binding.readdir, target), encoding);
  const [names, types] = await run(binding.readdirTypes, target, Boolean(recursive));
  if (!withFileTypes) return decodeNames(names, encoding);
  const { direntsOf, direntsOfTree } = require("internal/fs/dirent");
  return (recursive ? direntsOfTree : direntsOf)(plain, names, types, encoding);
}

async function readlink(path: unknown, options?: unknown): Promise<GivenPath> {
  const { encoding } = getOptions(options);
  return decodePath(await run(binding.readlink, pathOf(path)), encoding);
}

async function symlink(target: unknown, path: unknown, type?: unknown): Promise<void> {
  checkSymlinkType(type);
  const denied = symlinkDenied();
  if (denied !== undefined) throw denied;
  const to = pathOf(target, "target");
  await run(binding.symlink, to, pathOf(path));
}

const plainStats = (bytes: Uint8Array<ArrayBuffer> | undefined) =>
  bytes === undefined ? undefined : statsFromBytes(bytes, false);
const bigStats = (bytes: Uint8Array<ArrayBuffer> | undefined) =>
  bytes === undefined ? undefined : statsFromBytes(bytes, true);

function status(
  path: unknown,
  options: StatusOptions | null | undefined,
  flags: number,
): Promise<Stats | BigIntStats | undefined> {
  try {
    const target = pathOf(path);
    const bigint = Boolean(options?.bigint);
    if (bigint) flags |= STATUS_BIGINT;
    if (options?.throwIfNoEntry === false) flags |= STATUS_MAYBE;
    return binding.stat(target, flags).then(bigint ? bigStats : plainStats);
  } catch (error) {
    return Promise.reject(error);
  }
}

function lstat(
  path: unknown,
  options: StatusOptions | null | undefined = undefined,
): Promise<Stats | BigIntStats | undefined> {
  return status(path, options, STATUS_NO_FOLLOW);
}

function stat(
  path: unknown,
  options: StatusOptions | null | undefined = undefined,
): Promise<Stats | BigIntStats | undefined> {
  return status(path, options, 0);
}

async function statfs(path: unknown, options: StatusOptions | null | undefined = undefined): Promise<StatFs> {
  const bigint = Boolean(options?.bigint);
  return statFsFromBytes(await run(binding.statfs, pathOf(path), bigint), bigint);
}

async function link(existingPath: unknown, newPath: unknown): Promise<void> {
  const from = pathOf(existingPath, "existingPath");
  await run(binding.link, from, pathOf(newPath, "newPath"));
}

function unlink(path: unknown): Promise<void> {
  try {
    return binding.unlink(pathOf(path));
  } catch (error) {
    return Promise.reject(error);
  }
}

async function chmod(path: unknown, mode: unknown): Promise<void> {
  const target = pathOf(path);
  await run(binding.chmod, target, parseFileMode(mode, "mode"));
}

/** Only macOS has modes of links. */
async function lchmod(_path: unknown, _mode: unknown): Promise<void> {
  throw new codes.ERR_METHOD_NOT_IMPLEMENTED("lchmod()");
}

async function lchown(path: unknown, uid: unknown, gid: unknown): Promise<void> {
  const target = pathOf(path);
  validateId(uid, "uid");
  validateId(gid, "gid");
  await run(binding.lchown, target, uid, gid);
}

async function chown(path: unknown, uid: unknown, gid: unknown): Promise<void> {
  const target = pathOf(path);
  validateId(uid, "uid");
  validateId(gid, "gid");
  await run(binding.chown, target, uid, gid);
}

async function utimes(path: unknown, atime: unknown, mtime: unknown): Promise<void> {
  const target = pathOf(path);
  await run(binding.utimes, target, toUnixTimestamp(atime), toUnixTimestamp(mtime));
}

async function lutimes(path: unknown, atime: unknown, mtime: unknown): Promise<void> {
  const target = pathOf(path);
  await run(binding.lutimes, target, toUnixTimestamp(atime), toUnixTimestamp(mtime));
}

async function realpath(path: unknown, options?: unknown): Promise<GivenPath> {
  const { encoding } = getOptions(options);
  return decodePath(await run(binding.realpath, pathOf(path), true), encoding);
}

async function mkdtemp(prefix: unknown, options?: unknown): Promise<GivenPath> {
  const { encoding } = getOptions(options);
  return decodePath(await run(binding.mkdtemp, tempPrefix(prefix)), encoding);
}

/** A directory that is removed at the end of its use. */
interface DisposableDirectory extends AsyncDisposable {
  path: GivenPath;
  remove(): Promise<void>;
}

/** As mkdtemp(), as an object `{ path, remove() }`, which `await using` removes at the end of its block. */
async function mkdtempDisposable(prefix: unknown, options?: unknown): Promise<DisposableDirectory> {
  const { encoding } = getOptions(options);
  const made = await run(binding.mkdtemp, tempPrefix(prefix));
  // A relative path must lead to the same directory after chdir().
  const full = made.charCodeAt(0) === 0 ? made : require("node:path").resolve(made);
  return {
    __proto__: null,
    path: decodePath(made, encoding),
    async remove() {
      await run(binding.rm, full, true, true, 0, 0);
    },
    async [Symbol.asyncDispose]() {
      await this.remove();
    },
  } as DisposableDirectory;
}

/** Writes a whole file. `data`: string, view, (async) iterable or stream of them. */
async function writeFile(path: unknown, data: unknown, options?: unknown): Promise<void> {
  return writeWhole(path, data, options, "w");
}

async function appendFile(path: unknown, data: unknown, options?: unknown): Promise<void> {
  return writeWhole(path, data, options, "a");
}

async function writeWhole(path: unknown, data: unknown, options: unknown, flag: string): Promise<void> {
  const { encoding, mode, flags, flush, signal } = writeOptions(options, flag);
  const iterable = isIterableData(data);
  if (!iterable) data = writeData(data, encoding);
  if (path instanceof FileHandle) return path.writeFile(data, options);
  const target = pathOf(path);
  checkAborted(signal);
  if (!iterable) {
    if (typeof data === "string") {
      return runAbortable(signal, binding.writeFileText, target, data, flags, mode, flush);
    }
    return runAbortable(signal, binding.writeFile, target, data as ArrayBufferView, flags, mode, flush);
  }
  const handle = new FileHandle(await run(binding.open, target, flags, mode));
  let failure: unknown;
  try {
    await writeToHandle(handle, data, encoding, signal);
    if (flush) await handle.sync();
  } catch (error) {
    failure = error;
  }
  try {
    await handle.close();
  } catch (error) {
    failure = require("internal/core/errors").aggregateTwoErrors(error, failure);
  }
  if (failure) throw failure;
}

/** The contents of a file: a Buffer, or a string with an encoding. */
function readFile(
  path: unknown,
  options?: { encoding?: null; flag?: unknown; signal?: AbortSignal } | null,
): Promise<Buffer>;
function readFile(path: unknown, options: BufferEncoding | { encoding: BufferEncoding }): Promise<string>;
function readFile(path: unknown, options: unknown): Promise<string | Buffer>;
function readFile(path: unknown, options?: unknown): Promise<string | Buffer> {
  // No async function: the native promise is the result.
  try {
    let encoding = options as string | null | undefined;
    let signal: AbortSignal | undefined;
    let flags = 0;
    if (options !== undefined && options !== "utf8") {
      const checked = getOptions(options);
      ({ encoding, signal } = checked);
      if (checked.flag !== undefined) flags = stringToFlags(checked.flag);
    }
    if (typeof path === "object" && path instanceof FileHandle) return path.readFile(options);
    const target = pathOf(path);
    if (signal) {
      checkAborted(signal);
      return readAbortable(signal, target, flags, encoding);
    }
    if (encoding === "utf8" || encoding === "utf-8") return binding.readText(target, flags);
    if (encoding && encoding !== "buffer") {
      return binding.readFile(target, flags).then((bytes) => toBuffer(bytes).toString(encoding));
    }
    const size = flags === 0 ? binding.readStart(target) : READ_START_ELSEWHERE;
    return size === READ_START_ELSEWHERE
      ? binding.readFile(target, flags).then(toBuffer)
      : binding.later(takeBuffer(size));
  } catch (error) {
    return Promise.reject(error);
  }
}

async function readAbortable(
  signal: AbortSignal,
  target: string,
  flags: number,
  encoding: string | null | undefined,
): Promise<string | Buffer> {
  if (encoding === "utf8" || encoding === "utf-8") return runAbortable(signal, binding.readText, target, flags);
  const buffer = toBuffer(await runAbortable(signal, binding.readFile, target, flags));
  return encoding && encoding !== "buffer" ? buffer.toString(encoding) : buffer;
}

/** Async iterator of `{ eventType, filename }`; see fs.watch. */
async function* _watch(filename: unknown, options: unknown = {}): AsyncGenerator<unknown> {
  yield* require("internal/fs/watchers").watchEvents(filename, options);
}

/** The callback functions of node:fs by name. */
type CallbackFunctions = Record<string, (...args: unknown[]) => void>;

/** A function of node:fs that takes a descriptor, as a promise of what its callback gets first. Bun's addition to Node's functions. */
function onDescriptor<T>(name: string, length: number): (...args: unknown[]) => Promise<T> {
  const { [name]: fn } = {
    [name]: (...args: unknown[]) =>
      new Promise<T>((resolve, reject) => {
        (require("internal/fs/callbacks") as unknown as CallbackFunctions)[name]!(
          ...args,
          (error: unknown, value: T) => {
            if (error) reject(error);
            else resolve(value);
          },
        );
      }),
  };
  defineProperty(fn!, "length", { value: length, configurable: true });
  return fn!;
}

/** Promise of what happened to each of several buffers. */
function onBuffers(name: "readv" | "writev", count: "bytesRead" | "bytesWritten") {
  const call = onDescriptor<number>(name, 3);
  return async (fd: number, buffers: readonly ArrayBufferView[], position?: number | null) => ({
    [count]: await call(fd, buffers, position),
    buffers,
  });
}

/** Whether there is something of that name; never rejects. Bun's addition. */
async function exists(path: unknown): Promise<boolean> {
  try {
    return await binding.exists(pathOf(path));
  } catch {
    return false;
  }
}

export const promises = {
  exists,
  close: onDescriptor<void>("close", 1),
  fchmod: onDescriptor<void>("fchmod", 2),
  fchown: onDescriptor<void>("fchown", 3),
  fdatasync: onDescriptor<void>("fdatasync", 1),
  fstat: onDescriptor<Stats | BigIntStats>("fstat", 1),
  fsync: onDescriptor<void>("fsync", 1),
  ftruncate: onDescriptor<void>("ftruncate", 2),
  futimes: onDescriptor<void>("futimes", 3),
  read: onDescriptor<number>("read", 6),
  readv: onBuffers("readv", "bytesRead"),
  write: onDescriptor<number>("write", 6),
  writev: onBuffers("writev", "bytesWritten"),
  access,
  copyFile,
  cp,
  glob,
  open,
  opendir,
  rename,
  truncate,
  rm,
  rmdir,
  mkdir,
  readdir,
  readlink,
  symlink,
  lstat,
  stat,
  statfs,
  link,
  unlink,
  chmod,
  lchmod,
  lchown,
  chown,
  utimes,
  lutimes,
  realpath,
  mkdtemp,
  mkdtempDisposable,
  writeFile,
  appendFile,
  readFile,
  watch: _watch,
  constants: sharedConstants(),
};
