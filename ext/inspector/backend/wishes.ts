// What the domain Debugger keeps with a session: breakpoints, and where a client wants to stop.
import type { Place, ScriptEntry, Stop } from "internal/inspector/backend/scripts";
import type { Session } from "internal/inspector/backend/session";

/** A breakpoint of a client's. */
export interface Breakpoint {
  id: string;
  session: Session;
  matches(entry: ScriptEntry): boolean;
  line: number;
  column: number;
  condition: string;
  /** Why the program stops at it, if that is not "other". */
  reason?: string;
  /** Where it is set. */
  sites: Set<Site>;
}

/** An instruction with breakpoints. */
export interface Site {
  stop: Stop;
  breakpoints: Set<Breakpoint>;
  hit(frame: Debug.Frame): Debug.Resumption;
}

/** What a session has asked for. */
export interface Wishes {
  breakpoints: Map<string, Breakpoint>;
  areActive: boolean;
  skipsAll: boolean;
  exceptions: "none" | "caught" | "uncaught" | "all";
  hidden: RegExp[];
  hidesAnonymous: boolean;
  /** Places in scripts, by id, at which code that is hidden begins and ends by turns. */
  ranges: Map<string, Place[]>;
  /** Levels of asynchronous calls that a stack shows. */
  asyncDepth: number;
  /** Instrumentation breakpoints: before a script runs, or before one with a source map. */
  instrumentation: Set<string>;
}

/** What a session has asked for; made where there is none yet. */
export function wishesOf(session: Session): Wishes {
  let wishes = session.kept.get("Debugger") as Wishes | undefined;
  if (wishes === undefined) {
    wishes = {
      breakpoints: new Map(),
      areActive: true,
      skipsAll: false,
      exceptions: "none",
      hidden: [],
      hidesAnonymous: false,
      ranges: new Map(),
      asyncDepth: 0,
      instrumentation: new Set(),
    };
    session.kept.set("Debugger", wishes);
  }
  return wishes;
}
