// What a debugger knows of the program that it is connected to: the scripts, where it is stopped, breakpoints, and what is to be set
// again when the program is started anew.
import type { Connection, Fields } from "internal/inspector/client/connection";
import { refusal } from "internal/inspector/client/connection";
import { type Remote, RemoteValue, ScopeNames, remoteText, thrownError } from "internal/inspector/client/values";

/** A script as `Debugger.scriptParsed` describes it. */
interface Script {
  scriptId: string;
  url: string;
}

/** A place in a script, from 0. */
interface Location {
  scriptId: string;
  lineNumber: number;
  columnNumber?: number;
}

interface Scope {
  type: string;
  object: Remote;
}

/** A frame of a stopped program. */
interface CallFrame {
  callFrameId: string;
  functionName: string;
  location: Location;
  url: string;
  scopeChain: Scope[];
}

/** A breakpoint: what it was set by, and where it is. */
interface Breakpoint {
  id: string;
  /** Parameters of `Debugger.setBreakpointByUrl` that set it again. */
  wish: Fields;
  line: number;
  scriptId: string | undefined;
  /** What it is called while its script is not there. */
  name: string;
}

/** Milliseconds that a value of a watched expression may take. */
const WATCH_TIME = 500;

/** The names of what evaluates and is released together. */
const GROUP = "bao-inspect";

/** Whether a script is a runtime's own. */
function isInternal({ url }: Script): boolean {
  return url === "" || url.startsWith("node:");
}

/** The path of a script as a user would write it. */
export function shownPath(url: string): string {
  if (!url.startsWith("file://")) return url === "" ? "[anonymous]" : url;
  const path = require("node:url").fileURLToPath(url);
  const below = `${process.cwd()}/`;
  return path.startsWith(below) ? path.slice(below.length) : path;
}

export class Program {
  #connection: Connection | undefined;
  readonly #scripts = new Map<string, Script>();
  readonly #texts = new Map<string, Promise<string[]>>();
  #breakpoints: Breakpoint[] = [];
  readonly watched: string[] = [];
  /** The frames of the stop, the innermost first; empty while the program runs. */
  frames: CallFrame[] = [];
  #exceptions = "none";
  /** Lines around the place of a stop that are shown. */
  contextLines = 2;

