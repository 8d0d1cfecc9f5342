// `node:inspector` (https://nodejs.org/api/inspector.html): sessions of the program with itself, and the server that
// debuggers connect to.
//
// The commands of the table in `domains` run here, at once. Those of Runtime and Debugger go to the debugger's realm and come
// back as JSON, as all of Node's do.
import EventEmitter from "node:events";
import { codes } from "internal/core/errors";
import {
  disconnect,
  type Fields,
  find,
  type ProtocolSession,
  ProtocolError,
  refusal,
} from "internal/inspector/domains";
import { inspectorConsole as tell } from "internal/inspector/remote";
import { validateFunction, validateInteger, validateObject, validateString } from "internal/core/validators";

/** Called with the error or with the answer of a command. */
type Callback = (error: Error | null, answer?: Fields) => void;

const inspector = native("inspector");

/** Calls a function of the debugger's realm. */
function backend(
  name: keyof typeof import("internal/inspector/backend/main"),
  first?: unknown,
  second?: unknown,
): unknown {
  return inspector.backend(name, first, second, undefined);
}

/** Throws ERR_ACCESS_DENIED if the program has no permission. */
function checkPermission(): void {
  const { permission } = process as { permission?: { has(scope: string): boolean } };
  if (permission !== undefined && !permission.has("inspector")) {
    // As the native halves throw it: the code is not in the stack.
    const error = new Error("Access to this API has been restricted. Use --allow-inspector to manage permissions.");
    throw Object.assign(error, { code: "ERR_ACCESS_DENIED", permission: "Inspector", resource: "" });
  }
}

/** A message of the debugger's realm. */
interface Message {
  id?: number;
  method?: string;
  params?: Fields;
  result?: Fields;
  error?: { code: number; message: string };
}

/** The methods of the console that the protocol has events for. */
const CONSOLE_METHODS = "debug error info log warn dir dirxml table trace group groupCollapsed groupEnd clear assert";

/** The commands of the debugger's realm. */
const OUTSIDE =
  /^(?:Runtime|Debugger|NodeRuntime|NodeWorker)\.|^HeapProfiler\.(?:startSampling|stopSampling|getSamplingProfile)$/;

