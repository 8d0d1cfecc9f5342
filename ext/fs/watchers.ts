// fs.watch, fs.watchFile and promises.watch (https://nodejs.org/api/fs.html#fswatchfilename-options-listener).

import type { Listener } from "internal/events/types";
import type { CheckedOptions, CheckedPath } from "internal/fs/types";
import EventEmitter from "node:events";
import { own, ownership } from "internal/events/async_context";
import { codes, uvException } from "internal/core/errors";
import { resources } from "internal/process/execution";
import {
  validateAbortSignal,
  validateBoolean,
  validateFunction,
  validateInteger,
  validateObject,
  validateOneOf,
  validateUint32,
} from "internal/core/validators";
import { Subscription } from "internal/fs/inotify";
import { emptyStats, statsFromBytes } from "internal/fs/stats";
import { abortError, getOptions, getValidatedPath, lazyBuffer, nativePath } from "internal/fs/utils";

const binding = native("fs");

// ---------------------------------------------------------------------------------------------------------------------
// What is left out (option `ignore`)

/** A glob pattern, a regular expression or a test for names. */
type Ignored = string | RegExp | ((name: string) => unknown);

/** Throws unless `ignore` is a glob pattern, a RegExp, a function, or an array of them. */
function validateIgnore(ignore: unknown, name: string): void {
  if (ignore == null) return;
  const check = (one: unknown, what: string) => {
    if (typeof one === "string") {
      if (one === "") throw new codes.ERR_INVALID_ARG_VALUE(what, one, "must be a non-empty string");
    } else if (!(one instanceof RegExp) && typeof one !== "function") {
      throw new codes.ERR_INVALID_ARG_TYPE(what, ["string", "RegExp", "Function"], one);
    }
  };
  if (Array.isArray(ignore)) ignore.forEach((one, i) => check(one, `${name}[${i}]`));
  else check(ignore, name);
}

/** A test for file names (relative paths of recursive watches), or null. */
function ignoreMatcher(ignore: Ignored | Ignored[] | null | undefined): ((name: string) => boolean) | null {
  if (ignore == null) return null;
  const tests = (Array.isArray(ignore) ? ignore : [ignore]).map((one: Ignored) => {
    if (typeof one === "function") return one;
    if (one instanceof RegExp)
      return (name: string) => new RegExp(one.source, one.flags.replace(/[gy]/g, "")).test(name);
    const { matchesGlob } = require("internal/path/glob");
    // A pattern without a slash is for the last part of the path.
    if (!one.includes("/")) return (name: string) => matchesGlob(name.slice(name.lastIndexOf("/") + 1), one, false);
    return (name: string) => matchesGlob(name, one, false);
  });
  return (name) => tests.some((test) => Boolean(test(name)));
}

function encodeName(
  name: string,
  bytes: Uint8Array | undefined,
  encoding: string | null | undefined,
): string | Uint8Array {
  if (encoding === undefined || encoding === null || encoding === "utf8" || encoding === "utf-8") return name;
  const buffer = bytes ?? lazyBuffer().from(name);
  return encoding === "buffer" ? buffer : (buffer as Buffer).toString(encoding);
}

/** Starts watching; turns what fails into the errors that Node gives. */
function subscribe(
  path: CheckedPath,
  recursive: boolean,
  persistent: boolean,
  listener: (type: "rename" | "change", name: string, bytes: Uint8Array | undefined) => void,
  failed: (error: NodeError) => void,
): Subscription {
  if (recursive) {
    const full = typeof path === "string" ? require("node:path").resolve(path) : path;
    try {
      binding.statSync(nativePath(full), new Float64Array(14), 0);
    } catch (error) {
      (error as NodeError & { filename?: CheckedPath }).filename = full;
      throw error;
    }
    return new Subscription(nativePath(full), true, persistent, listener, (error) => failed(watchError(error, full)));
  }
  try {
    return new Subscription(nativePath(path), false, persistent, listener, (error) => failed(watchError(error, path)));
  } catch (error) {
    throw watchError(error as NodeError, path);
  }
}

function watchError(error: NodeError, path: CheckedPath): NodeError {
  if (typeof error?.errno !== "number") return error;
  const better: NodeError & { filename?: CheckedPath } = uvException({
    errno: error.errno,
    syscall: "watch",
    path,
    message: error.code === "ENOSPC" ? "System limit for number of file watchers reached" : "",
  });
  better.filename = path;
  return better;
}

