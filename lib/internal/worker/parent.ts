// Worker of node:worker_threads (https://nodejs.org/api/worker_threads.html#class-worker), the parent's side.

import EventEmitter from "node:events";
import { codes } from "internal/errors";
import { validateArray, validateObject, validateString } from "internal/validators";
import { MessageChannel, receiveMessageOnPort } from "web/message_port";
import { check, pack, transferList } from "internal/messaging/message";
import { own, SHARE_ENV } from "internal/worker/state";
import { nextTick } from "internal/task_queues";

const { start, nextId, terminate } = native("worker");
const { keepAlive } = native("loop");

const FILE = 0;
const TEXT = 1;

/** Default limits as Node has them, in MiB; they are reported, and enforced where one was given. */
const limitNames = ["maxYoungGenerationSizeMb", "maxOldGenerationSizeMb", "codeRangeSizeMb", "stackSizeMb"];

function parseLimits(limits: any): Record<string, number> {
  const parsed: Record<string, number> = {};
  for (const name of limitNames) {
    const value = limits?.[name];
    parsed[name] = typeof value === "number" ? value : name === "stackSizeMb" ? 4 : -1;
  }
  return parsed;
}

/** Node's rules for the first argument: what to run, and the name that process.argv gets. */
function programOf(filename: any, options: any): { kind: number; program: string; name: string } {
  if (options.eval) {
    if (typeof filename !== "string") {
      throw new codes.ERR_INVALID_ARG_VALUE("options.eval", options.eval, "must be false when 'filename' is not a string");
    }
    return { kind: TEXT, program: filename, name: "[worker eval]" };
  }
  if (filename instanceof URL || typeof filename === "object" && filename !== null && typeof filename.href === "string" && filename.protocol) {
    if (filename.protocol === "data:" || filename.protocol === "blob:") return moduleAt(filename.href);
    const path = require("node:url").fileURLToPath(filename);
    return { kind: FILE, program: path, name: path };
  }
  if (typeof filename !== "string") throw new codes.ERR_INVALID_ARG_TYPE("filename", ["string", "URL"], filename);
  const path = require("node:path");
  if (path.isAbsolute(filename) || /^\.\.?[\\/]/.test(filename)) {
    const resolved = path.resolve(filename);
    return { kind: FILE, program: resolved, name: resolved };
  }
  throw new codes.ERR_WORKER_PATH(filename);
}

/** A URL that only this thread may know the content of. */
export function moduleAt(href: string): { kind: number; program: string; name: string } {
  if (href.startsWith("data:")) return { kind: TEXT, program: `import ${JSON.stringify(href)};`, name: href };
  const blob = require("web/blob").resolveObjectURL(href);
  if (blob === undefined) throw new TypeError(`The worker's blob: URL has been revoked or never existed: ${href}`);
  const bytes = require("web/blob").blobBytesSync(blob);
  if (bytes === undefined) throw new TypeError(`A worker cannot be made of a Blob of a file: ${href}`);
  return { kind: TEXT, program: new TextDecoder().decode(bytes), name: href };
}

/** Options of Node's that change how a worker starts and that bao would have to parse anew. */
const knownExecArgv = /^--(?:no-warnings|trace-warnings|no-deprecation|trace-deprecation|throw-deprecation|enable-source-maps|expose-gc|no-experimental-\S+|experimental-\S+|unhandled-rejections=\S+|conditions=\S+|max-old-space-size=\d+|stack-trace-limit=\d+)$/;

function checkExecArgv(list: any): string[] | undefined {
  if (list === undefined || list === null) return undefined;
  validateArray(list, "options.execArgv");
  const items: string[] = [];
  for (const item of list) items.push(`${item}`);
  const invalid = items.filter((item) => item.startsWith("-") && !knownExecArgv.test(item));
  if (invalid.length > 0) throw new codes.ERR_WORKER_INVALID_EXEC_ARGV(invalid);
  return items;
}

