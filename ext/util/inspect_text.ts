// The text side of `util.inspect`: quoting, numbers, lining up entries. Values go in as strings already.

import type { InspectRun, Stylize } from "internal/util/inspect_types";
import { getStringWidth } from "internal/util/string_width";

const { floor, max, min, round, sqrt } = Math;

export const kObject = 0;
export const kArray = 1;
export const kArrayExtras = 2;

// ---------------------------------------------------------------------------------------------------------------------
// Strings

// What needs escaping in a string in single quotes: control characters, the quote, backslash, lone surrogates.
const escapeTest =
  /[\x00-\x1f\x27\x5c\x7f-\x9f]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;
const escapeAll =
  /[\x00-\x1f\x27\x5c\x7f-\x9f]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
const escapeAllButQuote =
  /[\x00-\x1f\x5c\x7f-\x9f]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

function escapeOne(char: string): string {
  switch (char) {
    case "\n":
      return "\\n";
    case "\t":
      return "\\t";
    case "\r":
      return "\\r";
    case "\b":
      return "\\b";
    case "\f":
      return "\\f";
    case "\v":
      return "\\x0B";
    case "'":
      return "\\'";
    case "\\":
      return "\\\\";
  }
  const code = char.charCodeAt(0);
  const hex = code.toString(16);
  return code < 256 ? `\\x${hex.toUpperCase().padStart(2, "0")}` : `\\u${hex}`;
}

/** The string in quotes as source code would have it: single quotes, unless others need no escaping of quotes inside. */
export function quote(text: string): string {
  if (!escapeTest.test(text)) return `'${text}'`;
  if (!text.includes("'")) return `'${text.replace(escapeAll, escapeOne)}'`;
  if (!text.includes('"')) return `"${text.replace(escapeAllButQuote, escapeOne)}"`;
  if (!text.includes("`") && !text.includes("${")) return `\`${text.replace(escapeAllButQuote, escapeOne)}\``;
  return `'${text.replace(escapeAll, escapeOne)}'`;
}

/** Escapes control characters and lone surrogates, not quotes. */
export function escapeControls(text: string): string {
  return escapeTest.test(text) ? text.replace(escapeAllButQuote, escapeOne).replaceAll("'", "\\'") : text;
}

/** `... 3 more items`. */
export function remainingText(count: number): string {
  return `... ${count} more item${count > 1 ? "s" : ""}`;
}

// ---------------------------------------------------------------------------------------------------------------------
// Numbers

function groupInteger(digits: string): string {
  const start = digits[0] === "-" ? 1 : 0;
  if (digits.length - start <= 3) return digits;
  let out = "";
  let i = digits.length;
  for (; i - 3 > start; i -= 3) out = `_${digits.slice(i - 3, i)}${out}`;
  return digits.slice(0, i) + out;
}

function groupFraction(digits: string): string {
  let out = digits.slice(0, 3);
  for (let i = 3; i < digits.length; i += 3) out += `_${digits.slice(i, i + 3)}`;
  return out;
}

export function formatNumber(stylize: Stylize, value: number, separator: boolean): string {
  if (!separator) return stylize(Object.is(value, -0) ? "-0" : `${value}`, "number");
  // (Negative zero loses its sign here, as in Node.)
  const text = `${value}`;
  if (text.includes("e") || text.includes("N") || text.includes("I")) return stylize(text, "number");
  const point = text.indexOf(".");
  if (point < 0) return stylize(groupInteger(text), "number");
  return stylize(`${groupInteger(text.slice(0, point))}.${groupFraction(text.slice(point + 1))}`, "number");
}

export function formatBigInt(stylize: Stylize, value: bigint, separator: boolean): string {
  const text = `${value}`;
  return stylize(`${separator ? groupInteger(text) : text}n`, "bigint");
}

// ---------------------------------------------------------------------------------------------------------------------
// Primitives

