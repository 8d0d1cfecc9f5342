// `util.inspect` and its options (https://nodejs.org/api/util.html#utilinspectobject-options). Output is that of Node 25.

import type { InspectRun, InspectSettings } from "internal/util/inspect_types";
import { codes } from "internal/core/errors";
import consoleState from "internal/console/state";
import { classOf, kProxy } from "internal/util/types";
import { customInspectSymbol, formatValue } from "internal/util/inspect_value";

/** The default of each option; `inspect.defaultOptions` reads and writes it. */
export const inspectDefaultOptions: InspectSettings = Object.seal({
  showHidden: false,
  depth: 2,
  colors: false,
  customInspect: true,
  showProxy: false,
  maxArrayLength: 100,
  maxStringLength: 10000,
  breakLength: 80,
  compact: 3,
  sorted: false,
  getters: false,
  numericSeparator: false,
});

// The console need not load this module to print numbers, unless they are to look different.
consoleState.inspectDefaults = inspectDefaultOptions;

const hasDefault = Object.prototype.hasOwnProperty.bind(inspectDefaultOptions);

/**
 * The text of any value, for people. Options: showHidden, depth (levels, null for all), colors, customInspect, showProxy,
 * maxArrayLength, maxStringLength (null for all), breakLength (columns), compact (levels on one line, or a boolean),
 * sorted (true or a comparator), getters (true, "get", "set"), numericSeparator. Old signature:
 * `inspect(value, showHidden, depth, colors)`.
 */
export function inspect(value: unknown, options?: unknown): string {
  const defaults = inspectDefaultOptions;
  const ctx = {
    budget: {},
    indentationLvl: 0,
    seen: [],
    currentDepth: 0,
    stylize: stylizeNoColor,
    showHidden: defaults.showHidden,
    depth: defaults.depth,
    colors: defaults.colors,
    customInspect: defaults.customInspect,
    showProxy: defaults.showProxy,
    maxArrayLength: defaults.maxArrayLength,
    maxStringLength: defaults.maxStringLength,
    breakLength: defaults.breakLength,
    compact: defaults.compact,
    sorted: defaults.sorted,
    getters: defaults.getters,
    numericSeparator: defaults.numericSeparator,
    circular: undefined,
    userOptions: undefined,
    inspect,
  } as InspectRun;
  if (arguments.length > 1) {
    if (arguments.length > 2) {
      if (arguments[2] !== undefined) ctx.depth = arguments[2];
      if (arguments.length > 3 && arguments[3] !== undefined) ctx.colors = arguments[3];
    }
    if (typeof options === "boolean") {
      ctx.showHidden = options;
    } else if (options) {
      // Not by an iterator: the program may have taken those of arrays away.
      const keys = Object.keys(options);
      for (let i = 0; i < keys.length; i++) {
        const key = keys[i]!;
        // `stylize` is not documented but has always been taken.
        if (hasDefault(key) || key === "stylize")
          (ctx as object as Record<string, unknown>)[key] = (options as Record<string, unknown>)[key];
        else if (ctx.userOptions === undefined) ctx.userOptions = options as object;
      }
    }
  }
  if (ctx.colors) ctx.stylize = stylizeWithColor;
  if ((ctx.maxArrayLength as number | null) === null) ctx.maxArrayLength = Infinity;
  if ((ctx.maxStringLength as number | null) === null) ctx.maxStringLength = Infinity;
  return formatValue(ctx, value, 0);
}

inspect.custom = customInspectSymbol;

Object.defineProperty(inspect, "defaultOptions", {
  get: () => inspectDefaultOptions,
  set(options) {
    if (options === null || typeof options !== "object") {
      throw new codes.ERR_INVALID_ARG_TYPE("options", "object", options);
    }
    Object.assign(inspectDefaultOptions, options);
  },
  configurable: false,
  enumerable: true,
});

// ---------------------------------------------------------------------------------------------------------------------
// Colours

