// The entry of the debugger's realm: what native code and the program's realm call.
import { Agent } from "internal/inspector/backend/agent";
import * as sampling from "internal/inspector/backend/sampling";

const agent = new Agent();

/** Sessions of the program with itself have numbers from here on. */
let lastLocal = 1e6;

export function connected(client: number): void {
  agent.receive("connected", client, "");
}

export function message(client: number, text: string): void {
  agent.receive("message", client, text);
}

export function disconnected(client: number): void {
  agent.receive("disconnected", client, "");
}

/** A session that the program waits for will not come. */
export function skipped(): void {
  agent.receive("skipped", 0, "");
}

/** A worker has begun, which a session that watches workers is told: see `WorkerDomain.started`. */
export function workerStarted(client: number, worker: string): void {
  agent.receive("workerStarted", client, worker);
}

/** A message of a worker, by the number of the link to it. */
export function threadMessage(link: number, text: string): void {
  agent.receive("threadMessage", link, text);
}

/** A worker has ended. */
export function threadEnded(link: number): void {
  agent.receive("threadEnded", link, "");
}

/** Starts a profile of the heap; `interval` in bytes, 0 for the default. Gives its number. */
export function startHeapProfile(interval: number): number {
  return sampling.startHeapProfile(agent, interval);
}

/** Ends a profile of the heap: the text of a `.heapprofile` file; undefined if it has ended. */
export function stopHeapProfile(number: number): string | undefined {
  return sampling.stopHeapProfile(number);
}

/** The protocol's number of the context of a global object. */
export function contextNumber(global: unknown): number {
  return agent.contextOf(agent.dbg.makeGlobalObjectReference(global)).id;
}

/** Connects a session of the program with itself; `receive` gets messages as JSON. Gives its number. */
export function connectLocal(receive: unknown): number {
  const id = ++lastLocal;
  const target = agent.program.makeDebuggeeValue(receive) as Debug.Obj;
  agent.connect(id, false, (text) => void target.call(undefined, text));
  return id;
}

/**
 * Waits for a client that lets the program begin; `stops`: it stops at its first statement. `awaited`: so many sessions are to come, and
 * when they have all gone nobody is waited for; 0 or undefined if it waits for anybody.
 */
export function waitForDebugger(stops: boolean, awaited?: number): void {
  agent.mayRun = false;
  agent.awaited = awaited || Number.POSITIVE_INFINITY;
  for (const session of agent.sessions.values()) {
    if (session.enabled.has("NodeRuntime")) session.notify("NodeRuntime.waitingForDebugger", {});
  }
  agent.serveUntil(() => agent.mayRun || (agent.awaited <= 0 && agent.sessions.size === 0));
  agent.mayRun = true;
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