/** A primitive (not null) as it stands inside a structure, or alone. `ctx` is the context of one inspection. */
export function formatPrimitive(stylize: Stylize, value: unknown, ctx: InspectRun): string {
  switch (typeof value) {
    case "string": {
      let trailer = "";
      if (value.length > ctx.maxStringLength) {
        const rest = value.length - ctx.maxStringLength;
        value = value.slice(0, ctx.maxStringLength);
        trailer = `... ${rest} more character${rest > 1 ? "s" : ""}`;
      }
      // Long texts of several lines are shown as a sum of their lines.
      if (
        ctx.compact !== true &&
        (value as string).length > 16 &&
        (value as string).length > ctx.breakLength - ctx.indentationLvl - 4 &&
        (value as string).includes("\n")
      ) {
        const lines = (value as string).split(/(?<=\n)/).map((line) => stylize(quote(line), "string"));
        return lines.join(` +\n${" ".repeat(ctx.indentationLvl + 2)}`) + trailer;
      }
      return stylize(quote(value as string), "string") + trailer;
    }
    case "number":
      return formatNumber(stylize, value, ctx.numericSeparator);
    case "bigint":
      return formatBigInt(stylize, value, ctx.numericSeparator);
    case "boolean":
      return stylize(`${value}`, "boolean");
    case "undefined":
      return stylize("undefined", "undefined");
    default:
      return stylize(Symbol.prototype.toString.call(value as symbol), "symbol");
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Layout

const sgr = /\u001b\[\d\d?m/g;

/** Length in UTF-16 units without colours. */
function plainLength(text: string, colors: boolean): number {
  return colors ? text.replace(sgr, "").length : text.length;
}

function fitsOnLine(ctx: InspectRun, output: string[], start: number, base: string): boolean {
  // Each entry has a separator; if the sum is too long already, counting the entries is not needed.
  let total = output.length + start;
  if (total + output.length > ctx.breakLength) return false;
  for (let i = 0; i < output.length; i++) {
    total += plainLength(output[i]!, ctx.colors);
    if (total > ctx.breakLength) return false;
  }
  return base === "" || !base.includes("\n");
}

/**
 * Joins the entries of a structure. On one line if there are at most `compact` levels inside and it fits, arrays of more
 * than six entries in columns, else one entry per line. `value` (arrays only) says whether columns are aligned right.
 */
export function reduceToSingleString(
  ctx: InspectRun,
  output: string[],
  base: string,
  open: string,
  close: string,
  kind: number,
  recurseTimes: number,
  value?: unknown,
): string {
  const baseText = base === "" ? "" : `${base} `;
  if (ctx.compact !== true) {
    if (typeof ctx.compact === "number" && ctx.compact >= 1) {
      const entries = output.length;
      if (kind === kArrayExtras && entries > 6) output = groupInColumns(ctx, output, value);
      if (ctx.currentDepth - recurseTimes < ctx.compact && entries === output.length) {
        const start = output.length + ctx.indentationLvl + open.length + base.length + 10;
        if (fitsOnLine(ctx, output, start, base)) {
          const joined = output.join(", ");
          if (!joined.includes("\n")) return `${baseText}${open} ${joined} ${close}`;
        }
      }
    }
    const indentation = `\n${" ".repeat(ctx.indentationLvl)}`;
    return `${baseText}${open}${indentation}  ${concatenate(output, `,${indentation}  `)}${indentation}${close}`;
  }
  if (fitsOnLine(ctx, output, 0, base)) {
    return `${open}${base === "" ? "" : ` ${base}`} ${output.join(", ")} ${close}`;
  }
  const indentation = `\n${" ".repeat(ctx.indentationLvl)}`;
  // After an opening longer than one character the entries would not line up on its line.
  const first = base === "" && open.length === 1 ? " " : `${base === "" ? "" : ` ${base}`}\n${indentation.slice(1)}  `;
  return `${open}${first}${concatenate(output, `,${indentation}  `)} ${close}`;
}

// Like join, but the engine is left to put the pieces together in the end: join would copy all that is inside at every
// level of a structure.
function concatenate(output: string[], separator: string): string {
  let text = output[0] ?? "";
  for (let i = 1; i < output.length; i++) text += separator + output[i];
  return text;
}

/** Groups the entries of a long array into lines of several columns; returns the lines, or the entries as they were. */
function groupInColumns(ctx: InspectRun, output: string[], value: unknown): string[] {
  const separatorSpace = 2;
  let total = 0;
  let longest = 0;
  // A "... more items" at the end stays on a line of its own.
  const hasRest = ctx.maxArrayLength < output.length;
  const count = hasRest ? output.length - 1 : output.length;
  const lengths: number[] = new Array(count);
  for (let i = 0; i < count; i++) {
    const length = getStringWidth(output[i]!, ctx.colors);
    lengths[i] = length;
    total += length + separatorSpace;
    if (longest < length) longest = length;
  }
  const widest = longest + separatorSpace;
  // Grouping must give at least three columns, and entries of very different length are better left alone.
  if (!(widest * 3 + ctx.indentationLvl < ctx.breakLength && (total / widest > 5 || longest <= 6))) return output;

  const approxCharHeights = 2.5;
  const averageBias = sqrt(widest - total / output.length);
  const biasedMax = max(widest - 3 - averageBias, 1);
  const columns = min(
    // A square, on a screen where characters are 2.5 times as high as wide.
    round(sqrt(approxCharHeights * biasedMax * count) / biasedMax),
    floor((ctx.breakLength - ctx.indentationLvl) / widest),
    (ctx.compact as number) * 4,
    15,
  );
  if (columns <= 1) return output;

  const widths: number[] = [];
  for (let i = 0; i < columns; i++) {
    let width = 0;
    for (let j = i; j < count; j += columns) {
      if (lengths[j]! > width) width = lengths[j]!;
    }
    widths.push(width + separatorSpace);
  }
  let alignRight = true;
  if (value !== undefined) {
    for (let i = 0; i < output.length; i++) {
      if (typeof (value as unknown[])[i] !== "number" && typeof (value as unknown[])[i] !== "bigint") {
        alignRight = false;
        break;
      }
    }
  }
  const lines: string[] = [];
  for (let i = 0; i < count; i += columns) {
    const end = min(i + columns, count);
    let line = "";
    let j = i;
    for (; j < end - 1; j++) {
      // Colours take no room on the screen.
      const width = widths[j - i]! + output[j]!.length - lengths[j]!;
      line += alignRight ? `${output[j]}, `.padStart(width, " ") : `${output[j]}, `.padEnd(width, " ");
    }
    if (alignRight) {
      line += output[j]!.padStart(widths[j - i]! + output[j]!.length - lengths[j]! - separatorSpace, " ");
    } else {
      line += output[j];
    }
    lines.push(line);
  }
  if (hasRest) lines.push(output[count]!);
  return lines;
}
