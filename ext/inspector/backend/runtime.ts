// The domain Runtime (https://chromedevtools.github.io/devtools-protocol/v8/Runtime/): evaluation, objects, contexts.
import { type Held, isObject } from "internal/inspector/backend/objects";
import {
  type Command,
  type Fields,
  flag,
  INVALID_PARAMS,
  LATER,
  optionalNumber,
  optionalText,
  Refusal,
  text,
} from "internal/inspector/backend/protocol";
import { EFFECT } from "internal/inspector/backend/pure";
import type { Session } from "internal/inspector/backend/session";
import { wishesOf } from "internal/inspector/backend/wishes";

const inspector = native("inspector");

/** The name of code that clients evaluate. */
const EVALUATED = "debugger eval code";

/** The context that a command names, else the program's own. */
function contextOf(session: Session, params: Fields, name: string): { global: Debug.Obj } {
  const { agent } = session;
  const id = optionalNumber(params, name);
  const unique = optionalText(params, "uniqueContextId");
  if (id !== undefined && unique !== undefined) {
    throw new Refusal("contextId and uniqueContextId are mutually exclusive", INVALID_PARAMS);
  }
  const number = unique === undefined ? (id ?? 1) : Number(unique.split(".")[1]);
  const context = agent.context(number);
  if (context === undefined) throw new Refusal("Cannot find context with specified id");
  return context;
}

/** Compiled by Runtime.compileScript: the text, its name, and whether it may be run. */
interface Compiled {
  expression: string;
  url: string;
}

/**
 * Sends what code has ended with as the answer of a command. `params` have `returnByValue`, `generatePreview`, `awaitPromise`
 * and `objectGroup`.
 */
export function answer(
  session: Session,
  params: Fields,
  id: number,
  completion: Debug.Completion | null,
  canAwait = true,
): Fields | typeof LATER {
  const { agent } = session;
  if (completion === null) throw new Refusal("Execution was terminated");
  const group = optionalText(params, "objectGroup");
  if ("throw" in completion) {
    const silentManner = { group, preview: params.generatePreview === true };
    return {
      result: session.objects.remote(completion.throw, silentManner),
      exceptionDetails: agent.exceptionDetails(session, completion.throw, group, completion.stack),
    };
  }
  const value = completion.return;
  if (canAwait && params.awaitPromise === true && isObject(value)) {
    if (value.isPromise) {
      awaitPromise(session, params, id, value);
      return LATER;
    }
  }
  const manner = { group, byValue: params.returnByValue === true, preview: params.generatePreview === true };
  return { result: session.objects.remote(value, manner) };
}

/** Answers a command when a promise is settled. */
function awaitPromise(
  session: Session,
  params: Fields,
  id: number,
  promise: Debug.Obj,
  valueOf: (value: Debug.Value) => Debug.Completion | null = (value) => ({ return: value }),
): void {
  const { agent } = session;
  const settled = () => {
    if (!agent.sessions.has(session.id)) return;
    const isRejected = promise.promiseState === "rejected";
    const completion = isRejected ? { throw: promise.promiseReason } : valueOf(promise.promiseValue);
    try {
      const result = answer(session, params, id, completion, false) as Fields;
      const details = result.exceptionDetails as Fields | undefined;
      if (details !== undefined) {
        const { description } = details.exception as Fields;
        details.text = `Uncaught (in promise)${description === undefined ? "" : ` ${(description as string).split("\n")[0]}`}`;
      }
      session.respond(id, result);
    } catch (error) {
      session.fail(id, (error as Refusal).code ?? -32603, (error as Error).message);
    }
  };
  agent.whenSettled(promise, settled);
}

function applyIn(
  evaluator: Evaluator,
  called: Debug.Obj,
  self: Debug.Value,
  args: Debug.Value[],
): Debug.Completion | null {
  const adopt = (value: Debug.Value) => evaluator.adopt(value);
  return (adopt(called) as Debug.Obj).apply(adopt(self), args.map(adopt));
}

