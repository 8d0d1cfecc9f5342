/**
 * The browser behind `Bun.WebView`: a Chromium with its DevTools protocol (https://chromedevtools.github.io/devtools-protocol/) on
 * two pipes, or one that runs already, by a WebSocket. One serves all views of the process.
 */

import type { ChildProcess } from "internal/webview/types";

/** Where it is and how it is started; `url` is that of one that runs already. */
export interface Launch {
  path: string | undefined;
  argv: string[];
  stdout: "inherit" | "ignore";
  stderr: "inherit" | "ignore";
  url: string | undefined;
  /** Where it keeps data; undefined for a folder that is removed at the end. */
  folder: string | undefined;
}

/** `WebSocket.OPEN`. */
const OPEN = 1;

interface Answer {
  id?: number;
  sessionId?: string;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
  error?: { message: string };
}

interface Pending {
  resolve: (result: Record<string, unknown>) => void;
  reject: (error: Error) => void;
  sessionId: string | undefined;
}

/** Names of programs that are looked for in PATH, and paths beside it. */
const programs = ["google-chrome-stable", "google-chrome", "chromium-browser", "chromium", "microsoft-edge", "chrome"];
const places = ["/usr/bin/google-chrome-stable", "/usr/bin/chromium", "/snap/bin/chromium", "/usr/bin/microsoft-edge"];

function findProgram(path: string | undefined): string {
  const { existsSync } = require("node:fs");
  const { BUN_CHROME_PATH } = process.env;
  for (const given of [path, BUN_CHROME_PATH]) if (given) return given;
  for (const name of programs) {
    const found = Bun.which(name);
    if (found !== null) return found;
  }
  for (const place of places) if (existsSync(place)) return place;
  const error: NodeError = new Error(
    "Chrome or Chromium was not found: install it, or name it by BUN_CHROME_PATH or backend.path",
  );
  error.code = "ERR_DLOPEN_FAILED";
  throw error;
}

/** One browser and what waits for its answers. */
export class Browser {
  #child: ChildProcess | undefined;
  #socket: WebSocket | undefined;
  #send: (text: string) => void;
  #folder: string | undefined;
  #lastId = 0;
  #awaited = 0;
  readonly #pending = new Map<number, Pending>();
  /** Receivers of events by sessions. */
  readonly sessions = new Map<string, (method: string, params: Record<string, unknown>) => void>();
  isClosed = false;

  constructor(launch: Launch) {
    if (launch.url !== undefined) {
      const socket = (this.#socket = new WebSocket(launch.url));
      const waiting: string[] = [];
      this.#send = (text) => {
        if (socket.readyState === OPEN) socket.send(text);
        else waiting.push(text);
      };
      socket.addEventListener("open", () => waiting.splice(0).forEach((text) => socket.send(text)));
      socket.addEventListener("message", (event: Event) => this.#arrived(`${(event as MessageEvent).data}`));
      socket.addEventListener("close", () => this.#ended(new Error("Chrome closed the connection")));
      socket.addEventListener("error", () => this.#ended(new Error(`cannot connect to Chrome at ${launch.url}`)));
      return;
    }
    const program = findProgram(launch.path);
    const { mkdtempSync } = require("node:fs");
    if (launch.folder === undefined) this.#folder = mkdtempSync(`${require("node:os").tmpdir()}/bao-webview-`);
    const argv = [
      "--headless",
      "--remote-debugging-pipe",
      `--user-data-dir=${launch.folder ?? this.#folder}`,
      "--no-first-run",
      "--no-default-browser-check",
      "--disable-background-networking",
      "--disable-sync",
      "--hide-scrollbars",
      "--mute-audio",
      "--disable-gpu",
      "--disable-dev-shm-usage",
      // Chromium's sandbox does not work for root, and then it refuses to start.
      ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
      ...launch.argv,
      "about:blank",
    ];
    const child = require("node:child_process").spawn(program, argv, {
      stdio: ["ignore", launch.stdout, launch.stderr, "pipe", "pipe"],
    }) as unknown as ChildProcess;
    this.#child = child;
    const [, , , input, output] = child.stdio;
    this.#send = (text) => void input!.write(`${text}\0`);
    input!.on("error", () => {});
    let buffered = "";
    output!.setEncoding("utf8");
    output!.on("data", (chunk: string) => {
      // Messages end with a zero byte.
      const parts = (buffered + chunk).split("\0");
      buffered = parts.pop()!;
      for (const part of parts) this.#arrived(part);
    });
    output!.on("close", () => this.#ended(new Error("Chrome closed the pipe")));
    child.on("error", (error: Error) => this.#ended(error));
    child.on("exit", (code: number | null, signal: string | null) => {
      this.#ended(
        new Error(signal === null ? `Chrome ended with code ${code}` : `Chrome was killed by signal ${signal}`),
      );
    });
    process.on("exit", this.#atExit);
  }

  readonly #atExit = (): void => this.kill();

  /** Counts what is awaited: only then the process stays alive for the browser. */
  hold(by: 1 | -1): void {
    const before = this.#awaited;
    this.#awaited = Math.max(0, before + by);
    if (before === 0 || this.#awaited === 0) this.#keepAlive(this.#awaited > 0);
  }

  #keepAlive(isNeeded: boolean): void {
    const child = this.#child;
    if (child === undefined) return;
    for (const part of [child, child.stdio[3], child.stdio[4]]) (isNeeded ? part?.ref : part?.unref)?.call(part);
  }

  #arrived(text: string): void {
    const { id, sessionId, method, params, result, error } = JSON.parse(text) as Answer;
    if (id === undefined) {
      if (sessionId !== undefined && method !== undefined) this.sessions.get(sessionId)?.(method, params ?? {});
      return;
    }
    const waiting = this.#pending.get(id);
    if (waiting === undefined) return;
    this.#pending.delete(id);
    this.hold(-1);
    if (error !== undefined) waiting.reject(new Error(error.message));
    else waiting.resolve(result ?? {});
  }

  #ended(error: Error): void {
    if (this.isClosed) return;
    this.isClosed = true;
    process.off("exit", this.#atExit);
    this.#keepAlive(false);
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
    this.sessions.clear();
    if (this.#folder !== undefined) {
      // The browser's processes may still write there.
      require("node:fs").rmSync(this.#folder, { recursive: true, force: true, maxRetries: 3 });
    }
  }

  /** Sends a command; a promise of its result. */
  call(method: string, params: object = {}, sessionId?: string): Promise<Record<string, unknown>> {
    return new Promise((resolve, reject) => {
      if (this.isClosed) return reject(new Error("Chrome closed the pipe"));
      const id = ++this.#lastId;
      this.#pending.set(id, { resolve, reject, sessionId });
      this.hold(1);
      this.#send(JSON.stringify({ id, method, params, sessionId }));
    });
  }

  /** Rejects what a session waits for. */
  drop(sessionId: string, error: Error): void {
    for (const [id, { reject, sessionId: other }] of this.#pending) {
      if (other !== sessionId) continue;
      this.#pending.delete(id);
      this.hold(-1);
      reject(error);
    }
  }

  kill(): void {
    this.#child?.kill("SIGKILL");
    this.#socket?.close();
    this.#ended(new Error("Chrome was killed"));
  }
}

let current: Browser | undefined;

/** The browser of this process; `launch` counts if there is none yet. */
export function browserFor(launch: Launch): Browser {
  if (current === undefined || current.isClosed) current = new Browser(launch);
  return current;
}

/** Ends the browser. */
export function killBrowser(): void {
  current?.kill();
  current = undefined;
}
