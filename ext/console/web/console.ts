// The global console (https://console.spec.whatwg.org, https://nodejs.org/api/console.html). Text of strings and other
// primitives goes straight to the descriptor; the formatter, the streams and the rarer methods are loaded when needed.
//
// Where Node and Bun differ in the layout of values it is Node's (`util.inspect`). From Bun: `console.write` and the
// asynchronous iterator over the lines of standard input.

import { lazyProperty } from "internal/core/lazy";
import type { Core, GlobalConsole, OutputStream } from "internal/console/types";
import type { InspectOptions } from "internal/util/inspect_types";
import state from "internal/console/state";

const ops = native("console");
const { write } = ops;

// Written to instead of the descriptors: what a program has put into console._stdout and console._stderr.
let ownStdout: OutputStream | undefined;
let ownStderr: OutputStream | undefined;

/** What the methods of internal/console/methods work on. */
const core: Core = {
  indent: "",
  indentWidth: 2,
  times: undefined,
  counts: undefined,
  console: undefined as never,
  /** Writes one message, `fd` 1 or 2. */
  emit,
  /** Options for values that are inspected for this output. */
  inspectOptions,
  /** The stream of an output; made if need be. */
  stream: (fd: number) => (fd === 1 ? (ownStdout ?? process.stdout) : (ownStderr ?? process.stderr)),
  isTty: (fd: number): boolean => Boolean(currentStream(fd)?.isTTY ?? ops.isTty(fd)),
};

const currentStream = (fd: number): OutputStream | undefined =>
  fd === 1 ? (ownStdout ?? state.stdout) : (ownStderr ?? state.stderr);

function emit(fd: number, text: string) {
  if (core.indent !== "") {
    if (text.includes("\n")) text = text.replaceAll("\n", `\n${core.indent}`);
    text = core.indent + text;
  }
  text += "\n";
  const stream = currentStream(fd);
  if (stream === undefined) {
    try {
      write(fd, text);
    } catch {
      // Nobody reads any more, or the disk is full: no reason for the program to stop.
    }
  } else methods().writeTo(stream, text, true);
}

// Whether values are to be coloured. Without the process object where no terminal and no FORCE_COLOR is in sight.
function hasColors(fd: number): boolean {
  const stream = currentStream(fd);
  if (stream !== undefined) return require("internal/util/colors").shouldColorize(stream);
  if (!ops.isTty(fd) && native("process").getenv("FORCE_COLOR") === undefined) return false;
  return require("internal/util/colors").fdHasColors(fd);
}

let depth: number | undefined | null = null;

function inspectOptions(fd: number): InspectOptions {
  // --console-depth, Bun's option.
  if (depth === null) {
    const given = native("process").cliOption("--console-depth");
    depth = given === undefined ? undefined : Number(given);
  }
  const options: InspectOptions = hasColors(fd) ? { colors: true } : {};
  if (depth !== undefined) options.depth = depth === 0 ? null : depth;
  return options;
}

// The text of a message of primitives, or undefined if it takes the formatter.
function primitivesText(fd: number, args: unknown[]): string | undefined {
  const first = args[0];
  if (typeof first === "string" && first.includes("%")) return undefined;
  let text = "";
  let plain = false;
  for (let i = 0; i < args.length; i++) {
    let value = args[i];
    if (typeof value !== "string") {
      switch (typeof value) {
        case "number":
          value = value === 0 && 1 / value < 0 ? "-0" : `${value}`;
          break;
        case "bigint":
          value = `${value}n`;
          break;
        case "boolean":
        case "undefined":
          value = `${value}`;
          break;
        default:
          if (value !== null) return undefined;
          value = "null";
      }
      if (!plain) {
        if (hasColors(fd) || (state.inspectDefaults !== undefined && !isPlain(state.inspectDefaults))) return undefined;
        plain = true;
      }
    }
    text += i === 0 ? value : ` ${value}`;
  }
  return text;
}

const isPlain = (defaults: { numericSeparator?: unknown; colors?: unknown }) =>
  !defaults.numericSeparator && !defaults.colors;

function print(fd: number, args: unknown[], method: string) {
  if (state.diagnostics !== undefined) {
    const channel = state.diagnostics.channel(`console.${method}`);
    if (channel.hasSubscribers) channel.publish(args);
  }
  let text: string;
  if (args.length === 1 && typeof args[0] === "string") {
    text = args[0];
  } else {
    text =
      primitivesText(fd, args) ?? require("internal/util/format").formatWithOptionsInternal(inspectOptions(fd), args);
  }
  emit(fd, text);
}

