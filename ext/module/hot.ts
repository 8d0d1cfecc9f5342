/**
 * `--hot`: when a file that the program has loaded changes, its modules are loaded anew in the same process. Globals,
 * timers and servers stay. https://bun.sh/docs/runtime/hot-reload
 */

import { cache } from "internal/module/cjs";

const loader = native("loader");

/** Milliseconds that a burst of events may take: editors write a file in several steps. */
const SETTLE = 10;

const watchers = new Map<string, unknown>();
let files = new Set<string>();
let timer: ReturnType<typeof setTimeout> | undefined;

/** `since`: Unix milliseconds; files changed after it are loaded anew, for they changed before they were watched. */
function watchLoadedFiles(main: string, since?: number) {
  const { statSync, watch } = require("node:fs");
  files = new Set([main, ...loader.loadedFiles(), ...Object.keys(cache)].filter((path) => path.startsWith("/")));
  for (const file of files) {
    const dir = file.slice(0, file.lastIndexOf("/")) || "/";
    if (watchers.has(dir)) continue;
    try {
      // Directories, not files: editors replace a file by renaming another one over it.
      watchers.set(
        dir,
        watch(dir, (_event: string, name: string | null) => changed(dir, name, main)),
      );
    } catch {
      // A directory that cannot be watched (removed, or the limit of watches is reached): its files are not noticed.
    }
  }
  if (since === undefined) return;
  for (const file of files) {
    if ((statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) > since) return void changed("", null, main);
  }
}

function changed(dir: string, name: string | null, main: string) {
  if (name !== null && !files.has(dir === "/" ? `/${name}` : `${dir}/${name}`)) return;
  clearTimeout(timer);
  timer = setTimeout(reload, SETTLE, main);
}

/** Counts loads, for those who keep something from one to the next. */
export const hot = { load: 0 };

async function reload(main: string) {
  const began = Date.now();
  hot.load++;
  if (loader.hotClearsScreen() && process.stdout.isTTY) process.stdout.write("\x1b[2J\x1b[3J\x1b[H");
  for (const path of Object.keys(cache)) delete cache[path];
  loader.resetModules();
  require("internal/module/loader_hooks").nodeHooks.loads.clear();
  require("internal/cron/job").stopAll();
  try {
    await loader.runMain(main);
    const { default: exported } =
      (require("node:module").createRequire(main)(main) as { default?: { fetch?: unknown; app?: unknown } }) ?? {};
    if (typeof exported?.fetch === "function" || (exported?.app ?? undefined) !== undefined)
      require("internal/serve/default_export").start(exported);
  } catch (error) {
    loader.report(error);
  }
  watchLoadedFiles(main, began);
}

/** Begins to watch the files of the program whose main file is `main`. */
export function start(main: string) {
  watchLoadedFiles(main, performance.timeOrigin);
  // What is imported later is watched from the next reload on, and now and then.
  const again = setInterval(() => watchLoadedFiles(main), 500);
  again.unref();
}
