// Events of files and directories for fs.watch: one inotify instance of the thread, shared by all watchers.

import { bindContext, exchangeContext } from "internal/events/async_context";
import { lazyBuffer } from "internal/fs/utils";

const binding = native("fs");
const loop = native("loop");

const IN_MODIFY = 0x2;
const IN_ATTRIB = 0x4;
const IN_MOVED_FROM = 0x40;
const IN_MOVED_TO = 0x80;
const IN_CREATE = 0x100;
const IN_IGNORED = 0x8000;
const IN_ISDIR = 0x40000000;

/** Where a watch descriptor belongs. */
interface Target {
  subscription: Subscription;
  /** The directory relative to the watched one, "" for itself. */
  directory: string;
}

/** The event types of Node, and the name of the file: a string, and its bytes where those are not UTF-8. */
type Listener = (type: "rename" | "change", name: string, bytes: Uint8Array | undefined) => void;

let instance = -1;
const targets = new Map<number, Target[]>();
/** A native call waits for events. */
let waiting = false;
/** That call does not keep the process alive. */
let idle = false;
let referenced = 0;

/** One fs.watch. Throws the system's error ("watch" and the path) when the file cannot be watched. */
export class Subscription {
  /** Watch descriptors by directory, relative to the watched one. */
  #watches = new Map<string, number>();
  #path: string;
  #name: string;
  #recursive: boolean;
  #listener: Listener;
  #failed: (error: NodeError) => void;
  #referenced: boolean;
  #open = true;

  /**
   * `path` in native form; `recursive`: with all directories below; `keepAlive`: the process stays for it; `failed`:
   * gets errors after the start.
   */
  constructor(
    path: string,
    recursive: boolean,
    keepAlive: boolean,
    listener: Listener,
    failed: (error: NodeError) => void,
  ) {
    if (instance === -1) instance = binding.watchInit();
    this.#path = path;
    this.#name = path.slice(path.replace(/\/+$/, "").lastIndexOf("/") + 1).replace(/\/+$/, "") || path;
    this.#listener = bindContext(listener);
    this.#failed = bindContext(failed);
    this.#recursive = recursive && binding.kindOfSync(path) === 1;
    this.#referenced = keepAlive;
    if (this.#recursive) this.#addTree("");
    else this.#add("", binding.watchAdd(instance, path));
    if (keepAlive) referenced++;
    update();
  }

  #add(directory: string, watch: number): void {
    const known = targets.get(watch);
    const target = { subscription: this, directory };
    if (known === undefined) targets.set(watch, [target]);
    else if (!known.some((one) => one.subscription === this)) targets.set(watch, [...known, target]);
    this.#watches.set(directory, watch);
  }

  /** Watches a directory and those below; gives the paths of all that is in them. */
  #addTree(directory: string): string[] {
    const [dirs, watches, entries] = binding.watchAddTree(instance, this.#path, directory);
    split(dirs).forEach((dir, i) => this.#add(dir, watches[i]));
    return split(entries);
  }

  #drop(directory: string): void {
    const watch = this.#watches.get(directory);
    if (watch === undefined) return;
    this.#watches.delete(directory);
    const rest = targets.get(watch)?.filter((one) => one.subscription !== this);
    if (rest === undefined) return;
    if (rest.length > 0) {
      targets.set(watch, rest);
      return;
    }
    targets.delete(watch);
    binding.watchRemove(instance, watch);
  }

  /** The kernel has ended a watch of this subscription. */
  ended(directory: string): void {
    this.#watches.delete(directory);
  }

