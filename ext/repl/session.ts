/** The REPL as a program: `bao repl`, `--interactive`, and the command without arguments where it is called `node`. */
import type { ReplOptions, ReplReady } from "internal/repl/server";
import { REPLServer } from "internal/repl/server";
import { REPL_MODE_SLOPPY, REPL_MODE_STRICT, kSession, kStandalone } from "internal/repl/utils";

/** The options of a REPL with a history. */
interface SessionOptions extends ReplOptions {
  filePath?: string;
}

/**
 * Starts a REPL as the environment asks for (NODE_NO_READLINE, NODE_REPL_MODE, NODE_REPL_HISTORY, NODE_REPL_HISTORY_SIZE);
 * `callback(error, repl)` is called when its history is there.
 */
export function createInternalRepl(
  env: { [name: string]: string | undefined },
  options: SessionOptions | ReplReady | null,
  callback?: ReplReady,
): void {
  if (typeof options === "function") {
    callback = options;
    options = null;
  }
  options = { [kStandalone]: true, ignoreUndefined: false, useGlobal: true, breakEvalOnSigint: true, ...options };
  if (Number.parseInt(env.NODE_NO_READLINE!)) options.terminal = false;
  if (env.NODE_REPL_MODE) {
    const mode = env.NODE_REPL_MODE.toLowerCase().trim();
    options.replMode = mode === "strict" ? REPL_MODE_STRICT : mode === "sloppy" ? REPL_MODE_SLOPPY : undefined;
  }
  options.replMode ??= REPL_MODE_SLOPPY;
  const size = Number(env.NODE_REPL_HISTORY_SIZE);
  const terminal = "terminal" in options ? options.terminal : process.stdout.isTTY;
  const filePath = terminal ? env.NODE_REPL_HISTORY : "";
  const repl = new REPLServer(options);
  repl.setupHistory({
    filePath: terminal ? (options.filePath ?? filePath) : filePath,
    size: size > 0 ? size : 1000,
    onHistoryFileLoaded: callback,
  });
}

function untilExit(error: unknown, repl?: REPLServer): void {
  if (error) throw error;
  repl!.on("exit", () => {
    if (repl!.historyManager.isFlushing) repl!.once("flushHistory", () => process.exit());
    else process.exit();
  });
}

/** Runs Node's REPL, after the code of `--eval` if there is some. */
export function interactive(): void {
  console.log(`Welcome to Node.js ${process.version}.\nType ".help" for more information.`);
  createInternalRepl(process.env, untilExit);
}

/**
 * Runs `bao repl`. On a terminal it greets, and keeps its history in ~/.bun_repl_history; else it reads its input line by
 * line and prints results only.
 */
export function session(): void {
  const terminal = Boolean(process.stdin.isTTY && process.stdout.isTTY);
  if (terminal) console.log(`Welcome to bao ${process.versions.bao ?? ""}\nType ".help" for more information.`);
  let filePath = process.env.NODE_REPL_HISTORY;
  if (filePath === undefined) {
    const { homedir } = require("node:os");
    filePath = require("node:path").join(homedir(), ".bun_repl_history");
  }
  createInternalRepl(
    process.env,
    {
      [kSession]: true,
      terminal,
      prompt: terminal ? "> " : "",
      ignoreUndefined: !terminal,
      filePath,
    },
    untilExit,
  );
}
