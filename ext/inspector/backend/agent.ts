// What the sessions of a thread share: the engine's debugger, the realms of the program as the protocol's execution contexts,
// the scripts, and the loop in which a stopped program waits.
import { DebuggerDomain } from "internal/inspector/backend/debugger";
import { nodeRuntimeCommands, runtimeCommands } from "internal/inspector/backend/runtime";
import { displayName, type ScriptEntry, Scripts } from "internal/inspector/backend/scripts";
import { type Command, type Fields, type LATER, METHOD_NOT_FOUND, Refusal } from "internal/inspector/backend/protocol";
import { PureEvaluator } from "internal/inspector/backend/pure";
import { samplingCommands, stopSampling } from "internal/inspector/backend/sampling";
import { Session } from "internal/inspector/backend/session";
import { WorkerDomain } from "internal/inspector/backend/workers";

const inspector = native("inspector");

/** Most frames of a stack. */
const MOST_FRAMES = 200;

/** A realm of the program. */
interface Context {
  id: number;
  /** Held weakly: a realm ends with the last reference of the program. */
  global: WeakRef<Debug.Obj>;
  name: string;
  isDefault: boolean;
}

/** A call of the console. */
interface ConsoleCall {
  type: string;
  args: Debug.Value[];
  timestamp: number;
  stackTrace: Fields | undefined;
}

/** Most calls of the console that are kept for clients to come. */
const MOST_CALLS = 1000;

export class Agent {
  readonly dbg = new Debugger();
  #pure: PureEvaluator | undefined;
  /** The program's global object. */
  readonly program: Debug.Obj;
  readonly sessions = new Map<number, Session>();
  readonly contexts: Context[] = [];
  readonly scripts = new Scripts((global) => this.contextOf(global).id);
  readonly debugger: DebuggerDomain;
  readonly #commands = new Map<string, Command>();
  readonly workers = new WorkerDomain(this);
  /** A client has said that the program may begin. */
  mayRun = true;
  /** How many sessions are to come that the program waits for. */
  awaited = 0;
  #remote: Debug.Obj | undefined;
  #lastException = 0;
  #lastContext = 0;
  readonly #console: ConsoleCall[] = [];

  constructor() {
    this.dbg.uncaughtExceptionHook = (error) => {
      const { message, stack } = error as Error;
      this.warn(`internal error in bao's debugger: ${message}\n${stack}`);
      return undefined;
    };
    // WebAssembly runs as without a debugger.
    this.dbg.allowUnobservedWasm = true;
    this.dbg.allowUnobservedAsmJS = true;
    this.program = this.dbg.makeGlobalObjectReference(inspector.program());
    this.addContext(this.program);
    this.debugger = new DebuggerDomain(this);
    for (const [name, command] of Object.entries(runtimeCommands)) this.#commands.set(`Runtime.${name}`, command);
    for (const [name, command] of Object.entries(nodeRuntimeCommands))
      this.#commands.set(`NodeRuntime.${name}`, command);
    for (const [name, command] of Object.entries(this.debugger.commands))
      this.#commands.set(`Debugger.${name}`, command);
    for (const [name, command] of Object.entries(samplingCommands)) this.#commands.set(`HeapProfiler.${name}`, command);
    for (const [name, command] of Object.entries(this.workers.commands))
      this.#commands.set(`NodeWorker.${name}`, command);
  }

