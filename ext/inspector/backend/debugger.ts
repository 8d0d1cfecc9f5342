// The domain Debugger (https://chromedevtools.github.io/devtools-protocol/v8/Debugger/): breakpoints, stepping, stopped programs.
//
// The engine's debugger is attached to the program while a session has the domain enabled. A stop is a call of one of the
// engine's hooks that does not return: it serves the clients until one says that the program goes on.
import type { Agent } from "internal/inspector/backend/agent";
import { makeCommands } from "internal/inspector/backend/debugger_commands";
import { isObject } from "internal/inspector/backend/objects";
import { type Command, type Fields, Refusal } from "internal/inspector/backend/protocol";
import { scopesOf } from "internal/inspector/backend/scopes";
import { displayName, type Place, type ScriptEntry, type Stop } from "internal/inspector/backend/scripts";
import type { Session } from "internal/inspector/backend/session";
import { type Breakpoint, type Site, wishesOf } from "internal/inspector/backend/wishes";

const inspector = native("inspector");

/** The stop that the program is in. */
interface Pause {
  number: number;
  frames: Debug.Frame[];
  isOver: boolean;
  /** How it goes on. */
  step: Step | undefined;
  reached: { entry: ScriptEntry; line: number; column: number } | undefined;
}

export type Step = "into" | "over" | "out";

export class DebuggerDomain {
  readonly #agent: Agent;
  readonly commands: Record<string, Command>;
  /** Breakpoints in code that runs now do not count. */
  isMuted = false;
  /** Exceptions of code that runs now do not stop. */
  isSilent = false;
  #pause: Pause | undefined;
  #pauses = 0;
  readonly #sites = new Map<Debug.Script, Map<number, Site>>();
  /** Frames that have handlers of a step. */
  readonly #stepped = new Set<Debug.Frame>();
  /** Where the step began: the program does not stop there again. */
  #from: { frame: Debug.Frame; line: number; column: number } | undefined;
  #stepReason = "step";
  /** The instruction whose breakpoints do not stop the program once more: a step has stopped there. */
  #skippedHit: { frame: Debug.Frame; offset: number } | undefined;
  /** The same of a `debugger` statement. */
  #skippedStatement: { frame: Debug.Frame; offset: number } | undefined;
  /** The exception that is on its way, and the frame that it comes to next. */
  #unwinding: { value: Debug.Value; frame: Debug.Frame; next: Debug.Frame | null } | undefined;
  #temporary: Site[] = [];
  #keepsAsyncCalls = false;

  constructor(agent: Agent) {
    this.#agent = agent;
    this.commands = makeCommands(this, agent);
  }

  // ---------------------------------------------------------------------------------------------- attaching

