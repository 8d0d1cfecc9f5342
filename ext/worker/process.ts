// What `process` cannot do in a worker (https://nodejs.org/api/worker_threads.html#class-worker): what belongs to the whole process is
// the main thread's.

import { codes } from "internal/core/errors";

import type { Process } from "internal/process/types";

const { defineProperty } = Object;

/** Replaces the members of `process` that Node's workers do not have. */
export function limitProcess(process: Process): void {
  const names = ["abort", "chdir", "setuid", "seteuid", "setgid", "setegid", "setgroups", "initgroups"];
  // As in Node the variable decides. A process that has set its channel up has taken the variable away, so that these are undefined.
  const channel = process.env.NODE_CHANNEL_FD !== undefined;
  if (channel) names.push("send", "disconnect");
  for (const name of names) {
    const refuse = () => {
      throw new codes.ERR_WORKER_UNSUPPORTED_OPERATION(`process.${name}()`);
    };
    refuse.disabled = true;
    defineProperty(refuse, "name", { value: name });
    defineProperty(process, name, { value: refuse, writable: true, enumerable: true, configurable: true });
  }
  for (const name of channel ? ["channel", "connected"] : []) {
    defineProperty(process, name, {
      get() {
        throw new codes.ERR_WORKER_UNSUPPORTED_OPERATION(`process.${name}`);
      },
      enumerable: false,
      configurable: true,
    });
  }
  const { umask } = process;
  process.umask = (...args: unknown[]) => {
    if (args[0] !== undefined) throw new codes.ERR_WORKER_UNSUPPORTED_OPERATION("Setting process.umask()");
    return umask.call(process);
  };
  for (const name of [
    "_startProfilerIdleNotifier",
    "_stopProfilerIdleNotifier",
    "_debugProcess",
    "_debugPause",
    "_debugEnd",
  ]) {
    delete (process as unknown as Record<string, unknown>)[name];
  }
}