  /** Runs code that may have no effects. */
  get pure(): PureEvaluator {
    return (this.#pure ??= new PureEvaluator());
  }

  // ------------------------------------------------------------------------------------------------ sessions

  command(session: Session, method: string, params: Fields, id: number): Fields | typeof LATER {
    const command = this.#commands.get(method);
    if (command !== undefined) return command(session, params, id);
    // The domains of the program's own realm.
    const answer = this.callRemote("dispatch", session.id, method, JSON.stringify(params));
    const { result, code, message } = JSON.parse(answer as string) as {
      result?: Fields;
      code: number;
      message: string;
    };
    if (result === undefined) throw new Refusal(message, code ?? METHOD_NOT_FOUND);
    return result;
  }

  disconnect(session: Session): void {
    this.sessions.delete(session.id);
    this.debugger.disconnect(session);
    this.workers.disconnect(session);
    stopSampling(session);
    session.objects.clear();
    if (session.isRemote) this.callRemote("disconnectClient", session.id);
    if (session.enabled.has("Runtime")) this.watchConsole();
  }

  runtimeSessions(): Session[] {
    return [...this.sessions.values()].filter((session) => session.enabled.has("Runtime"));
  }

  /** Calls a function of internal/inspector/remote in the program's realm. */
  callRemote(name: keyof typeof import("internal/inspector/remote"), ...args: Debug.Value[]): Debug.Value {
    if (this.#remote === undefined) {
      const module = inspector.programModule("internal/inspector/remote");
      this.#remote = this.program.makeDebuggeeValue(module) as Debug.Obj;
    }
    const found = this.#remote.getProperty(name) as { return: Debug.Obj };
    const wasBusy = inspector.setBusy(true);
    const completion = found.return.call(undefined, ...args);
    inspector.setBusy(wasBusy);
    if (completion === null) throw new Refusal("Execution was terminated");
    if ("throw" in completion) {
      const error = completion.throw as Debug.Obj;
      throw new Error(`${(error.getProperty("message") as { return: string }).return}`);
    }
    return completion.return;
  }

  /** Calls a function of this realm when a promise is settled. */
  whenSettled(promise: Debug.Obj, settled: () => void): void {
    this.callRemote("whenSettled", promise, this.program.makeDebuggeeValue(settled));
  }

  /** Keys and values of a map by turns, or the values of a set. */
  entriesOf(collection: Debug.Obj, isMap: boolean): Debug.Obj {
    return this.callRemote("entriesOf", collection, isMap) as Debug.Obj;
  }

  /** An object with what code of a client's sees beside the names of the program. */
  commandLine(): Debug.Obj {
    return this.callRemote("commandLine") as Debug.Obj;
  }

  /** Code as it is typed in a REPL as a script, and whether its value is a promise of `{ value }`. */
  replScript(code: string): [string, boolean] {
    return JSON.parse(this.callRemote("replScript", code) as string) as [string, boolean];
  }

  // ------------------------------------------------------------------------------------------------ contexts

  addContext(global: Debug.Obj): Context {
    const id = ++this.#lastContext;
    const isDefault = id === 1;
    const name = isDefault ? (this.callRemote("title") as string) : `VM Context ${id - 1}`;
    const context = { id, global: new WeakRef(global), name, isDefault };
    this.contexts.push(context);
    return context;
  }

  contextOf(global: Debug.Obj): Context {
    return this.contexts.find((context) => context.global.deref() === global) ?? this.addContext(global);
  }

  /** The context with a number, with its global object; undefined if it has ended. */
  context(id: number): { context: Context; global: Debug.Obj } | undefined {
    const context = this.contexts.find((known) => known.id === id);
    const global = context?.global.deref();
    return global === undefined ? undefined : { context: context!, global };
  }

  /** Takes up realms that were made meanwhile, and forgets those that have ended. */
  refreshContexts(): void {
    for (let index = this.contexts.length - 1; index > 0; index--) {
      const { id, global } = this.contexts[index]!;
      if (global.deref() !== undefined) continue;
      this.contexts.splice(index, 1);
      for (const session of this.runtimeSessions()) {
        const uniqueId = `${inspector.processId()}.${id}`;
        session.notify("Runtime.executionContextDestroyed", {
          executionContextId: id,
          executionContextUniqueId: uniqueId,
        });
      }
    }
    for (const global of this.dbg.findAllGlobals()) this.contextOf(global);
  }

  tellContext(session: Session, context: Context): void {
    session.notify("Runtime.executionContextCreated", {
      context: {
        id: context.id,
        origin: "",
        name: context.name,
        uniqueId: `${inspector.processId()}.${context.id}`,
        auxData: { isDefault: context.isDefault },
      },
    });
  }

  // ----------------------------------------------------------------------------------------------- the console

  consoleCalled(call: ConsoleCall): void {
    this.#console.push(call);
    if (this.#console.length > MOST_CALLS) this.#console.shift();
    for (const session of this.runtimeSessions()) this.#tellCall(session, call);
  }

  #tellCall(session: Session, { type, args, timestamp, stackTrace }: ConsoleCall): void {
    session.notify("Runtime.consoleAPICalled", {
      type,
      args: args.map((value) => session.objects.remote(value, { group: "console", preview: true })),
      executionContextId: 1,
      timestamp,
      ...(stackTrace === undefined ? {} : { stackTrace }),
    });
  }

  /** Tells a session of what the console was called with before. */
  replayConsole(session: Session): void {
    for (const call of this.#console) this.#tellCall(session, call);
  }

  clearConsole(): void {
    this.#console.length = 0;
  }

  /** Whether the console is watched: while somebody listens, or could come. */
  watchConsole(): void {
    const isWatched = this.runtimeSessions().length > 0 || inspector.url() !== undefined;
    this.callRemote("watchConsole", isWatched);
    if (!isWatched) this.clearConsole();
  }

  // ------------------------------------------------------------------------------------------------ values

  /** Runs an expression of bao's own in the program's realm. */
  evaluate(expression: string): Debug.Value {
    const completion = this.program.executeInGlobal(expression, { url: "internal/inspector/expression" });
    return completion?.return;
  }

  /** The place where a function of the program begins, as the protocol's Location. */
  placeOfFunction(object: Debug.Obj): Fields | undefined {
    const { script } = object;
    // There is none of native functions, and of realms that the debugger is not attached to.
    if (script == null || script.format !== "js") return undefined;
    const entry = this.scripts.of(script);
    const place = entry?.toFile({ line: script.startLine - 1, column: script.startColumn - 1 });
    return place === undefined
      ? undefined
      : { scriptId: entry!.id, lineNumber: place.line, columnNumber: place.column };
  }

  /** The protocol's StackTrace of the frames that the engine has kept. */
  stackTrace(first: Debug.SavedFrame | null | undefined): Fields | undefined {
    const callFrames: Fields[] = [];
    for (let frame = first ?? null; frame !== null && callFrames.length < MOST_FRAMES; frame = frame.parent) {
      const described = this.#savedFrame(frame);
      if (described !== undefined) callFrames.push(described);
    }
    return callFrames.length === 0 ? undefined : { callFrames };
  }

  /** The same of what has called a frame asynchronously, one StackTrace in the other, `depth` at most. */
  asyncStack(first: Debug.SavedFrame | null, depth: number): Fields | undefined {
    let frame = first;
    while (frame !== null && depth > 0) {
      const description = frame.asyncCause;
      const callFrames: Fields[] = [];
      do {
        const described = this.#savedFrame(frame);
        if (described !== undefined) callFrames.push(described);
        if (frame.parent === null) break;
        frame = frame.parent;
      } while (callFrames.length < MOST_FRAMES);
      frame = frame.asyncParent;
      if (callFrames.length === 0) continue;
      const parent = this.asyncStack(frame, depth - 1);
      return {
        description: description === "promise callback" ? "Promise.then" : "await",
        callFrames,
        ...(parent === undefined ? {} : { parent }),
      };
    }
    return undefined;
  }

  #savedFrame(frame: Debug.SavedFrame): Fields | undefined {
    const entry = this.#entryOf(frame.source);
    const place = entry?.toFile({ line: frame.line - 1, column: frame.column - 1 });
    if (place === undefined) return undefined;
    return {
      functionName: displayName(frame.functionDisplayName),
      scriptId: entry!.id,
      url: entry!.url,
      lineNumber: place.line,
      columnNumber: place.column,
    };
  }

  #entryOf(name: string): ScriptEntry | undefined {
    for (const entry of this.scripts.byId.values()) if (entry.source.url === name) return entry;
    return undefined;
  }

