// node:fs, https://nodejs.org/api/fs.html
//
// Only the synchronous functions are loaded with this module. All else (callbacks, promises, streams, watching, cp, glob,
// Dir, constants) is loaded when it is first used. The functions are plain properties all the same, because test tools
// replace them: those of internal/fs/callbacks are stood for by small functions.

import type { Listener } from "internal/events/types";
import type { CpOptions } from "internal/fs/cp";
import type { Dir } from "internal/fs/dir";
import type { FSWatcher, StatWatcher } from "internal/fs/watchers";
import type { FileStreamConstructor, ReadStream, WriteStream } from "internal/fs/streams";
import type { CheckedPath, Done } from "internal/fs/types";
import * as sync from "internal/fs/sync";
import { checkCallback, getValidatedPath, toUnixTimestamp } from "internal/fs/utils";

const { defineProperties } = Object;
const { apply } = Reflect;

/** Copies a file or, with `recursive`, a tree. */
function cp(src: unknown, dest: unknown, options: unknown, callback: Callback): void {
  if (typeof options === "function") {
    callback = options as Callback;
    options = undefined;
  }
  checkCallback(callback);
  const { cpAsync, validateCpOptions } = require("internal/fs/cp");
  options = validateCpOptions(options);
  src = getValidatedPath(src, "src");
  dest = getValidatedPath(dest, "dest");
  settle(cpAsync(src as CheckedPath, dest as CheckedPath, options as CpOptions), callback);
}

/**
 * Copies a file or, with `recursive`, a tree. Options: `dereference`, `errorOnExist`, `filter`, `force`, `mode`,
 * `preserveTimestamps`, `recursive`, `verbatimSymlinks`.
 */
function cpSync(src: unknown, dest: unknown, options?: unknown): void {
  const cp = require("internal/fs/cp");
  options = cp.validateCpOptions(options);
  src = getValidatedPath(src, "src");
  dest = getValidatedPath(dest, "dest");
  cp.cpSync(src as CheckedPath, dest as CheckedPath, options as CpOptions);
}

/** Calls back outside of the promise, so that what the callback throws is an uncaught exception. */
function settle(promise: Promise<unknown>, callback: Callback): void {
  promise.then(
    (value) => process.nextTick(value === undefined ? () => callback(null) : () => callback(null, value)),
    (error) => process.nextTick(callback, error),
  );
}

/** The paths that match a pattern or one of several. */
function glob(pattern: unknown, options: unknown, callback: Callback): void {
  if (typeof options === "function") {
    callback = options as Callback;
    options = undefined;
  }
  checkCallback(callback);
  const { Glob } = require("internal/fs/glob");
  const search = new Glob(pattern, options);
  settle(
    (async () => {
      const results = [];
      for await (const result of search.glob()) results.push(result);
      return results;
    })(),
    callback,
  );
}

/** The same. Options: `cwd`, `exclude` (a function, or patterns), `withFileTypes`. */
function globSync(pattern: unknown, options?: unknown): unknown[] {
  const { Glob } = require("internal/fs/glob");
  return new Glob(pattern, options).globSync();
}

function watch(_filename: unknown, _listener?: Listener): FSWatcher;
function watch(_filename: unknown, _options: unknown, _listener?: Listener): FSWatcher;
function watch(_filename: unknown, _options?: unknown, _listener?: unknown): unknown {
  return Reflect.apply(require("internal/fs/watchers").watch, undefined, arguments);
}

function watchFile(_filename: unknown, _listener: Listener): StatWatcher;
function watchFile(_filename: unknown, _options: unknown, _listener: Listener): StatWatcher;
function watchFile(_filename: unknown, _options: unknown, _listener?: unknown): unknown {
  return Reflect.apply(require("internal/fs/watchers").watchFile, undefined, arguments);
}

function unwatchFile(filename: unknown, listener?: Listener): void {
  require("internal/fs/watchers").unwatchFile(filename, listener);
}

function opendir(_path: unknown, _callback: Done<[Dir]>): void;
function opendir(_path: unknown, _options: unknown, _callback: Done<[Dir]>): void;
function opendir(_path: unknown, _options: unknown, _callback?: unknown): void {
  Reflect.apply(require("internal/fs/dir").opendir, undefined, arguments);
}

function opendirSync(path: unknown, options?: unknown) {
  return require("internal/fs/dir").opendirSync(path, options);
}

