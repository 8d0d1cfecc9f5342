// Watches the folders of files, as editors that save by renaming leave no file to watch, and those above, as folders may be replaced.
import fs from "node:fs";
import path from "node:path";
import { foldersOf, isBelow } from "internal/bundle/watched_folders";

const { join } = path;

/** How long a change waits for others of the same save, in milliseconds. */
const WAIT = 5;

export class Watch {
  #folders = new Map<string, ReturnType<typeof fs.watch>>();
  #files = new Set<string>();
  /** Folders in which any new file counts. */
  #open = new Set<string>();
  /** What is watched, or will be when it is there. */
  #wanted = new Set<string>();
  #changed = new Set<string>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #tell: (paths: Set<string>) => void;

  /** `tell` gets the paths that have changed. */
  constructor(tell: (paths: Set<string>) => void) {
    this.#tell = tell;
  }

  /** From now on these files are watched, and every file in these folders. */
  follow(files: Set<string>, folders: Set<string>): void {
    this.#files = files;
    this.#open = folders;
    const inside = [...folders].map((folder) => join(folder, "any"));
    const wanted = foldersOf([...files, ...inside], process.cwd());
    this.#wanted = wanted;
    for (const { 0: folder, 1: watcher } of this.#folders) {
      if (wanted.has(folder)) continue;
      watcher.close();
      this.#folders.delete(folder);
    }
    for (const folder of wanted) if (!this.#folders.has(folder)) this.#watch(folder);
  }

  #watch(folder: string): void {
    try {
      const watcher = fs.watch(folder, { persistent: false }, (_event, name) => {
        if (name !== null) this.#onEvent(folder, String(name));
      });
      watcher.on("error", () => {
        watcher.close();
        this.#folders.delete(folder);
      });
      this.#folders.set(folder, watcher);
    } catch (error) {
      // The folder above tells when it is there.
      if ((error as NodeError).code !== "ENOENT")
        process.stderr.write(`warn: cannot watch "${folder}": ${(error as Error).message}\n`);
    }
  }

  #onEvent(folder: string, name: string): void {
    const path = join(folder, name);
    if (this.#files.has(path) || this.#open.has(folder)) this.#change([path]);
    if (this.#wanted.has(path)) this.#replaced(path);
  }

  /** A folder has come, gone or become another one. */
  #replaced(folder: string): void {
    for (const other of this.#wanted) {
      if (!isBelow(other, folder)) continue;
      this.#folders.get(other)?.close();
      this.#folders.delete(other);
      this.#watch(other);
    }
    const below = [...this.#files].filter((file) => isBelow(file, folder));
    if (below.length !== 0) this.#change(below);
  }

  #change(paths: string[]): void {
    for (const path of paths) this.#changed.add(path);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const changed = this.#changed;
      this.#changed = new Set();
      this.#tell(changed);
    }, WAIT);
  }

  close(): void {
    clearTimeout(this.#timer);
    for (const watcher of this.#folders.values()) watcher.close();
    this.#folders.clear();
  }
}
