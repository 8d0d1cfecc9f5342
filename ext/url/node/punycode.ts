// `node:punycode`: Bootstring with the parameters of RFC 3492, and the two helpers for host names and e-mail addresses.
// Deprecated in Node; the URL classes do not use it (they follow UTS 46 in native code). Errors are RangeErrors.

const BASE = 36;
const T_MIN = 1;
const T_MAX = 26;
const SKEW = 38;
const DAMP = 700;
const INITIAL_BIAS = 72;
const INITIAL_N = 128;
const MAX_INT = 0x7fffffff;

const OVERFLOW = "Overflow: input needs wider integers to process";
const NOT_BASIC = "Illegal input >= 0x80 (not a basic code point)";
const INVALID = "Invalid input";

/** punycode.ucs2.decode(): the code points of a string; unpaired surrogates stand for themselves. */
function ucs2decode(text: string): number[] {
  const out: number[] = [];
  for (let i = 0; i < text.length; i++) {
    const code = text.codePointAt(i)!;
    if (code > 0xffff) i++;
    out.push(code);
  }
  return out;
}

/** punycode.ucs2.encode(): the string of some code points. */
function ucs2encode(points: number[]): string {
  return String.fromCodePoint(...points);
}

/** Bias adaptation, RFC 3492 section 6.1. */
function adapt(delta: number, points: number, first: boolean): number {
  delta = first ? Math.floor(delta / DAMP) : delta >> 1;
  delta += Math.floor(delta / points);
  let k = 0;
  for (; delta > ((BASE - T_MIN) * T_MAX) >> 1; k += BASE) delta = Math.floor(delta / (BASE - T_MIN));
  return Math.floor(k + ((BASE - T_MIN + 1) * delta) / (delta + SKEW));
}

function threshold(k: number, bias: number): number {
  if (k <= bias) return T_MIN;
  return k >= bias + T_MAX ? T_MAX : k - bias;
}

/** Value of a digit: a-z and A-Z are 0-25, 0-9 are 26-35; BASE if it is none. */
function digitValue(code: number): number {
  if (code >= 48 && code < 58) return code - 22;
  const lower = code | 32;
  return code < 128 && lower >= 97 && lower < 123 ? lower - 97 : BASE;
}

function digit(value: number): string {
  return String.fromCharCode(value < 26 ? value + 97 : value + 22);
}

/** punycode.decode(): a label (without "xn--") to Unicode. Throws RangeError for malformed or overflowing input. */
function decode(input: string): string {
  const out: number[] = [];
  const length = input.length;
  const basic = Math.max(input.lastIndexOf("-"), 0);
  for (let j = 0; j < basic; j++) {
    const code = input.charCodeAt(j);
    if (code >= 0x80) throw new RangeError(NOT_BASIC);
    out.push(code);
  }
  let n = INITIAL_N;
  let i = 0;
  let bias = INITIAL_BIAS;
  let at = basic > 0 ? basic + 1 : 0;
  while (at < length) {
    const before = i;
    let weight = 1;
    for (let k = BASE; ; k += BASE) {
      if (at >= length) throw new RangeError(INVALID);
      const value = digitValue(input.charCodeAt(at++));
      if (value >= BASE) throw new RangeError(INVALID);
      if (value > Math.floor((MAX_INT - i) / weight)) throw new RangeError(OVERFLOW);
      i += value * weight;
      const t = threshold(k, bias);
      if (value < t) break;
      if (weight > Math.floor(MAX_INT / (BASE - t))) throw new RangeError(OVERFLOW);
      weight *= BASE - t;
    }
    const count = out.length + 1;
    bias = adapt(i - before, count, before === 0);
    if (Math.floor(i / count) > MAX_INT - n) throw new RangeError(OVERFLOW);
    n += Math.floor(i / count);
    i %= count;
    out.splice(i++, 0, n);
  }
  return String.fromCodePoint(...out);
}

/** punycode.encode(): Unicode to a label (without "xn--"). Throws RangeError on overflow. */
function encode(text: string): string {
  const points = ucs2decode(text);
  let out = "";
  for (const point of points) if (point < 0x80) out += String.fromCharCode(point);
  const basic = out.length;
  let handled = basic;
  if (basic > 0) out += "-";
  let n = INITIAL_N;
  let delta = 0;
  let bias = INITIAL_BIAS;
  while (handled < points.length) {
    let next = MAX_INT;
    for (const point of points) if (point >= n && point < next) next = point;
    const count = handled + 1;
    if (next - n > Math.floor((MAX_INT - delta) / count)) throw new RangeError(OVERFLOW);
    delta += (next - n) * count;
    n = next;
    for (const point of points) {
      if (point < n && ++delta > MAX_INT) throw new RangeError(OVERFLOW);
      if (point !== n) continue;
      let q = delta;
      for (let k = BASE; ; k += BASE) {
        const t = threshold(k, bias);
        if (q < t) break;
        out += digit(t + ((q - t) % (BASE - t)));
        q = Math.floor((q - t) / (BASE - t));
      }
      out += digit(q);
      bias = adapt(delta, count, handled === basic);
      delta = 0;
      handled++;
    }
    delta++;
    n++;
  }
  return out;
}

/** Applies `convert` to each label of a domain name; of an e-mail address only the part after "@" is touched. */
function eachLabel(domain: string, convert: (label: string) => string): string {
  const parts = domain.split("@");
  let local = "";
  if (parts.length > 1) {
    local = `${parts[0]}@`;
    domain = parts[1]!;
  }
  return (
    local +
    domain
      .split(/[.\u3002\uff0e\uff61]/)
      .map(convert)
      .join(".")
  );
}

/** punycode.toUnicode(): decodes the labels that start with "xn--". */
function toUnicode(domain: string): string {
  return eachLabel(domain, (label) => (label.startsWith("xn--") ? decode(label.slice(4).toLowerCase()) : label));
}

/** punycode.toASCII(): encodes the labels that are not ASCII. */
function toASCII(domain: string): string {
  return eachLabel(domain, (label) => (/[^\0-\x7f]/.test(label) ? `xn--${encode(label)}` : label));
}

/** Emits DEP0040 when the module is loaded, unless a package asks for it. */
function warnLoaded(): void {
  if (require("internal/module/inside_node_modules").insideNodeModules(warnLoaded)) return;
  process.emitWarning(
    "The `punycode` module is deprecated. Please use a userland alternative instead.",
    "DeprecationWarning",
    "DEP0040",
  );
}
warnLoaded();

export default {
  version: "2.1.0",
  ucs2: { decode: ucs2decode, encode: ucs2encode },
  decode,
  encode,
  toASCII,
  toUnicode,
};
