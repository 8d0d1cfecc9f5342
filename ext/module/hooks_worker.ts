// The thread that the hooks of `module.register` run on: it answers the program's thread, see internal/module/hooks_thread.

import { exitState } from "internal/core/task_queues";
import { own } from "internal/worker/thread_info";
import { loadThere, register, resolve } from "internal/module/async_hooks";
import { kAnswers, kHasLoad, kHasResolve, kNobody } from "internal/module/hooks_thread";
import { packError, packText } from "internal/worker/errors";

import type { HooksAnswer, HooksMethods, HooksRequest } from "internal/module/hooks_thread";
import type { Process } from "internal/process/types";
import type { ErrorMessage } from "internal/worker/types";
import type { Port } from "web/message_port";

/** The memory that both threads see. */
let signal: Int32Array;

let port: Port;
/** Requests without an answer, and whether the other thread waits for it. */
const open = new Map<number, boolean>();

function call({ method, args }: HooksRequest): unknown {
  switch (method) {
    case "register":
      return register(...(args as HooksMethods["register"]["args"]));
    case "resolve": {
      const [kind, importer, specifier, context] = args as HooksMethods["resolve"]["args"];
      return resolve({ kind, importer, sync: false }, specifier, context);
    }
    case "load":
      return loadThere(...(args as HooksMethods["load"]["args"]));
  }
}

function send(answer: HooksAnswer): void {
  port.postMessage(answer);
  Atomics.add(signal, kAnswers, 1);
  Atomics.notify(signal, kAnswers);
}

function packed(error: unknown): ErrorMessage {
  const message = packError(error);
  try {
    structuredClone(message.value);
    return message;
  } catch {
    return packText(error);
  }
}

function answer(id: number, result: HooksAnswer): void {
  // An uncaught error may have been the answer.
  if (!open.delete(id)) return;
  try {
    send(result);
  } catch (error) {
    send({ id, status: "error", error: packed(error) });
  }
  // While requests are open this thread's loop ends where nothing can settle them any more.
  if (open.size === 0) port.ref();
}

async function handle(request: HooksRequest): Promise<void> {
  const { id, sync } = request;
  open.set(id, sync);
  port.unref();
  try {
    answer(id, { id, status: "success", value: await call(request) });
  } catch (error) {
    answer(id, { id, status: "error", error: packed(error) });
  }
}

/** There is a hook of that kind from now on. */
export function noteHook(name: "resolve" | "load"): void {
  Atomics.store(signal, name === "resolve" ? kHasResolve : kHasLoad, 1);
}

/** Answers the program's thread, until that ends. */
export function serve(): void {
  ({ port, signal } = own.workerData as { port: Port; signal: Int32Array });
  // Hooks see neither.
  own.workerData = null;
  own.parentPort = null;
  require("internal/module/import_meta").forHooks.isHidden = true;
  // The global, for which the end of the loop is announced.
  const { process } = globalThis as unknown as { process: Process };
  process.on("beforeExit", () => {
    for (const id of [...open.keys()]) answer(id, { id, status: "never" });
  });
  let isTold = false;
  const tellExit = (code: number): void => {
    if (isTold) return;
    isTold = true;
    send({ id: kNobody, status: "exit", code });
  };
  process.on("exit", tellExit);
  exitState.guard = (code, name) => {
    if (name === "reallyExit") tellExit(Number(code ?? 0));
  };
  // Somebody waits who would never hear of it.
  process.on("uncaughtException", (error: unknown) => {
    const waiting = [...open].find(([, sync]) => sync);
    if (waiting === undefined) {
      isTold = true;
      send({ id: kNobody, status: "error", error: packed(error) });
      process.exit(1);
      return;
    }
    answer(waiting[0], { id: waiting[0], status: "error", error: packed(error) });
  });
  port.on("message", ((request: HooksRequest) => void handle(request)) as (message: unknown) => void);
}
