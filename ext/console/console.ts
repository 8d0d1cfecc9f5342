// The class `Console`: a console on streams of the program's choice (https://nodejs.org/api/console.html#class-console).

import type { ConsoleMethods, Core, OutputStream } from "internal/console/types";
import type { InspectOptions } from "internal/util/inspect_types";
import { codes } from "internal/core/errors";
import { validateInteger, validateObject, validateOneOf } from "internal/core/validators";
import * as methods from "internal/console/methods";
import { shouldColorize } from "internal/util/colors";

const kCore = Symbol("console");
const kGlobal = Symbol.for("bao.console");

/** The options of `new Console`. */
interface ConsoleOptions {
  stdout: OutputStream;
  stderr?: OutputStream;
  ignoreErrors?: boolean;
  colorMode?: boolean | "auto";
  inspectOptions?: InspectOptions | Map<OutputStream, InspectOptions>;
  groupIndentation?: number;
}

/** An instance; each has its methods bound to itself. */
interface Instance extends ConsoleMethods {
  [kCore]: Core;
  readonly [kGlobal]?: boolean;
  _stdout: OutputStream;
  _stderr: OutputStream;
  _ignoreErrors: boolean;
}
type Methods = { [name: string]: Function };

/**
 * `new Console(stdout, stderr, ignoreErrors)` or `new Console({ stdout, stderr, ignoreErrors, colorMode, inspectOptions,
 * groupIndentation })`. colorMode: true, false or "auto" (by the stream and the environment). inspectOptions: options of
 * `util.inspect`, or a Map of streams to options. groupIndentation: columns, 0 to 1000.
 */
export function Console(
  this: Instance,
  options: ConsoleOptions | OutputStream,
  _stderr?: OutputStream,
  _ignoreErrors?: boolean,
): unknown {
  if (!new.target) return Reflect.construct(Console, arguments);
  if (!options || typeof (options as OutputStream).write === "function") {
    options = { stdout: options as OutputStream, stderr: arguments[1], ignoreErrors: arguments[2] };
  }
  const {
    stdout,
    stderr = stdout,
    ignoreErrors = true,
    colorMode = "auto",
    inspectOptions,
    groupIndentation,
  } = options as ConsoleOptions;
  if (!stdout || typeof stdout.write !== "function") throw new codes.ERR_CONSOLE_WRITABLE_STREAM("stdout");
  if (!stderr || typeof stderr.write !== "function") throw new codes.ERR_CONSOLE_WRITABLE_STREAM("stderr");
  validateOneOf(colorMode, "colorMode", ["auto", true, false]);
  if (groupIndentation !== undefined) validateInteger(groupIndentation, "groupIndentation", 0, 1000);
  if (inspectOptions !== undefined) {
    validateObject(inspectOptions, "options.inspectOptions");
    const all = inspectOptions instanceof Map ? [...inspectOptions.values()] : [inspectOptions];
    for (const one of all) {
      if (one.colors !== undefined && (options as ConsoleOptions).colorMode !== undefined) {
        throw new codes.ERR_INCOMPATIBLE_OPTION_PAIR("options.inspectOptions.color", "colorMode");
      }
    }
  }

  const self = this;
  const core: Core = {
    indent: "",
    indentWidth: groupIndentation ?? 2,
    times: undefined,
    counts: undefined,
    console: self,
    stream: (fd: number) => (fd === 1 ? self._stdout : self._stderr),
    isTty: (fd: number) => Boolean(core.stream(fd).isTTY),
    emit(fd: number, text: string) {
      if (core.indent !== "") text = core.indent + text.replaceAll("\n", `\n${core.indent}`);
      methods.writeTo(core.stream(fd), `${text}\n`, self._ignoreErrors !== false);
    },
    inspectOptions(fd: number) {
      const stream = core.stream(fd);
      const own: InspectOptions | undefined =
        inspectOptions instanceof Map ? inspectOptions.get(stream) : inspectOptions;
      if (own?.colors !== undefined) return own;
      const colors = colorMode === "auto" ? shouldColorize(stream) : colorMode;
      return colors ? { ...own, colors: true } : (own ?? {});
    },
  };
  const property = (value: unknown, enumerable = false) => ({ value, writable: true, enumerable, configurable: true });

  // Every method is bound, also those of subclasses, so that `[1, 2].forEach(instance.log)` works.
  Object.defineProperty(this, kCore, property(core));
  for (const name of Object.keys(Console.prototype)) {
    const bound = (this as unknown as Methods)[name]!.bind(this);
    Object.defineProperty(bound, "name", { value: name });
    (this as unknown as Methods)[name] = bound;
  }
  Object.defineProperties(this, {
    _stdout: property(stdout),
    _stderr: property(stderr),
    _ignoreErrors: property(Boolean(ignoreErrors)),
    _times: { get: () => (core.times ??= new Map()), enumerable: false, configurable: true },
    [Symbol.toStringTag]: { value: "console", writable: false, enumerable: false, configurable: true },
  });
}

Object.defineProperty(Console, Symbol.hasInstance, {
  value(instance: Partial<Instance> | null) {
    return (
      instance !== null && typeof instance === "object" && (instance[kCore] !== undefined || instance[kGlobal] === true)
    );
  },
});

function print(self: Instance, fd: number, args: unknown[]) {
  const core = self[kCore];
  core.emit(fd, require("internal/util/format").formatWithOptionsInternal(core.inspectOptions(fd), args));
}

const prototype: Partial<ConsoleMethods> & ThisType<Instance> = {
  log(...args: unknown[]) {
    print(this, 1, args);
  },
  warn(...args: unknown[]) {
    print(this, 2, args);
  },
  dir(object, options) {
    methods.dir(this[kCore], object, options);
  },
  time(label = "default") {
    methods.time(this[kCore], label);
  },
  timeEnd(label = "default") {
    methods.timeEnd(this[kCore], label);
  },
  timeLog(label = "default", ...data: unknown[]) {
    methods.timeLog(this[kCore], label, data);
  },
  trace(...args: unknown[]) {
    methods.trace(this[kCore], prototype.trace!, args);
  },
  assert(condition: unknown, ...args: unknown[]) {
    if (!condition) methods.assert(this[kCore], args);
  },
  clear() {
    methods.clear(this[kCore]);
  },
  count(label = "default") {
    methods.count(this[kCore], label);
  },
  countReset(label = "default") {
    methods.countReset(this[kCore], label);
  },
  group(...label: unknown[]) {
    const core = this[kCore];
    if (label.length > 0) this.log(...label);
    core.indent += " ".repeat(core.indentWidth);
  },
  groupEnd() {
    const core = this[kCore];
    core.indent = core.indent.slice(0, core.indent.length - core.indentWidth);
  },
  table(data, properties) {
    return methods.table(this[kCore], data, properties);
  },
};
prototype.debug = prototype.log;
prototype.info = prototype.log;
prototype.dirxml = prototype.log;
prototype.error = prototype.warn;
prototype.groupCollapsed = prototype.group;
for (const name of Object.keys(prototype)) Console.prototype[name] = (prototype as Methods)[name];
