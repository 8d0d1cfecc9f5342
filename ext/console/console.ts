// The class `Console`: a console on streams of the program's choice (https://nodejs.org/api/console.html#class-console).

import { codes } from "internal/core/errors";
import { validateInteger, validateObject, validateOneOf } from "internal/core/validators";
import * as methods from "internal/console/methods";
import { shouldColorize } from "internal/util/colors";

const kCore = Symbol("console");
const kGlobal = Symbol.for("bao.console");

/**
 * `new Console(stdout, stderr, ignoreErrors)` or `new Console({ stdout, stderr, ignoreErrors, colorMode, inspectOptions,
 * groupIndentation })`. colorMode: true, false or "auto" (by the stream and the environment). inspectOptions: options of
 * `util.inspect`, or a Map of streams to options. groupIndentation: columns, 0 to 1000.
 */
export function Console(this: any, options: any, _stderr?: unknown, _ignoreErrors?: unknown): unknown {
  if (!new.target) return Reflect.construct(Console, arguments);
  if (!options || typeof options.write === "function") {
    options = { stdout: options, stderr: arguments[1], ignoreErrors: arguments[2] };
  }
  const {
    stdout,
    stderr = stdout,
    ignoreErrors = true,
    colorMode = "auto",
    inspectOptions,
    groupIndentation,
  } = options;
  if (!stdout || typeof stdout.write !== "function") throw new codes.ERR_CONSOLE_WRITABLE_STREAM("stdout");
  if (!stderr || typeof stderr.write !== "function") throw new codes.ERR_CONSOLE_WRITABLE_STREAM("stderr");
  validateOneOf(colorMode, "colorMode", ["auto", true, false]);
  if (groupIndentation !== undefined) validateInteger(groupIndentation, "groupIndentation", 0, 1000);
  if (inspectOptions !== undefined) {
    validateObject(inspectOptions, "options.inspectOptions");
    const all = inspectOptions instanceof Map ? [...inspectOptions.values()] : [inspectOptions];
    for (const one of all) {
      if (one.colors !== undefined && options.colorMode !== undefined) {
        throw new codes.ERR_INCOMPATIBLE_OPTION_PAIR("options.inspectOptions.color", "colorMode");
      }
    }
  }

  const self = this;
  const core: any = {
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
      const own = inspectOptions instanceof Map ? inspectOptions.get(stream) : inspectOptions;
      if (own?.colors !== undefined) return own;
      const colors = colorMode === "auto" ? shouldColorize(stream) : colorMode;
      return colors ? { ...own, colors: true } : (own ?? {});
    },
  };
  const property = (value: any, enumerable = false) => ({ value, writable: true, enumerable, configurable: true });

  // Every method is bound, also those of subclasses, so that `[1, 2].forEach(instance.log)` works.
  Object.defineProperty(this, kCore, property(core));
  for (const name of Object.keys(Console.prototype)) {
    const bound = this[name].bind(this);
    Object.defineProperty(bound, "name", { value: name });
    this[name] = bound;
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
  value(instance: any) {
    return (
      instance !== null && typeof instance === "object" && (instance[kCore] !== undefined || instance[kGlobal] === true)
    );
  },
});

function print(self: any, fd: number, args: unknown[]) {
  const core = self[kCore];
  core.emit(fd, require("internal/util/format").formatWithOptionsInternal(core.inspectOptions(fd), args));
}

const prototype: any = {
  log(...args: unknown[]) {
    print(this, 1, args);
  },
  warn(...args: unknown[]) {
    print(this, 2, args);
  },
  dir(this: any, object: unknown, options: unknown) {
    methods.dir(this[kCore], object, options);
  },
  time(this: any, label: unknown = "default") {
    methods.time(this[kCore], label);
  },
  timeEnd(this: any, label: string = "default") {
    methods.timeEnd(this[kCore], label);
  },
  timeLog(this: any, label: string = "default", ...data: unknown[]) {
    methods.timeLog(this[kCore], label, data);
  },
  trace(this: any, ...args: unknown[]) {
    methods.trace(this[kCore], prototype.trace, args);
  },
  assert(this: any, condition: unknown, ...args: unknown[]) {
    if (!condition) methods.assert(this[kCore], args);
  },
  clear(this: any) {
    methods.clear(this[kCore]);
  },
  count(this: any, label: unknown = "default") {
    methods.count(this[kCore], label);
  },
  countReset(this: any, label: unknown = "default") {
    methods.countReset(this[kCore], label);
  },
  group(this: any, ...label: unknown[]) {
    const core = this[kCore];
    if (label.length > 0) this.log(...label);
    core.indent += " ".repeat(core.indentWidth);
  },
  groupEnd(this: any) {
    const core = this[kCore];
    core.indent = core.indent.slice(0, core.indent.length - core.indentWidth);
  },
  table(this: any, data: unknown, properties: unknown) {
    return methods.table(this[kCore], data, properties);
  },
};
prototype.debug = prototype.log;
prototype.info = prototype.log;
prototype.dirxml = prototype.log;
prototype.error = prototype.warn;
prototype.groupCollapsed = prototype.group;
for (const name of Object.keys(prototype)) Console.prototype[name] = prototype[name];
