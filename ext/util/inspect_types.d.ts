// The types of util.inspect: https://nodejs.org/api/util.html#utilinspectobject-options

/** The options of `inspect`, each with a default. */
export interface InspectSettings {
  showHidden: boolean;
  /** Levels of objects in objects; null for all of them. */
  depth: number | null;
  colors: boolean;
  customInspect: boolean;
  showProxy: boolean;
  maxArrayLength: number | null;
  maxStringLength: number | null;
  /** Columns of a line. */
  breakLength: number;
  /** How many levels may stand on one line, or whether any may. */
  compact: number | boolean;
  sorted: boolean | ((a: string, b: string) => number);
  getters: boolean | "get" | "set";
  numericSeparator: boolean;
}
export type InspectOptions = Partial<InspectSettings> & { stylize?: Stylize };

/** `text` as the style ("number", "string", "special") has it. */
export type Stylize = (text: string, style: string) => string;

/** `inspect`, as custom inspections get it for what they consist of. */
export type Inspect = (value: unknown, options?: unknown) => string;

/** What the options of a custom inspection are: those of the call, with the depth that is left. */
export interface InspectContext extends InspectSettings {
  stylize: Stylize;
}

/** One run of `inspect`: its options and how far it has come. */
export interface InspectRun extends Omit<InspectContext, "maxArrayLength" | "maxStringLength"> {
  /** Infinity for all. */
  maxArrayLength: number;
  maxStringLength: number;
  /** The length of the text so far by the indentation at which it began. */
  budget: Record<number, number>;
  indentationLvl: number;
  /** The objects around the one that is being printed. */
  seen: unknown[];
  currentDepth: number;
  /** The numbers of `<ref *1>` of objects that contain themselves. */
  circular: Map<unknown, number> | undefined;
  /** The options as the program gave them, if there are some that `inspect` does not know. */
  userOptions: object | undefined;
  inspect: Inspect;
}
