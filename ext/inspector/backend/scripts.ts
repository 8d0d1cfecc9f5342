// The scripts of a program as the protocol has them, and positions in them.
//
// A script of the protocol is a source of the engine's: the engine has a script for each function. Positions count from 0 here,
// and they are those of the file as it was written: where the code was made of it (TypeScript, JSX), they go through the
// source map of the transpiler. Clients therefore see the file itself and need no map; see docs/decisions.md.
import type { Fields } from "internal/inspector/backend/protocol";

const inspector = native("inspector");

/** A position in a script, from 0. */
export interface Place {
  line: number;
  column: number;
}

/** A place where the program can stop. */
export interface Stop extends Place {
  script: Debug.Script;
  offset: number;
  /** Whether a statement begins here. */
  isStep: boolean;
}

/** The names of bao's own modules, which debuggers do not see. */
export function isInternal(name: string | null): boolean {
  return name === null || name === "" || name === "self-hosted" || /^(node:|internal\/|web\/|bun\/)/.test(name);
}

/** The introduction types of code that has no file. */
const MADE = ["eval", "indirectEval", "Function", "GeneratorFunction", "AsyncFunction", "debugger eval"];

/** What the text of a CommonJS module stands in, see runtime/core/src/modules/commonjs.rs. */
const WRAPPER = "(function (exports, require, module, __filename, __dirname) {\n";
const WRAPPER_END = "\n})";

/** The tokens of a source map, sorted by place in the code. */
class PositionMap {
  /** Line and column of the code, line and column of the file; the latter's line is -1 for code that comes from nowhere. */
  readonly #numbers: number[];

  constructor(numbers: number[]) {
    this.#numbers = numbers;
  }

  /** The place in the file; undefined for code that comes from nowhere. */
  toFile({ line, column }: Place): Place | undefined {
    const numbers = this.#numbers;
    let low = 0;
    let high = numbers.length / 4;
    while (low < high) {
      const middle = (low + high) >> 1;
      const at = middle * 4;
      if (numbers[at]! < line || (numbers[at] === line && numbers[at + 1]! <= column)) low = middle + 1;
      else high = middle;
    }
    const at = (low - 1) * 4;
    if (at < 0 || numbers[at] !== line || numbers[at + 2] === -1) return undefined;
    return { line: numbers[at + 2]!, column: numbers[at + 3]! };
  }
}

/** A script of the protocol. */
export class ScriptEntry {
  readonly id: string;
  readonly url: string;
  readonly source: Debug.Source;
  /** The outermost scripts; kept, so that those of functions are found. */
  readonly roots = new Set<Debug.Script>();
  readonly isModule: boolean;
  /** Whether its URL is the name that its last comment gives it. */
  readonly hasSourceURL: boolean;
  readonly contextId: number;
  /** Whether the code stands in the function around a CommonJS module. */
  readonly isWrapped: boolean;
  readonly #map: PositionMap | undefined;
  #text: string | undefined;
  #stops: Stop[] | undefined;
  /** The last places where functions stop. */
  readonly #ends = new Map<Debug.Script, number>();

  constructor(id: string, script: Debug.Script, contextId: number) {
    const { source } = script;
    this.id = id;
    this.source = source;
    this.contextId = contextId;
    this.isModule = script.isModule;
    this.isWrapped = source.startLine === 0;
    const name = source.url ?? "";
    const isMade = MADE.includes(source.introductionType ?? "");
    this.hasSourceURL = source.displayURL !== null;
    // A text of the command line has no path.
    const text = /\/(\[(?:eval|stdin|worker eval)[^/]*\])$/.exec(name);
    this.url = text?.[1] ?? source.displayURL ?? (isMade ? "" : name.startsWith("/") ? inspector.fileUrl(name) : name);
    const positions = isMade ? undefined : inspector.positions(name);
    this.#map = positions === undefined ? undefined : new PositionMap(positions);
  }

  /** The text of the file. */
  get text(): string {
    if (this.#text === undefined) {
      let text = this.#map === undefined ? undefined : inspector.originalText(this.source.url!);
      if (text === undefined) {
        text = this.source.text;
        if (this.isWrapped && text.startsWith(WRAPPER) && text.endsWith(WRAPPER_END)) {
          text = text.slice(WRAPPER.length, -WRAPPER_END.length);
          if (text.startsWith("//#!")) text = text.slice(2);
        }
      }
      this.#text = text;
    }
    return this.#text;
  }

  /** The URL of the map that the file names itself, for what made the file. */
  get sourceMapURL(): string {
    return this.#map === undefined ? (this.source.sourceMapURL ?? "") : "";
  }

  /** The place of a script's instruction; undefined for code that is not in the file. */
  placeOf(script: Debug.Script, offset: number): Place | undefined {
    const { lineNumber, columnNumber } = script.getOffsetMetadata(offset);
    return this.toFile({ line: lineNumber - 1, column: columnNumber - 1 });
  }

  /** Whether a script is the function around a CommonJS module. */
  isAround(script: Debug.Script): boolean {
    return this.isWrapped && script.startLine === 0;
  }

  /** Whether an instruction is that of a function's closing brace, which no statement is. */
  isEnd(script: Debug.Script, offset: number): boolean {
    if (!script.isFunction || this.isAround(script)) return false;
    let end = this.#ends.get(script);
    if (end === undefined) {
      end = Math.max(...script.getPossibleBreakpoints().map((possible) => possible.offset));
      this.#ends.set(script, end);
    }
    return offset === end;
  }