/** SGR numbers, on and off, by the name of a colour or modifier. Aliases are not enumerable. */
inspect.colors = {
  __proto__: null,
  reset: [0, 0],
  bold: [1, 22],
  dim: [2, 22],
  italic: [3, 23],
  underline: [4, 24],
  blink: [5, 25],
  inverse: [7, 27],
  hidden: [8, 28],
  strikethrough: [9, 29],
  doubleunderline: [21, 24],
  black: [30, 39],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  blue: [34, 39],
  magenta: [35, 39],
  cyan: [36, 39],
  white: [37, 39],
  bgBlack: [40, 49],
  bgRed: [41, 49],
  bgGreen: [42, 49],
  bgYellow: [43, 49],
  bgBlue: [44, 49],
  bgMagenta: [45, 49],
  bgCyan: [46, 49],
  bgWhite: [47, 49],
  framed: [51, 54],
  overlined: [53, 55],
  gray: [90, 39],
  redBright: [91, 39],
  greenBright: [92, 39],
  yellowBright: [93, 39],
  blueBright: [94, 39],
  magentaBright: [95, 39],
  cyanBright: [96, 39],
  whiteBright: [97, 39],
  bgGray: [100, 49],
  bgRedBright: [101, 49],
  bgGreenBright: [102, 49],
  bgYellowBright: [103, 49],
  bgBlueBright: [104, 49],
  bgMagentaBright: [105, 49],
  bgCyanBright: [106, 49],
  bgWhiteBright: [107, 49],
} as unknown as Record<string, number[]>;

const aliases =
  "gray grey,gray blackBright,bgGray bgGrey,bgGray bgBlackBright,dim faint,strikethrough crossedout," +
  "strikethrough strikeThrough,strikethrough crossedOut,hidden conceal,inverse swapcolors,inverse swapColors," +
  "doubleunderline doubleUnderline";
for (const pair of aliases.split(",")) {
  const [target, alias] = pair.split(" ") as [string, string];
  Object.defineProperty(inspect.colors, alias, {
    get() {
      return this[target];
    },
    set(value) {
      this[target] = value;
    },
    configurable: true,
    enumerable: false,
  });
}

/** The colour name (or a function) for each kind of text. */
inspect.styles = Object.assign(Object.create(null), {
  special: "cyan",
  number: "yellow",
  bigint: "yellow",
  boolean: "yellow",
  undefined: "grey",
  null: "bold",
  string: "green",
  symbol: "green",
  date: "magenta",
  // "name": intentionally without a style.
  regexp: highlightRegExp,
  module: "underline",
});

function highlightRegExp(text: string): string {
  return require("internal/util/inspect_regexp").highlightRegExp(text, inspect.colors, highlightRegExp.colors);
}
highlightRegExp.colors = ["green", "red", "yellow", "cyan", "magenta"] as string[] | undefined;

/** `text` in the colour of `style`. */
function stylizeWithColor(text: string, style: string): string {
  const name = inspect.styles[style];
  if (name === undefined) return text;
  if (typeof name === "function") return name(text);
  const color = inspect.colors[name];
  return color === undefined ? text : `\u001b[${color[0]}m${text}\u001b[${color[1]}m`;
}

export function stylizeNoColor(text: string): string {
  return text;
}

// ---------------------------------------------------------------------------------------------------------------------

/** printf-like formatting, see internal/util/format. */
export function format(...args: unknown[]): string {
  return require("internal/util/format").formatWithOptionsInternal(undefined, args);
}

/** `format` with options for the values that are inspected. */
export function formatWithOptions(options: unknown, ...args: unknown[]): string {
  if (options === null || typeof options !== "object") {
    throw new codes.ERR_INVALID_ARG_TYPE("inspectOptions", "object", options);
  }
  return require("internal/util/format").formatWithOptionsInternal(options, args);
}

export const isProxy = (value: unknown) =>
  ((typeof value === "object" && value !== null) || typeof value === "function") && classOf(value) === kProxy;