  /** The protocol's StackTrace of a list of frames as `Error.prepareStackTrace` counts them. */
  traceOf(frames: [string, string, number, number][]): Fields | undefined {
    if (frames.length === 0) return undefined;
    const callFrames = frames.map(([functionName, source, line, column]) => {
      const entry = this.#entryOf(source);
      const url = entry?.url ?? (source.startsWith("/") ? inspector.fileUrl(source) : source);
      return { functionName, scriptId: entry?.id ?? "0", url, lineNumber: line - 1, columnNumber: column - 1 };
    });
    return { callFrames };
  }

  /** The protocol's ExceptionDetails. */
  exceptionDetails(session: Session, thrown: Debug.Value, group?: string, stack?: Debug.SavedFrame | null): Fields {
    const exception = session.objects.remote(thrown, { group, preview: group !== undefined });
    const stackTrace = this.stackTrace(stack);
    const top = (stackTrace?.callFrames as Fields[] | undefined)?.[0];
    return {
      exceptionId: ++this.#lastException,
      text: "Uncaught",
      lineNumber: top?.lineNumber ?? 0,
      columnNumber: top?.columnNumber ?? 0,
      ...(top === undefined ? {} : { scriptId: top.scriptId, url: top.url }),
      ...(stackTrace === undefined ? {} : { stackTrace }),
      exception,
    };
  }

