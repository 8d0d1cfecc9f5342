// node:process for browsers: what can be said of a page.

import { nextTick } from "internal/core/task_queues";

const start = performance.now();

function refuse(name: string): () => never {
  return () => {
    throw new Error(`process.${name} is not supported in browsers`);
  };
}

function hrtime(since?: [seconds: number, nanoseconds: number]): [number, number] {
  const now = performance.now();
  let seconds = Math.floor(now / 1000);
  let nanoseconds = Math.floor((now % 1000) * 1e6);
  if (since !== undefined) {
    seconds -= since[0];
    nanoseconds -= since[1];
    if (nanoseconds < 0) {
      seconds--;
      nanoseconds += 1e9;
    }
  }
  return [seconds, nanoseconds];
}
hrtime.bigint = () => BigInt(Math.floor(performance.now() * 1e6));

const process = {
  title: "browser",
  browser: true,
  platform: "browser",
  arch: "javascript",
  pid: 1,
  exitCode: undefined,
  env: {} as { [name: string]: string },
  argv: [] as string[],
  execArgv: [] as string[],
  execPath: "",
  version: "",
  versions: {},
  release: {},
  config: {},
  // Streams that nobody reads: what is written goes to the console.
  stdout: { isTTY: false, write: (text: unknown) => console.log(String(text).replace(/\n$/, "")) },
  stderr: {
    isTTY: false,
    columns: undefined,
    write: (text: unknown) => console.error(String(text).replace(/\n$/, "")),
  },
  nextTick,
  hrtime,
  uptime: () => (performance.now() - start) / 1000,
  cwd: () => "/",
  chdir: refuse("chdir"),
  umask: () => 0,
  binding: refuse("binding"),
  emitWarning(warning: unknown, type?: unknown) {
    const name = typeof type === "string" ? type : ((type as { type?: string } | undefined)?.type ?? "Warning");
    console.warn(warning instanceof Error ? `${warning.name}: ${warning.message}` : `${name}: ${warning as string}`);
  },
  // Nothing happens to a page that these would tell of.
  on: () => process,
  addListener: () => process,
  once: () => process,
  off: () => process,
  removeListener: () => process,
  removeAllListeners: () => process,
  prependListener: () => process,
  prependOnceListener: () => process,
  emit: () => false,
  listeners: () => [],
  listenerCount: () => 0,
};

export default process;