  get sessions(): Session[] {
    return [...this.#agent.sessions.values()].filter((session) => session.enabled.has("Debugger"));
  }

  get isAttached(): boolean {
    return this.#agent.dbg.onNewScript !== undefined;
  }

  get isPaused(): boolean {
    return this.#pause !== undefined;
  }

  enable(session: Session): void {
    if (session.enabled.has("Debugger")) return;
    session.enabled.add("Debugger");
    const { dbg, scripts, contexts } = this.#agent;
    if (!this.isAttached) {
      this.#agent.refreshContexts();
      dbg.onNewScript = (script) => this.#newScript(script);
      this.#agent.watchContexts();
      for (const { global } of contexts) {
        const object = global.deref();
        if (object !== undefined) dbg.addDebuggee(object);
      }
      dbg.onDebuggerStatement = (frame) => this.#debuggerStatement(frame);
      // Those that were compiled before, the outermost first.
      const roots = new Set(dbg.findScripts());
      for (const script of [...roots]) {
        if (script.format === "js") for (const child of script.getChildScripts()) roots.delete(child);
      }
      for (const script of roots) scripts.add(script);
    }
    for (const entry of scripts.byId.values()) this.#tell(session, entry);
    if (this.#pause !== undefined) session.notify("Debugger.paused", this.#paused(session, this.#pause, "other"));
  }

  disable(session: Session): void {
    if (!session.enabled.delete("Debugger")) return;
    for (const breakpoint of wishesOf(session).breakpoints.values()) this.removeBreakpoint(breakpoint);
    session.kept.delete("Debugger");
    this.watchExceptions();
    this.watchAsyncCalls();
    if (this.sessions.length > 0) return;
    const { dbg, scripts } = this.#agent;
    if (this.#pause !== undefined) this.#pause.isOver = true;
    this.#endStep();
    dbg.onNewScript = undefined;
    dbg.onDebuggerStatement = undefined;
    dbg.removeAllDebuggees();
    this.#sites.clear();
    scripts.clear();
  }

  disconnect(session: Session): void {
    this.disable(session);
    // Nobody is left who could let the program go on.
    if (this.#pause !== undefined && !this.sessions.some((other) => other.isRemote)) this.#pause.isOver = true;
  }

  addGlobal(global: Debug.Obj): void {
    if (!this.isAttached) return;
    this.#agent.dbg.addDebuggee(global);
    if (this.#keepsAsyncCalls) this.#agent.dbg.enableAsyncStack(global);
  }

  /** Has the engine keep the stacks of asynchronous calls while a session wants to see them. */
  watchAsyncCalls(): void {
    const { dbg, contexts } = this.#agent;
    const isWanted = this.sessions.some((session) => wishesOf(session).asyncDepth > 0);
    if (isWanted === this.#keepsAsyncCalls) return;
    this.#keepsAsyncCalls = isWanted;
    inspector.setAsyncStacks(isWanted);
    for (const { global } of contexts) {
      const object = global.deref();
      if (object === undefined || !dbg.hasDebuggee(object)) continue;
      if (isWanted) dbg.enableAsyncStack(object);
      else dbg.disableAsyncStack(object);
    }
  }

  #tell(session: Session, entry: ScriptEntry): void {
    session.notify("Debugger.scriptParsed", entry.describe({ isDefault: entry.contextId === 1 }));
  }

  #newScript(script: Debug.Script): void {
    const { scripts } = this.#agent;
    const entry = scripts.add(script) ?? scripts.of(script);
    if (entry === undefined) return;
    const isNew = entry.roots.size === 1 && entry.roots.has(script);
    for (const session of this.sessions) {
      if (isNew) this.#tell(session, entry);
      const wishes = wishesOf(session);
      for (const breakpoint of wishes.breakpoints.values()) {
        if (!breakpoint.matches(entry)) continue;
        const isFirst = breakpoint.sites.size === 0;
        const place = this.place(breakpoint, entry);
        if (place !== undefined && (isFirst || isNew)) {
          session.notify("Debugger.breakpointResolved", { breakpointId: breakpoint.id, location: place });
        }
      }
      const { instrumentation } = wishes;
      if (
        isNew &&
        (instrumentation.has("beforeScriptExecution") ||
          (instrumentation.has("beforeScriptWithSourceMapExecution") && entry.sourceMapURL !== ""))
      ) {
        this.#instrument(script, entry);
      }
    }
  }

  /** Stops the program before a script's first instruction. */
  #instrument(script: Debug.Script, entry: ScriptEntry): void {
    const handler = {
      hit: (frame: Debug.Frame): Debug.Resumption => {
        script.clearBreakpoint(handler);
        const data = { scriptId: entry.id, url: entry.url, sourceMapURL: entry.sourceMapURL };
        return this.#stop(frame, "instrumentation", { data, onlyFor: "instrumentation" });
      },
    };
    script.setBreakpoint(script.mainOffset, handler);
  }

  // --------------------------------------------------------------------------------------------- breakpoints

  /** Sets a breakpoint in a script; gives its place, undefined where there is nothing to stop at. */
  place(breakpoint: Breakpoint, entry: ScriptEntry): Fields | undefined {
    const stops = entry.stopsAt(breakpoint.line, breakpoint.column);
    for (const stop of stops) {
      const site = this.#site(stop);
      site.breakpoints.add(breakpoint);
      breakpoint.sites.add(site);
    }
    const [first] = stops;
    return first && { scriptId: entry.id, lineNumber: first.line, columnNumber: first.column };
  }

  /**
   * Stops the program wherever a function is called, at its first statement: `Debugger.setBreakpointOnFunctionCall`, and `debug(fn)` of the
   * command line. A bound function stands for the one that it calls. Gives the number of the breakpoint; undefined for functions that are
   * not the program's, as native ones.
   */
  stopAtCall(session: Session, called: Debug.Obj, condition: string, reason?: string): string | undefined {
    while (called.isBoundFunction === true) called = called.boundTargetFunction;
    const { script } = called;
    const entry = script == null || script.format !== "js" ? undefined : this.#agent.scripts.of(script);
    if (entry === undefined) return undefined;
    const own = entry.stops.filter((stop) => stop.script === script);
    const steps = own.filter(({ isStep }) => isStep);
    const first = (steps.length > 0 ? steps : own).reduce<Stop | undefined>(
      (least, stop) => (least === undefined || stop.offset < least.offset ? stop : least),
      undefined,
    );
    if (first === undefined) return undefined;
    const id = `${reason === undefined ? 5 : 6}:${entry.id}:${script!.sourceStart}`;
    const { breakpoints } = wishesOf(session);
    if (breakpoints.has(id)) return id;
    const site = this.#site(first);
    const breakpoint: Breakpoint = {
      id,
      session,
      // It belongs to this function, not to a place in a file.
      matches: () => false,
      line: first.line,
      column: first.column,
      condition,
      ...(reason === undefined ? {} : { reason }),
      sites: new Set([site]),
    };
    site.breakpoints.add(breakpoint);
    breakpoints.set(id, breakpoint);
    return id;
  }

  #site(stop: Stop): Site {
    const { script, offset } = stop;
    let sites = this.#sites.get(script);
    if (sites === undefined) this.#sites.set(script, (sites = new Map()));
    let site = sites.get(offset);
    if (site === undefined) {
      const made: Site = { stop, breakpoints: new Set(), hit: (frame) => this.#hit(frame, made) };
      site = made;
      sites.set(offset, site);
      script.setBreakpoint(offset, site);
    }
    return site;
  }

  removeBreakpoint(breakpoint: Breakpoint): void {
    for (const site of breakpoint.sites) {
      site.breakpoints.delete(breakpoint);
      if (site.breakpoints.size > 0) continue;
      const { script, offset } = site.stop;
      script.clearBreakpoint(site, offset);
      this.#sites.get(script)?.delete(offset);
    }
    breakpoint.sites.clear();
  }

  /** The breakpoints of an instruction that stop the program now. */
  #hits(frame: Debug.Frame, site: Site): Breakpoint[] {
    if (this.isMuted) return [];
    return [...site.breakpoints].filter(({ condition, session }) => {
      const wishes = wishesOf(session);
      if (!wishes.areActive || wishes.skipsAll) return false;
      if (condition === "") return true;
      // A condition that throws does not hold, as in V8. Nothing in it stops the program.
      const saved = this.isMuted;
      this.isMuted = true;
      try {
        const value = frame.eval(condition, { url: "debugger eval code" })?.return;
        return isObject(value) || Boolean(value);
      } finally {
        this.isMuted = saved;
      }
    });
  }

  #hit(frame: Debug.Frame, site: Site): Debug.Resumption {
    if (this.#pause !== undefined) return undefined;
    const skipped = this.#skippedHit;
    this.#skippedHit = undefined;
    // A step has stopped right here, and told of the breakpoints.
    if (skipped?.frame === frame && skipped.offset === site.stop.offset) return undefined;
    const hits = this.#hits(frame, site);
    if (hits.length === 0) return undefined;
    const resumption = this.#stop(frame, reasonOf(hits), { hits });
    this.#skippedStatement = { frame, offset: site.stop.offset };
    return resumption;
  }

  #debuggerStatement(frame: Debug.Frame): Debug.Resumption {
    const skipped = this.#skippedStatement;
    this.#skippedStatement = undefined;
    if (this.isMuted || this.#pause !== undefined) return undefined;
    // A breakpoint or a step has stopped right here.
    if (skipped?.frame === frame && skipped.offset === frame.offset) return undefined;
    return this.#stop(frame, "other", {});
  }

  // ---------------------------------------------------------------------------------------------- exceptions

  /** The engine asks at every exception only while a session wants to know. */
  watchExceptions(): void {
    const isWanted = this.sessions.some((session) => wishesOf(session).exceptions !== "none");
    this.#agent.dbg.onExceptionUnwind = isWanted ? (frame, value) => this.#exception(frame, value) : undefined;
  }

  #exception(frame: Debug.Frame, value: Debug.Value): Debug.Resumption {
    const before = this.#unwinding;
    this.#unwinding = { value, frame, next: frame.older };
    if (this.isMuted || this.isSilent || this.#pause !== undefined) return undefined;
    const entry = this.#entry(frame);
    if (entry === undefined) return undefined;
    if (before !== undefined && before.value === value) {
      // It was seen in the frame that it was thrown in. At the end of a `finally` it goes on from the same frame.
      if (before.next === frame) return undefined;
      if (before.frame === frame && !entry.isThrow(frame)) return undefined;
    }
    const isCaught = this.#isCaught(frame);
    const wanted = this.sessions.filter((session) => {
      const { exceptions, skipsAll } = wishesOf(session);
      return !skipsAll && (exceptions === "all" || exceptions === (isCaught ? "caught" : "uncaught"));
    });
    if (wanted.length === 0) return undefined;
    return this.#stop(frame, "exception", { exception: { value, uncaught: !isCaught } });
  }

  /** Whether the program catches what is thrown in a frame: by a `catch` further out, or by a handler of the promise. */
  #isCaught(thrown: Debug.Frame): boolean {
    for (let frame: Debug.Frame | null = thrown; frame !== null; frame = frame.older) {
      if (this.#entry(frame) === undefined) continue;
      const { script } = frame;
      if (script.isInCatchScope(frame.offset)) return true;
      if (script.isAsyncFunction) {
        const promise = frame.asyncPromise;
        return promise != null && promise.getPromiseReactions().length > 0;
      }
    }
    return false;
  }

  // -------------------------------------------------------------------------------------------------- frames

  /** The script of a frame that clients see. */
  #entry(frame: Debug.Frame): ScriptEntry | undefined {
    if (frame.type === "debugger" || frame.type === "wasmcall") return undefined;
    return this.#agent.scripts.of(frame.script);
  }

  /** Whether a client does not want to stop at a place. */
  #isHidden(entry: ScriptEntry, place: Place | undefined): boolean {
    return this.sessions.some((session) => {
      const { hidden, hidesAnonymous, ranges } = wishesOf(session);
      const turns = ranges.get(entry.id);
      if (turns !== undefined && place !== undefined) {
        const passed = turns.filter(
          ({ line, column }) => line < place.line || (line === place.line && column <= place.column),
        );
        return passed.length % 2 === 1;
      }
      if (entry.url === "") return hidesAnonymous;
      return hidden.some((pattern) => pattern.test(entry.url));
    });
  }