  warn(message: string): void {
    this.callRemote("warn", message);
  }

  // ------------------------------------------------------------------------------------------------ waiting

  /** Serves clients, and nothing else, until `isOver`, or until the thread is to end. */
  serveUntil(isOver: () => boolean): void {
    while (!isOver()) {
      const next = inspector.wait();
      if (next === undefined) return;
      this.receive(...next);
    }
  }

  /** Takes what has come: by its name in `main`, with the number of a client or of a link to another thread, and a text. */
  receive(what: string, number: number, text: string): void {
    switch (what) {
      case "connected":
        this.awaited--;
        this.connect(number, true, (message) => inspector.send(number, message));
        return;
      case "message":
        this.sessions.get(number)?.dispatch(text);
        return;
      case "disconnected": {
        const session = this.sessions.get(number);
        if (session !== undefined) this.disconnect(session);
        return;
      }
      case "skipped":
        this.awaited--;
        return;
      case "workerStarted":
        this.workers.started(number, text);
        return;
      case "threadMessage":
        this.workers.message(number, text);
        return;
      case "threadEnded":
        this.workers.ended(number);
        return;
    }
  }

  connect(id: number, isRemote: boolean, send: (message: string) => void): void {
    this.sessions.set(id, new Session(id, this, isRemote, send));
  }

  /** The program has ended: tells clients, and waits until the last one has gone. */
  end(): void {
    // Those that want to know of the wait still look at the program; the others hear of its end when these have gone.
    const tellsOfWait = (session: Session) => session.kept.get("tellsOfEnd") === true;
    for (const session of this.sessions.values()) {
      if (tellsOfWait(session)) session.notify("NodeRuntime.waitingForDisconnect", {});
    }
    let isTold = false;
    this.serveUntil(() => {
      if (!isTold && ![...this.sessions.values()].some(tellsOfWait)) {
        isTold = true;
        for (const session of this.runtimeSessions()) {
          session.notify("Runtime.executionContextDestroyed", {
            executionContextId: 1,
            executionContextUniqueId: `${inspector.processId()}.1`,
          });
        }
      }
      return isTold && !inspector.hasClients();
    });
  }

  /** Tells sessions of realms that are made from now on. */
  watchContexts(): void {
    if (this.dbg.onNewGlobalObject !== undefined) return;
    this.dbg.onNewGlobalObject = (global) => {
      const context = this.contextOf(global);
      for (const session of this.runtimeSessions()) this.tellContext(session, context);
      this.debugger.addGlobal(global);
    };
  }
}