/** What a command line has beside the names that the program has: the program's own come first. */
export function commandLine(session: Session, isKnown: (name: string) => boolean): Record<string, Debug.Value> {
  const api = session.agent.commandLine();
  const bindings: Record<string, Debug.Value> = {};
  for (const name of api.getOwnPropertyNames()) {
    if (!isKnown(name)) bindings[name] = api.getOwnPropertyDescriptor(name)!.value;
  }
  for (const [name, call] of Object.entries(debuggerFunctions(session))) {
    if (!isKnown(name)) bindings[name] = session.agent.program.makeDebuggeeValue(call);
  }
  return bindings;
}

/** The functions of a command line that set breakpoints of functions: `debug(fn, condition?)` and `undebug(fn)`. */
function debuggerFunctions(session: Session): Record<string, (called: unknown, condition?: unknown) => void> {
  const { agent } = session;
  const { debugger: domain } = agent;
  const stop = (called: unknown, condition = "") => {
    const object = agent.program.makeDebuggeeValue(called);
    if (!isObject(object) || !object.callable || !session.enabled.has("Debugger")) return undefined;
    const id = domain.stopAtCall(session, object, condition, "debugCommand");
    if (id === undefined)
      throw new Error("this function has no source in which the program could be stopped: it is native code");
    return id;
  };
  return {
    debug: (called, condition) => void stop(called, condition === undefined ? "" : `${condition as string}`),
    undebug(called) {
      const { breakpoints } = wishesOf(session);
      const id = stop(called);
      if (id === undefined) return;
      domain.removeBreakpoint(breakpoints.get(id)!);
      breakpoints.delete(id);
    },
  };
}

/** How values and frames of the agent's Debugger come to the one that runs code. */
interface Evaluator {
  adopt(value: Debug.Value): Debug.Value;
  adoptFrame(frame: Debug.Frame): Debug.Frame;
}

/** The agent's Debugger itself. */
const SAME: Evaluator = { adopt: (value) => value, adoptFrame: (frame) => frame };

/**
 * Runs code of a client's in a global object. Breakpoints in it and below count unless `disableBreaks`; `silent` keeps exceptions
 * from stopping. With `throwOnSideEffect` it ends with an EvalError before it has an effect.
 */
export function run(
  session: Session,
  params: Fields,
  global: Debug.Obj,
  evaluate: (evaluator: Evaluator) => Debug.Completion | null,
): Debug.Completion | null {
  const { agent } = session;
  if (params.throwOnSideEffect !== true) return runGuarded(session, params, () => evaluate(SAME));
  const completion = runGuarded(session, params, () => agent.pure.run(agent.dbg, global, () => evaluate(agent.pure)));
  if (completion !== EFFECT) return completion;
  return { throw: agent.evaluate(`new EvalError("Possible side-effect in debug-evaluate")`) };
}

function runGuarded<R>(session: Session, params: Fields, evaluate: () => R): R {
  const { debugger: domain } = session.agent;
  const saved = [domain.isMuted, domain.isSilent] as const;
  if (params.disableBreaks === true) domain.isMuted = true;
  if (params.silent === true) domain.isSilent = true;
  const timeout = optionalNumber(params, "timeout");
  if (timeout !== undefined) inspector.beginDeadline(timeout);
  const wasBusy = inspector.beginCode(session.id);
  try {
    return evaluate();
  } finally {
    inspector.endCode(wasBusy);
    if (timeout === undefined) inspector.goOn();
    else inspector.endDeadline();
    [domain.isMuted, domain.isSilent] = saved;
  }
}

/** Bindings whose values are for another Debugger. */
export function adoptAll(evaluator: Evaluator, bindings: Record<string, Debug.Value>): Record<string, Debug.Value> {
  return Object.fromEntries(Object.entries(bindings).map(([name, value]) => [name, evaluator.adopt(value)]));
}

function evaluateIn(
  session: Session,
  context: { global: Debug.Obj },
  params: Fields,
  expression: string,
  url = EVALUATED,
) {
  return run(session, params, context.global, (evaluator) => {
    const global = evaluator.adopt(context.global) as Debug.Obj;
    if (params.includeCommandLineAPI !== true) return global.executeInGlobal(expression, { url });
    const isKnown = (name: string) => context.global.getOwnPropertyDescriptor(name) !== undefined;
    return global.executeInGlobalWithBindings(expression, adoptAll(evaluator, commandLine(session, isKnown)), { url });
  });
}

