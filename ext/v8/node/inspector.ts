// `node:inspector` (https://nodejs.org/api/inspector.html) of a runtime without a debugger.
//
// No client can attach: `url()` is undefined and `open()` throws ERR_NOT_IMPLEMENTED. A `Session` answers the commands of
// the protocol (https://chromedevtools.github.io/devtools-protocol/v8/) that the engine can answer from inside: the size of
// the heap, a collection, a heap snapshot. All others are errors that say so.
import EventEmitter from "node:events";
import { codes } from "internal/core/errors";
import { validateFunction, validateObject, validateString } from "internal/core/validators";

/** What a command gives. */
type Answer = Record<string, unknown>;
/** Called with the error or with the answer of a command. */
type Callback = (error: Error | null, answer?: Answer) => void;

/** The domains that have at least one command here. */
const DOMAINS = ["Runtime", "HeapProfiler", "Schema"];
/** The domains of Node 25 that have none; what they ask is told apart from what no protocol has. */
const MISSING_DOMAINS = [
  "Console",
  "Debugger",
  "Profiler",
  "NodeTracing",
  "NodeWorker",
  "NodeRuntime",
  "Network",
  "Target",
];
/** Commands that Node knows in the domains above. */
const MISSING_COMMANDS =
  "Runtime.addBinding Runtime.awaitPromise Runtime.callFunctionOn Runtime.compileScript Runtime.discardConsoleEntries " +
  "Runtime.evaluate Runtime.getExceptionDetails Runtime.getIsolateId Runtime.getProperties Runtime.globalLexicalScopeNames " +
  "Runtime.queryObjects Runtime.releaseObject Runtime.releaseObjectGroup Runtime.removeBinding Runtime.runIfWaitingForDebugger " +
  "Runtime.runScript Runtime.setAsyncCallStackDepth Runtime.setCustomObjectFormatterEnabled " +
  "Runtime.setMaxCallStackSizeToCapture Runtime.terminateExecution HeapProfiler.addInspectedHeapObject " +
  "HeapProfiler.getHeapObjectId HeapProfiler.getObjectByHeapObjectId HeapProfiler.getSamplingProfile " +
  "HeapProfiler.startSampling HeapProfiler.stopSampling HeapProfiler.startTrackingHeapObjects " +
  "HeapProfiler.stopTrackingHeapObjects";

/** Characters of a snapshot that one `HeapProfiler.addHeapSnapshotChunk` event carries. */
const SNAPSHOT_CHUNK = 102400;

/** The protocol's number of an error of the server. */
const SERVER_ERROR = -32000;
/** The protocol's number of an unknown command. */
const METHOD_NOT_FOUND = -32601;

const COMMANDS: Record<string, (session: Session, params: Record<string, unknown>) => Answer> = {
  __proto__: null as never,
  "Runtime.enable": () => ({}),
  "Runtime.disable": () => ({}),
  "Runtime.getHeapUsage"() {
    const heap = require("node:v8").getHeapStatistics() as Record<string, number>;
    return {
      usedSize: heap.used_heap_size,
      totalSize: heap.total_heap_size,
      embedderHeapUsedSize: 0,
      backingStorageSize: heap.external_memory,
    };
  },
  "HeapProfiler.enable": () => ({}),
  "HeapProfiler.disable": () => ({}),
  "HeapProfiler.collectGarbage"() {
    native("loop").gc();
    return {};
  },
  "HeapProfiler.takeHeapSnapshot"(session, params) {
    const { takeSnapshot } = require("internal/v8/heap_snapshot");
    const text = takeSnapshot({ exposeInternals: params.exposeInternals === true });
    // The snapshot is made at once.
    if (params.reportProgress === true) {
      const progress = { done: text.length, total: text.length, finished: true };
      notify(session, "HeapProfiler.reportHeapSnapshotProgress", progress);
    }
    for (let at = 0; at < text.length; at += SNAPSHOT_CHUNK) {
      notify(session, "HeapProfiler.addHeapSnapshotChunk", { chunk: text.slice(at, at + SNAPSHOT_CHUNK) });
    }
    return {};
  },
  "Schema.getDomains": () => ({ domains: DOMAINS.map((name) => ({ name, version: "1.3" })) }),
};

