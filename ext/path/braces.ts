// Brace expansion of glob patterns, as bash does it: "{a,b}", nested, "{1..9..2}", "{a..e}", "{01..10}".

/** More results than this are dropped: "{1..9999}{1..9999}" must not eat the memory. */
const MAX_RESULTS = 100_000;

const NUMBERS = /^(-?\d+)\.\.(-?\d+)(?:\.\.(-?\d+))?$/;
const LETTERS = /^([a-zA-Z])\.\.([a-zA-Z])(?:\.\.(-?\d+))?$/;

/** All patterns that `pattern` stands for; just itself if it has no braces to expand. */
export function expandBraces(pattern: string): string[] {
  const open = pattern.indexOf("{");
  if (open === -1 || pattern.indexOf("}", open) === -1) return [pattern];
  // Bash keeps a leading "{}" as it is.
  if (pattern.startsWith("{}")) return expand(pattern.slice(2), true).map((rest) => `{}${rest}`);
  return expand(pattern, true);
}

/** Index of the "}" that closes the "{" at `open`, or -1. */
function closing(text: string, open: number): number {
  let depth = 0;
  for (let i = open; i < text.length; i++) {
    const c = text[i];
    if (c === "{") depth++;
    else if (c === "}" && --depth === 0) return i;
  }
  return -1;
}

/** Splits the inside of braces at its top-level commas. */
function alternatives(body: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let i = 0; i < body.length; i++) {
    const c = body[i];
    if (c === "{") depth++;
    else if (c === "}") depth--;
    else if (c === "," && depth === 0) {
      parts.push(body.slice(from, i));
      from = i + 1;
    }
  }
  parts.push(body.slice(from));
  return parts;
}

function expand(text: string, top: boolean): string[] {
  let open = text.indexOf("{");
  let close = -1;
  while (open !== -1 && (close = closing(text, open)) === -1) open = text.indexOf("{", open + 1);
  if (open === -1) return [text];
  const before = text.slice(0, open);
  const body = text.slice(open + 1, close);
  const after = text.slice(close + 1);
  // "${x}" looks like a variable and stays.
  if (before.endsWith("$")) return product([`${before}{${body}}`], expand(after, false), false);

  const range = sequence(body);
  let middle: string[];
  if (range !== undefined) {
    middle = range;
  } else {
    const parts = alternatives(body);
    if (parts.length === 1) {
      // Nothing to choose from. "{a},b}" is a choice between "a}" and "b"; otherwise the braces are literal.
      if (/,(?!,).*\}/.test(after)) {
        const later = after.lastIndexOf("}");
        const whole = alternativesIgnoringFirstClose(body, after.slice(0, later));
        return product(product([before], whole, false), expand(after.slice(later + 1), false), false);
      }
      const inner = expand(body, false).map((one) => `{${one}}`);
      return product(product([before], inner, false), expand(after, false), false);
    }
    middle = parts.flatMap((part) => expand(part, false));
  }
  const rest = after === "" ? [""] : expand(after, false);
  return product(product([before], middle, false), rest, top && range === undefined && before === "");
}

function alternativesIgnoringFirstClose(body: string, after: string): string[] {
  const first = alternatives(`${body}\0${after}`);
  return first.flatMap((part) => expand(part.replace("\0", "}"), false));
}

/** Every left with every right; at the top an empty result is dropped ("{a,}" gives only "a" for a whole pattern). */
function product(left: string[], right: string[], dropEmpty: boolean): string[] {
  const out: string[] = [];
  for (const a of left) {
    for (const b of right) {
      if (out.length >= MAX_RESULTS) return out;
      const joined = a + b;
      if (!dropEmpty || joined !== "") out.push(joined);
    }
  }
  return out;
}

/** The members of "1..5", "a..e" or "01..10..3"; undefined if the text is no such range. */
function sequence(body: string): string[] | undefined {
  const numeric = NUMBERS.exec(body);
  const match = numeric ?? LETTERS.exec(body);
  if (match === null) return undefined;
  const from = numeric ? Number(match[1]) : match[1]!.charCodeAt(0);
  const to = numeric ? Number(match[2]) : match[2]!.charCodeAt(0);
  const step = Math.max(Math.abs(Number(match[3] ?? 1)), 1) * (to < from ? -1 : 1);
  // One bound with a leading zero pads all members to the longer bound.
  const padded = numeric !== null && (/^-?0\d/.test(match[1]!) || /^-?0\d/.test(match[2]!));
  const width = Math.max(match[1]!.length, match[2]!.length);
  const out: string[] = [];
  for (let i = from; (step > 0 ? i <= to : i >= to) && out.length < MAX_RESULTS; i += step) {
    if (!numeric) {
      const letter = String.fromCharCode(i);
      out.push(letter === "\\" ? "" : letter);
    } else if (padded) {
      const digits = String(Math.abs(i));
      const sign = i < 0 ? "-" : "";
      out.push(sign + digits.padStart(width - sign.length, "0"));
    } else {
      out.push(String(i));
    }
  }
  return out;
}