export const runtimeCommands: Record<string, Command> = {
  enable(session) {
    if (session.enabled.has("Runtime")) return {};
    session.enabled.add("Runtime");
    const { agent } = session;
    agent.refreshContexts();
    for (const context of agent.contexts) agent.tellContext(session, context);
    agent.watchContexts();
    agent.watchConsole();
    agent.replayConsole(session);
    return {};
  },

  disable(session) {
    if (session.enabled.delete("Runtime")) {
      session.objects.clear();
      session.agent.watchConsole();
    }
    return {};
  },

  evaluate(session, params, id) {
    const context = contextOf(session, params, "contextId");
    let expression = text(params, "expression");
    if (params.replMode !== true) return answer(session, params, id, evaluateIn(session, context, params, expression));
    // As what is typed in a REPL: names may be declared again, `await` may stand at the top.
    const [code, awaits] = session.agent.replScript(expression);
    expression = code;
    const completion = evaluateIn(session, context, params, expression);
    if (!awaits || completion === null || !isObject(completion.return) || !completion.return.isPromise) {
      return answer(session, params, id, completion);
    }
    awaitPromise(session, params, id, completion.return, (value) => (value as Debug.Obj).getProperty("value"));
    return LATER;
  },

  callFunctionOn(session, params, id) {
    const { agent, objects } = session;
    const declaration = text(params, "functionDeclaration");
    const objectId = optionalText(params, "objectId");
    if (objectId === undefined && params.executionContextId === undefined && params.uniqueContextId === undefined) {
      throw new Refusal("Either objectId or executionContextId or uniqueContextId must be specified");
    }
    let self: Debug.Value;
    if (objectId !== undefined) {
      const held = objects.find(objectId);
      if (held.kind === "scope") return scopeFunction(session, params, id, held, declaration);
      self = objects.argument({ objectId });
    }
    const context =
      objectId === undefined ? contextOf(session, params, "executionContextId") : { global: agent.program };
    const made = context.global.executeInGlobal(`(${declaration}\n)`, { url: EVALUATED });
    if (made === null || "throw" in made) return answer(session, params, id, made);
    if (!isObject(made.return) || !made.return.callable) {
      throw new Refusal("Given expression does not evaluate to a function");
    }
    const list = (params.arguments ?? []) as Fields[];
    const args = list.map((argument) => objects.argument(argument));
    const called = made.return;
    if (objectId !== undefined && params.objectGroup === undefined) {
      params = { ...params, objectGroup: objects.groupOf(objectId) };
    }
    return answer(
      session,
      params,
      id,
      run(session, params, context.global, (evaluator) => applyIn(evaluator, called, self, args)),
    );
  },

  getProperties(session, params) {
    return session.objects.properties(text(params, "objectId"), params);
  },

  releaseObject(session, params) {
    session.objects.release(text(params, "objectId"));
    return {};
  },

  releaseObjectGroup(session, params) {
    session.objects.releaseGroup(text(params, "objectGroup"));
    return {};
  },

  awaitPromise(session, params, id) {
    const promise = session.objects.object(text(params, "promiseObjectId"));
    if (!promise.isPromise) throw new Refusal("Could not find promise with given id");
    awaitPromise(session, params, id, promise);
    return LATER;
  },

  runIfWaitingForDebugger(session) {
    session.agent.mayRun = true;
    return {};
  },

  terminateExecution() {
    inspector.terminate();
    return {};
  },

  compileScript(session, params) {
    const expression = text(params, "expression");
    const url = text(params, "sourceURL");
    const isKept = flag(params, "persistScript");
    const context = contextOf(session, params, "executionContextId");
    // A function is compiled of it, not called: a syntax error comes out.
    const tried = context.global.executeInGlobal(`(() => {\n${expression}\n})`, { url: EVALUATED });
    if (tried !== null && "throw" in tried) {
      return { exceptionDetails: session.agent.exceptionDetails(session, tried.throw, undefined, tried.stack) };
    }
    if (!isKept) return {};
    const scripts = compiledOf(session);
    const scriptId = `compiled-${scripts.size + 1}`;
    scripts.set(scriptId, { expression, url });
    return { scriptId };
  },

  runScript(session, params, id) {
    const compiled = compiledOf(session).get(text(params, "scriptId"));
    if (compiled === undefined) throw new Refusal("No script with given id");
    const context = contextOf(session, params, "executionContextId");
    return answer(
      session,
      params,
      id,
      evaluateIn(session, context, params, compiled.expression, compiled.url || EVALUATED),
    );
  },

  globalLexicalScopeNames(session, params) {
    const context = contextOf(session, params, "executionContextId");
    const environment = context.global.asEnvironment();
    const names: string[] = [];
    for (let at: Debug.Environment | null = environment; at !== null; at = at.parent) {
      if (at.type === "declarative") names.push(...at.names());
    }
    return { names };
  },

  getIsolateId: (session) => ({ id: `${session.agent.contexts[0]!.name}` }),

  discardConsoleEntries(session) {
    session.agent.clearConsole();
    return {};
  },

  getExceptionDetails(session, params) {
    const error = session.objects.object(text(params, "errorObjectId"));
    if (!error.isError) throw new Refusal("errorObjectId is not a JS error object");
    return { exceptionDetails: session.agent.exceptionDetails(session, error) };
  },

  addBinding(session, params) {
    const name = text(params, "name");
    const { agent } = session;
    const active = bindingsOf(session);
    active.add(name);
    const called = (payload: unknown) => {
      if (active.has(name)) {
        session.notify("Runtime.bindingCalled", { name, payload: `${payload as string}`, executionContextId: 1 });
      }
    };
    agent.program.defineProperty(name, {
      value: agent.program.makeDebuggeeValue(called),
      writable: true,
      configurable: true,
      enumerable: true,
    });
    return {};
  },

  removeBinding(session, params) {
    bindingsOf(session).delete(text(params, "name"));
    return {};
  },
};