function createReadStream(path: unknown, options?: object): ReadStream {
  const { ReadStream } = require("internal/fs/streams");
  return new (ReadStream as unknown as FileStreamConstructor<ReadStream>)(path, options);
}

function createWriteStream(path: unknown, options?: object): WriteStream {
  const { WriteStream } = require("internal/fs/streams");
  return new (WriteStream as unknown as FileStreamConstructor<WriteStream>)(path, options);
}

/** Promise of a Blob on a file, which is read when the blob is. Option: `type`. */
function openAsBlob(path: unknown, options: unknown = {}): Promise<unknown> {
  return require("internal/fs/blob").openAsBlob(path, options);
}

type Callbacks = typeof import("internal/fs/callbacks");

let callbacks: Record<string, (...values: unknown[]) => unknown>;

/** A function of internal/fs/callbacks, which is loaded when the first of them is called. */
function delegate<K extends keyof Callbacks>(name: K, length: number): Callbacks[K] {
  const fn = function (): unknown {
    callbacks ??= require("internal/fs/callbacks") as unknown as typeof callbacks;
    return apply(callbacks[name]!, undefined, arguments);
  };
  defineProperties(fn, {
    name: { value: name, configurable: true },
    length: { value: length, configurable: true },
  });
  return fn as Callbacks[K];
}

const fs = {
  appendFile: delegate("appendFile", 4),
  appendFileSync: sync.appendFileSync,
  access: delegate("access", 3),
  accessSync: sync.accessSync,
  chown: delegate("chown", 4),
  chownSync: sync.chownSync,
  chmod: delegate("chmod", 3),
  chmodSync: sync.chmodSync,
  close: delegate("close", 1),
  closeSync: sync.closeSync,
  copyFile: delegate("copyFile", 4),
  copyFileSync: sync.copyFileSync,
  cp,
  cpSync,
  createReadStream,
  createWriteStream,
  exists: delegate("exists", 2),
  existsSync: sync.existsSync,
  fchown: delegate("fchown", 4),
  fchownSync: sync.fchownSync,
  fchmod: delegate("fchmod", 3),
  fchmodSync: sync.fchmodSync,
  fdatasync: delegate("fdatasync", 2),
  fdatasyncSync: sync.fdatasyncSync,
  fstat: delegate("fstat", 1),
  fstatSync: sync.fstatSync,
  fsync: delegate("fsync", 2),
  fsyncSync: sync.fsyncSync,
  ftruncate: delegate("ftruncate", 1),
  ftruncateSync: sync.ftruncateSync,
  futimes: delegate("futimes", 4),
  futimesSync: sync.futimesSync,
  glob,
  globSync,
  lchown: delegate("lchown", 4),
  lchownSync: sync.lchownSync,
  // Only macOS has modes of links.
  lchmod: undefined,
  lchmodSync: undefined,
  link: delegate("link", 3),
  linkSync: sync.linkSync,
  lstat: delegate("lstat", 1),
  lstatSync: sync.lstatSync,
  lutimes: delegate("lutimes", 4),
  lutimesSync: sync.lutimesSync,
  mkdir: delegate("mkdir", 3),
  mkdirSync: sync.mkdirSync,
  mkdtemp: delegate("mkdtemp", 3),
  mkdtempSync: sync.mkdtempSync,
  mkdtempDisposableSync: sync.mkdtempDisposableSync,
  open: delegate("open", 4),
  openSync: sync.openSync,
  openAsBlob,
  readdir: delegate("readdir", 3),
  readdirSync: sync.readdirSync,
  read: delegate("read", 6),
  readSync: sync.readSync,
  readv: delegate("readv", 4),
  readvSync: sync.readvSync,
  readFile: delegate("readFile", 3),
  readFileSync: sync.readFileSync,
  readlink: delegate("readlink", 3),
  readlinkSync: sync.readlinkSync,
  realpath: delegate("realpath", 3),
  realpathSync: sync.realpathSync,
  rename: delegate("rename", 3),
  renameSync: sync.renameSync,
  rm: delegate("rm", 3),
  rmSync: sync.rmSync,
  rmdir: delegate("rmdir", 3),
  rmdirSync: sync.rmdirSync,
  stat: delegate("stat", 1),
  statfs: delegate("statfs", 1),
  statSync: sync.statSync,
  statfsSync: sync.statfsSync,
  symlink: delegate("symlink", 4),
  symlinkSync: sync.symlinkSync,
  truncate: delegate("truncate", 3),
  truncateSync: sync.truncateSync,
  unwatchFile,
  unlink: delegate("unlink", 2),
  unlinkSync: sync.unlinkSync,
  utimes: delegate("utimes", 4),
  utimesSync: sync.utimesSync,
  watch,
  watchFile,
  writeFile: delegate("writeFile", 4),
  writeFileSync: sync.writeFileSync,
  write: delegate("write", 6),
  writeSync: sync.writeSync,
  writev: delegate("writev", 4),
  writevSync: sync.writevSync,
};

