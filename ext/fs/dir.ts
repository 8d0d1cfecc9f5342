// fs.Dir: reading a directory piece by piece (https://nodejs.org/api/fs.html#class-fsdir).

import type { CheckedOptions, CheckedPath, GivenPath } from "internal/fs/types";
import { codes } from "internal/core/errors";
import { validateFunction, validateUint32 } from "internal/core/validators";
import { type Dirent, direntsOf, joinPath } from "internal/fs/dirent";
import { tracking } from "internal/fs/tracking";
import { getOptions, getValidatedPath, nativePath } from "internal/fs/utils";

const binding = native("fs");

// A directory that is forgotten leaks its descriptor, which is closed when the collector finds out.
let forgotten: FinalizationRegistry<number>;

function watchDir(dir: Dir, fd: number): void {
  forgotten ??= new FinalizationRegistry((number: number) => {
    process.emitWarning("Closing directory handle on garbage collection");
    tracking.handle?.(number, false);
    binding.close(number, () => {});
  });
  forgotten.register(dir, fd, dir);
  tracking.handle?.(fd, true);
}

/**
 * An open directory, made by opendir(). Entries come in the order of the file system. Iterating closes it at the end.
 */
export class Dir {
  // The descriptor, undefined once closed.
  #fd: number | undefined;
  #path: CheckedPath;
  #options: CheckedOptions & { bufferSize: number };
  #entries: Dirent<GivenPath>[] = [];
  // Calls that wait for the one at work; undefined while nothing is at work.
  #queue: Array<() => void> | undefined;
  // Where iteration goes on in further directories (option `recursive`).
  #pending: CheckedPath[] = [];
  #at: CheckedPath;

  constructor(handle: number, path: CheckedPath, options: unknown) {
    if (handle == null) throw new codes.ERR_MISSING_ARGS("handle");
    this.#fd = handle;
    this.#path = path;
    this.#at = path;
    this.#options = { bufferSize: 32, ...getOptions(options, { encoding: "utf8" }) };
    validateUint32(this.#options.bufferSize, "options.bufferSize", true);
    watchDir(this, handle);
  }

  /** Takes the descriptor out; the directory counts as closed. */
  #release(): number {
    const fd = this.#fd!;
    this.#fd = undefined;
    forgotten.unregister(this);
    tracking.handle?.(fd, false);
    return fd;
  }

