// The worker's side of a worker thread: native code calls setUp() before the program and reportError() for an uncaught error.

import { own } from "internal/worker/thread_info";
import { receiveMessageOnPort } from "web/message_port";
import { unpack } from "internal/worker/messaging/message";
import { setUpEnvironment, shareEnvironment } from "internal/process/env";

import type { Stream } from "internal/process/types";
import type { Setup, ToWorker } from "internal/worker/types";
import type { Port } from "web/message_port";

type Question = ToWorker & { type: "ask" };

let control: Port;
let input: Stream;

/** `data`: what ext/worker/parent passed to start(). */
export function setUp(data: Setup): void {
  control = data.control;
  const inputs: (Uint8Array | null)[] = [];
  own.parentPort = data.port;
  own.workerData = unpack(data.workerData);
  own.threadName = data.name;
  own.resourceLimits = data.limits;
  own.environmentData = data.environmentData;
  own.isWeb = data.isWeb;
  own.serves = data.serves;
  if (data.env === undefined) shareEnvironment();
  else setUpEnvironment(data.env);
  const process = require("node:process");
  require("internal/fs/tracking").trackDescriptors(!!data.trackFds);
  if (!own.isWeb) require("internal/worker/process").limitProcess(process);
  // Streams that the parent has asked for since it made the worker.
  for (let asked; (asked = receiveMessageOnPort(control)) !== undefined;) {
    const { type, fd, chunk } = asked.message as ToWorker & { fd: number; chunk: Uint8Array | null };
    if (type === "capture") data[fd === 1 ? "stdout" : "stderr"] = true;
    else if (type === "input") inputs.push(chunk);
    else
      control.postMessage({
        type: "answer",
        id: (asked.message as Question).id,
        value: answer((asked.message as Question).what),
      });
  }
  const lazy = (name: string, make: () => unknown) => {
    const define = (value: unknown) =>
      Object.defineProperty(process, name, { value, writable: true, enumerable: true, configurable: true });
    Object.defineProperty(process, name, {
      get: () => (define(make()), (process as unknown as Record<string, unknown>)[name]),
      set: define,
      enumerable: true,
      configurable: true,
    });
  };
  const stdio = () => require("internal/worker/stdio");
  lazy("stdin", () => (input = stdio().inputFrom(control, data.stdin)));
  if (data.stdout) lazy("stdout", () => stdio().outputTo(control, 1));
  if (data.stderr) lazy("stderr", () => stdio().outputTo(control, 2));
  const consoleState = require("internal/console/state");
  if (data.stdout) consoleState.stdout = process.stdout;
  if (data.stderr) consoleState.stderr = process.stderr;
  // Made now: what the parent has written must not get lost.
  if (data.stdin) {
    void process.stdin;
    for (const chunk of inputs) input.push(chunk);
  }
  control.on("message", ((message: ToWorker) => {
    if (message.type === "input") input.push(message.chunk);
    else if (message.type === "ask")
      control.postMessage({ type: "answer", id: message.id, value: answer(message.what) });
  }) as (message: unknown) => void);
  control.unref();
  if (own.isWeb) require("internal/worker/web_scope").setUp(own.parentPort!);
  control.postMessage({ type: "online" });
  if (data.serves === "macros") require("internal/module/macro_worker").serve();
  else if (data.serves === "hooks") require("internal/module/hooks_worker").serve();
}

/** What the parent asks: `what`, and for a profile its number behind a space. */
function answer(what: string): Record<string, number> | string | number | number[] | undefined {
  const [, kind, profile] = /^stop(|Heap)Profile (\d+)$/.exec(what) ?? [];
  if (kind === "") return native("v8").stopCpuProfile(Number(profile));
  if (kind === "Heap") return native("inspector").backend("stopHeapProfile", Number(profile)) as string;
  switch (what) {
    case "heap":
      return require("node:v8").getHeapStatistics();
    case "snapshot":
    case "snapshotWithInternals":
      return native("v8").heapSnapshot(what === "snapshotWithInternals");
    case "startHeapProfile":
      return native("inspector").backend("startHeapProfile", 0) as number;
    case "startProfile":
      return native("v8").startCpuProfile(0);
    default:
      return native("worker").threadCpuUsage();
  }
}

/** Tells the parent of an error nobody has caught. */
export function reportError(error: unknown): void {
  const { packError, packText } = require("internal/worker/errors");
  try {
    control.postMessage(packError(error));
  } catch {
    control.postMessage(packText(error));
  }
}
