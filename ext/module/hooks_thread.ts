// The thread that the hooks of `module.register` run on, as the program's thread sees it: it asks, and either goes on until the answer
// comes or waits for it. https://nodejs.org/api/module.html#customization-hooks

import { codes } from "internal/core/errors";
import { receiveMessageOnPort } from "web/message_port";
import { unpackError } from "internal/worker/errors";

import type { HookContext, HookResult, Later, LoadedThere } from "internal/module/types";
import type { ErrorMessage } from "internal/worker/types";
import type { Port } from "web/message_port";

/** What the hooks' thread can do: the arguments of a request, and what the answer holds. */
export interface HooksMethods {
  register: { args: [specifier: string, parent: string, data: unknown]; result: undefined };
  resolve: {
    args: [kind: string, importer: string, specifier: string, context: HookContext];
    result: HookResult;
  };
  load: {
    args: [kind: string, url: string, context: HookContext, isWanted: boolean];
    result: LoadedThere;
  };
}

export interface HooksRequest {
  id: number;
  method: keyof HooksMethods;
  args: unknown[];
  sync: boolean;
}

/** The request of what the thread says by itself: it ends, because of an error that nobody has caught or by `process.exit`. */
export const kNobody = -1;

/** `never`: nothing is left on that thread that could settle the promise. `exit`: a hook has called `process.exit`. */
export type HooksAnswer =
  | { id: number; status: "success"; value: unknown }
  | { id: number; status: "error"; error: ErrorMessage }
  | { id: number; status: "never" }
  | { id: number; status: "exit"; code: number };

/** Words of the memory that both threads see: how many answers there were, and whether there are hooks of a kind. */
export const kAnswers = 0;
export const kHasResolve = 1;
export const kHasLoad = 2;
const WORDS = 3;
/** How long the waiting thread sleeps before it looks whether the other one still lives, which may end without a word. */
const LOOK_AFTER_MILLISECONDS = 100;

const { isRunning } = native("worker");

/** What the hooks have thrown; a value that cannot be cloned shows itself as there. */
function thrown(message: ErrorMessage): unknown {
  const { text } = message;
  return text === undefined ? unpackError(message) : { [Symbol.for("nodejs.util.inspect.custom")]: () => text };
}

interface Waiting {
  resolve(value: unknown): void;
  reject(reason: unknown): void;
}

export class HooksThread {
  readonly #port: Port;
  readonly #signal: Int32Array;
  readonly #thread: number;
  /** Who waits for an answer that comes by the loop. */
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  /** The thread has ended by an error. */
  #failure: { error: unknown } | undefined;

  constructor(port: Port, signal: Int32Array, thread: number) {
    this.#port = port;
    this.#signal = signal;
    this.#thread = thread;
    port.on("message", ((answer: HooksAnswer) => this.#settle(answer)) as (message: unknown) => void);
    port.unref();
  }

  /** Whether some hook is asked on that thread. */
  has(name: "resolve" | "load"): boolean {
    return Atomics.load(this.#signal, name === "resolve" ? kHasResolve : kHasLoad) === 1;
  }

  /** A request and its answer: at once if `sync`, else as a promise. Throws, or rejects, what the hooks have thrown. */
  ask<M extends keyof HooksMethods>(
    method: M,
    args: HooksMethods[M]["args"],
    sync: boolean,
    transferList?: object[],
  ): Later<HooksMethods[M]["result"]> {
    if (this.#failure !== undefined) throw this.#failure.error;
    const id = ++this.#lastId;
    const request: HooksRequest = { id, method, args, sync };
    this.#port.postMessage(request, transferList);
    if (sync) return this.#wait(id, request) as HooksMethods[M]["result"];
    const { promise, resolve, reject } = Promise.withResolvers<HooksMethods[M]["result"]>();
    this.#waiting.set(id, { resolve: resolve as (value: unknown) => void, reject });
    this.#port.ref();
    return promise;
  }

  #wait(id: number, { method, args }: HooksRequest): unknown {
    for (let hasEnded = false; ;) {
      const seen = Atomics.load(this.#signal, kAnswers);
      for (let next; (next = receiveMessageOnPort(this.#port)) !== undefined;) {
        const answer = next.message as HooksAnswer;
        if (answer.id !== id) {
          this.#settle(answer);
        } else if (answer.status === "success") {
          return answer.value;
        } else if (answer.status === "error") {
          throw thrown(answer.error);
        } else {
          const error = new codes.ERR_ASYNC_LOADER_REQUEST_NEVER_SETTLED();
          throw Object.assign(error, { details: { method, args } });
        }
      }
      if (hasEnded) throw Object.assign(new codes.ERR_WORKER_NOT_RUNNING(), { details: { method, args } });
      if (Atomics.wait(this.#signal, kAnswers, seen, LOOK_AFTER_MILLISECONDS) === "timed-out")
        hasEnded = !isRunning(this.#thread);
    }
  }

  #settle(answer: HooksAnswer): void {
    if (answer.status === "exit") require("node:process").exit(answer.code);
    if (answer.id === kNobody && answer.status === "error") {
      this.#failure = { error: thrown(answer.error) };
      throw this.#failure.error;
    }
    const waiting = this.#waiting.get(answer.id);
    if (waiting === undefined) return;
    this.#waiting.delete(answer.id);
    if (this.#waiting.size === 0) this.#port.unref();
    if (answer.status === "success") waiting.resolve(answer.value);
    else if (answer.status === "error") waiting.reject(thrown(answer.error));
  }
}

/** Starts the thread; the process does not wait for its end. */
export function start(): HooksThread {
  const { kServes, Worker } = require("internal/worker/parent");
  const { MessageChannel } = require("web/message_port");
  const { port1, port2 } = new MessageChannel();
  const signal = new Int32Array(new SharedArrayBuffer(WORDS * Int32Array.BYTES_PER_ELEMENT));
  const made = new Worker("", {
    eval: true,
    name: "hooks",
    workerData: { port: port2, signal },
    transferList: [port2],
    [kServes]: "hooks",
  });
  made.unref();
  return new HooksThread(port1, signal, made.threadId);
}