  /** The connection to the program that runs. */
  get connection(): Connection {
    if (this.#connection === undefined) throw refusal("Use `run` to start the app again.");
    return this.#connection;
  }

  get isConnected(): boolean {
    return this.#connection !== undefined;
  }

  /** Takes up a connection: sets what the user has set, and lets the program go to its first statement. */
  async attach(connection: Connection): Promise<void> {
    this.detach();
    this.#connection = connection;
    connection.on("Debugger.scriptParsed", (params: Fields) => {
      const script = params as unknown as Script;
      this.#scripts.set(script.scriptId, script);
    });
    connection.on("Debugger.paused", (params: Fields) => {
      this.frames = (params.callFrames as CallFrame[] | undefined) ?? [];
    });
    connection.on("Debugger.resumed", () => {
      this.frames = [];
    });
    connection.on("Debugger.breakpointResolved", ({ breakpointId, location }: Fields) => {
      const breakpoint = this.#breakpoints.find(({ id }) => id === breakpointId);
      if (breakpoint !== undefined) this.#settle(breakpoint, location as Location);
    });
    await Promise.all([connection.send("Runtime.enable"), connection.send("Debugger.enable")]);
    await Promise.all([
      connection.send("Profiler.enable"),
      connection.send("Profiler.setSamplingInterval", { interval: 100 }),
      connection.send("Debugger.setPauseOnExceptions", { state: this.#exceptions }),
      connection.send("Debugger.setAsyncCallStackDepth", { maxDepth: 0 }),
    ]);
    const wanted = this.#breakpoints;
    this.#breakpoints = [];
    for (const { wish, name } of wanted) await this.#setByUrl(wish, name);
    await connection.send("Runtime.runIfWaitingForDebugger");
  }

  /** Forgets the program that has ended. */
  detach(): void {
    this.#connection?.removeAllListeners();
    this.#connection?.close();
    this.#connection = undefined;
    this.#scripts.clear();
    this.#texts.clear();
    this.frames = [];
  }

  /** Sends a command. */
  send(method: string, params?: Fields): Promise<Fields> {
    return this.connection.send(method, params);
  }

  /** The innermost frame of the stop; throws if the program runs. */
  get frame(): CallFrame {
    const [frame] = this.frames;
    if (frame === undefined) throw refusal("Requires execution to be paused");
    return frame;
  }

  // -------------------------------------------------------------------------------------------------- scripts

  urlOf({ scriptId }: { scriptId: string }): string {
    return this.#scripts.get(scriptId)?.url ?? "";
  }

  /** The list of scripts, and of a runtime's own if `all` is set. */
  scriptList(all: boolean): string {
    const current = this.frames[0]?.location.scriptId;
    const shown = [...this.#scripts.values()].filter((script) => all || !isInternal(script));
    return shown
      .map((script) => `${script.scriptId === current ? "*" : " "} ${script.scriptId}: ${shownPath(script.url)}`)
      .join("\n");
  }

  async #linesOf(scriptId: string): Promise<string[]> {
    let lines = this.#texts.get(scriptId);
    if (lines === undefined) {
      lines = this.send("Debugger.getScriptSource", { scriptId }).then(({ scriptSource }) =>
        (scriptSource as string).split(/\r?\n/),
      );
      this.#texts.set(scriptId, lines);
    }
    return lines;
  }

  /** The lines around a place, with marks at it and at breakpoints. */
  async snippet({ scriptId, lineNumber }: Location, around: number): Promise<string> {
    const lines = await this.#linesOf(scriptId);
    // A file without statements is stopped at behind its end.
    const current = Math.min(lineNumber, lines.length - 1);
    const first = Math.max(0, current - around);
    const last = Math.min(lines.length - 1, current + around);
    const marked = new Set(this.#breakpoints.filter((known) => known.scriptId === scriptId).map(({ line }) => line));
    const width = Math.max(2, `${last + 1}`.length);
    const shown: string[] = [];
    for (let line = first; line <= last; line++) {
      const mark = line === current ? ">" : marked.has(line) ? "*" : " ";
      shown.push(`${mark}${`${line + 1}`.padStart(width)} ${lines[line]}`);
    }
    return shown.join("\n");
  }

  // ---------------------------------------------------------------------------------------------- breakpoints

  /** The breakpoints, one in a line. */
  breakpointList(): string {
    if (this.#breakpoints.length === 0) return "No breakpoints yet";
    return this.#breakpoints
      .map((breakpoint, index) => `#${index} ${this.#nameOf(breakpoint)}:${breakpoint.line + 1}`)
      .join("\n");
  }

  #nameOf({ scriptId, name }: Breakpoint): string {
    return scriptId === undefined ? name : shownPath(this.urlOf({ scriptId }));
  }

  #settle(breakpoint: Breakpoint, { scriptId, lineNumber }: Location): void {
    breakpoint.scriptId = scriptId;
    breakpoint.line = lineNumber;
  }

  /** Sets a breakpoint by the parameters of `Debugger.setBreakpointByUrl`; gives its place if its script is there. */
  async #setByUrl(wish: Fields, name: string): Promise<Location | undefined> {
    const { breakpointId, locations } = await this.send("Debugger.setBreakpointByUrl", wish);
    const [location] = locations as Location[];
    const breakpoint: Breakpoint = {
      id: breakpointId as string,
      wish,
      name,
      line: wish.lineNumber as number,
      scriptId: undefined,
    };
    if (location !== undefined) this.#settle(breakpoint, location);
    this.#breakpoints.push(breakpoint);
    return location;
  }

  /** Sets a breakpoint in a script that is there; gives its place. Rejects where the program cannot stop there. */
  async setAt(place: Location, condition: string | undefined): Promise<Location> {
    const params = { location: place, ...(condition === undefined ? {} : { condition }) };
    const { breakpointId, actualLocation } = await this.send("Debugger.setBreakpoint", params);
    const location = actualLocation as Location;
    const url = this.urlOf(place);
    const breakpoint: Breakpoint = {
      id: breakpointId as string,
      wish: { url, lineNumber: place.lineNumber, ...(condition === undefined ? {} : { condition }) },
      name: shownPath(url),
      line: location.lineNumber,
      scriptId: location.scriptId,
    };
    this.#breakpoints.push(breakpoint);
    return location;
  }

  /**
   * Sets a breakpoint in a script that is named by its id or by a part of its URL, at a line from 0. Gives its place; undefined if no such
   * script is there yet, where it counts as soon as one with this end of its path is.
   */
  async setIn(name: string, lineNumber: number, condition: string | undefined): Promise<Location | undefined> {
    const found = this.#scripts.has(name)
      ? [this.#scripts.get(name)!]
      : [...this.#scripts.values()].filter(({ url }) => url.includes(name));
    if (found.length > 1)
      throw refusal(`Script name is ambiguous: ${found.map(({ url }) => shownPath(url)).join(", ")}`);
    if (found.length === 1) return this.setAt({ scriptId: found[0]!.scriptId, lineNumber }, condition);
    const urlRegex = `^(.*[\\/\\\\])?${name.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&")}$`;
    return this.#setByUrl({ urlRegex, lineNumber, ...(condition === undefined ? {} : { condition }) }, name);
  }

  /** Stops where a function is called, by an expression that gives it. */
  async setAtCall(expression: string): Promise<void> {
    await this.evaluate(`debug(${expression})`);
  }

  /** Removes the breakpoint at a line, from 0, of a script that is named by its id or by a part of its URL; whether there was one. */
  async clear(name: string, lineNumber: number): Promise<boolean> {
    const index = this.#breakpoints.findIndex(
      (known) => known.line === lineNumber && (known.scriptId === name || this.#urlOfBreakpoint(known).includes(name)),
    );
    if (index === -1) return false;
    const [{ id }] = this.#breakpoints.splice(index, 1) as [Breakpoint];
    await this.send("Debugger.removeBreakpoint", { breakpointId: id });
    return true;
  }

  #urlOfBreakpoint({ scriptId, name }: Breakpoint): string {
    return scriptId === undefined ? name : this.urlOf({ scriptId });
  }

  /** At which exceptions the program stops: `"none"`, `"uncaught"` or `"all"`. Holds for programs that are started later, too. */
  async stopAtExceptions(state: string): Promise<void> {
    this.#exceptions = state;
    await this.send("Debugger.setPauseOnExceptions", { state });
  }

  // ---------------------------------------------------------------------------------------------- evaluation

  /** Evaluates an expression, in the innermost frame if the program is stopped. Rejects with what it throws. */
  async evaluate(expression: string, params: Fields = {}): Promise<RemoteValue> {
    // An object and not a block with a label.
    const code = /^\s*\{.*\}\s*$/s.test(expression) ? `(${expression})` : expression;
    const shared = {
      objectGroup: GROUP,
      includeCommandLineAPI: true,
      generatePreview: true,
      ...params,
      expression: code,
    };
    const [frame] = this.frames;
    const { result, exceptionDetails } = await (frame === undefined
      ? this.send("Runtime.evaluate", shared)
      : this.send("Debugger.evaluateOnCallFrame", { ...shared, callFrameId: frame.callFrameId }));
    if (exceptionDetails !== undefined) {
      throw thrownError(((exceptionDetails as Fields).exception ?? result) as Remote);
    }
    return new RemoteValue(result as Remote);
  }

  /** The names of the variables that the innermost frame sees, scope by scope; not those of the global object. */
  async scopes(): Promise<ScopeNames[]> {
    const scopes = this.frame.scopeChain.filter(({ type }) => type !== "global");
    return Promise.all(
      scopes.map(async ({ type, object: { objectId } }) => {
        const { result } = await this.send("Runtime.getProperties", { objectId, ownProperties: true });
        return new ScopeNames(
          type,
          (result as { name: string }[]).map(({ name }) => name),
        );
      }),
    );
  }

  /** The watched expressions and their values; empty if there are none. */
  async watchedText(): Promise<string> {
    const values = await Promise.all(
      this.watched.map(async (expression) => {
        try {
          return remoteText((await this.evaluate(expression, { timeout: WATCH_TIME })).remote);
        } catch (error) {
          return `<${(error as Error).message}>`;
        }
      }),
    );
    const width = `${this.watched.length - 1}`.length;
    const lines = this.watched.map((expression, index) => {
      const value = values[index]!;
      const head = `${`${index}`.padStart(width)}: ${expression} =`;
      return value.includes("\n") ? `${head}\n    ${value.replaceAll("\n", "\n    ")}` : `${head} ${value}`;
    });
    return lines.map((line) => line.replace(/^/gm, "  ")).join("\n");
  }

  /** The frames of the stop, one in a line. */
  backtrace(): string {
    void this.frame;
    return this.frames
      .map(({ functionName, location }, index) => {
        const { lineNumber, columnNumber = 0 } = location;
        return `#${index} ${functionName || "(anonymous)"} ${shownPath(this.urlOf(location))}:${lineNumber + 1}:${columnNumber}`;
      })
      .join("\n");
  }
}