  /** An event in `directory`; `name` is empty where the watched thing itself is meant. */
  handle(directory: string, mask: number, name: string, bytes: Uint8Array | undefined): void {
    if (!this.#open) return;
    if (!this.#recursive) {
      // As libuv: everything that is not purely a change of contents or attributes counts as "rename".
      this.#listener((mask & ~(IN_ATTRIB | IN_MODIFY)) === 0 ? "change" : "rename", name || this.#name, bytes);
      return;
    }
    if (name === "") {
      // What happens to a directory below is told by the one above it.
      if (directory === "" && (mask & IN_IGNORED) === 0) {
        this.#listener((mask & (IN_ATTRIB | IN_MODIFY)) === 0 ? "rename" : "change", this.#name, undefined);
      }
      return;
    }
    const path = directory === "" ? name : `${directory}/${name}`;
    let full = bytes;
    if (bytes !== undefined && directory !== "") {
      full = lazyBuffer().concat([lazyBuffer().from(`${directory}/`), bytes]);
    }
    this.#listener((mask & (IN_ATTRIB | IN_MODIFY)) === 0 ? "rename" : "change", path, full);
    if ((mask & IN_ISDIR) === 0 || !this.#open) return;
    if ((mask & IN_MOVED_FROM) !== 0) {
      // The directory is watched on under its new path, which may be somewhere else.
      for (const dir of [...this.#watches.keys()]) {
        if (dir === path || dir.startsWith(`${path}/`)) this.#drop(dir);
      }
    } else if ((mask & (IN_CREATE | IN_MOVED_TO)) !== 0) {
      // A directory whose name is not UTF-8 can be told of, but not be watched by this name.
      if (full === undefined) this.#appeared(path);
    }
  }

  /** A new directory: what is in it already has come without an event. */
  #appeared(path: string): void {
    let entries: string[];
    try {
      entries = this.#addTree(path);
    } catch (error) {
      // Gone again, or unreadable; the limit on watches is worth an error.
      if ((error as NodeError).code === "ENOSPC" || (error as NodeError).code === "ENOMEM")
        this.#failed(error as NodeError);
      return;
    }
    for (const entry of entries) {
      if (!this.#open) return;
      this.#listener("rename", entry, undefined);
    }
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    for (const directory of [...this.#watches.keys()]) this.#drop(directory);
    if (this.#referenced) referenced--;
    update();
  }

  /** Whether the subscription keeps the process alive. */
  setReferenced(on: boolean): void {
    if (this.#referenced === on) return;
    this.#referenced = on;
    if (!this.#open) return;
    referenced += on ? 1 : -1;
    update();
  }
}

/** Waits for events if somebody wants them, and keeps the process alive if somebody wants that. */
function update(): void {
  if (!waiting && targets.size > 0) wait();
  if (!waiting) return;
  if (idle !== (referenced === 0)) {
    idle = !idle;
    loop.keepAlive(idle ? -1 : 1);
  }
}

function wait(): void {
  waiting = true;
  // Nobody's alone: whoever began to wait may go, and the others wait on.
  const prior = exchangeContext(undefined);
  binding.watchNext(instance, (error, events) => {
    waiting = false;
    if (idle) {
      idle = false;
      loop.keepAlive(1);
    }
    // Before the listeners run: one that throws must not end all watching.
    if (!error) update();
    if (error) throw error;
    dispatch(events[0], events[1]);
  });
  exchangeContext(prior);
}

function dispatch(heads: Float64Array, bytes: Uint8Array): void {
  const names = split(bytes);
  let raw: Uint8Array[] | undefined;
  let i = 0;
  const run = () => {
    try {
      while (i < names.length) {
        const at = i++;
        const watch = heads[2 * at]!;
        const mask = heads[2 * at + 1]!;
        const known = targets.get(watch);
        if (known === undefined) continue;
        const name = names[at]!;
        const special = name.includes("\ufffd") ? (raw ??= splitBytes(bytes))[at] : undefined;
        if ((mask & IN_IGNORED) !== 0) {
          targets.delete(watch);
          for (const target of known) target.subscription.ended(target.directory);
        }
        for (const target of known) target.subscription.handle(target.directory, mask, name, special);
      }
    } finally {
      // A listener threw: the others get their events in the next turn of the queue.
      if (i < names.length) process.nextTick(run);
    }
  };
  run();
}

/** Names that have NUL after each. */
function split(bytes: Uint8Array): string[] {
  if (bytes.length === 0) return [];
  const text: string = lazyBuffer()
    .from(bytes.buffer, bytes.byteOffset, bytes.length - 1)
    .toString();
  return text.split("\0");
}

function splitBytes(bytes: Uint8Array): Uint8Array[] {
  const list: Uint8Array[] = [];
  for (let from = 0; from < bytes.length;) {
    const to = bytes.indexOf(0, from);
    list.push(lazyBuffer().from(bytes.subarray(from, to)));
    from = to + 1;
  }
  return list;
}
