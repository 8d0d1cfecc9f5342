// Small members of the `Bun` object.
import { codes } from "internal/core/errors";
import { textOf } from "internal/core/validators";
import { exchangeContext } from "internal/events/async_context";
import { invalidType, notImplemented } from "bun/util";
import { setImmediate } from "web/timers";

/** Whether standard output shows colours. */
export const enableANSIColors: boolean = (() => {
  const { env, stdout } = require("node:process");
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR !== "0" && env.FORCE_COLOR !== "false";
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== "") return false;
  return Boolean(stdout.isTTY);
})();

/** A collection that was asked for comes at the end of this turn of the loop. */
let isCollectionDue = false;

/**
 * Collects garbage, all of it: at once if `force` is true, else when the turn of the loop is over, once for all calls, unless the process
 * ends before. Gives the size of the heap in bytes, which is that before a collection that is still to come.
 */
export function gc(force?: unknown): number {
  if (force === true) native("loop").gc();
  else if (!isCollectionDue) {
    isCollectionDue = true;
    // Nobody's alone: who asks first may go before it comes.
    const prior = exchangeContext(undefined);
    setImmediate(() => {
      isCollectionDue = false;
      native("loop").gc();
    }).unref();
    exchangeContext(prior);
  }
  return require("node:process").memoryUsage().heapUsed;
}

/**
 * Heap snapshots: `"v8"` gives the text of a `.heapsnapshot` file, as an ArrayBuffer where `encoding` says so; `"jsc"`, the default, an
 * object in the format of JavaScriptCore's inspector.
 */
export function generateHeapSnapshot(format?: unknown, encoding?: unknown): string | ArrayBuffer | object {
  if (format === undefined || format === "jsc") return require("internal/v8/inspector_snapshot").inspectorSnapshot();
  if (format !== "v8") throw invalidType("Expected 'v8' or 'jsc' or undefined");
  if (encoding !== undefined && encoding !== "arraybuffer")
    throw invalidType('The encoding of a heap snapshot is "arraybuffer" or undefined');
  const text = require("internal/v8/heap_snapshot").takeSnapshot(undefined);
  return encoding === undefined ? text : (new TextEncoder().encode(text).buffer as ArrayBuffer);
}

/** Gives memory that is not needed back to the system. */
export function shrink(): void {
  native("loop").gc();
}

/** Nanoseconds since the process has started. */
export function nanoseconds(): number {
  return Math.round(require("web/performance").performance.now() * 1e6);
}

const PAGE = 4096;

/** A number of bytes: other values as the numbers that they stand for, 0 for those that stand for none, as in Bun. */
function count(value: unknown, name: string): number {
  const bytes = Math.trunc(Number(value)) || 0;
  if (bytes >= 0) return bytes;
  throw invalidType(`${name} must be a non-negative integer`);
}

/**
 * A file as memory: a Uint8Array whose bytes are those of the file.
 * @param options `shared`: writes go to the file (default true); `offset` and `size` in bytes
 */
export function mmap(
  path: unknown,
  options?: { offset?: unknown; size?: unknown; shared?: unknown } | null,
): Uint8Array {
  const target = typeof path === "string" ? path : undefined;
  if (target === undefined) throw invalidType("path must be a string");
  if (options !== undefined && typeof options !== "object") {
    throw invalidType("MMapOptions must be an object");
  }
  const offset = options?.offset === undefined ? 0 : count(options.offset, "offset");
  const given = options?.size === undefined ? Infinity : count(options.size, "size");
  const size = given === Infinity ? undefined : given;
  // Pages begin at multiples of their size.
  const skipped = offset % PAGE;
  const { mapFile } = native("bun");
  const memory: ArrayBuffer = mapFile(
    require("node:path").resolve(target),
    offset - skipped,
    size === undefined ? undefined : size + skipped,
    options?.shared === undefined || Boolean(options.shared),
  );
  return new Uint8Array(memory, skipped);
}
Object.defineProperty(mmap, "length", { value: 1 });

/** Macros run in the bundler, which bao does not have. */
export function registerMacro(_id: unknown, _macro: unknown): never {
  throw notImplemented("Bun.registerMacro");
}

/**
 * The result of a promise that is settled, at once; a promise that is not, and any other value, comes back as it is.
 */
export function peek(promise: unknown): unknown {
  if (!(promise instanceof Promise)) return promise;
  const details = native("inspect").promiseDetails(promise);
  if (details === undefined || details[0] === 0) return promise;
  // Whoever looks at a rejection has seen it.
  if (details[0] === 2) promise.catch(() => {});
  return details[1];
}

/** "pending", "fulfilled" or "rejected"; other values are "fulfilled". */
peek.status = function status(promise: unknown): string {
  const details = native("inspect").promiseDetails(promise);
  return details === undefined ? "fulfilled" : ["pending", "fulfilled", "rejected"][details[0]]!;
};

function directoryOf(parent: string): string {
  if (parent === undefined) throw invalidType("Expected a from path");
  parent = `${parent}`;
  if (parent.startsWith("file:")) parent = require("node:url").fileURLToPath(parent);
  // A directory is what the specifier is looked for from, and so is that of a file.
  if (parent.endsWith("/")) return parent;
  return native("fs").kindOfSync(parent) === 1 ? `${parent}/` : parent;
}

/** The error of a module that is not there, in Bun's words. */
function missingModule(specifier: string, referrer: string): Error {
  const what = specifier === "" || /^(?:\.{0,2}\/|\.{1,2}$|[a-z]+:)/.test(specifier) ? "module" : "package";
  return require("bun/messages").resolveMessage(
    `Cannot find ${what} '${specifier}' imported from ${referrer}`,
    "ERR_MODULE_NOT_FOUND",
    specifier,
    referrer,
    "import-statement",
  );
}

