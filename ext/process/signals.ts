// Signals as process events, process.kill() (https://nodejs.org/api/process.html#signal-events).

const { startSignal, stopSignal, platform } = native("process");

let numbers: Record<string, number> | undefined;

/** Signal numbers by name for this platform. */
export function signalNumbers(): Record<string, number> {
  return (numbers ??= platform() === "darwin" ? table(darwin) : table(linux));
}

// Names in order of their number from 1; "A=B" adds an alias.
const linux =
  "SIGHUP SIGINT SIGQUIT SIGILL SIGTRAP SIGABRT=SIGIOT SIGBUS SIGFPE SIGKILL SIGUSR1 SIGSEGV SIGUSR2 SIGPIPE SIGALRM " +
  "SIGTERM SIGSTKFLT SIGCHLD SIGCONT SIGSTOP SIGTSTP SIGTTIN SIGTTOU SIGURG SIGXCPU SIGXFSZ SIGVTALRM SIGPROF SIGWINCH " +
  "SIGIO=SIGPOLL SIGPWR SIGSYS";
const darwin =
  "SIGHUP SIGINT SIGQUIT SIGILL SIGTRAP SIGABRT=SIGIOT - SIGFPE SIGKILL SIGBUS SIGSEGV SIGSYS SIGPIPE SIGALRM SIGTERM " +
  "SIGURG SIGSTOP SIGTSTP SIGCONT SIGCHLD SIGTTIN SIGTTOU SIGIO SIGXCPU SIGXFSZ SIGVTALRM SIGPROF SIGWINCH SIGINFO " +
  "SIGUSR1 SIGUSR2";

function table(names: string): Record<string, number> {
  const result: Record<string, number> = { __proto__: null } as never;
  names.split(" ").forEach((entry, i) => {
    if (entry !== "-") for (const name of entry.split("=")) result[name] = i + 1;
  });
  return result;
}

/** Whether listeners of `event` mean that the process watches a signal. */
function signalOf(event: string): number | undefined {
  return typeof event === "string" && event.startsWith("SIG") ? signalNumbers()[event] : undefined;
}

const watched = new Set<number>();

/** Listener of process 'newListener': the first listener of a signal starts watching it. */
export function onNewListener(event: string): void {
  const signal = signalOf(event);
  if (signal === undefined || watched.has(signal)) return;
  try {
    startSignal(signal);
  } catch (error) {
    const { errnoException } = require("internal/core/errors");
    throw typeof (error as NodeError | undefined)?.errno === "number"
      ? errnoException((error as NodeError).errno!, "uv_signal_start")
      : error;
  }
  watched.add(signal);
}

/** Listener of process 'removeListener': the last listener gone restores the default action. */
export function onRemoveListener(event: string): void {
  const signal = signalOf(event);
  if (signal === undefined || !watched.has(signal) || require("node:process").listenerCount(event) > 0) return;
  watched.delete(signal);
  stopSignal(signal);
}

/** Native entry: a watched signal has arrived. */
export function emitSignal(name: string, number: number): void {
  const process = require("node:process");
  try {
    process.emit(name, name, number);
  } catch (error) {
    native("loop").triggerUncaughtException(error, false);
  }
}

/** process.kill(pid, signal = "SIGTERM"): throws ERR_INVALID_ARG_TYPE, ERR_UNKNOWN_SIGNAL, or the system error. */
export function kill(pid: number, signal: unknown): true {
  const { codes, errnoException } = require("internal/core/errors");
  // eslint-style equality on purpose: "12" is accepted as a pid.
  if (pid != (pid | 0)) throw new codes.ERR_INVALID_ARG_TYPE("pid", "number", pid);
  const process = require("node:process");
  let number: number;
  if (typeof signal === "number") {
    number = signal;
  } else {
    signal = signal || "SIGTERM";
    number = signalNumbers()[signal as string]!;
    if (number === undefined) throw new codes.ERR_UNKNOWN_SIGNAL(signal);
  }
  // What most likely ends this process comes after its report, as in Node.
  const isOwn = [0, -1, process.pid, -process.pid].includes(pid | 0) && number > 0;
  if (isOwn && process.env.NODE_V8_COVERAGE && !watched.has(number)) native("v8").writeCoverage();
  const error = process._kill(pid | 0, number);
  if (error) throw errnoException(error, "kill");
  return true;
}
