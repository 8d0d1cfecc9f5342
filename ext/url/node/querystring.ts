// `node:querystring` (https://nodejs.org/api/querystring.html). Unlike URLSearchParams it leaves !'()*-._~ alone, takes
// any separators, and lets programs replace `querystring.escape` and `querystring.unescape`, which parse and stringify
// look up on this module's object at each call.

const { isArray } = Array;

const PERCENT = 37;
const PLUS = 43;

type Decode = (text: string) => string;

/**
 * Percent-decodes to bytes. Malformed sequences stay as they are; characters above U+00FF keep their low byte.
 * @param decodeSpaces also turn "+" into a space
 */
function unescapeBuffer(text: string, decodeSpaces = false) {
  const out = Buffer.allocUnsafe(text.length);
  let length = 0;
  for (let i = 0; i < text.length; i++) {
    let code = text.charCodeAt(i);
    if (code === PERCENT) {
      const high = hexDigit(text.charCodeAt(i + 1));
      const low = hexDigit(text.charCodeAt(i + 2));
      if (high !== -1 && low !== -1) {
        code = high * 16 + low;
        i += 2;
      }
    } else if (code === PLUS && decodeSpaces) {
      code = 32;
    }
    out[length++] = code;
  }
  return length === text.length ? out : out.slice(0, length);
}

function hexDigit(code: number): number {
  if (code >= 48 && code <= 57) return code - 48;
  const lower = code | 32;
  return lower >= 97 && lower <= 102 ? lower - 87 : -1;
}

/** Percent-decodes UTF-8; where decodeURIComponent would throw, invalid bytes become U+FFFD instead. */
function qsUnescape(text: string, decodeSpaces?: boolean): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return querystring.unescapeBuffer(text, decodeSpaces).toString();
  }
}

/** Whether encodeURIComponent would leave the text as it is: letters, digits and !'()*-._~ */
function isUnreserved(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    const lower = code | 32;
    if ((lower >= 97 && lower <= 122 && code < 128) || (code >= 48 && code <= 57)) continue;
    if (code === 95 || code === 45 || code === 46 || code === 126 || code === 33 || (code >= 39 && code <= 42))
      continue;
    return false;
  }
  return true;
}

/**
 * Percent-encodes as encodeURIComponent does, for any value that converts to a string.
 * Throws ERR_INVALID_URI (a URIError) if a surrogate has nothing after it.
 */
function qsEscape(value: unknown): string {
  const text = typeof value === "string" ? value : typeof value === "object" ? String(value) : value + "";
  if (isUnreserved(text)) return text;
  try {
    return encodeURIComponent(text);
  } catch {
    return escapeLoose(text);
  }
}

/** For text with an unpaired surrogate: Node joins it with whatever code unit follows. */
function escapeLoose(text: string): string {
  let out = "";
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0xd800 || code > 0xdfff) {
      out += encodeURIComponent(text[i]!);
      continue;
    }
    if (++i >= text.length) {
      const { codes } = require("internal/core/errors");
      throw new codes.ERR_INVALID_URI();
    }
    out += encodeURIComponent(String.fromCodePoint(0x10000 + (((code & 0x3ff) << 10) | (text.charCodeAt(i) & 0x3ff))));
  }
  return out;
}

/** A value as stringify writes it before encoding; objects, functions, symbols, NaN and infinities are "". */
function primitiveText(value: unknown): string {
  switch (typeof value) {
    case "string":
      return value;
    case "number":
      return Number.isFinite(value) ? `${value}` : "";
    case "bigint":
      return `${value}`;
    case "boolean":
      return value ? "true" : "false";
    default:
      return "";
  }
}

/**
 * querystring.stringify(object, separator = "&", equals = "=", { encodeURIComponent }): own enumerable keys; arrays repeat
 * their key. Anything but an object gives "".
 */
