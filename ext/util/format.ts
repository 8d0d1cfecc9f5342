// printf-like formatting as of `util.format` and `console.log`
// (https://nodejs.org/api/util.html#utilformatformat-args).

import type { InspectOptions } from "internal/util/inspect_types";
import { inspect, inspectDefaultOptions, stylizeNoColor } from "internal/util/inspect";
import { formatBigInt, formatNumber } from "internal/util/inspect_text";
import { isBuiltInName, proxyTarget } from "internal/util/inspect_value";
import { classOf, kProxy } from "internal/util/types";

const { hasOwnProperty } = Object.prototype;

/** Formats `args`; `options` are those of `inspect`, or undefined. */
export function formatWithOptionsInternal(options: InspectOptions | null | undefined, args: unknown[]): string {
  const first = args[0];
  let at = 0;
  let text = "";
  let join = "";
  if (typeof first === "string") {
    if (args.length === 1) return first;
    let last = 0;
    for (let i = 0; i < first.length - 1; i++) {
      if (first.charCodeAt(i) !== 37 /* % */) continue;
      const letter = first.charCodeAt(++i);
      if (at + 1 !== args.length) {
        let part: string;
        switch (letter) {
          case 115: // s
            part = formatString(options, args[++at]);
            break;
          case 106: // j
            part = stringify(args[++at]);
            break;
          case 100: {
            // d
            const value = args[++at];
            if (typeof value === "bigint") part = formatBigInt(stylizeNoColor, value, separator(options));
            else if (typeof value === "symbol") part = formatNumber(stylizeNoColor, NaN, false);
            else part = formatNumber(stylizeNoColor, Number(value), separator(options));
            break;
          }
          case 79: // O
            part = inspect(args[++at], options);
            break;
          case 111: // o
            part = inspect(args[++at], { ...options, showHidden: true, showProxy: true, depth: 4 });
            break;
          case 105: {
            // i
            const value = args[++at];
            if (typeof value === "bigint") part = formatBigInt(stylizeNoColor, value, separator(options));
            else if (typeof value === "symbol") part = formatNumber(stylizeNoColor, NaN, false);
            else part = formatNumber(stylizeNoColor, parseInt(value as string), separator(options));
            break;
          }
          case 102: {
            // f
            const value = args[++at];
            part =
              typeof value === "symbol"
                ? formatNumber(stylizeNoColor, NaN, false)
                : formatNumber(stylizeNoColor, parseFloat(value as string), separator(options));
            break;
          }
          case 99: // c: CSS has no meaning here
            at++;
            part = "";
            break;
          case 37: // %
            text += first.slice(last, i);
            last = i + 1;
            continue;
          default:
            continue;
        }
        if (last !== i - 1) text += first.slice(last, i - 1);
        text += part;
        last = i + 1;
      } else if (letter === 37) {
        text += first.slice(last, i);
        last = i + 1;
      }
    }
    if (last !== 0) {
      at++;
      join = " ";
      if (last < first.length) text += first.slice(last);
    }
  }
  for (; at < args.length; at++) {
    const value = args[at];
    text += join;
    text += typeof value === "string" ? value : inspect(value, options);
    join = " ";
  }
  return text;
}

function separator(options: InspectOptions | null | undefined): boolean {
  return options?.numericSeparator ?? inspectDefaultOptions.numericSeparator;
}

function formatString(options: InspectOptions | null | undefined, value: unknown): string {
  switch (typeof value) {
    case "string":
      return value;
    case "number":
      return formatNumber(stylizeNoColor, value, separator(options));
    case "bigint":
      return formatBigInt(stylizeNoColor, value, separator(options));
  }
  if (typeof value !== "object" || value === null || !hasBuiltInToString(value)) return String(value);
  return inspect(value, { ...options, depth: 0, colors: false, compact: 3 });
}

// Whether `String(value)` would say no more than "[object Object]" or what a built-in class says of itself.
function hasBuiltInToString(value: object): boolean {
  if (classOf(value) === kProxy) {
    value = proxyTarget(value) as object;
    if (value === null) return true;
  }
  const { toPrimitive } = Symbol;
  let key: PropertyKey = toPrimitive;
  if (typeof (value as Record<symbol, unknown>)[toPrimitive] !== "function") {
    key = "toString";
    if (typeof value.toString !== "function") return true;
  }
  if (hasOwnProperty.call(value, key)) return false;
  let owner = value;
  do {
    owner = Object.getPrototypeOf(owner);
  } while (!hasOwnProperty.call(owner, key));
  const constructor = Object.getOwnPropertyDescriptor(owner, "constructor");
  return constructor !== undefined && typeof constructor.value === "function" && isBuiltInName(constructor.value.name);
}

// JSON with "[Circular]" in place of an error about a cycle.
function stringify(value: unknown): string {
  try {
    return `${JSON.stringify(value)}`;
  } catch (error) {
    // The engine's text differs from one to the other ("cyclic object value", "circular structure").
    if (error instanceof TypeError && /^cyclic object value|circular structure/.test(error.message))
      return "[Circular]";
    throw error;
  }
}
