// The entry of the debugger's realm: what native code and the program's realm call.
import { Agent } from "internal/inspector/backend/agent";

const agent = new Agent();

/** Sessions of the program with itself have numbers from here on. */
let lastLocal = 1e6;

export function connected(client: number): void {
  agent.receive(0, client, "");
}

export function message(client: number, text: string): void {
  agent.receive(1, client, text);
}

export function disconnected(client: number): void {
  agent.receive(2, client, "");
}

/** Connects a session of the program with itself; `receive` gets messages as JSON. Gives its number. */
export function connectLocal(receive: unknown): number {
  const id = ++lastLocal;
  const target = agent.program.makeDebuggeeValue(receive) as Debug.Obj;
  agent.connect(id, false, (text) => void target.call(undefined, text));
  return id;
}

/** Waits for a client that lets the program begin; `stops`: it stops at its first statement. */
export function waitForDebugger(stops: boolean): void {
  agent.mayRun = false;
  for (const session of agent.sessions.values()) {
    if (session.enabled.has("NodeRuntime")) session.notify("NodeRuntime.waitingForDebugger", {});
  }
  agent.serveUntil(() => agent.mayRun);
  if (stops && agent.debugger.sessions.length > 0) agent.debugger.stopSoon("Break on start");
}

/** The server has stopped. */
export function closed(): void {
  agent.watchConsole();
}

/** The program has ended: tells clients, and waits until the last one has gone. */
export function ended(): void {
  agent.end();
}

/** The console was called: the protocol's name of the method, its arguments, and the stack. */
export function consoleCalled(type: string, args: unknown, frames: unknown): void {
  const list = agent.program.makeDebuggeeValue(args) as Debug.Obj;
  const length = list.getOwnPropertyDescriptor("length")!.value as number;
  agent.consoleCalled({
    type,
    args: Array.from({ length }, (_, index) => list.getOwnPropertyDescriptor(`${index}`)?.value),
    timestamp: Date.now(),
    stackTrace: agent.traceOf(JSON.parse(frames as string) as [string, string, number, number][]),
  });
}

/** Nothing has caught an error. */
export function uncaught(error: unknown): void {
  const value = agent.program.makeDebuggeeValue(error);
  for (const session of agent.runtimeSessions()) {
    const exceptionDetails = agent.exceptionDetails(session, value);
    session.notify("Runtime.exceptionThrown", { timestamp: Date.now(), exceptionDetails });
  }
}