// ---------------------------------------------------------------------------------------------------------------------
// fs.watch

/** What FSWatcher keeps in `_handle`. */
class FSEvent {
  declare subscription: Subscription;
  constructor(subscription: Subscription) {
    Object.defineProperty(this, "subscription", { value: subscription, enumerable: false });
  }
}

/** The options of fs.watch, checked. */
interface WatchOptions {
  persistent: boolean;
  recursive: boolean;
  encoding: string | null | undefined;
  ignore: Ignored | Ignored[] | null | undefined;
}

// The graph of modules that a watcher belongs to is disposed: it tells nobody any more.
function abandon(watcher: FSWatcher | StatWatcher): void {
  watcher.removeAllListeners();
  if (watcher instanceof FSWatcher) watcher.close();
  else watcher.stop();
}

/** Emits 'change' (type, file name), 'error' and 'close'. */
class FSWatcher extends EventEmitter {
  _handle: FSEvent | null = null;
  _ignoreMatcher: ((name: string) => boolean) | null = null;

  /** Called by fs.watch. */
  static start(watcher: FSWatcher, path: CheckedPath, options: WatchOptions): void {
    watcher._ignoreMatcher = ignoreMatcher(options.ignore);
    const subscription = subscribe(
      path,
      options.recursive,
      options.persistent,
      (type, name, bytes) => {
        if (watcher._handle === null || watcher._ignoreMatcher?.(name)) return;
        watcher.emit("change", type, encodeName(name, bytes, options.encoding));
      },
      (error) => {
        watcher.close();
        watcher.emit("error", error);
      },
    );
    watcher._handle = new FSEvent(subscription);
    own(watcher, abandon);
    if (resources.opened !== undefined)
      resources.opened(
        "FSEventWrap",
        () => watcher._handle !== null,
        () => watcher.close(),
      );
  }

  /** Does nothing: fs.watch has started the watcher. */
  start(): void {}

  close(): void {
    if (this._handle === null) return;
    this._handle.subscription.close();
    this._handle = null;
    process.nextTick(() => this.emit("close"));
  }

  ref(): this {
    this._handle?.subscription.setReferenced(true);
    return this;
  }

  unref(): this {
    this._handle?.subscription.setReferenced(false);
    return this;
  }
}

function onAbort(signal: AbortSignal, close: () => void): () => void {
  signal.addEventListener("abort", close, { once: true });
  return () => signal.removeEventListener("abort", close);
}

/**
 * Watches a file or directory. Options: `persistent` (true), `recursive`, `encoding` of file names, `signal`, `ignore`
 * (globs, regular expressions, functions). The listener gets ("rename" | "change", file name).
 */
export function watch(filename: unknown, options: unknown, listener?: Listener): FSWatcher {
  if (typeof options === "function") listener = options as Listener;
  const {
    persistent = true,
    recursive = false,
    encoding = "utf8",
    signal,
    ignore,
  } = getOptions(options, {}) as CheckedOptions & Partial<WatchOptions>;
  const path = getValidatedPath(filename);
  if (recursive != null) validateBoolean(recursive, "options.recursive");
  validateIgnore(ignore, "options.ignore");
  const watcher = new FSWatcher();
  FSWatcher.start(watcher, path, { persistent: Boolean(persistent), recursive, encoding, ignore });
  if (listener) watcher.addListener("change", listener);
  if (signal) {
    if (signal.aborted) process.nextTick(() => watcher.close());
    else
      watcher.once(
        "close",
        onAbort(signal, () => watcher.close()),
      );
  }
  return watcher;
}

interface WatchEventsOptions extends WatchOptions {
  /** How many events may wait. */
  maxQueue: number;
  overflow: "ignore" | "throw";
  signal: AbortSignal;
}