/** The domain NodeRuntime: https://github.com/nodejs/node/blob/main/src/inspector/node_protocol.pdl */
export const nodeRuntimeCommands: Record<string, Command> = {
  enable(session) {
    session.enabled.add("NodeRuntime");
    if (!session.agent.mayRun) session.notify("NodeRuntime.waitingForDebugger", {});
    return {};
  },

  disable(session) {
    session.enabled.delete("NodeRuntime");
    return {};
  },

  notifyWhenWaitingForDisconnect(session, params) {
    session.kept.set("tellsOfEnd", flag(params, "enabled"));
    return {};
  },
};

/** The names that a session has bound and not given free. */
function bindingsOf(session: Session): Set<string> {
  let names = session.kept.get("bindings") as Set<string> | undefined;
  if (names === undefined) session.kept.set("bindings", (names = new Set()));
  return names;
}

function compiledOf(session: Session): Map<string, Compiled> {
  let scripts = session.kept.get("compiled") as Map<string, Compiled> | undefined;
  if (scripts === undefined) session.kept.set("compiled", (scripts = new Map()));
  return scripts;
}

/** A function that is called on the object of a scope: it gets an object that has its variables. */
function scopeFunction(
  session: Session,
  params: Fields,
  id: number,
  scope: Extract<Held, { kind: "scope" }>,
  declaration: string,
): Fields | typeof LATER {
  const { agent, objects } = session;
  const self = agent.evaluate("({})") as Debug.Obj;
  for (const [name, environment] of scope.variables) {
    const value = environment.getVariable(name);
    const isThere = typeof value !== "object" || value === null || isObject(value);
    self.defineProperty(name, {
      value: isThere ? value : undefined,
      writable: true,
      enumerable: true,
      configurable: true,
    });
  }
  const made = agent.program.executeInGlobal(`(${declaration}\n)`, { url: EVALUATED });
  if (made === null || "throw" in made) return answer(session, params, id, made);
  const list = (params.arguments ?? []) as Fields[];
  const args = list.map((argument) => objects.argument(argument));
  return answer(
    session,
    params,
    id,
    run(session, params, agent.program, (evaluator) => applyIn(evaluator, made.return as Debug.Obj, self, args)),
  );
}
