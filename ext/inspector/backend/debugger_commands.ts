// The commands of the domain Debugger (https://chromedevtools.github.io/devtools-protocol/v8/Debugger/).
import type { Agent } from "internal/inspector/backend/agent";
import type { DebuggerDomain, Step } from "internal/inspector/backend/debugger";
import {
  type Command,
  type Fields,
  flag,
  number,
  optionalNumber,
  optionalText,
  INVALID_PARAMS,
  Refusal,
  text,
} from "internal/inspector/backend/protocol";
import { adoptAll, answer, commandLine, run } from "internal/inspector/backend/runtime";
import { scopesOf } from "internal/inspector/backend/scopes";
import type { ScriptEntry } from "internal/inspector/backend/scripts";
import type { Session } from "internal/inspector/backend/session";
import { type Breakpoint, type Wishes, wishesOf } from "internal/inspector/backend/wishes";

/** The script that `scriptId` names. */
function scriptOf(agent: Agent, params: Fields): ScriptEntry {
  const id = text(params, "scriptId");
  const entry = agent.scripts.byId.get(id);
  if (entry === undefined) throw new Refusal(`No script for id: ${id}`);
  return entry;
}

/** The parameters of a Location. */
function location(agent: Agent, value: unknown): { entry: ScriptEntry; line: number; column: number } {
  const fields = (typeof value === "object" && value !== null ? value : {}) as Fields;
  const entry = scriptOf(agent, fields);
  return { entry, line: number(fields, "lineNumber"), column: optionalNumber(fields, "columnNumber") ?? 0 };
}