/** The path of the module that `specifier` names for a file or directory; throws where there is none. */
export function resolveSync(specifier: unknown, parent: unknown): string {
  if (specifier === undefined) throw invalidType("Expected a specifier and a from path");
  const from = directoryOf(parent as string);
  const { resolveUrl } = native("loader");
  let url: string;
  try {
    url = resolveUrl(`${specifier}`, from.endsWith("/") ? `${from}[resolve]` : from);
  } catch (error) {
    if ((error as NodeError)?.code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw missingModule(`${specifier}`, `${parent}`);
  }
  // The names of built-in modules as programs write them.
  if (url.startsWith("bun/")) return url === "bun/main" ? "bun" : `bun:${url.slice(4)}`;
  return url.startsWith("file:") ? require("node:url").fileURLToPath(url) : url;
}

/** Promise of the same. */
export async function resolve(specifier: unknown, parent: unknown): Promise<string> {
  return resolveSync(specifier, parent);
}

Object.defineProperty(resolveSync, "length", { value: 1 });
Object.defineProperty(resolve, "length", { value: 1 });

/** A promise that is fulfilled after so many milliseconds, or at a date. */
export function sleep(duration: unknown): Promise<void> {
  if (duration instanceof Date) duration = duration.getTime() - Date.now();
  if (typeof duration !== "number") throw new TypeError("sleep expects a number (milliseconds)");
  return new Promise((resolve) => wait(resolve, duration));
}

/** The longest time that a timer takes, in milliseconds. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** Calls `done` after so many milliseconds, however many those are. */
function wait(done: () => void, duration: number): void {
  const { setTimeout } = require("web/timers");
  if (duration > LONGEST_TIMER) setTimeout(wait, LONGEST_TIMER, done, duration - LONGEST_TIMER);
  else setTimeout(() => done(), duration > 0 ? duration : 0);
}

/** Blocks the thread for so many milliseconds. */
export function sleepSync(duration: unknown): void {
  if (typeof duration !== "number") {
    throw invalidType("milliseconds must be a number");
  }
  if (duration < 0) throw invalidType(`argument to sleepSync must not be negative, got ${duration}`);
  native("bun").sleepSync(duration);
}

/** The path of a program, or null. `options`: `PATH` and `cwd` in place of those of the process. */
export function which(command: unknown, options?: { PATH?: unknown; cwd?: unknown } | null): string | null {
  if (command === undefined) return null;
  command = `${command}`;
  const { env, cwd } = require("node:process");
  const path = options?.PATH ?? env.PATH ?? "";
  return (
    native("bun").which(command as string, `${path}`, options?.cwd === undefined ? cwd() : `${options.cwd}`) ?? null
  );
}

Object.defineProperty(which, "length", { value: 1 });

let aggression = 0;

/** Functions that are not for everybody. */
export const unsafe = {
  /** How eagerly garbage is collected: kept, and without effect on this engine's collector. */
  gcAggressionLevel(level?: unknown): number {
    const before = aggression;
    if (level !== undefined) aggression = Math.max(0, Math.min(2, Math.trunc(+(level as number)) || 0));
    return before;
  },

  /** The characters whose codes are the bytes (or 16-bit units) of a buffer. */
  arrayBufferToString(buffer: unknown): string {
    if (buffer instanceof Uint16Array) {
      return require("node:buffer")
        .Buffer.from(buffer.buffer, buffer.byteOffset, buffer.byteLength)
        .toString("utf16le");
    }
    const { bytesOf } = require("bun/util");
    const bytes = bytesOf(buffer);
    if (bytes === undefined) throw invalidType("Expected an ArrayBuffer");
    return require("node:buffer").Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  },

  /** Bytes of memory that only this process keeps from being used otherwise; shared pages count by their share (Linux: `Pss`). */
  memoryFootprint(): number {
    const { readFileSync } = require("node:fs");
    try {
      const found = /^Pss:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/smaps_rollup", "latin1") as string);
      if (found) return Number(found[1]) * 1024;
    } catch {
      // A system without /proc.
    }
    return require("node:process").memoryUsage.rss();
  },

  /** Prints what the allocator has (glibc's; Bun's is mimalloc) to standard error. */
  mimallocDump(): void {
    const [system, mapped, blocks, used, free, top] = native("bun").allocatorStatistics();
    const kib = (bytes: number | undefined) => `${Math.round(bytes! / 1024)} KiB`.padStart(12);
    require("node:process").stderr.write(
      `allocator: glibc\n  heap       ${kib(system)}\n    in use   ${kib(used)}\n    free     ${kib(free)}\n` +
        `    at end   ${kib(top)}\n  mapped     ${kib(mapped)} in ${blocks} blocks\n`,
    );
  },

  /**
   * Code stays in the interpreter `scale` times longer than usual before machine code is made of it: a finite number of at least 1.
   * One number for all threads of the process.
   */
  setJITPolicy(scale: unknown): void {
    if (typeof scale !== "number") throw invalidType("scale must be a number");
    if (!(scale >= 1) || scale === Infinity) throw new codes.ERR_OUT_OF_RANGE("scale", "a finite number >= 1", scale);
    native("bun").setJitPolicy(scale);
  },
};

/** The file: URL of a path, a string or String object, from the working directory on. Throws ERR_INVALID_ARG_TYPE. */
export function pathToFileURL(path: unknown): URL {
  return require("node:url").pathToFileURL(textOf(path, "path"));
}
