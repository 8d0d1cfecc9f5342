// MIMEType and MIMEParams (https://nodejs.org/api/util.html#class-utilmimetype), parsed as the MIME Sniffing standard says
// (https://mimesniff.spec.whatwg.org/#parsing-a-mime-type).

import { codes } from "internal/core/errors";

const notToken = /[^!#$%&'*+\-.^_`|~A-Za-z0-9]/;
const notQuotedText = /[^\t\u0020-~\u0080-\u00FF]/;
const notWhitespace = /[^\r\n\t ]/;
const lastNotWhitespace = /[^\r\n\t ](?=[\r\n\t ]*$)/;

const lower = (text: string) => text.replace(/[A-Z]/g, (char) => char.toLowerCase());

function syntaxError(production: string, text: string, index: number): Error {
  return new codes.ERR_INVALID_MIME_SYNTAX(production, text, index);
}

/** Where `text` is no token ("" at 0 is no token either), or -1. */
const tokenError = (text: string): number => (text === "" ? -1 : text.search(notToken));

function checkToken(production: string, text: string) {
  const at = tokenError(text);
  if (text === "" || at >= 0) throw syntaxError(production, text, at);
}

const trimEnd = (text: string): string => {
  const last = text.search(lastNotWhitespace);
  return last < 0 ? "" : text.slice(0, last + 1);
};

function parseTypeAndSubtype(text: string): { type: string; subtype: string; end: number } {
  let position = text.search(notWhitespace);
  if (position < 0) position = text.length;
  const slash = text.indexOf("/", position);
  const type = slash < 0 ? text.slice(position) : text.slice(position, slash);
  const typeError = tokenError(type);
  if (type === "" || typeError >= 0 || slash < 0) throw syntaxError("type", text, typeError);
  position = slash + 1;
  const semicolon = text.indexOf(";", position);
  const end = semicolon < 0 ? text.length : semicolon;
  const subtype = trimEnd(text.slice(position, end));
  const subtypeError = tokenError(subtype);
  if (subtype === "" || subtypeError >= 0) throw syntaxError("subtype", text, subtypeError);
  return { type: lower(type), subtype: lower(subtype), end: semicolon < 0 ? text.length : semicolon + 1 };
}

// A value in quotes: what is in them, and the place after them. A missing quote at the end does not matter.
function parseQuoted(text: string, start: number): { value: string; end: number } {
  let value = "";
  let at = start;
  while (at < text.length) {
    const char = text[at]!;
    if (char === '"') return { value, end: at + 1 };
    if (char === "\\") {
      // A backslash at the very end stands for itself.
      value += at + 1 < text.length ? text[at + 1] : "\\";
      at += 2;
    } else {
      value += char;
      at++;
    }
  }
  return { value, end: at };
}

const quoteIfNeeded = (value: string): string =>
  value === "" || notToken.test(value) ? `"${value.replace(/[\\"]/g, "\\$&")}"` : value;

let fill: (params: MIMEParams, text: string, start: number) => void;

/** The parameters of a MIME type: names (tokens, in lower case) and values, in order. */
export class MIMEParams {
  #data = new Map<string, string>();

  static {
    fill = (params, text, start) => params.#parse(text, start);
  }

  #parse(text: string, position: number) {
    while (position < text.length) {
      const space = text.slice(position).search(notWhitespace);
      if (space < 0) break;
      position += space;
      // ";" without "=" before it is a name without a value: left out.
      const rest = text.slice(position).search(/[;=]/);
      const nameEnd = rest < 0 ? text.length : position + rest;
      const name = lower(text.slice(position, nameEnd));
      position = nameEnd;
      if (position >= text.length) break;
      if (text[position++] === ";") continue;
      let value: string;
      if (text[position] === '"') {
        const quoted = parseQuoted(text, position + 1);
        value = quoted.value;
        const semicolon = text.indexOf(";", quoted.end);
        position = semicolon < 0 ? text.length : semicolon + 1;
      } else {
        const semicolon = text.indexOf(";", position);
        const end = semicolon < 0 ? text.length : semicolon;
        value = trimEnd(text.slice(position, end));
        position = end + 1;
        if (value === "") continue;
      }
      if (name !== "" && !notToken.test(name) && !notQuotedText.test(value) && !this.#data.has(name)) {
        this.#data.set(name, value);
      }
    }
  }

  delete(name: unknown) {
    this.#data.delete(`${name}`);
  }

  get(name: string): string | null {
    return this.#data.get(typeof name === "symbol" ? "" : `${name}`) ?? null;
  }

  has(name: unknown): boolean {
    return this.#data.has(`${name}`);
  }

  /** Sets a value, in the place of an old one of this name. Throws ERR_INVALID_MIME_SYNTAX. */
  set(name: string, value: string) {
    name = `${name}`;
    value = `${value}`;
    checkToken("parameter name", name);
    const at = value.search(notQuotedText);
    if (at >= 0) throw syntaxError("parameter value", value, at);
    this.#data.set(name, value);
  }

  *entries(): IterableIterator<[string, string]> {
    yield* this.#data.entries();
  }

  *keys(): IterableIterator<string> {
    yield* this.#data.keys();
  }

  *values(): IterableIterator<string> {
    yield* this.#data.values();
  }

  toString(): string {
    let text = "";
    for (const [name, value] of this.#data) text += `${text === "" ? "" : ";"}${name}=${quoteIfNeeded(value)}`;
    return text;
  }

  declare toJSON: () => string;
  declare [Symbol.iterator]: () => IterableIterator<[string, string]>;
}
const enumerable = { enumerable: true };
Object.defineProperties(MIMEParams.prototype, {
  [Symbol.iterator]: { value: MIMEParams.prototype.entries, writable: true, enumerable: false, configurable: true },
  toJSON: { value: MIMEParams.prototype.toString, writable: true, enumerable: true, configurable: true },
  toString: enumerable,
});

/** A MIME type: `type/subtype;name=value`. Throws ERR_INVALID_MIME_SYNTAX when the input is none. */
export class MIMEType {
  #type: string;
  #subtype: string;
  #params: MIMEParams;

  constructor(input: string) {
    const text = `${input}`;
    const { type, subtype, end } = parseTypeAndSubtype(text);
    this.#type = type;
    this.#subtype = subtype;
    this.#params = new MIMEParams();
    fill(this.#params, text, end);
  }

  /** Like the constructor, but null for input that is no MIME type. */
  static parse(input: string): MIMEType | null {
    try {
      return new MIMEType(input);
    } catch (error) {
      if ((error as NodeError | undefined)?.code === "ERR_INVALID_MIME_SYNTAX") return null;
      throw error;
    }
  }

  get type(): string {
    return this.#type;
  }

  set type(value: string) {
    value = `${value}`;
    checkToken("type", value);
    this.#type = lower(value);
  }

  get subtype(): string {
    return this.#subtype;
  }

  set subtype(value: string) {
    value = `${value}`;
    checkToken("subtype", value);
    this.#subtype = lower(value);
  }

  get essence(): string {
    return `${this.#type}/${this.#subtype}`;
  }

  get params(): MIMEParams {
    return this.#params;
  }

  toString(): string {
    const params = this.#params.toString();
    return `${this.#type}/${this.#subtype}${params === "" ? "" : `;${params}`}`;
  }

  declare toJSON: () => string;
}
Object.defineProperties(MIMEType.prototype, {
  type: enumerable,
  subtype: enumerable,
  essence: enumerable,
  params: enumerable,
  toString: enumerable,
  toJSON: { value: MIMEType.prototype.toString, writable: true, enumerable: true, configurable: true },
});