/** Async iterator of `{ eventType, filename }`. Further options: `maxQueue` (2048), `overflow` ("ignore" | "throw"). */
export async function* watchEvents(filename: unknown, options: unknown = {}): AsyncGenerator<unknown> {
  const path = getValidatedPath(filename);
  validateObject(options, "options");
  const {
    persistent = true,
    recursive = false,
    encoding = "utf8",
    maxQueue = 2048,
    overflow = "ignore",
    signal,
    ignore,
  } = options as Partial<WatchEventsOptions>;
  validateBoolean(persistent, "options.persistent");
  validateBoolean(recursive, "options.recursive");
  validateInteger(maxQueue, "options.maxQueue");
  validateOneOf(overflow, "options.overflow", ["ignore", "throw"]);
  validateAbortSignal(signal, "options.signal");
  validateIgnore(ignore, "options.ignore");
  if (encoding && encoding !== "buffer" && !lazyBuffer().isEncoding(encoding)) {
    throw new codes.ERR_INVALID_ARG_VALUE("encoding", encoding, "is invalid encoding");
  }
  if (signal?.aborted) throw abortError(signal);

  const ignored = ignoreMatcher(ignore);
  const events: unknown[] = [];
  let failure: unknown;
  let wake: () => void = () => {};
  const fail = (error: NodeError | null | undefined) => {
    failure ??= error;
    wake();
  };
  const subscription = subscribe(
    path,
    recursive,
    persistent,
    (eventType, name, bytes) => {
      if (ignored?.(name)) return;
      if (events.length < maxQueue) {
        events.push({ __proto__: null, eventType, filename: encodeName(name, bytes, encoding) });
        wake();
      } else if (overflow === "ignore") {
        process.emitWarning("fs.watch maxQueue exceeded");
      } else {
        fail(new codes.ERR_FS_WATCH_QUEUE_OVERFLOW(maxQueue));
      }
    },
    fail,
  );
  const forget = signal ? onAbort(signal, () => fail(abortError(signal))) : undefined;
  try {
    while (true) {
      if (failure) throw failure;
      if (events.length > 0) {
        yield events.shift();
        continue;
      }
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  } finally {
    subscription.close();
    forget?.();
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// fs.watchFile

/** Fields of a status whose change is reported: all but access time, counts of links and blocks. */
const COMPARED = [0, 1, 3, 4, 7, 8, 11, 12, 13];

const kOldStatus = Symbol("kOldStatus");
const kUseBigint = Symbol("kUseBigint");
const watchedFiles = new Map<string, StatWatcher>();

/** Looks at a file again and again; emits 'change' (present status, former status) and 'stop'. */
class StatWatcher extends EventEmitter {
  /** The error number of the last look, -1 before the first. */
  declare [kOldStatus]: number;
  declare [kUseBigint]: unknown;
  #path = "";
  #interval = 0;
  #persistent = true;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #running = false;
  /** How many of those who asked for the watcher keep the process alive. */
  #referenced = 0;
  #users = 0;
  /** The bytes of the last status; undefined before the first. */
  #last: Uint8Array | undefined;
  /** The error number of the last look, 0 after a good one, undefined before the first. */
  #lastError: number | undefined;

  constructor(bigint: unknown) {
    super();
    this[kOldStatus] = -1;
    this[kUseBigint] = bigint;
  }

  /** Begins to watch `path` every `interval` milliseconds. */
  static begin(watcher: StatWatcher, path: string, persistent: boolean, interval: number): void {
    if (watcher.#running) return;
    watcher.#running = true;
    watcher.#path = path;
    watcher.#interval = interval;
    watcher.#persistent = persistent;
    watcher.#referenced = 1;
    watcher.#users = 1;
    watcher.#look();
  }

  /** Another user joins (+1), or one leaves (-1). */
  static count(watcher: StatWatcher, change: number): void {
    watcher.#users += change;
    watcher.#referenced = change > 0 ? watcher.#referenced + 1 : Math.min(watcher.#referenced, watcher.#users);
    watcher.#applyRef();
  }

  #look(): void {
    const started = Date.now();
    const bigint = Boolean(this[kUseBigint]);
    binding.stat(this.#path, bigint ? 1 : 0, (error, bytes) => {
      if (!this.#running) return;
      // Armed first: a listener may throw.
      const elapsed = Date.now() - started;
      this.#timer = setTimeout(() => this.#look(), Math.max(1, this.#interval - elapsed));
      this.#applyRef();
      this.#compare(error, bytes, bigint);
    });
  }

  #compare(error: Native.NativeError | undefined, bytes: Uint8Array | undefined, bigint: boolean): void {
    const former = this.#last;
    const formerError = this.#lastError;
    const before = () => (former === undefined ? emptyStats(bigint) : statsFromBytes(former, bigint));
    if (error) {
      const number = error.errno ?? -1;
      if (formerError === number) return;
      this.#lastError = number;
      this[kOldStatus] = number;
      this.#last = undefined;
      this.emit("change", emptyStats(bigint), before());
      return;
    }
    this.#last = bytes;
    this.#lastError = 0;
    this[kOldStatus] = 0;
    if (formerError === undefined) return;
    if (formerError === 0 && former !== undefined && sameStatus(former, bytes!)) return;
    this.emit("change", statsFromBytes(bytes!, bigint), before());
  }

  #applyRef(): void {
    if (this.#timer === undefined) return;
    if (this.#persistent && this.#referenced > 0) this.#timer.ref();
    else this.#timer.unref();
  }

  /** Does nothing: fs.watchFile has started the watcher. */
  start(): void {}

  /** Ends watching; 'stop' follows. */
  stop(): void {
    if (!this.#running) return;
    this.#running = false;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    process.nextTick(() => this.emit("stop"));
  }

  ref(): this {
    this.#persistent = true;
    this.#referenced = Math.max(this.#users, 1);
    this.#applyRef();
    return this;
  }

  unref(): this {
    this.#referenced = 0;
    this.#applyRef();
    return this;
  }
}

function sameStatus(a: Uint8Array, b: Uint8Array): boolean {
  const x = new BigInt64Array(a.buffer);
  const y = new BigInt64Array(b.buffer);
  return COMPARED.every((field) => x[field] === y[field]);
}

interface WatchFileOptions {
  persistent?: unknown;
  /** Milliseconds between two looks. */
  interval?: number;
  bigint?: unknown;
}

/**
 * Looks at a file every `interval` milliseconds (5007). Options: `persistent`, `interval`, `bigint`. The listener gets
 * the present and the former status; all zeros for a file that is not there.
 */
export function watchFile(filename: unknown, options: unknown, listener?: unknown): StatWatcher {
  const path = resolved(filename);
  const key = keyOf(path);
  if (options === null || typeof options !== "object") {
    listener = options;
    options = undefined;
  }
  const { persistent = true, interval = 5007, bigint } = (options ?? {}) as WatchFileOptions;
  validateFunction(listener, "listener");
  let watcher = watchedFiles.get(key);
  if (watcher === undefined) {
    // What fails later looks like a file that is not there.
    if (!native("process").permissionHas("fs.read", path)) {
      const text = "Access to this API has been restricted. Use --allow-fs-read to manage permissions.";
      throw new codes.ERR_ACCESS_DENIED(text, "FileSystemRead", path);
    }
    validateUint32(interval, "interval");
    watcher = new StatWatcher(bigint);
    StatWatcher.begin(watcher, nativePath(path), Boolean(persistent), interval);
    watchedFiles.set(key, watcher);
    own(watcher, (ended) => {
      watchedFiles.delete(key);
      abandon(ended);
    });
  } else {
    StatWatcher.count(watcher, 1);
  }
  watcher.addListener("change", listener);
  return watcher;
}

/** A graph of modules has watchers of its own: they end with it. */
function keyOf(path: string): string {
  const owner = ownership.current?.() ?? 0;
  return owner === 0 ? path : `${owner} ${path}`;
}

function resolved(filename: unknown): string {
  const path = getValidatedPath(filename);
  return require("node:path").resolve(typeof path === "string" ? path : lazyBuffer().from(path).toString());
}

export type { FSWatcher, StatWatcher };

/** Ends what watchFile() began: for one listener, or all. */
export function unwatchFile(filename: unknown, listener?: Listener): void {
  const key = keyOf(resolved(filename));
  const watcher = watchedFiles.get(key);
  if (watcher === undefined) return;
  if (typeof listener === "function") {
    const before = watcher.listenerCount("change");
    watcher.removeListener("change", listener);
    if (watcher.listenerCount("change") < before) StatWatcher.count(watcher, -1);
  } else {
    watcher.removeAllListeners("change");
  }
  if (watcher.listenerCount("change") === 0) {
    watcher.stop();
    watchedFiles.delete(key);
  }
}