function notify(session: Session, method: string, params: Answer): void {
  const message = { method, params };
  session.emit(method, message);
  session.emit("inspectorNotification", message);
}

/** What a command ends with that is not in COMMANDS. */
function refusal(method: string): Error {
  const known = MISSING_DOMAINS.includes(method.split(".", 1)[0]!) || MISSING_COMMANDS.split(" ").includes(method);
  return known
    ? new codes.ERR_INSPECTOR_COMMAND(SERVER_ERROR, `'${method}' is not implemented in bao yet`)
    : new codes.ERR_INSPECTOR_COMMAND(METHOD_NOT_FOUND, `'${method}' wasn't found`);
}

/** A session of this thread with itself. */
class Session extends EventEmitter {
  #connected = false;

  /** Throws ERR_INSPECTOR_ALREADY_CONNECTED; ERR_ACCESS_DENIED if the program has no permission. */
  connect(): void {
    if (this.#connected) throw new codes.ERR_INSPECTOR_ALREADY_CONNECTED("The inspector session");
    const { permission } = process as { permission?: { has(scope: string): boolean } };
    if (permission !== undefined && !permission.has("inspector")) {
      throw Object.assign(new codes.ERR_ACCESS_DENIED("Access to this API has been restricted."), {
        permission: "Inspector",
        resource: "",
      });
    }
    this.#connected = true;
  }

  /** Throws ERR_INSPECTOR_NOT_WORKER on the main thread, and ERR_NOT_IMPLEMENTED on others. */
  connectToMainThread(): void {
    if (require("node:worker_threads").isMainThread) throw new codes.ERR_INSPECTOR_NOT_WORKER();
    if (this.#connected) throw new codes.ERR_INSPECTOR_ALREADY_CONNECTED("The inspector session");
    throw new codes.ERR_NOT_IMPLEMENTED("inspector.Session.prototype.connectToMainThread");
  }

  /** The command runs at once, and `callback` is called before this returns, as in Node. */
  post(method: string, params?: unknown, callback?: Callback): void {
    validateString(method, "method");
    if (!callback && typeof params === "function") {
      callback = params as Callback;
      params = null;
    }
    if (params) validateObject(params, "params");
    if (callback) validateFunction(callback, "callback");
    if (!this.#connected) throw new codes.ERR_INSPECTOR_NOT_CONNECTED();
    const command = COMMANDS[method];
    if (command === undefined) {
      callback?.(refusal(method));
      return;
    }
    const answer = command(this, (params ?? {}) as Record<string, unknown>);
    callback?.(null, answer);
  }

  disconnect(): void {
    this.#connected = false;
  }
}

/** Throws ERR_NOT_IMPLEMENTED: no debugger can attach. */
function open(_port?: number, _host?: string, _wait?: boolean): never {
  throw new codes.ERR_NOT_IMPLEMENTED("inspector.open");
}

/** Nothing is open. */
function close(): void {}

/** undefined: no inspector is active. */
function url(): string | undefined {
  return undefined;
}

/** Throws ERR_INSPECTOR_NOT_ACTIVE. */
function waitForDebugger(): void {
  throw new codes.ERR_INSPECTOR_NOT_ACTIVE();
}

/** The console of a client that is attached; as there is none, its methods do nothing. */
const context: () => Record<string, unknown> = require("internal/console/methods").context;
const inspectorConsole: Record<string, unknown> = Object.assign(context(), { context });
Object.defineProperty(inspectorConsole, Symbol.toStringTag, { value: "console", configurable: true });

export default { open, close, url, waitForDebugger, console: inspectorConsole, Session };
