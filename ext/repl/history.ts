/** The history of a REPL in a file: one entry per line, newest first; of an entry with several lines the last comes first. */
import type { REPLServer, ReplReady } from "internal/repl/server";
import { validateArray, validateNumber } from "internal/core/validators";

// ms to wait for more lines (something pasted) before writing.
const DEBOUNCE = 15;

/** What the history is to the outside: `repl.historyManager`. */
export function createHistoryManager(repl: REPLServer) {
  return {
    isFlushing: false,
    hasHandle: false,
    get history() {
      return repl.history;
    },
    set history(value) {
      repl.history = value;
    },
    get size() {
      return repl.historySize;
    },
    get index() {
      return repl.historyIndex;
    },
    set index(value) {
      repl.historyIndex = value;
    },
    closeHandle: async () => {},
  };
}

function tell(repl: REPLServer, message: string): void {
  if (typeof repl._writeToOutput !== "function") return;
  repl._writeToOutput(message);
  if (typeof repl._refreshLine === "function") repl._refreshLine();
}

/** The first time the history is asked for, says why there is none from former sessions. */
function announceMissing(repl: REPLServer): void {
  const previous = repl._historyPrev;
  repl._historyPrev = function _historyPrev() {
    if (repl.history.length === 0) {
      tell(
        repl,
        "\nPersistent history support disabled. Set the NODE_REPL_HISTORY environment\nvariable to " +
          "a valid, user-writable path to enable.\n",
      );
    }
    repl._historyPrev = previous;
    return previous.call(repl);
  };
}

/** The options of `setupHistory`. */
export interface HistoryOptions {
  filePath?: string | undefined;
  history?: string[];
  size?: number;
  removeHistoryDuplicates?: boolean;
  onHistoryFileLoaded?: ReplReady | undefined;
}

/** REPLServer.setupHistory(). */
export function setupHistory(repl: REPLServer, config: string | HistoryOptions, callback?: ReplReady): void {
  const options: HistoryOptions = typeof config === "string" ? { filePath: config } : { ...config };
  const ready = typeof callback === "function" ? callback : options.onHistoryFileLoaded;
  const { history, size, removeHistoryDuplicates } = options;
  if (history !== undefined) {
    validateArray(history, "history");
    repl.history = history;
  }
  if (size !== undefined) {
    validateNumber(size, "size", 0);
    repl.historySize = size;
  }
  if (removeHistoryDuplicates !== undefined) repl.removeHistoryDuplicates = Boolean(removeHistoryDuplicates);
  let { filePath } = options;
  if (typeof filePath === "string") filePath = filePath.trim();

  if (filePath === "") {
    announceMissing(repl);
    return ready?.(null, repl);
  }
  if (!filePath) {
    try {
      filePath = require("node:path").join(require("node:os").homedir(), ".node_repl_history");
    } catch {
      tell(repl, "\nError: Could not get the home directory.\nREPL session history will not be persisted.\n");
      announceMissing(repl);
      return ready?.(null, repl);
    }
  }
  repl.pause();
  const fail = () => {
    tell(repl, "\nError: Could not open history file.\nREPL session history will not be persisted.\n");
    announceMissing(repl);
    if (!repl.closed) repl.resume();
    ready?.(null, repl);
  };
  open(repl, filePath!, ready, fail).catch(fail);
}

async function open(repl: REPLServer, file: string, ready: ReplReady | undefined, fail: () => void): Promise<void> {
  const { promises } = require("node:fs");
  // Other users have no business in it.
  const created = await promises.open(file, "a+", 0o600);
  await created.close();
  const text = await promises.readFile(file, "utf8");
  repl.history = text ? text.split(/\r?\n+/, repl.historySize) : [];

  let handle = await promises.open(file, "r+");
  const manager = repl.historyManager;
  manager.hasHandle = true;
  manager.closeHandle = async () => {
    const open = handle;
    handle = null;
    manager.hasHandle = false;
    // What goes wrong with a history must not disturb the session.
    await open?.close().catch(() => {});
  };
  let timer: ReturnType<typeof setTimeout> | null = null;
  let writing = false;
  let pending = false;

  const flush = async () => {
    timer = null;
    if (writing) {
      pending = true;
      return;
    }
    if (handle === null) return;
    writing = true;
    try {
      await handle.write(repl.history.join("\n"), 0, "utf8");
    } catch {
      writing = false;
      return;
    }
    writing = false;
    if (pending) {
      pending = false;
      onLine();
      return;
    }
    manager.isFlushing = timer !== null;
    if (!manager.isFlushing) repl.emit("flushHistory");
  };
  const onLine = () => {
    manager.isFlushing = true;
    if (timer !== null) clearTimeout(timer);
    timer = setTimeout(flush, DEBOUNCE);
  };
  const onExit = () => {
    if (manager.isFlushing) {
      repl.once("flushHistory", onExit);
      return;
    }
    repl.off("line", onLine);
    manager.closeHandle();
  };

  try {
    await handle.truncate(0);
  } catch {
    // Not a file that can hold lines: a device, for instance.
    await manager.closeHandle();
    return fail();
  }
  repl.on("line", onLine);
  repl.once("exit", onExit);
  repl.once("flushHistory", () => {
    if (repl.closed) return;
    repl.resume();
    ready?.(null, repl);
  });
  await flush();
}