  #isHiddenFrame(frame: Debug.Frame): boolean {
    const entry = this.#entry(frame)!;
    return this.#isHidden(entry, entry.placeOf(frame.script, frame.offset));
  }

  #visible(from: Debug.Frame | null): Debug.Frame | null {
    let frame = from;
    while (frame !== null && this.#entry(frame) === undefined) frame = frame.older;
    return frame;
  }

  #callFrame(session: Session, frame: Debug.Frame, ordinal: number, pause: number): Fields {
    const entry = this.#entry(frame)!;
    const place = entry.placeOf(frame.script, frame.offset) ?? { line: 0, column: 0 };
    const group = "backtrace";
    const functionPlace = frame.callee === null ? undefined : this.#agent.placeOfFunction(frame.callee);
    return {
      callFrameId: `${pause}.1.${ordinal}`,
      functionName: displayName(frame.callee?.displayName),
      ...(functionPlace === undefined ? {} : { functionLocation: functionPlace }),
      location: { scriptId: entry.id, lineNumber: place.line, columnNumber: place.column },
      url: entry.url,
      scopeChain: scopesOf(frame).map(({ type, variables, object, name }) => ({
        type,
        object:
          object === undefined
            ? {
                type: "object",
                className: "Object",
                description: "Object",
                objectId: session.objects.hold({ kind: "scope", variables }, group),
              }
            : session.objects.remote(object, { group }),
        ...(name === undefined ? {} : { name }),
      })),
      this: session.objects.remote(this.#thisOf(frame), { group }),
      canBeRestarted: false,
    };
  }

  #thisOf(frame: Debug.Frame): Debug.Value {
    try {
      const self = frame.this;
      return isObject(self) || typeof self !== "object" ? self : undefined;
    } catch {
      return undefined;
    }
  }

  frame(id: string): Debug.Frame {
    if (this.#pause === undefined) throw new Refusal("Can only perform operation while paused.");
    const [number, , ordinal] = id.split(".");
    const frame = Number(number) === this.#pause.number ? this.#pause.frames[Number(ordinal)] : undefined;
    if (frame === undefined) throw new Refusal("Could not find call frame with given id");
    return frame;
  }

  // ------------------------------------------------------------------------------------------------- stopping

  #paused(session: Session, pause: Pause, reason: string, fields: Fields = {}): Fields {
    return {
      callFrames: pause.frames.map((frame, ordinal) => this.#callFrame(session, frame, ordinal, pause.number)),
      reason,
      hitBreakpoints: [],
      ...this.#asyncStack(session, pause),
      ...fields,
    };
  }

  /** What has called the outermost frame of a stop asynchronously. */
  #asyncStack(session: Session, pause: Pause): Fields {
    const { asyncDepth } = wishesOf(session);
    if (asyncDepth === 0) return {};
    let last: Debug.Frame = pause.frames[pause.frames.length - 1]!;
    while (last.older !== null) last = last.older;
    const asyncStackTrace = this.#agent.asyncStack(last.olderSavedFrame, asyncDepth);
    return asyncStackTrace === undefined ? {} : { asyncStackTrace };
  }

  /** Stops the program in a frame until a client says that it goes on. */
  #stop(
    frame: Debug.Frame,
    reason: string,
    why: {
      hits?: Breakpoint[];
      data?: Fields;
      exception?: { value: Debug.Value; uncaught: boolean };
      onlyFor?: "instrumentation";
    },
  ): Debug.Resumption {
    if (this.#pause !== undefined) return undefined;
    const told = this.sessions.filter((session) => !wishesOf(session).skipsAll);
    const frames: Debug.Frame[] = [];
    for (let at = this.#visible(frame); at !== null; at = this.#visible(at.older)) frames.push(at);
    if (told.length === 0 || frames.length === 0) return undefined;
    if (reason !== "instrumentation" && this.#isHiddenFrame(frames[0]!)) return undefined;
    this.#endStep();
    const pause: Pause = {
      number: ++this.#pauses,
      frames,
      isOver: false,
      step: undefined,
      reached: undefined,
    };
    this.#pause = pause;
    try {
      for (const session of told) {
        const fields: Fields = {
          hitBreakpoints: (why.hits ?? []).filter((hit) => hit.session === session).map(({ id }) => id),
        };
        if (why.data !== undefined) fields.data = why.data;
        if (why.exception !== undefined) {
          const { value, uncaught } = why.exception;
          fields.data = { ...session.objects.remote(value, { group: "backtrace" }), uncaught };
        }
        session.notify("Debugger.paused", this.#paused(session, pause, reason, fields));
      }
      // Sessions of the program's own have had their say when the event is delivered.
      if (told.some((session) => session.isRemote)) this.#agent.serveUntil(() => pause.isOver);
    } finally {
      this.#pause = undefined;
    }
    for (const session of this.sessions) {
      session.objects.releaseGroup("backtrace");
      session.notify("Debugger.resumed", {});
    }
    if (this.sessions.length === 0) return undefined;
    if (pause.reached !== undefined) this.#runTo(pause.reached);
    if (pause.step !== undefined) this.#step(pause.step, frames[0]!);
    return undefined;
  }

  /** Lets a stopped program go on. */
  resume(step: Step | undefined): void {
    if (this.#pause === undefined) throw new Refusal("Can only perform operation while paused.");
    this.#pause.step = step;
    this.#pause.isOver = true;
  }

  continueTo(entry: ScriptEntry, line: number, column: number): void {
    this.resume(undefined);
    this.#pause!.reached = { entry, line, column };
  }

  /** Stops at a place once. */
  #runTo({ entry, line, column }: { entry: ScriptEntry; line: number; column: number }): void {
    for (const stop of entry.stopsAt(line, column)) {
      const handler: Site = {
        stop,
        breakpoints: new Set(),
        hit: (frame) => {
          this.#endTemporary();
          return this.#stop(frame, "other", {});
        },
      };
      stop.script.setBreakpoint(stop.offset, handler);
      this.#temporary.push(handler);
    }
  }

  #endTemporary(): void {
    for (const site of this.#temporary) site.stop.script.clearBreakpoint(site, site.stop.offset);
    this.#temporary = [];
  }

  // ------------------------------------------------------------------------------------------------- stepping

  #endStep(): void {
    this.#endTemporary();
    this.#agent.dbg.onEnterFrame = undefined;
    for (const frame of this.#stepped) {
      if (frame.terminated) continue;
      frame.onStep = undefined;
      frame.onPop = undefined;
    }
    this.#stepped.clear();
    this.#from = undefined;
  }

  #step(step: Step, frame: Debug.Frame): void {
    this.#stepReason = "step";
    const entry = this.#entry(frame);
    const place = entry?.placeOf(frame.script, frame.offset);
    if (place !== undefined) this.#from = { frame, ...place };
    this.#follow(frame, step);
    if (step === "into") this.#agent.dbg.onEnterFrame = (entered) => this.#enter(entered);
  }

  #follow(frame: Debug.Frame, step: Step): void {
    this.#stepped.add(frame);
    if (step !== "out") frame.onStep = this.#onStep;
    const pop = (completion: Debug.Completion | null) => this.#pop(frame, completion, step);
    frame.onPop = function (completion) {
      return pop(completion);
    };
  }

  /** Stops at the first statement of the program that is reached from here. */
  stopSoon(reason: string): void {
    if (this.#pause !== undefined) return;
    this.#endStep();
    this.#stepReason = reason;
    this.#agent.dbg.onEnterFrame = (entered) => this.#enter(entered);
    const newest = this.#agent.dbg.getNewestFrame();
    for (let frame = this.#visible(newest); frame !== null; frame = this.#visible(frame.older))
      this.#follow(frame, "into");
  }

  #enter(frame: Debug.Frame): Debug.Resumption {
    if (this.isMuted || this.#pause !== undefined) return undefined;
    const entry = this.#entry(frame);
    // What is around a CommonJS module is not in its file.
    if (entry === undefined || (entry.isWrapped && frame.type === "global") || this.#isHiddenFrame(frame))
      return undefined;
    // A file without statements: whoever wants to stop at its beginning does.
    const isEmpty = entry.isAround(frame.script) && frame.script.getPossibleBreakpoints().length === 0;
    if (isEmpty && this.#stepReason !== "step") return this.#stop(frame, this.#stepReason, {});
    this.#follow(frame, "into");
    return undefined;
  }

  readonly #onStep = (() => {
    // A method of frames: `this` is the frame.
    const domain = this;
    return function (this: Debug.Frame): Debug.Resumption {
      return domain.#stepped.has(this) ? domain.#stepTo(this) : undefined;
    };
  })();

  #stepTo(frame: Debug.Frame): Debug.Resumption {
    if (this.isMuted || this.#pause !== undefined) return undefined;
    const { script, offset } = frame;
    const { isBreakpoint, isStepStart } = script.getOffsetMetadata(offset);
    const entry = this.#entry(frame);
    if (!isBreakpoint || (!isStepStart && entry?.isEnd(script, offset) !== true)) return undefined;
    const place = entry?.placeOf(script, offset);
    if (place === undefined || this.#isHidden(entry!, place)) return undefined;
    const from = this.#from;
    if (from !== undefined && from.frame === frame && from.line === place.line && from.column === place.column) {
      return undefined;
    }
    const site = this.#sites.get(script)?.get(offset);
    const hits = site === undefined ? [] : this.#hits(frame, site);
    const reason = hits.length > 0 && this.#stepReason === "step" ? reasonOf(hits) : this.#stepReason;
    const resumption = this.#stop(frame, reason, { hits });
    // The client may have set a breakpoint here meanwhile, which the engine comes to next.
    if (this.#sites.get(script)?.has(offset) === true) this.#skippedHit = { frame, offset };
    this.#skippedStatement = { frame, offset };
    return resumption;
  }

  #pop(frame: Debug.Frame, completion: Debug.Completion | null, step: Step): Debug.Resumption {
    if (this.#pause !== undefined || completion === null) return undefined;
    // The same frame goes on later.
    if (completion.await === true && step !== "out") {
      this.#agent.dbg.onEnterFrame = undefined;
      return undefined;
    }
    if (completion.initial === true) return undefined;
    const isInto = this.#agent.dbg.onEnterFrame !== undefined;
    const older = this.#visible(frame.older);
    if (isInto && this.#stepReason !== "step") return undefined;
    this.#endStep();
    if (older === null) return undefined;
    const entry = this.#entry(older)!;
    const place = entry.placeOf(older.script, older.offset);
    // The call is a part of the statement that the program is in.
    if (place !== undefined) this.#from = undefined;
    this.#follow(older, "over");
    if (isInto) this.#agent.dbg.onEnterFrame = (entered) => this.#enter(entered);
    return undefined;
  }
}

/** Why breakpoints stop the program, in the protocol's words. */
function reasonOf(hits: Breakpoint[]): string {
  const reasons = new Set(hits.map(({ reason }) => reason ?? "other"));
  return reasons.size === 1 ? [...reasons][0]! : "ambiguous";
}