/** The commands by name. */
export function makeCommands(domain: DebuggerDomain, agent: Agent): Record<string, Command> {
  const needs = (session: Session) => {
    if (!session.enabled.has("Debugger")) throw new Refusal("Debugger agent is not enabled");
  };
  const go =
    (step?: Step): Command =>
    () => {
      domain.resume(step);
      return {};
    };
  const add = (breakpoint: Breakpoint): Fields[] => {
    const { session } = breakpoint;
    const { breakpoints } = wishesOf(session);
    if (breakpoints.has(breakpoint.id)) throw new Refusal("Breakpoint at specified location already exists.");
    breakpoints.set(breakpoint.id, breakpoint);
    const places: Fields[] = [];
    for (const entry of agent.scripts.byId.values()) {
      const place = breakpoint.matches(entry) ? domain.place(breakpoint, entry) : undefined;
      if (place !== undefined) places.push(place);
    }
    return places;
  };

  return {
    enable(session) {
      domain.enable(session);
      return { debuggerId: `${agent.contexts[0]!.name}` };
    },

    disable(session) {
      domain.disable(session);
      return {};
    },

    getScriptSource(_session, params) {
      return { scriptSource: scriptOf(agent, params).text };
    },

    searchInContent(_session, params) {
      const entry = scriptOf(agent, params);
      const query = text(params, "query");
      const source = params.isRegex === true ? query : query.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
      const pattern = new RegExp(source, params.caseSensitive === true ? "" : "i");
      const lines = entry.text.split("\n");
      const result = lines.flatMap((lineContent, lineNumber) =>
        pattern.test(lineContent) ? [{ lineNumber, lineContent }] : [],
      );
      return { result };
    },

    setBreakpointByUrl(session, params) {
      needs(session);
      const [url, urlRegex] = [optionalText(params, "url"), optionalText(params, "urlRegex")];
      if ([url, urlRegex, params.scriptHash].filter((given) => given !== undefined).length !== 1) {
        throw new Refusal("Either url or urlRegex or scriptHash must be specified.");
      }
      if (url === undefined && urlRegex === undefined) {
        throw new Refusal("'scriptHash' of 'Debugger.setBreakpointByUrl' is not implemented in bao yet");
      }
      const line = number(params, "lineNumber");
      const column = optionalNumber(params, "columnNumber") ?? 0;
      if (column < 0) throw new Refusal("Invalid column number");
      const pattern = urlRegex === undefined ? undefined : new RegExp(urlRegex);
      const breakpoint: Breakpoint = {
        id: `${pattern === undefined ? 1 : 2}:${line}:${column}:${url ?? urlRegex!}`,
        session,
        matches: (entry) => (pattern === undefined ? entry.url === url : pattern.test(entry.url)),
        line,
        column,
        condition: optionalText(params, "condition") ?? "",
        sites: new Set(),
      };
      return { breakpointId: breakpoint.id, locations: add(breakpoint) };
    },

    setBreakpoint(session, params) {
      needs(session);
      const { entry, line, column } = location(agent, params.location);
      const breakpoint: Breakpoint = {
        id: `4:${line}:${column}:${entry.id}`,
        session,
        matches: (other) => other === entry,
        line,
        column,
        condition: optionalText(params, "condition") ?? "",
        sites: new Set(),
      };
      const [actualLocation] = add(breakpoint);
      if (actualLocation === undefined) {
        wishesOf(session).breakpoints.delete(breakpoint.id);
        throw new Refusal("Could not resolve breakpoint");
      }
      return { breakpointId: breakpoint.id, actualLocation };
    },

    setBreakpointOnFunctionCall(session, params) {
      needs(session);
      const called = session.objects.object(text(params, "objectId"));
      if (!called.callable) throw new Refusal("Could not find function with given id");
      const breakpointId = domain.stopAtCall(session, called, optionalText(params, "condition") ?? "");
      if (breakpointId === undefined) throw new Refusal("Could not resolve breakpoint");
      return { breakpointId };
    },

    setInstrumentationBreakpoint(session, params) {
      needs(session);
      const name = text(params, "instrumentation");
      wishesOf(session).instrumentation.add(name);
      return { breakpointId: `instrumentation:${name}` };
    },

    removeBreakpoint(session, params) {
      needs(session);
      const id = text(params, "breakpointId");
      const { breakpoints, instrumentation } = wishesOf(session);
      if (id.startsWith("instrumentation:")) instrumentation.delete(id.slice("instrumentation:".length));
      const breakpoint = breakpoints.get(id);
      if (breakpoint !== undefined) domain.removeBreakpoint(breakpoint);
      breakpoints.delete(id);
      return {};
    },

    getPossibleBreakpoints(_session, params) {
      const { entry, line, column } = location(agent, params.start);
      const end = params.end === undefined ? undefined : location(agent, params.end);
      const found = new Map<string, Fields>();
      for (const stop of entry.stops) {
        if (stop.line < line || (stop.line === line && stop.column < column)) continue;
        if (end !== undefined && (stop.line > end.line || (stop.line === end.line && stop.column >= end.column)))
          continue;
        found.set(`${stop.line}:${stop.column}`, {
          scriptId: entry.id,
          lineNumber: stop.line,
          columnNumber: stop.column,
        });
      }
      return { locations: [...found.values()] };
    },

    setBreakpointsActive(session, params) {
      wishesOf(session).areActive = flag(params, "active");
      return {};
    },

    setSkipAllPauses(session, params) {
      wishesOf(session).skipsAll = flag(params, "skip");
      return {};
    },

    setPauseOnExceptions(session, params) {
      needs(session);
      const state = text(params, "state");
      if (!["none", "caught", "uncaught", "all"].includes(state)) {
        throw new Refusal(`Unknown pause on exceptions mode: ${state}`);
      }
      wishesOf(session).exceptions = state as Wishes["exceptions"];
      domain.watchExceptions();
      return {};
    },

    setBlackboxedRanges(session, params) {
      const entry = agent.scripts.byId.get(text(params, "scriptId"));
      if (entry === undefined) throw new Refusal("No script with passed id.");
      const { positions } = params;
      if (!Array.isArray(positions)) throw new Refusal("Invalid parameters", INVALID_PARAMS);
      const turns = (positions as Fields[]).map((position) => {
        const line = optionalNumber(position, "lineNumber");
        const column = optionalNumber(position, "columnNumber");
        if (line === undefined || line < 0) throw new Refusal("Position missing 'line' or 'line' < 0.");
        if (column === undefined || column < 0) throw new Refusal("Position missing 'column' or 'column' < 0.");
        return { line, column };
      });
      const { ranges } = wishesOf(session);
      if (turns.length === 0) ranges.delete(entry.id);
      else ranges.set(entry.id, turns);
      return {};
    },

    setAsyncCallStackDepth(session, params) {
      wishesOf(session).asyncDepth = number(params, "maxDepth");
      domain.watchAsyncCalls();
      return {};
    },

    setBlackboxPatterns(session, params) {
      const { patterns } = params;
      if (!Array.isArray(patterns)) throw new Refusal("Invalid parameters", INVALID_PARAMS);
      try {
        wishesOf(session).hidden = patterns.map((pattern) => new RegExp(`${pattern as string}`));
      } catch {
        throw new Refusal("Pattern parser error: Invalid regular expression");
      }
      wishesOf(session).hidesAnonymous = params.skipAnonymous === true;
      return {};
    },

    pause(session) {
      needs(session);
      domain.stopSoon("other");
      return {};
    },

    resume: go(),
    stepOver: go("over"),
    stepInto: go("into"),
    stepOut: go("out"),

    continueToLocation(_session, params) {
      const { entry, line, column } = location(agent, params.location);
      domain.continueTo(entry, line, column);
      return {};
    },

    evaluateOnCallFrame(session, params, id) {
      const frame = domain.frame(text(params, "callFrameId"));
      const expression = text(params, "expression");
      const options = { url: "debugger eval code" };
      const completion = run(session, params, frame.script.global, (evaluator) => {
        const adopted = evaluator.adoptFrame(frame);
        if (params.includeCommandLineAPI !== true) return adopted.eval(expression, options);
        const bindings = commandLine(session, (name) => frame.environment.find(name) !== null);
        return adopted.evalWithBindings(expression, adoptAll(evaluator, bindings), options);
      });
      return answer(session, params, id, completion, false);
    },

    setVariableValue(session, params) {
      const frame = domain.frame(text(params, "callFrameId"));
      const index = optionalNumber(params, "scopeNumber");
      const scope = index === undefined ? undefined : scopesOf(frame)[index];
      if (scope === undefined) throw new Refusal("Could not find scope with given number");
      const name = text(params, "variableName");
      const environment = scope.variables.get(name);
      if (environment === undefined) throw new Refusal("Could not find variable with given name");
      const value = session.objects.argument((params.newValue ?? {}) as Fields);
      try {
        environment.setVariable(name, value);
      } catch (error) {
        throw new Refusal((error as Error).message);
      }
      return {};
    },
  };
}
