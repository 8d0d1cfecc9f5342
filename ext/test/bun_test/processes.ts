// Processes that tests start: those of a test that has timed out are ended.

/** `started`: how many there have been; `ended`: how many that were waited for took too long; `made` is told of each. */
export const processes: { started: number; ended: number; made: ((pid: number) => void) | undefined } = {
  started: 0,
  ended: 0,
  made: undefined,
};

/** Places of `timeout` and `killSignal` among the arguments of spawnSync. */
const TIMEOUT = 10;
const KILL_SIGNAL = 12;
const SIGKILL = 9;
const ETIMEDOUT = 110;

/** Those that run: the number of each by its id. */
export const alive = new Map<number, number>();

/** Takes note of processes from now on. */
export function watch(): void {
  const child = native("child");
  const { spawn, spawnSync } = child;
  const { timeLeft } = native("test");
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
  // Nobody can end what this thread waits for but the wait itself.
  child.spawnSync = (...args) => {
    const left = timeLeft();
    const own = args[TIMEOUT];
    if (left === Infinity || (own > 0 && own <= left)) return Reflect.apply(spawnSync, child, args);
    args[TIMEOUT] = Math.max(left, 0) + 1;
    args[KILL_SIGNAL] = SIGKILL;
    // Once the time is over, nothing after the call runs.
    processes.ended++;
    const result = Reflect.apply(spawnSync, child, args);
    if (result[0] === -ETIMEDOUT) timeLeft();
    else processes.ended--;
    return result;
  };
}

/** Ends the processes started after the first `count`; how many there were, with those that were waited for. */
export function killSince(count: number): number {
  let killed = processes.ended;
  processes.ended = 0;
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