/** A session of this thread with itself, or of a worker with the main thread. */
class Session extends EventEmitter {
  #connected = false;
  /** Its number in the debugger's realm, once a command went there. */
  #number: number | undefined;
  /** The number of its link to the main thread, if that is what it looks at. */
  #link: number | undefined;
  #lastId = 1;
  readonly #callbacks = new Map<number, Callback>();
  #protocol: ProtocolSession = {
    kept: new Map(),
    notify: (method, params) => this.#emit({ method, params }),
  };

  /** What a listener throws becomes a warning, as in Node: it must not reach the debugger. */
  #emit(message: Message): void {
    try {
      this.emit(message.method!, message);
      this.emit("inspectorNotification", message);
    } catch (error) {
      process.emitWarning(error as Error);
    }
  }

  #answer(callback: Callback | undefined, error: Error | null, answer?: Fields): void {
    try {
      if (error === null) callback?.(null, answer);
      else callback?.(error);
    } catch (thrown) {
      process.emitWarning(thrown as Error);
    }
  }

  /** Throws ERR_INSPECTOR_ALREADY_CONNECTED; ERR_ACCESS_DENIED if the program has no permission. */
  connect(): void {
    if (this.#connected) throw new codes.ERR_INSPECTOR_ALREADY_CONNECTED("The inspector session");
    checkPermission();
    this.#connected = true;
  }

  /** A session of a worker with the main thread. Throws ERR_INSPECTOR_NOT_WORKER on the main thread, and what `connect` does. */
  connectToMainThread(): void {
    if (require("node:worker_threads").isMainThread) throw new codes.ERR_INSPECTOR_NOT_WORKER();
    if (this.#connected) throw new codes.ERR_INSPECTOR_ALREADY_CONNECTED("The inspector session");
    checkPermission();
    this.#link = inspector.connectMain((text) => this.#receive(text));
    this.#connected = true;
  }

  /** A message of the debugger's realm, of this thread or of the main thread. */
  #receive(text: string): void {
    if (!this.#connected) return;
    const message = JSON.parse(text) as Message;
    if (message.id === undefined) {
      this.#emit(message);
      return;
    }
    const callback = this.#callbacks.get(message.id);
    this.#callbacks.delete(message.id);
    const { error, result } = message;
    if (error === undefined) this.#answer(callback, null, result);
    else this.#answer(callback, new codes.ERR_INSPECTOR_COMMAND(error.code, error.message));
  }

  /** The command runs at once, and `callback` is called before this returns, as in Node, but for what waits for a promise. */
  post(method: string, params?: unknown, callback?: Callback): void {
    validateString(method, "method");
    if (!callback && typeof params === "function") {
      callback = params as Callback;
      params = null;
    }
    if (params) validateObject(params, "params");
    if (callback) validateFunction(callback, "callback");
    if (!this.#connected) throw new codes.ERR_INSPECTOR_NOT_CONNECTED();
    const command = this.#link === undefined ? find(method) : undefined;
    if (this.#link !== undefined || (command === undefined && OUTSIDE.test(method))) {
      this.#postOutside(method, params, callback);
      return;
    }
    let answer: Fields;
    try {
      if (command === undefined) throw refusal(method);
      answer = command(this.#protocol, (params ?? {}) as Fields);
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      this.#answer(callback, new codes.ERR_INSPECTOR_COMMAND(error.code, error.message));
      return;
    }
    this.#answer(callback, null, answer);
  }

  #postOutside(method: string, params: unknown, callback: Callback | undefined): void {
    const id = this.#lastId++;
    if (callback) this.#callbacks.set(id, callback);
    const message = JSON.stringify({ id, method, ...(params ? { params } : {}) });
    if (this.#link !== undefined) {
      inspector.sendToThread(this.#link, message);
      return;
    }
    const receive = (text: string) => this.#receive(text);
    this.#number ??= backend("connectLocal", receive) as number;
    backend("message", this.#number, message);
  }

  /** Callbacks that wait get ERR_INSPECTOR_CLOSED. */
  disconnect(): void {
    if (!this.#connected) return;
    this.#connected = false;
    disconnect(this.#protocol);
    this.#protocol.kept.clear();
    if (this.#number !== undefined) backend("disconnected", this.#number);
    this.#number = undefined;
    if (this.#link !== undefined) inspector.disconnectThread(this.#link);
    this.#link = undefined;
    this.#lastId = 1;
    const waiting = [...this.#callbacks.values()];
    this.#callbacks.clear();
    for (const callback of waiting) process.nextTick(callback, new codes.ERR_INSPECTOR_CLOSED());
  }
}

/**
 * Starts the server on a port (default 9229; 0 for a free one) and a host (default 127.0.0.1), and waits for a client if `wait` says
 * so. Gives an object that can be disposed of, which closes it. Throws ERR_INSPECTOR_ALREADY_ACTIVATED.
 */
function open(port?: number, host?: string, wait?: boolean): { [Symbol.dispose](): void } {
  checkPermission();
  if (inspector.url() !== undefined) throw new codes.ERR_INSPECTOR_ALREADY_ACTIVATED();
  if (port !== undefined) validateInteger(port, "port", 0, 65535);
  const place = host || "127.0.0.1";
  if (!/^(?:127\..*|localhost|::1|\[::1\])$/.test(place)) {
    process.emitWarning(
      "Binding the inspector to a public IP with an open port is insecure, as it allows external hosts to connect to the " +
        "inspector and perform a remote code execution attack. Documentation can be found at " +
        "https://nodejs.org/api/cli.html#--inspecthostport",
      "SecurityWarning",
    );
  }
  inspector.open(place, port ?? process.debugPort);
  if (wait === true && inspector.url() !== undefined) waitForDebugger();
  return { [Symbol.dispose]: close };
}

/** Stops the server, and hangs up on its clients. */
function close(): void {
  inspector.close();
}

/** The URL that clients connect to; undefined if the server does not run. */
function url(): string | undefined {
  return inspector.url();
}

/** Waits until a client lets the program go on. Throws ERR_INSPECTOR_NOT_ACTIVE. */
function waitForDebugger(): void {
  if (inspector.url() === undefined) throw new codes.ERR_INSPECTOR_NOT_ACTIVE();
  backend("waitForDebugger", false);
}

/** The console of the clients that are attached. */
const context: () => Record<string, unknown> = require("internal/console/methods").context;
const inspectorConsole: Record<string, unknown> = Object.assign(context(), { context });
for (const name of CONSOLE_METHODS.split(" ")) {
  inspectorConsole[name] = { [name]: (...args: unknown[]) => tell(name, args) }[name];
}
Object.defineProperty(inspectorConsole, Symbol.toStringTag, { value: "console", configurable: true });

export default {
  open,
  close,
  url,
  waitForDebugger,
  console: inspectorConsole,
  Session,
  get Network() {
    return require("internal/inspector/network").network;
  },
  get NetworkResources() {
    return require("internal/inspector/network").networkResources;
  },
  get DOMStorage() {
    return require("internal/inspector/dom_storage").domStorage;
  },
};