const methods = () => require("internal/console/methods");

/** The global console. Its methods work without it as `this`. */
export const console: GlobalConsole = {
  __proto__: {},
  log(...args: unknown[]) {
    print(1, args, "log");
  },
  warn(...args: unknown[]) {
    print(2, args, "warn");
  },
  dir(object: unknown = undefined, options?: InspectOptions) {
    methods().dir(core, object, options);
  },
  time(label: string = "default") {
    methods().time(core, label);
  },
  timeEnd(label: string = "default") {
    methods().timeEnd(core, label);
  },
  timeLog(label: string = "default", ...data: unknown[]) {
    methods().timeLog(core, label, data);
  },
  trace(...args: unknown[]) {
    methods().trace(core, trace, args);
  },
  assert(condition: unknown = undefined, ...args: unknown[]) {
    if (!condition) methods().assert(core, args);
  },
  clear() {
    methods().clear(core);
  },
  count(label: string = "default") {
    methods().count(core, label);
  },
  countReset(label: string = "default") {
    methods().countReset(core, label);
  },
  group(...label: unknown[]) {
    if (label.length > 0) console.log(...label);
    core.indent += " ".repeat(core.indentWidth);
  },
  groupEnd() {
    core.indent = core.indent.slice(0, core.indent.length - core.indentWidth);
  },
  table(data: unknown = undefined, properties?: readonly string[]) {
    return methods().table(core, data, properties);
  },
  debug(...args: unknown[]) {
    print(1, args, "debug");
  },
  info(...args: unknown[]) {
    print(1, args, "info");
  },
  dirxml(...args: unknown[]) {
    print(1, args, "log");
  },
  error(...args: unknown[]) {
    print(2, args, "error");
  },
  groupCollapsed(...label: unknown[]) {
    console.group(...label);
  },
  Console: undefined,
  // These speak to an inspector; without one they do nothing.
  profile(label: unknown = "") {
    state.profiles?.start(`${label}`, profile);
  },
  profileEnd(label: unknown = "") {
    state.profiles?.end(`${label}`, profileEnd);
  },
  timeStamp() {},
  context(name?: unknown) {
    return methods().context(name);
  },
  createTask(name: unknown = undefined) {
    return methods().createTask(name);
  },
} as GlobalConsole;
core.console = console;

// (What they were at the start: the frames to leave out.)
const { profile, profileEnd, trace } = console;

const hidden = (key: PropertyKey, value: unknown) =>
  Object.defineProperty(console, key, { value, writable: true, enumerable: false, configurable: true });

function accessor(key: PropertyKey, enumerable: boolean, get: () => unknown, set?: (value: unknown) => void) {
  Object.defineProperty(console, key, {
    get,
    set: set ?? ((value) => hidden(key, value)),
    enumerable,
    configurable: true,
  });
}

lazyProperty(console, "Console", () => require("internal/console/console").Console);
accessor(
  "_stdout",
  false,
  () => core.stream(1),
  (stream) => {
    ownStdout = stream as OutputStream;
  },
);
accessor(
  "_stderr",
  false,
  () => core.stream(2),
  (stream) => {
    ownStderr = stream as OutputStream;
  },
);
accessor("_times", false, () => (core.times ??= new Map()));
hidden("_ignoreErrors", true);
/** Bun: writes strings and bytes to standard output as they are; returns the number of bytes. */
const own = { write: (...data: unknown[]) => methods().writeRaw(core, data) };
// With a setter: an object that inherits from a frozen console may have its own, as in Node, where console has none.
Object.defineProperty(console, "write", {
  get: () => own.write,
  set(this: object, value: unknown) {
    const enumerable = this !== console;
    Object.defineProperty(this, "write", { value, writable: true, enumerable, configurable: true });
  },
  enumerable: false,
  configurable: true,
});
/** Bun: the lines of standard input, without their ends. */
hidden(Symbol.asyncIterator, { [Symbol.asyncIterator]: () => methods().lines() }[Symbol.asyncIterator]);
hidden(Symbol.for("bao.console"), true);
Object.defineProperty(console, Symbol.toStringTag, {
  value: "console",
  writable: false,
  enumerable: false,
  configurable: true,
});