function stringify(
  object: unknown,
  separator?: string,
  equals?: string,
  options?: { encodeURIComponent?: (text: string) => string } | null,
): string {
  separator ||= "&";
  equals ||= "=";
  if (object === null || typeof object !== "object") return "";
  let encode: (text: string) => string = querystring.escape;
  if (options && typeof options.encodeURIComponent === "function") encode = options.encodeURIComponent;
  const custom = encode !== qsEscape;
  const text = (value: unknown): string => {
    const plain = primitiveText(value);
    return custom || plain !== "" ? encode(plain) : "";
  };
  let out = "";
  const keys = Object.keys(object);
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i]!;
    const value = (object as { [key: string]: unknown })[key];
    const start = text(key) + equals;
    if (isArray(value)) {
      for (let j = 0; j < value.length; j++) {
        const next = text(value[j]);
        out += out === "" && j === 0 ? start + next : separator + start + next;
      }
    } else {
      const next = text(value);
      out += out === "" ? start + next : separator + start + next;
    }
  }
  return out;
}

/** Adds a pair: the second value of a key turns it into an array. */
function add(target: { [key: string]: unknown }, key: string, value: string): void {
  const known = target[key];
  if (known === undefined) target[key] = value;
  else if (isArray(known)) known.push(value);
  else target[key] = [known, value];
}

/** Decodes with a decoder that may throw. */
function decodeWith(text: string, decode: Decode): string {
  try {
    return decode(text);
  } catch {
    return querystring.unescape(text, true);
  }
}

/** Decodes with the module's own decoder; text without a single well-formed "%XX" stays as it is. */
function decodeUtf8(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return /%[0-9a-fA-F]{2}/.test(text) ? querystring.unescape(text, true) : text;
  }
}

/**
 * querystring.parse(text, separator = "&", equals = "=", { maxKeys = 1000, decodeURIComponent }): an object without
 * prototype. maxKeys 0 means no limit; pairs after the limit are ignored. Anything but a string gives an empty object.
 */
function parse(
  text: string,
  separator?: string,
  equals?: string,
  options?: { maxKeys?: number; decodeURIComponent?: Decode } | null,
): { __proto__: null } {
  const result = { __proto__: null };
  if (typeof text !== "string" || text.length === 0) return result;
  const sep = separator ? String(separator) : "&";
  const eq = equals ? String(equals) : "=";
  let left = 1000;
  let decode: Decode = querystring.unescape;
  if (options) {
    if (typeof options.maxKeys === "number") left = options.maxKeys;
    if (typeof options.decodeURIComponent === "function") decode = options.decodeURIComponent;
  }
  const custom = decode !== qsUnescape;
  const hasPlus = text.includes("+");
  const hasPercent = text.includes("%");
  const piece = (from: number, to: number): string => {
    if (from >= to) return "";
    let part = text.slice(from, to);
    if (hasPlus && part.includes("+")) part = part.replaceAll("+", custom ? "%20" : " ");
    if (custom) return decodeWith(part, decode);
    return hasPercent && part.includes("%") ? decodeUtf8(part) : part;
  };
  let nextEq = text.indexOf(eq);
  let at = 0;
  while (at <= text.length) {
    let end = sep === "" ? -1 : text.indexOf(sep, at);
    if (end === -1) end = text.length;
    if (end > at) {
      if (nextEq !== -1 && nextEq < at) nextEq = text.indexOf(eq, at);
      if (nextEq !== -1 && nextEq + eq.length <= end) add(result, piece(at, nextEq), piece(nextEq + eq.length, end));
      else add(result, piece(at, end), "");
    }
    // Empty pairs count, too. Counts up to a whole positive limit; 0, negative, fractional and non-finite ones are never hit.
    if (--left === 0) return result;
    at = end + (sep.length || 1);
  }
  return result;
}

const querystring = {
  unescapeBuffer,
  unescape: qsUnescape,
  escape: qsEscape,
  stringify,
  encode: stringify,
  parse,
  decode: parse,
};

export default querystring;
