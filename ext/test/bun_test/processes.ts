// Processes that tests start: those of a test that has timed out are ended.

/** `started`: how many there have been; `made` is told of each. */
export const processes: { started: number; made: ((pid: number) => void) | undefined } = {
  started: 0,
  made: undefined,
};

/** Those that run: the number of each by its id. */
export const alive = new Map<number, number>();

/** Takes note of processes from now on. */
export function watch(): void {
  const child = native("child");
  const { spawn } = child;
  child.spawn = (...args) => {
    const last = args.length - 1;
    const ended = args[last];
    let pid = 0;
    if (typeof ended === "function") {
      args[last] = (...results: unknown[]) => {
        alive.delete(pid);
        return ended(...results);
      };
    }
    const result = Reflect.apply(spawn, child, args);
    pid = result[2];
    if (result[0] === 0 && pid > 0) {
      alive.set(pid, ++processes.started);
      processes.made?.(pid);
    }
    return result;
  };
}

/** Ends the processes started after the first `count`; how many there were. */
export function killSince(count: number): number {
  let killed = 0;
  for (const [pid, number] of alive) {
    if (number <= count) continue;
    try {
      process.kill(pid, "SIGKILL");
      killed++;
    } catch {
      // It has just ended.
    }
  }
  return killed;
}
