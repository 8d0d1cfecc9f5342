// The table of the inspector's domains (https://chromedevtools.github.io/devtools-protocol/v8/): what a command of the
// protocol does, by the names of its domain and of itself.
//
// Domains here run in the program's own realm: the heap, profiles, what belongs to the process. Those that look at the
// program from outside (Runtime, Debugger) run in a realm of their own, see backend/.

/** Parameters of a command, what it gives, and parameters of an event. */
export type Fields = Record<string, unknown>;

/** What a command sees of the session that it came by. */
export interface ProtocolSession {
  /** Sends an event, `DOMAIN.EVENT`. */
  notify(method: string, params: Fields): void;
  /** What domains keep with the session, by names of theirs; gone with the session. */
  readonly kept: Map<string, unknown>;
}

/** A command: takes the session and the parameters as they came, gives the answer. Throws a ProtocolError to refuse. */
type Command = (session: ProtocolSession, params: Fields) => Fields;

/** The commands of a domain by name; `disconnect`, which is no command, is called at the end of each session that used it. */
export type Domain = Record<string, Command>;

/** The protocol's number of an error of the server. */
const SERVER_ERROR = -32000;
/** The protocol's number of an unknown command. */
const METHOD_NOT_FOUND = -32601;

/** What a command ends with that does not succeed. */
export class ProtocolError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** Loads a domain at its first command. */
const LOADERS: Record<string, () => Domain> = {
  __proto__: null as never,
  Profiler: () => require("internal/v8/profiler").Profiler,
  HeapProfiler: () => require("internal/inspector/heap").HeapProfiler,
  Runtime: () => require("internal/inspector/heap").Runtime,
  NodeTracing: () => require("internal/inspector/tracing").NodeTracing,
  Network: () => require("internal/inspector/network").Network,
  IO: () => require("internal/inspector/network").IO,
  DOMStorage: () => require("internal/inspector/dom_storage").DOMStorage,
  Storage: () => require("internal/inspector/dom_storage").Storage,
  Schema: () => ({ getDomains: () => ({ domains: domainNames().map((name) => ({ name, version: "1.3" })) }) }),
};

/** Domains of Node 25 that have no command here; what they ask is told apart from what no protocol has. */
const MISSING_DOMAINS = ["Console", "Debugger", "Target"];
/** Commands that Node knows in domains of which others are here. */
const MISSING_COMMANDS =
  "Runtime.queryObjects Runtime.setAsyncCallStackDepth Runtime.setCustomObjectFormatterEnabled " +
  "Runtime.setMaxCallStackSizeToCapture Debugger.getStackTrace Debugger.getWasmBytecode Debugger.disassembleWasmModule " +
  "Debugger.restartFrame Debugger.setBlackboxExecutionContexts " +
  "Debugger.setReturnValue Debugger.setScriptSource HeapProfiler.addInspectedHeapObject " +
  "HeapProfiler.getHeapObjectId HeapProfiler.getObjectByHeapObjectId HeapProfiler.startTrackingHeapObjects " +
  "HeapProfiler.stopTrackingHeapObjects";

/** The domains by name; `domains.Profiler = {...}` registers one. */
export const domains: Record<string, Domain | undefined> = { __proto__: null as never };

function domainNames(): string[] {
  return [...new Set([...Object.keys(LOADERS), ...Object.keys(domains)])];
}

/** The command of a name; undefined if there is none here. */
export function find(method: string): Command | undefined {
  const dot = method.indexOf(".");
  const name = method.slice(0, dot);
  let domain = domains[name];
  if (domain === undefined && LOADERS[name] !== undefined) domain = domains[name] = LOADERS[name]();
  const command = method.slice(dot + 1);
  return domain !== undefined && Object.hasOwn(domain, command) && command !== "disconnect"
    ? domain[command]
    : undefined;
}

/** What a command ends with that [`find`] has not found. */
export function refusal(method: string): ProtocolError {
  const known = MISSING_DOMAINS.includes(method.split(".", 1)[0]!) || MISSING_COMMANDS.split(" ").includes(method);
  return known
    ? new ProtocolError(SERVER_ERROR, `'${method}' is not implemented in bao yet`)
    : new ProtocolError(METHOD_NOT_FOUND, `'${method}' wasn't found`);
}

/** Tells the domains in use that a session has ended. */
export function disconnect(session: ProtocolSession): void {
  for (const name of Object.keys(domains)) domains[name]?.disconnect?.(session, {});
}