  /** Goes on in another directory. */
  #replace(fd: number, at: CheckedPath): void {
    this.#release();
    this.#fd = fd;
    this.#at = at;
    watchDir(this, fd);
  }

  /** The path as it was given to opendir(). */
  get path(): CheckedPath {
    if (!(#fd in this)) throw new codes.ERR_INVALID_THIS("Dir");
    return this.#path;
  }

  /** The next entry, null at the end: a promise, or with `callback` nothing. */
  read(callback?: unknown) {
    if (callback !== undefined) validateFunction(callback, "callback");
    if (callback === undefined) {
      return new Promise<Dirent<GivenPath> | null>((resolve, reject) => {
        this.#read((error, entry) => (error ? reject(error) : resolve(entry as Dirent<GivenPath> | null)));
      });
    }
    if (this.#fd === undefined) throw new codes.ERR_DIR_CLOSED();
    this.#read(callback);
  }

  #read(callback: Callback): void {
    if (this.#queue !== undefined) {
      this.#queue.push(() => this.#read(callback));
      return;
    }
    if (this.#fd === undefined) {
      callback(new codes.ERR_DIR_CLOSED());
      return;
    }
    const ready = this.#entries.shift();
    if (ready !== undefined) {
      process.nextTick(callback, null, ready);
      return;
    }
    this.#queue = [];
    this.#fill((error: NodeError | null | undefined) => {
      // Those who wait go on after the callback, in their order; each that reads makes the rest wait again.
      process.nextTick(() => {
        const waiting = this.#queue!;
        this.#queue = undefined;
        for (const next of waiting) next();
      });
      if (error) callback(error);
      else callback(null, this.#entries.shift() ?? null);
    });
  }

  /** Reads the next piece, of the next directory if this one is at its end. */
  #fill(callback: Callback): void {
    binding.dirRead(this.#fd!, this.#options.bufferSize, (error, piece) => {
      if (error) {
        callback(error);
        return;
      }
      this.#take(piece);
      if (piece[1].length > 0 || this.#pending.length === 0) {
        callback();
        return;
      }
      const next = this.#pending.shift()!;
      const path = nativePath(next);
      binding.opendir(path, (failure, fd) => {
        if (failure) {
          callback(failure);
          return;
        }
        const done = this.#fd!;
        this.#replace(fd, next);
        binding.close(done, () => this.#fill(callback));
      });
    });
  }

  #take([names, types]: [string | Uint8Array, Uint8Array]): void {
    const entries = direntsOf(this.#at, names, types, this.#options.encoding);
    this.#entries = entries;
    if (!this.#options.recursive) return;
    for (const entry of entries) {
      if (entry.isDirectory()) this.#pending.push(joinPath(entry.parentPath, entry.name));
    }
  }

  /** The next entry, null at the end. */
  readSync(): Dirent<GivenPath> | null {
    if (this.#fd === undefined) throw new codes.ERR_DIR_CLOSED();
    if (this.#queue !== undefined) throw new codes.ERR_DIR_CONCURRENT_OPERATION();
    while (this.#entries.length === 0) {
      const piece = binding.dirReadSync(this.#fd, this.#options.bufferSize);
      this.#take(piece);
      if (piece[1].length > 0) break;
      const next = this.#pending.shift();
      if (next === undefined) return null;
      const fd = binding.opendirSync(nativePath(next));
      const done = this.#fd!;
      this.#replace(fd, next);
      binding.closeSync(done);
    }
    return this.#entries.shift() ?? null;
  }

  /** Closes the directory: a promise, or with `callback` nothing. */
  close(callback?: unknown) {
    if (callback === undefined) {
      if (this.#fd === undefined) return Promise.reject(new codes.ERR_DIR_CLOSED());
      return new Promise<void>((resolve, reject) =>
        this.close((error: NodeError | null | undefined) => (error ? reject(error) : resolve())),
      );
    }
    validateFunction(callback, "callback");
    if (this.#fd === undefined) {
      process.nextTick(callback, new codes.ERR_DIR_CLOSED());
      return;
    }
    if (this.#queue !== undefined) {
      this.#queue.push(() => this.close(callback));
      return;
    }
    binding.close(this.#release(), (error) => (error ? callback(error) : callback(null)));
  }

  closeSync(): void {
    if (this.#fd === undefined) throw new codes.ERR_DIR_CLOSED();
    if (this.#queue !== undefined) throw new codes.ERR_DIR_CONCURRENT_OPERATION();
    binding.closeSync(this.#release());
  }

  async *entries(): AsyncGenerator<Dirent<GivenPath>> {
    try {
      while (true) {
        const entry = await this.read();
        if (entry === null) break;
        yield entry!;
      }
    } finally {
      await this.close();
    }
  }

  [Symbol.dispose](): void {
    if (this.#fd === undefined) return;
    this.closeSync();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#fd === undefined) return;
    await this.close();
  }
}
Object.defineProperty(Dir.prototype, Symbol.asyncIterator, {
  __proto__: null,
  enumerable: false,
  writable: true,
  configurable: true,
  value: Dir.prototype.entries,
} as PropertyDescriptor);

/** Options: `encoding`, `bufferSize` (entries read at once, 32), `recursive`. */
export function opendir(path: unknown, options: unknown, callback?: unknown): void {
  callback = typeof options === "function" ? options : callback;
  validateFunction(callback, "callback");
  opendirAsync(path, typeof options === "function" ? undefined : options, callback);
}

/** opendir() with all its arguments. */
export function opendirAsync(path: unknown, options: unknown, callback: Callback): void {
  const plain = getValidatedPath(path);
  const checked = getOptions(options, { encoding: "utf8" });
  if (checked.bufferSize !== undefined) validateUint32(checked.bufferSize, "options.bufferSize", true);
  binding.opendir(nativePath(plain), (error, fd) => {
    if (error) callback(error);
    else callback(null, new Dir(fd, plain, checked));
  });
}

export function opendirSync(path: unknown, options?: unknown): Dir {
  const plain = getValidatedPath(path);
  const checked = getOptions(options, { encoding: "utf8" });
  if (checked.bufferSize !== undefined) validateUint32(checked.bufferSize, "options.bufferSize", true);
  return new Dir(binding.opendirSync(nativePath(plain)), plain, checked);
}
