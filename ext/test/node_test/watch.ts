// Watch mode of run(): files of tests run again when they or what they load has changed.
// https://nodejs.org/api/test.html#watch-mode

import type { EventData } from "internal/test/node_test/types";
import { declareFile, Places, type Plan } from "internal/test/node_test/run";
import type { FileTest } from "internal/test/node_test/file_run";
import { Root } from "internal/test/node_test/root";
import path from "node:path";
import timers from "node:timers";

/** Editors write a file in several steps: a round waits until this many milliseconds are quiet. */
const QUIET_MS = 100;

/** Watches the folders of files. */
class Watched {
  #folders = new Map<string, { close(): void }>();
  #changed: (file: string) => void;

  constructor(changed: (file: string) => void) {
    this.#changed = changed;
  }

  add(file: string): void {
    const folder = path.dirname(file);
    if (this.#folders.has(folder)) return;
    const { watch } = require("node:fs");
    try {
      const watcher = watch(folder, (_: string, name: string | null) => {
        if (name !== null) this.#changed(path.join(folder, name));
      });
      watcher.on("error", () => this.#folders.delete(folder));
      this.#folders.set(folder, watcher);
    } catch {
      // A folder that is gone changes no more.
    }
  }

  close(): void {
    for (const watcher of this.#folders.values()) watcher.close();
    this.#folders.clear();
  }
}

/** Runs the files of `first`, and again what changes concern, until its signal aborts. */
export function start(first: Plan, prepare?: (one: Plan) => Promise<void>): void {
  const { signal, stream } = first;
  /** Files of tests by the files that they have loaded. */
  const users = new Map<string, Set<string>>();
  const dirty = new Set<string>();
  let wake: (() => void) | undefined;
  let timer: ReturnType<typeof timers.setTimeout> | undefined;
  const watched = new Watched((file) => {
    for (const test of users.get(file) ?? []) dirty.add(test);
    if (dirty.size === 0) return;
    timers.clearTimeout(timer);
    timer = timers.setTimeout(() => wake?.(), QUIET_MS);
  });
  const uses = (file: string, test: string) => {
    if (!users.has(file)) users.set(file, new Set());
    users.get(file)!.add(test);
    watched.add(file);
  };
  const round = async (files: string[], root: Root) => {
    const one: Plan = { ...first, root };
    const places = new Places();
    for (const file of files) uses(path.resolve(first.cwd, file), file);
    const running = files.map((file) => declareFile(one, file, places, { WATCH_REPORT_DEPENDENCIES: "1" }));
    await Promise.allSettled(running);
    for (const test of root.subtests as FileTest[]) for (const file of test.dependencies) uses(file, test.name);
    stream.tell("test:watch:drained", undefined as unknown as EventData);
    await root.end();
  };
  const next = () => {
    const root = new Root(first.root.config, { concurrency: first.root.concurrency, timeout: first.root.timeout });
    root.decidesExitCode = false;
    root.sinks = first.root.sinks;
    root.early = undefined;
    return root;
  };
  const stopped = new Promise<void>((resolve) => {
    if (signal?.aborted) resolve();
    else signal?.addEventListener("abort", () => resolve(), { once: true });
  });
  void (async () => {
    try {
      if (prepare === undefined) first.root.ready();
      else await prepare(first);
      await first.setup?.(stream);
      let files = first.files;
      for (let root = first.root; ; root = next()) {
        // Reporters stay for the rounds that follow.
        const closing = root.closing.splice(0);
        await round(files, root);
        if (root === first.root) first.root.closing = closing;
        if (dirty.size === 0) {
          const change = new Promise<void>((resolve) => (wake = resolve));
          await Promise.race([change, stopped]);
        }
        if (signal?.aborted) break;
        files = [...dirty];
        dirty.clear();
        stream.tell("test:watch:restarted", undefined as unknown as EventData);
      }
      for (const close of first.root.closing) await close();
    } catch (error) {
      stream.destroy(error as Error);
      return;
    } finally {
      timers.clearTimeout(timer);
      watched.close();
    }
    stream.tell(null);
  })();
}
