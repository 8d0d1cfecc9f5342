/** The headers of a handshake: lists of tokens (RFC 6455, 9.1 and 11.3.4). */

const TOKEN = /^[!#$%&'*+\-.0-9A-Z^_`a-z|~]+$/;

/** The parameters of an extension: all values by name, `true` for one without a value. */
export type Parameters = Record<string, (string | true)[]>;
/** Extensions by name, each with its offers. */
export type Offers = Record<string, Parameters[]>;

export function isToken(text: string): boolean {
  return TOKEN.test(text);
}

function failure(text: string, index: number): SyntaxError {
  return new SyntaxError(index < text.length ? `Unexpected character at index ${index}` : "Unexpected end of input");
}

/** Reads a header from left to right. */
class Cursor {
  at = 0;
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  get over(): boolean {
    return this.at >= this.text.length;
  }

  /** Blanks between tokens; none may be the last of the header. */
  blanks(): void {
    const from = this.at;
    while (this.text[this.at] === " " || this.text[this.at] === "\t") this.at++;
    if (this.over && this.at > from) throw failure(this.text, this.at);
  }

  token(): string {
    const from = this.at;
    while (this.at < this.text.length && TOKEN.test(this.text[this.at]!)) this.at++;
    if (this.at === from) throw failure(this.text, this.at);
    return this.text.slice(from, this.at);
  }

  /** A quoted string, whose content has to be a token. */
  quoted(): string {
    let value = "";
    for (this.at++; this.text[this.at] !== '"'; this.at++) {
      if (this.text[this.at] === "\\") this.at++;
      if (this.over || !TOKEN.test(this.text[this.at]!)) throw failure(this.text, this.at);
      value += this.text[this.at];
    }
    if (value === "") throw failure(this.text, this.at);
    this.at++;
    return value;
  }

  /** Whether `sign` stands here; it is passed then. */
  take(sign: string): boolean {
    if (this.text[this.at] !== sign) return false;
    this.at++;
    return true;
  }
}

/** Sec-WebSocket-Extensions as extensions with their offers. Throws SyntaxError. */
function parseExtensions(header: string): Offers {
  const offers: Offers = Object.create(null);
  const cursor = new Cursor(header);
  for (;;) {
    if (cursor.at > 0) cursor.blanks();
    const name = cursor.token();
    cursor.blanks();
    const parameters: Parameters = Object.create(null);
    while (cursor.take(";")) {
      cursor.blanks();
      const key = cursor.token();
      let value: string | true = true;
      if (cursor.take("=")) value = header[cursor.at] === '"' ? cursor.quoted() : cursor.token();
      cursor.blanks();
      (parameters[key] ??= []).push(value);
    }
    (offers[name] ??= []).push(parameters);
    if (cursor.over) return offers;
    if (!cursor.take(",")) throw failure(header, cursor.at);
  }
}

/** The header of extensions with their parameters. */
function formatExtensions(extensions: Record<string, unknown>): string {
  const one = (name: string, parameters: Record<string, unknown>): string =>
    Object.entries(parameters).reduce(
      (text, [key, values]) =>
        (Array.isArray(values) ? values : [values]).reduce(
          (all: string, value) => `${all}; ${value === true ? key : `${key}=${value}`}`,
          text,
        ),
      name,
    );
  return Object.entries(extensions)
    .map(([name, offers]) =>
      (Array.isArray(offers) ? offers : [offers]).map((parameters) => one(name, parameters)).join(", "),
    )
    .join(", ");
}

/** Sec-WebSocket-Protocol as a set. Throws SyntaxError, also for a protocol that is named twice. */
function parseProtocols(header: string): Set<string> {
  const protocols = new Set<string>();
  const cursor = new Cursor(header);
  for (;;) {
    if (cursor.at > 0) cursor.blanks();
    const name = cursor.token();
    cursor.blanks();
    if (protocols.has(name)) throw new SyntaxError(`The "${name}" subprotocol is duplicated`);
    protocols.add(name);
    if (cursor.over) return protocols;
    if (!cursor.take(",")) throw failure(header, cursor.at);
  }
}

/** What `ws` exports under these names. */
export const extension = { format: formatExtensions, parse: parseExtensions };
export const subprotocol = { parse: parseProtocols };
