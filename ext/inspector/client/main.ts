// `bao inspect`, Node's debugger for the terminal: https://nodejs.org/api/debugger.html
import { usage } from "internal/inspector/client/help";
import { DebuggerSession } from "internal/inspector/client/session";
import type { Target } from "internal/inspector/client/target";

const DEFAULT_HOST = "127.0.0.1";
const DEFAULT_PORT = 9229;
/** What the process ends with where it is called in a wrong way, as in Node. */
const WRONG_USE = 9;

/** What the words of the command name; undefined if they are wrong. */
function targetOf(words: string[]): Target | undefined {
  const [first, ...rest] = words;
  if (first === undefined) return undefined;
  const address = { host: DEFAULT_HOST, port: DEFAULT_PORT };
  const port = /^--(?:inspect-)?port=(\d+)$/.exec(first)?.[1];
  if (port !== undefined) {
    return rest.length === 0 ? undefined : { address: { ...address, port: Number(port) }, program: rest };
  }
  if (first === "-p") {
    const pid = Number(rest[0]);
    if (rest.length !== 1 || !Number.isInteger(pid) || pid <= 0) return undefined;
    attach(pid);
    return { address, program: undefined };
  }
  if (first.startsWith("-")) return undefined;
  const found = /^(?:\[([\da-f:.]+)\]|([^:/]+)):(\d+)$/i.exec(first);
  if (found !== null) {
    return { address: { host: found[1] ?? found[2]!, port: Number(found[3]) }, program: undefined };
  }
  return { address, program: words };
}

/** Has a process listen for debuggers. */
function attach(pid: number): void {
  try {
    process._debugProcess(pid);
  } catch (error) {
    if ((error as NodeError).code !== "ESRCH") throw error;
    console.error(`Target process: ${pid} doesn't exist.`);
    process.exit(1);
  }
}

/** Runs the command. */
export function start(): void {
  const target = targetOf(process.argv.slice(1));
  if (target === undefined) {
    console.error(usage());
    process.exit(WRONG_USE);
  }
  new DebuggerSession(target).start().catch((error: Error) => {
    console.error(
      (error as NodeError).code === "ERR_DEBUGGER_ERROR" ? error.message : `${error.name}: ${error.message}`,
    );
    process.exit(1);
  });
}