  /** Whether a frame is at a `throw` statement. */
  isThrow(frame: Debug.Frame): boolean {
    const place = this.placeOf(frame.script, frame.offset);
    return place !== undefined && /^throw\b/.test(this.text.split("\n")[place.line]?.slice(place.column) ?? "");
  }

  /** The place in the file of one in the code. */
  toFile(place: Place): Place | undefined {
    if (place.line < 0) return undefined;
    return this.#map === undefined ? place : this.#map.toFile(place);
  }

  /** Where the program can stop, in the order of the file. */
  get stops(): Stop[] {
    if (this.#stops !== undefined) return this.#stops;
    const stops: Stop[] = [];
    const visit = (script: Debug.Script) => {
      for (const { offset, lineNumber, columnNumber, isStepStart } of script.getPossibleBreakpoints()) {
        const place = this.toFile({ line: lineNumber - 1, column: columnNumber - 1 });
        if (place !== undefined) stops.push({ ...place, script, offset, isStep: isStepStart });
      }
      for (const child of script.getChildScripts()) visit(child);
    };
    for (const root of this.roots) if (root.format === "js") visit(root);
    stops.sort((a, b) => a.line - b.line || a.column - b.column);
    return (this.#stops = stops);
  }

  /** Forgets what was found, as there is another root. */
  addRoot(script: Debug.Script): void {
    this.roots.add(script);
    this.#stops = undefined;
  }

  /**
   * The stops of the first place at or after a position: several, if code stands in more than one place of the engine's. Where the
   * position names no column, a statement's comes before another one in its line.
   */
  stopsAt(line: number, column: number): Stop[] {
    const { stops } = this;
    let first = stops.findIndex((stop) => stop.line > line || (stop.line === line && stop.column >= column));
    if (first === -1) return [];
    if (column === 0) {
      const found = stops[first]!.line;
      const step = stops.findIndex((stop, index) => index >= first && stop.line === found && stop.isStep);
      if (step !== -1) first = step;
    }
    const { line: atLine, column: atColumn } = this.#beforeDeadEnd(stops[first]!);
    return stops.filter((stop) => stop.line === atLine && stop.column === atColumn);
  }

  /**
   * The `return` that a function ends with, for the stop at its closing brace: the engine has one there also if nothing ever comes to it.
   * V8 stops at the `return` then.
   */
  #beforeDeadEnd(stop: Stop): Stop {
    const own = this.stops.filter(({ script }) => script === stop.script);
    if (own.length < 2 || own.some(({ offset }) => offset > stop.offset)) return stop;
    const statements = own.filter(({ offset, isStep }) => offset < stop.offset && isStep);
    if (statements.length === 0) return stop;
    const statement = statements.reduce((last, other) => (other.offset > last.offset ? other : last));
    const lines = this.text.split("\n").slice(statement.line, stop.line + 1);
    if (statement.line < stop.line) lines[lines.length - 1] = lines[lines.length - 1]!.slice(0, stop.column);
    lines[0] = lines[0]!.slice(statement.column);
    const between = lines.join("\n");
    const isBalanced = between.split("{").length === between.split("}").length;
    return isBalanced && /^(?:return|throw)\b/.test(between) ? statement : stop;
  }

  /** The parameters of `Debugger.scriptParsed`. */
  describe(auxData: Fields): Fields {
    const lines = this.text.split("\n");
    const described: Fields = {
      scriptId: this.id,
      url: this.url,
      startLine: 0,
      startColumn: 0,
      endLine: lines.length - 1,
      endColumn: lines[lines.length - 1]!.length,
      executionContextId: this.contextId,
      hash: "",
      buildId: "",
      executionContextAuxData: auxData,
      isLiveEdit: false,
      sourceMapURL: this.sourceMapURL,
      hasSourceURL: this.hasSourceURL,
      isModule: this.isModule,
      length: this.text.length,
      scriptLanguage: "JavaScript",
      embedderName: this.url,
    };
    return described;
  }
}

/** The scripts of a program. */
export class Scripts {
  readonly byId = new Map<string, ScriptEntry>();
  readonly #bySource = new Map<Debug.Source, ScriptEntry | null>();
  #last = 0;
  readonly #contextOf: (global: Debug.Obj) => number;

  constructor(contextOf: (global: Debug.Obj) => number) {
    this.#contextOf = contextOf;
  }

  /** The script of an engine's script; undefined for those that debuggers do not see. */
  of(script: Debug.Script): ScriptEntry | undefined {
    return this.#bySource.get(script.source) ?? undefined;
  }

  /** Takes up a script that was compiled; gives it if it is one that clients have not been told of. */
  add(script: Debug.Script): ScriptEntry | undefined {
    if (script.format !== "js") return undefined;
    const { source } = script;
    const known = this.#bySource.get(source);
    if (known !== undefined) {
      known?.addRoot(script);
      return undefined;
    }
    const isOwn = source.introductionType === "debugger eval" && source.displayURL === null;
    if (isOwn || isInternal(source.url)) {
      this.#bySource.set(source, null);
      return undefined;
    }
    const entry = new ScriptEntry(`${++this.#last}`, script, this.#contextOf(script.global));
    entry.addRoot(script);
    this.#bySource.set(source, entry);
    this.byId.set(entry.id, entry);
    return entry;
  }

  clear(): void {
    this.byId.clear();
    this.#bySource.clear();
  }
}

/** The engine's name of a function in V8's words. */
export function displayName(name: string | null | undefined): string {
  if (name === null || name === undefined) return "";
  return name
    .slice(name.lastIndexOf("/") + 1)
    .replace(/<+$/, "")
    .replace(/^async\*/, "");
}
