// `node:inspector` (https://nodejs.org/api/inspector.html) of a runtime without a debugger.
//
// No client can attach: `url()` is undefined and `open()` throws ERR_NOT_IMPLEMENTED. A `Session` answers the commands of
// the protocol (https://chromedevtools.github.io/devtools-protocol/v8/) that the engine can answer from inside: the size of
// the heap, a collection, a heap snapshot. All others are errors that say so.
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
import { validateFunction, validateObject, validateString } from "internal/core/validators";

/** Called with the error or with the answer of a command. */
type Callback = (error: Error | null, answer?: Fields) => void;

/** A session of this thread with itself. */
class Session extends EventEmitter {
  #connected = false;
  #protocol: ProtocolSession = {
    kept: new Map(),
    notify: (method, params) => {
      const message = { method, params };
      this.emit(method, message);
      this.emit("inspectorNotification", message);
    },
  };

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
    const command = find(method);
    let answer: Fields;
    try {
      if (command === undefined) throw refusal(method);
      answer = command(this.#protocol, (params ?? {}) as Fields);
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      callback?.(new codes.ERR_INSPECTOR_COMMAND(error.code, error.message));
      return;
    }
    callback?.(null, answer);
  }

  disconnect(): void {
    if (!this.#connected) return;
    this.#connected = false;
    disconnect(this.#protocol);
    this.#protocol.kept.clear();
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