/** fs.realpath, which has another function as a member. */
type Realpath = Callbacks["realpath"] & { native: Callbacks["realpathNative"] };

type Promises = typeof import("internal/fs/promises").promises;

/** The members that are added below. */
interface LazyMembers {
  realpath: Realpath;
  Dirent: typeof import("internal/fs/dirent").Dirent;
  Stats: ReturnType<typeof import("internal/fs/stats").deprecatedStats>;
  ReadStream: FileStreamConstructor<ReadStream>;
  WriteStream: FileStreamConstructor<WriteStream>;
  FileReadStream: FileStreamConstructor<ReadStream>;
  FileWriteStream: FileStreamConstructor<WriteStream>;
  Utf8Stream: typeof import("internal/fs/utf8_stream").Utf8Stream;
  _toUnixTimestamp: typeof toUnixTimestamp;
  Dir: typeof import("internal/fs/dir").Dir;
  opendir: typeof opendir;
  opendirSync: typeof opendirSync;
  readonly constants: Record<string, number>;
  promises: Omit<Promises, "open"> & {
    /** A FileHandle; open for types as long as repl/history.ts puts null into the variable that it makes of one. */
    open(...values: Parameters<Promises["open"]>): Promise<any>;
  };
  F_OK: number;
  R_OK: number;
  W_OK: number;
  X_OK: number;
}

/** A property whose value comes from `load` on first use; programs may put another value there. */
function lazy(load: () => unknown): PropertyDescriptor {
  let value: unknown;
  let known = false;
  return {
    get() {
      if (!known) {
        value = load();
        known = true;
      }
      return value;
    },
    set(given) {
      value = given;
      known = true;
    },
    enumerable: true,
    configurable: true,
  };
}

const hidden = (value: number): PropertyDescriptor => ({
  value,
  writable: true,
  enumerable: false,
  configurable: true,
});

defineProperties(fs, {
  Dirent: lazy(() => require("internal/fs/dirent").Dirent),
  Stats: lazy(() => require("internal/fs/stats").deprecatedStats()),
  ReadStream: lazy(() => require("internal/fs/streams").ReadStream),
  WriteStream: lazy(() => require("internal/fs/streams").WriteStream),
  // The old names. A program that replaces one pair does not replace the other.
  FileReadStream: lazy(() => require("internal/fs/streams").ReadStream),
  FileWriteStream: lazy(() => require("internal/fs/streams").WriteStream),
  Utf8Stream: lazy(() => require("internal/fs/utf8_stream").Utf8Stream),
  _toUnixTimestamp: { value: toUnixTimestamp, writable: true, enumerable: true, configurable: true },
  Dir: lazy(() => require("internal/fs/dir").Dir),
  opendir: { value: opendir, writable: true, enumerable: true, configurable: true },
  opendirSync: { value: opendirSync, writable: true, enumerable: true, configurable: true },
  constants: { get: () => require("internal/fs/constants").sharedConstants(), enumerable: true, configurable: false },
  promises: {
    get: () => require("internal/fs/promises").promises,
    enumerable: true,
    configurable: true,
  },
  // Node has dropped these four; Bun, and many programs, still have them.
  F_OK: hidden(0),
  R_OK: hidden(4),
  W_OK: hidden(2),
  X_OK: hidden(1),
});

(fs.realpath as Realpath).native = delegate("realpathNative", 3);
defineProperties((fs.realpath as Realpath).native, { name: { value: "native", configurable: true } });

// util.promisify() asks for these: they are found in the functions behind.
const customPromisify = Symbol.for("nodejs.util.promisify.custom");
for (const name of ["exists", "read", "readv", "write", "writev"]) {
  defineProperties(fs[name as keyof typeof fs], {
    [customPromisify]: {
      get: () =>
        (require("internal/fs/callbacks") as unknown as Record<string, { [key: symbol]: unknown }>)[name]![
          customPromisify
        ],
      enumerable: false,
      configurable: true,
    },
  });
}

export default fs as typeof fs & LazyMembers;