/** Told of new workers: `process.on("worker")`. */
function announce(worker: any): void {
  nextTick(() => process.emit("worker" as any, worker));
}

export class Worker extends EventEmitter {
  [key: string]: any;
  #handle: any;
  #port: any;
  #control: any;
  #refed = true;
  #ended = false;
  #exitCode: number | null = null;
  #limits: Record<string, number>;
  #name: string;
  #id: number;
  #waiting: ((code: number) => void)[] = [];
  #stdin: any = null;
  #stdout: any;
  #stderr: any;

  constructor(filename: any, options: any = {}) {
    super();
    if (options === null || options === undefined) options = {};
    validateObject(options, "options");
    const execArgv = checkExecArgv(options.execArgv);
    let argv: string[] = [];
    if (options.argv !== undefined && options.argv !== null) {
      validateArray(options.argv, "options.argv");
      argv = options.argv.map((item: any) => `${item}`);
    }
    const { kind, program, name } = programOf(filename, options);
    let env: any;
    if (typeof options.env === "object" && options.env !== null) {
      env = { ...options.env };
    } else if (options.env === undefined || options.env === null) {
      env = { ...process.env };
    } else if (options.env === SHARE_ENV) {
      require("internal/process/env").shareEnvironment();
    } else {
      throw new codes.ERR_INVALID_ARG_TYPE("options.env", ["object", "undefined", "null", "worker_threads.SHARE_ENV"], options.env);
    }
    if (options.name !== undefined) validateString(options.name, "options.name");
    this.#name = options.name === undefined ? "WorkerThread" : `${options.name}`.trim();
    this.#limits = parseLimits(options.resourceLimits);
    this.#id = nextId();

    const messages = new MessageChannel();
    const control = new MessageChannel();
    this.#port = messages.port1;
    this.#control = control.port1;
    const list = transferList(options.transferList) ?? [];
    const data = {
      port: messages.port2,
      control: control.port2,
      workerData: pack(options.workerData === undefined ? null : options.workerData, list),
      environmentData: own.environmentData,
      env: env === undefined ? undefined : text(env),
      name: this.#name,
      limits: this.#limits,
      stdin: !!options.stdin,
      stdout: !!options.stdout,
      stderr: !!options.stderr,
      isWeb: options[kWeb] === true,
    };
    const handle = start(
      this.#id, kind, program, this.#name.slice(0, 15) || "WorkerThread", [process.execPath, name, ...argv], execArgv,
      [options.resourceLimits?.maxOldGenerationSizeMb ?? 0, options.resourceLimits?.stackSizeMb ?? 0], data,
      [messages.port2, control.port2, ...list], (code: number, outOfMemory: boolean) => this.#onExit(code, outOfMemory),
    );
    if (typeof handle === "string") check(handle, options.workerData);
    this.#handle = handle;
    keepAlive(1);
    this.#port.on("message", (message: any) => this.emit("message", message));
    this.#port.on("messageerror", (error: any) => this.emit("messageerror", error));
    this.#port.unref();
    this.#control.on("message", (message: any) => this.#onControl(message));
    this.#control.unref();
    const { outputOf, inputOf } = require("internal/worker/stdio");
    if (options.stdout) this.#stdout = outputOf();
    if (options.stderr) this.#stderr = outputOf();
    if (options.stdin) this.#stdin = inputOf(this.#control);
    announce(this);
  }

  #onControl(message: any): void {
    switch (message.type) {
      case "online":
        this.emit("online");
        return;
      case "error":
        this.emit("error", require("internal/worker/errors").unpackError(message));
        return;
      case "output":
        (message.fd === 1 ? this.#stdout : this.#stderr)?.push(message.chunk);
        return;
    }
  }

