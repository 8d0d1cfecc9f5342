// Worker of the web (https://html.spec.whatwg.org/multipage/workers.html#dedicated-workers-and-the-worker-interface), with Bun's additions:
// ref, unref, threadId, `preload`, `smol`, 'open' and 'close' events (https://bun.com/docs/api/workers).

import { defineEventHandler, Event, EventTarget, makeEnumerable } from "web/event_target";
import { CloseEvent, ErrorEvent, MessageEvent } from "web/events";
import { codes } from "internal/core/errors";
import { kWeb, Worker as NodeWorker } from "internal/worker/parent";
import type { TransferOptions } from "internal/worker/messaging/message";
import type { WorkerOptions } from "internal/worker/types";

/** Options of the standard and of Bun. */
interface WebWorkerOptions extends Pick<WorkerOptions, "name" | "env" | "argv" | "execArgv" | "workerData"> {
  type?: unknown;
  ref?: boolean;
  preload?: unknown;
  smol?: unknown;
}

export class Worker extends EventTarget {
  #worker: NodeWorker;

  /** `url`: a path or URL, relative to the current directory as in Bun; options of the standard and of Bun. */
  constructor(url: unknown, options: WebWorkerOptions | undefined = undefined) {
    if (arguments.length === 0) throw new codes.ERR_MISSING_ARGS("url");
    super();
    const { type, name, env, argv, execArgv, ref, workerData, preload, smol } = options ?? {};
    if (type !== undefined && type !== "module" && type !== "classic") {
      throw new TypeError(`The provided value '${type}' is not a valid enum value of type WorkerType.`);
    }
    const web = { preload: preload === undefined ? undefined : filesOf(preload), smol: !!smol, owner: this };
    this.#worker = new NodeWorker(target(url), { name: name ?? "", env, argv, execArgv, workerData, [kWeb]: web });
    const worker = this.#worker;
    worker.on("online", () => this.dispatchEvent(new Event("open")));
    worker.on("message", (data: Uint8Array) => this.dispatchEvent(new MessageEvent("message", { data })));
    worker.on("messageerror", (data: Uint8Array) => this.dispatchEvent(new MessageEvent("messageerror", { data })));
    worker.on("error", (error: NodeError) => {
      const message = Error.isError(error) ? `${error.name}: ${error.message}` : `${error}`;
      // The value itself stays in the worker ("report an exception" of the standard): `error` is null.
      this.dispatchEvent(new ErrorEvent("error", { message, error: null, cancelable: true }));
    });
    worker.on("exit", (code: number) => this.dispatchEvent(new CloseEvent("close", { code, wasClean: code === 0 })));
    if (ref === false) worker.unref();
  }

  postMessage(message: unknown, options: TransferOptions = undefined): void {
    if (arguments.length === 0) throw new codes.ERR_MISSING_ARGS("message");
    this.#worker.postMessage(message, options);
  }
  /** Ends the worker; Bun gives a promise of its exit code. */
  terminate(): Promise<number | undefined> {
    return this.#worker.terminate();
  }
  ref(): void {
    this.#worker.ref();
  }
  unref(): void {
    this.#worker.unref();
  }
  get threadId(): number {
    return this.#worker.threadId;
  }
  /** Promise of a readable stream with a snapshot of the worker's heap in V8's format, as of node:worker_threads. */
  getHeapSnapshot(options?: unknown) {
    return this.#worker.getHeapSnapshot(options as never);
  }
  /** Promise of the worker's v8.getHeapStatistics(). */
  getHeapStatistics() {
    return this.#worker.getHeapStatistics();
  }
}
makeEnumerable(
  Worker.prototype,
  "postMessage",
  "terminate",
  "ref",
  "unref",
  "threadId",
  "getHeapSnapshot",
  "getHeapStatistics",
);
for (const name of ["message", "messageerror", "error", "open", "close"]) defineEventHandler(Worker.prototype, name);
Object.defineProperty(Worker.prototype, Symbol.toStringTag, { configurable: true, value: "Worker" });

/** Bun's `preload`: a module or several, loaded before the program. */
function filesOf(preload: unknown): string[] {
  const list = Array.isArray(preload) ? preload : [preload];
  return list.map((item) => {
    if (typeof item !== "string" && !(item instanceof URL)) {
      throw new TypeError("options.preload must be a string or an array of strings");
    }
    const file = `${item}`;
    if (file.startsWith("file:") && !URL.canParse(file)) throw invalidUrl(file);
    return file;
  });
}

function invalidUrl(text: string): TypeError {
  return new TypeError(`Invalid file URL: "${text}"`);
}

function target(url: unknown): string | URL {
  const text = `${url}`;
  if (/^(?:file|data|blob):/.test(text)) {
    const parsed = URL.parse(text);
    if (parsed === null) throw invalidUrl(text);
    return parsed;
  }
  const loader = native("loader");
  const embedded = loader.embeddedWorker(text) ?? loader.embeddedWorker(`./${text}`);
  if (embedded !== undefined) return embedded;
  const path = require("node:path");
  // A bare name is a file of the current directory.
  return path.resolve(text);
}
