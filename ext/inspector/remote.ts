// What the debugger's realm calls in the program's: the domains of the table, the console, promises.
import {
  disconnect,
  type Fields,
  find,
  ProtocolError,
  type ProtocolSession,
  refusal,
} from "internal/inspector/domains";

const inspector = native("inspector");
const { then } = Promise.prototype;
const { forEach: mapForEach } = Map.prototype;
const { forEach: setForEach } = Set.prototype;
const { apply } = Reflect;
const { setPrototypeOf } = Object;

/** Sessions of clients that have used a domain. */
const sessions = new Map<number, ProtocolSession>();

/** Runs a command of the table; gives `{result}`, or `{code, message}` of a refusal, as JSON. */
export function dispatch(client: number, method: string, params: string): string {
  try {
    const command = find(method);
    if (command === undefined) throw refusal(method);
    let session = sessions.get(client);
    if (session === undefined) {
      session = {
        kept: new Map(),
        notify: (event, fields) => inspector.send(client, JSON.stringify({ method: event, params: fields })),
      };
      sessions.set(client, session);
    }
    return JSON.stringify({ result: command(session, JSON.parse(params) as Fields) });
  } catch (error) {
    if (error instanceof ProtocolError) return JSON.stringify({ code: error.code, message: error.message });
    return JSON.stringify({ code: -32603, message: `Internal error in bao: ${(error as Error).message}` });
  }
}

/** A client has gone. */
export function disconnectClient(client: number): void {
  const session = sessions.get(client);
  if (session === undefined) return;
  sessions.delete(client);
  disconnect(session);
}

/** Keys and values of a map by turns, or the values of a set; nothing of the program's runs. */
export function entriesOf(collection: unknown, isMap: boolean): unknown[] {
  // Without a prototype, whose `push` and setters may be the program's.
  const list = setPrototypeOf([] as unknown[], null);
  let length = 0;
  // `forEach` of either gives value and key.
  const take = (value: unknown, key: unknown) => {
    if (isMap) list[length++] = key;
    list[length++] = value;
  };
  apply(isMap ? mapForEach : setForEach, collection, [take]);
  return list;
}

/** Calls `settled` when a promise is; the promise counts as handled. */
export function whenSettled(promise: Promise<unknown>, settled: () => void): void {
  apply(then, promise, [() => settled(), () => settled()]);
}

/** What `require` of the console begins at. */
type ConsoleModule = Parameters<BuiltinModules["internal/module/cjs"]["makeRequire"]>[0];

/** What code of a client's sees beside the names of the program. */
export function commandLine(): object {
  if (consoleRequire === undefined) {
    const { Module, makeRequire } = require("internal/module/cjs");
    const module = new (Module as unknown as new (id: string) => ConsoleModule)("<inspector console>");
    module.filename = `${process.cwd()}/<inspector console>`;
    module.paths = require("node:module")._nodeModulePaths(process.cwd());
    consoleRequire = makeRequire(module);
  }
  return { require: consoleRequire };
}

let consoleRequire: unknown;

/** Code that may be run again and again, as it is typed in a REPL, and whether its value is a promise of `{ value }`; as JSON. */
export function replScript(code: string): string {
  const { processTopLevelAwait, sessionScript } = require("internal/repl/syntax");
  try {
    const script = processTopLevelAwait(code);
    // Its names are declared so that they can be again.
    if (script !== null) return JSON.stringify([sessionScript(script), true]);
    return JSON.stringify([sessionScript(code), false]);
  } catch {
    // The engine says what is wrong with it.
    return JSON.stringify([code, false]);
  }
}

/** What the program's own realm is called. */
export function title(): string {
  const { isMainThread, threadId } = require("node:worker_threads");
  return isMainThread ? `${process.title}[${process.pid}]` : `Worker[${threadId}]`;
}

export function warn(message: string): void {
  process.emitWarning(message);
}

// ------------------------------------------------------------------------------------------------------- the console

/** The protocol's names of the console's methods. */
const METHODS: Record<string, string> = {
  log: "log",
  debug: "debug",
  info: "info",
  error: "error",
  warn: "warning",
  dir: "dir",
  dirxml: "dirxml",
  table: "table",
  trace: "trace",
  clear: "clear",
  group: "startGroup",
  groupCollapsed: "startGroupCollapsed",
  groupEnd: "endGroup",
  assert: "assert",
};

type Method = (...args: unknown[]) => unknown;

/** The console's own methods while it is watched. */
let own: Map<string, Method> | undefined;

/** Starts or ends to tell clients of what the console is called with. */
export function watchConsole(isWatched: boolean): void {
  if (isWatched === (own !== undefined)) return;
  const { console } = globalThis as unknown as { console: Record<string, Method> };
  if (!isWatched) {
    for (const [name, method] of own!) if (watchers.has(console[name]!)) console[name] = method;
    own = undefined;
    return;
  }
  own = new Map();
  for (const [name, type] of Object.entries(METHODS)) {
    const method = console[name];
    if (typeof method !== "function") continue;
    own.set(name, method);
    const watcher = {
      [name](this: unknown, ...args: unknown[]) {
        if (name !== "assert" || !args[0]) tell(type, name === "assert" ? args.slice(1) : args);
        return apply(method, this, args);
      },
    }[name]!;
    watchers.add(watcher);
    console[name] = watcher;
  }
}

const watchers = new WeakSet<Method>();

/** Most frames of the stack that a call of the console is told with. */
const CALL_FRAMES = 10;

function tell(type: string, args: unknown[]): void {
  const sites = require("internal/util/call_sites").captureCallSites(tell, CALL_FRAMES);
  const frames = sites.map((site) => [
    site.getFunctionName() ?? "",
    site.getFileName() ?? "",
    site.getLineNumber() ?? 0,
    site.getColumnNumber() ?? 0,
  ]);
  const name: keyof typeof import("internal/inspector/backend/main") = "consoleCalled";
  inspector.backend(name, type, args, JSON.stringify(frames));
}

/** The console of a client that is attached: a method of it tells the client only. */
export function inspectorConsole(name: string, args: unknown[]): void {
  const type = METHODS[name];
  if (type !== undefined) tell(type, args);
}