  #onExit(code: number, outOfMemory: boolean): void {
    this.#ended = true;
    this.#exitCode = code;
    // What was posted before the end comes before 'exit'.
    for (let next; (next = receiveMessageOnPort(this.#control)) !== undefined; ) this.#onControl(next.message);
    for (let next; (next = receiveMessageOnPort(this.#port)) !== undefined; ) this.emit("message", next.message);
    this.#control.removeAllListeners("message");
    this.#port.removeAllListeners("message");
    this.#control.close();
    this.#port.close();
    this.#stdout?.push(null);
    this.#stderr?.push(null);
    this.#handle = undefined;
    if (this.#refed) keepAlive(-1);
    this.#refed = false;
    if (outOfMemory) this.emit("error", new codes.ERR_WORKER_OUT_OF_MEMORY("JS heap out of memory"));
    for (const resolve of this.#waiting) resolve(code);
    this.emit("exit", code);
  }

  /** Sends a copy of `value` to the worker's parentPort. */
  postMessage(value: any, options: any = undefined): void {
    if (this.#ended) return;
    if (arguments.length === 0) throw new TypeError("Not enough arguments to MessagePort.postMessage");
    this.#port.postMessage(value, options);
  }

  /** Ends the worker as soon as possible; the promise gives its exit code. */
  terminate(callback: any = undefined): Promise<number | undefined> {
    if (typeof callback === "function") {
      process.emitWarning(
        "Passing a callback to worker.terminate() is deprecated. It returns a Promise instead.", "DeprecationWarning", "DEP0132",
      );
      if (this.#ended) {
        nextTick(callback, null, this.#exitCode);
        return Promise.resolve(undefined);
      }
      this.once("exit", (code: number) => callback(null, code));
    }
    if (this.#ended) return Promise.resolve(undefined);
    this.ref();
    terminate(this.#handle);
    return new Promise((resolve) => { this.#waiting.push(resolve); });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.terminate();
  }

  ref(): void {
    if (this.#ended || this.#refed) return;
    this.#refed = true;
    keepAlive(1);
  }

  unref(): void {
    if (this.#ended || !this.#refed) return;
    this.#refed = false;
    keepAlive(-1);
  }

  /** -1 once the worker has ended. */
  get threadId(): number {
    return this.#ended ? -1 : this.#id;
  }
  get threadName(): string | null {
    return this.#ended ? null : this.#name;
  }
  get stdin(): any {
    return this.#stdin;
  }
  get stdout(): any {
    return (this.#stdout ??= require("internal/worker/stdio").emptyOutput(() => this.#ended, this));
  }
  get stderr(): any {
    return (this.#stderr ??= require("internal/worker/stdio").emptyOutput(() => this.#ended, this));
  }
  get resourceLimits(): Record<string, number> {
    return this.#ended ? {} : { ...this.#limits };
  }

  getHeapSnapshot(): Promise<never> {
    if (this.#ended) return Promise.reject(new codes.ERR_WORKER_NOT_RUNNING());
    return Promise.reject(new codes.ERR_NOT_IMPLEMENTED("worker.getHeapSnapshot"));
  }
  getHeapStatistics(): Promise<never> {
    if (this.#ended) return Promise.reject(new codes.ERR_WORKER_NOT_RUNNING());
    return Promise.reject(new codes.ERR_NOT_IMPLEMENTED("worker.getHeapStatistics"));
  }
  cpuUsage(): Promise<never> {
    if (this.#ended) return Promise.reject(new codes.ERR_WORKER_NOT_RUNNING());
    return Promise.reject(new codes.ERR_NOT_IMPLEMENTED("worker.cpuUsage"));
  }
}

/** Option of the web's Worker, which is made of this one. */
export const kWeb = Symbol("web");

/** Values of an environment are texts. */
function text(env: Record<string, any>): Record<string, string> {
  const out: Record<string, string> = {};
  for (const key of Object.keys(env)) if (env[key] !== undefined) out[key] = `${env[key]}`;
  return out;
}

