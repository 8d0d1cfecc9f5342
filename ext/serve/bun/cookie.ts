// Bun.Cookie and Bun.CookieMap (https://bun.com/docs/runtime/cookies): cookies as RFC 6265bis has them.
import { codes } from "internal/core/errors";

const customInspect = Symbol.for("nodejs.util.inspect.custom");

/** As in Bun any printable ASCII but ";" and "=": applications have such names, and nothing else ends one. */
const validName = /^[\x21-\x3a\x3c\x3e-\x7e]+$/;
/** What the value of an attribute must not have. */
const invalidAttribute = /[^\x20-\x3a\x3c-\x7e]/;

function missing(): Error {
  const error: NodeError = new TypeError("Not enough arguments");
  error.code = "ERR_MISSING_ARGS";
  return error;
}

function constructible<T extends new (...args: never[]) => object>(Class: T): T {
  return new Proxy(Class, {
    apply() {
      const error: NodeError = new TypeError(`Use \`new ${Class.name}(...)\` instead of \`${Class.name}(...)\``);
      error.code = "ERR_ILLEGAL_CONSTRUCTOR";
      throw error;
    },
  });
}

/** The attributes of a cookie as programs give them; a cookie of an object has its name and value there, too. */
interface CookieOptions {
  name?: unknown;
  value?: unknown;
  domain?: unknown;
  path?: unknown;
  expires?: unknown;
  maxAge?: unknown;
  secure?: unknown;
  httpOnly?: unknown;
  sameSite?: unknown;
  partitioned?: unknown;
}

type SameSite = "strict" | "lax" | "none";

function sameSiteOf(value: unknown): SameSite {
  const text = `${value}`.toLowerCase();
  if (text !== "strict" && text !== "lax" && text !== "none") {
    throw new TypeError("Invalid sameSite value. Must be 'strict', 'lax', or 'none'");
  }
  return text;
}

/** What a header may not have (RFC 9110, 5.5), and white space at the ends. */
const invalidHeader = /^[ \t]|[ \t]$|[\0\r\n\u0100-\uffff]/;

function expiresOf(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (value instanceof Date) {
    if (Number.isNaN(value.getTime())) throw new RangeError("expires must be a valid Date (or Number)");
    return value.getTime();
  }
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw new RangeError("expires must be a valid Number (or Date)");
    return value * 1000;
  }
  if (typeof value !== "string") {
    const shown = require("node:util").inspect(value);
    const error: NodeError = new TypeError(
      `The argument 'expires' Invalid expires value. Must be a Date or a number. Received ${shown}`,
    );
    error.code = "ERR_INVALID_ARG_VALUE";
    throw error;
  }
  const time = Date.parse(value);
  if (Number.isNaN(time) || !/[a-z]/i.test(value)) throw new TypeError("Invalid cookie expiration date");
  return time;
}

function nameOf(value: unknown): string {
  const name = `${value}`;
  if (!validName.test(name)) throw new TypeError("Invalid cookie name: contains invalid characters");
  return name;
}

function attributeOf(value: unknown, what: string): string {
  const text = `${value}`;
  if (invalidAttribute.test(text) || (what === "domain" && text.includes(" "))) {
    throw new TypeError(`Invalid cookie ${what}: contains invalid characters`);
  }
  return text;
}

class Cookie {
  #name = "";
  #value = "";
  #domain: string | null = null;
  #path = "/";
  #expires: number | undefined;
  #maxAge: number | undefined;
  #secure = false;
  #httpOnly = false;
  #sameSite: SameSite = "lax";
  #partitioned = false;

  /**
   * A cookie of a name, a value and attributes; or of an object with all of them; or of the text of a Set-Cookie header.
   * @param options `domain`, `path`, `expires` (Date, seconds since 1970 or text), `maxAge` (seconds), `secure`, `httpOnly`,
   *   `sameSite`, `partitioned`
   */
  constructor(name: unknown, value?: unknown, options?: CookieOptions | null) {
    if (arguments.length === 0) throw missing();
    if (arguments.length === 1) {
      if (typeof name === "string") return this.#read(name);
      if (typeof name !== "object" || name === null) throw missing();
      options = name as CookieOptions;
      if (options.name === undefined) throw new TypeError("name is required");
      this.#name = nameOf(options.name);
      this.#value = options.value === undefined ? "" : `${options.value}`;
    } else {
      if (`${name}` === "") throw new TypeError("name is required");
      this.#name = nameOf(name);
      this.#value = `${value}`;
    }
    if (options === undefined || options === null) return;
    if (typeof options !== "object") throw new TypeError("Options must be an object");
    const { domain, path, expires, maxAge, secure, httpOnly, sameSite, partitioned } = options;
    if (domain !== undefined && domain !== null) this.#domain = attributeOf(domain, "domain");
    if (path !== undefined && path !== null) this.#path = attributeOf(path, "path");
    this.#expires = expiresOf(expires);
    if (typeof maxAge === "number" && !Number.isNaN(maxAge)) this.#maxAge = maxAge;
    this.#secure = Boolean(secure);
    this.#httpOnly = Boolean(httpOnly);
    if (sameSite !== undefined && sameSite !== null) this.#sameSite = sameSiteOf(sameSite);
    this.#partitioned = Boolean(partitioned);
  }

  /** Takes over the text of a Set-Cookie header. */
  #read(text: string): this {
    if (invalidHeader.test(text)) throw new TypeError("cookie string is not a valid HTTP header value");
    const [pair, ...attributes] = text.split(";");
    const equals = pair!.indexOf("=");
    if (equals < 0) {
      throw new TypeError(`Invalid cookie string: ${text.length < 2 ? "empty" : "no '=' found"}`);
    }
    const name = pair!.slice(0, equals).trim();
    if (name === "") throw new TypeError("Invalid cookie string: name cannot be empty");
    this.#name = nameOf(name);
    this.#value = pair!.slice(equals + 1).trim();
    for (const attribute of attributes) {
      const at = attribute.indexOf("=");
      const key = (at < 0 ? attribute : attribute.slice(0, at)).trim().toLowerCase();
      const value = at < 0 ? "" : attribute.slice(at + 1).trim();
      switch (key) {
        case "domain":
          if (value !== "") this.#domain = attributeOf(value.toLowerCase(), "domain");
          break;
        case "path":
          if (value.startsWith("/")) this.#path = attributeOf(value, "path");
          break;
        case "expires": {
          const time = Date.parse(value);
          if (!Number.isNaN(time)) this.#expires = time;
          break;
        }
        case "max-age":
          if (/^-?\d+$/.test(value)) this.#maxAge = Number(value);
          break;
        case "secure":
          this.#secure = true;
          break;
        case "httponly":
          this.#httpOnly = true;
          break;
        case "partitioned":
          this.#partitioned = true;
          break;
        case "samesite":
          if (/^(?:strict|lax|none)$/i.test(value)) this.#sameSite = value.toLowerCase() as SameSite;
      }
    }
    return this;
  }

  /** A cookie from the text of a Set-Cookie header. */
  static parse(text: unknown): Cookie {
    text = `${text}`;
    if (text === "") throw new TypeError("Invalid cookie name: contains invalid characters");
    return new Cookie(text);
  }

  /** The same as the constructor. */
  static from(name: unknown, value?: unknown, options?: CookieOptions | null): Cookie {
    if (arguments.length < 2) throw missing();
    return new Cookie(name, value, options);
  }

  get name(): string {
    return this.#name;
  }
  set name(_value: unknown) {
    // A cookie keeps its name, as in Bun.
  }

  get value(): string {
    return this.#value;
  }
  set value(value: unknown) {
    this.#value = `${value}`;
  }

  get domain(): string | null {
    return this.#domain;
  }
  set domain(value: unknown) {
    this.#domain = value === null || value === undefined ? null : attributeOf(value, "domain");
  }

  get path(): string {
    return this.#path;
  }
  set path(value: unknown) {
    this.#path = attributeOf(value, "path");
  }

  get expires(): Date | undefined {
    return this.#expires === undefined ? undefined : new Date(this.#expires);
  }
  set expires(value: unknown) {
    this.#expires = expiresOf(value);
  }

  /** Seconds. */
  get maxAge(): number | undefined {
    return this.#maxAge;
  }
  set maxAge(value: unknown) {
    this.#maxAge = value === undefined || value === null ? undefined : Number(value);
  }

  get secure(): boolean {
    return this.#secure;
  }
  set secure(value: unknown) {
    this.#secure = Boolean(value);
  }

  get httpOnly(): boolean {
    return this.#httpOnly;
  }
  set httpOnly(value: unknown) {
    this.#httpOnly = Boolean(value);
  }

  get sameSite(): SameSite {
    return this.#sameSite;
  }
  set sameSite(value: unknown) {
    this.#sameSite = sameSiteOf(value);
  }

  get partitioned(): boolean {
    return this.#partitioned;
  }
  set partitioned(value: unknown) {
    this.#partitioned = Boolean(value);
  }

  /** Whether its time is over. */
  isExpired(): boolean {
    if (this.#maxAge !== undefined) return this.#maxAge <= 0;
    return this.#expires !== undefined && this.#expires <= Date.now();
  }

  /** The text of a Set-Cookie header. */
  toString(): string {
    let text = `${this.#name}=${encodeURIComponent(this.#value.toWellFormed())}`;
    if (this.#domain) text += `; Domain=${this.#domain}`;
    if (this.#path !== "") text += `; Path=${this.#path}`;
    if (this.#expires !== undefined) text += `; Expires=${new Date(this.#expires).toUTCString()}`;
    if (this.#maxAge !== undefined) text += `; Max-Age=${this.#maxAge}`;
    if (this.#secure) text += "; Secure";
    if (this.#httpOnly) text += "; HttpOnly";
    if (this.#partitioned) text += "; Partitioned";
    return `${text}; SameSite=${this.#sameSite[0]!.toUpperCase()}${this.#sameSite.slice(1)}`;
  }

  serialize(): string {
    return this.toString();
  }

  toJSON(): unknown {
    const json: { [name: string]: unknown } = { __proto__: null, name: this.#name, value: this.#value };
    if (this.#domain) json.domain = this.#domain;
    json.path = this.#path;
    if (this.#expires !== undefined) json.expires = new Date(this.#expires);
    if (this.#maxAge !== undefined) json.maxAge = this.#maxAge;
    return Object.assign(json, {
      secure: this.#secure,
      sameSite: this.#sameSite,
      httpOnly: this.#httpOnly,
      partitioned: this.#partitioned,
    });
  }

  [customInspect](): unknown {
    return this.toJSON();
  }
}
Object.defineProperty(Cookie, "length", { value: 2 });
Object.defineProperty(Cookie.prototype, Symbol.toStringTag, { value: "Cookie", configurable: true });

/** Percent signs that stand for UTF-8 become it; others stay. */
function decoded(text: string): string {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    const bytes = text.replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(parseInt(hex, 16)));
    return new TextDecoder().decode(require("node:buffer").Buffer.from(bytes, "latin1"));
  }
}

class CookieMap {
  /** Cookies of the request: a header may have several of a name, and the first one counts. */
  #original: [name: string, value: string][] = [];
  /** Cookies that were set and deleted, in the order of the last change of each. */
  #changed: { cookie: Cookie; isDeleted: boolean }[] = [];

  /** @param init the text of a Cookie header, an object, or pairs */
  constructor(init?: unknown) {
    if (init === undefined || init === null) return;
    if (typeof init === "string") {
      for (const pair of init.split(";")) {
        const equals = pair.indexOf("=");
        if (equals < 0) continue;
        const name = pair.slice(0, equals).trim();
        if (name !== "") this.#original.push([name, decoded(pair.slice(equals + 1).trim())]);
      }
    } else if (Array.isArray(init)) {
      for (const pair of init) {
        if (!Array.isArray(pair) || pair.length !== 2) throw new TypeError("Expected arrays of exactly two strings");
        this.#original.push([`${pair[0]}`, `${pair[1]}`]);
      }
    } else if (typeof init === "object" || typeof init === "function") {
      for (const name of Object.keys(init))
        this.#original.push([name, `${(init as { [name: string]: unknown })[name]}`]);
    } else {
      throw new TypeError("Invalid initializer type");
    }
  }

  /** The value of a cookie, or null. */
  get(name?: string): string | null {
    if (name === undefined) return null;
    name = `${name}`;
    return this.#setTo(name)?.value ?? this.#original.find((pair) => pair[0] === name)?.[1] ?? null;
  }

  /** The Set-Cookie headers that tell a client of the changes. */
  toSetCookieHeaders(): string[] {
    return this.#changed.map(({ cookie }) => String(cookie));
  }

  has(name: string): boolean {
    name = `${name}`;
    return this.#setTo(name) !== undefined || this.#original.some((pair) => pair[0] === name);
  }

  /** The cookie that was set for a name, and not deleted again. */
  #setTo(name: string): Cookie | undefined {
    return this.#changed.find(({ cookie, isDeleted }) => !isDeleted && cookie.name === name)?.cookie;
  }

  #change(cookie: Cookie, isDeleted: boolean): void {
    const { name } = cookie;
    this.#original = this.#original.filter((pair) => pair[0] !== name);
    const at = this.#changed.findIndex((change) => change.cookie.name === name);
    if (at >= 0) this.#changed.splice(at, 1);
    this.#changed.push({ cookie, isDeleted });
  }

  /** Sets a cookie: a name, a value and options, or a Cookie, or an object that one can be made of. */
  set(name?: unknown, value?: unknown, options?: CookieOptions | null): void {
    if (name === undefined) return;
    if (typeof name !== "object" && arguments.length < 2) throw missing();
    const cookie =
      name instanceof Cookie ? name : typeof name === "object" ? new Cookie(name) : new Cookie(name, value, options);
    this.#change(cookie, false);
  }

  /** Deletes a cookie, also at the client: a name and options (`path`, `domain`), or an object with all three. */
  delete(name: string | CookieOptions, options?: CookieOptions): void {
    if (name === undefined) return;
    if (typeof name === "object") [name, options] = [name?.name as string, name];
    if (name === undefined) throw new TypeError("Cookie name is required");
    const { domain, path } = options ?? {};
    this.#change(new Cookie(nameOf(name), "", { domain, path, expires: new Date(0) }), true);
  }

  /** By place, as in Bun: what is changed on the way moves the others. */
  *entries(): IterableIterator<[string, string]> {
    for (let at = 0; at < this.#changed.length + this.#original.length; at++) {
      const change = this.#changed[at];
      if (change === undefined) yield [...this.#original[at - this.#changed.length]!];
      else if (!change.isDeleted) yield [change.cookie.name, change.cookie.value];
    }
  }

  *keys(): IterableIterator<string> {
    for (const [name] of this.entries()) yield name;
  }

  *values(): IterableIterator<string> {
    for (const [, value] of this.entries()) yield value;
  }

  forEach(callback: unknown, thisArgument?: unknown): void {
    if (typeof callback !== "function") throw new codes.ERR_INVALID_ARG_TYPE("callback", "Function", callback);
    for (const [name, value] of this.entries()) callback.call(thisArgument, value, name, this);
  }

  toJSON(): { [key: string]: unknown } {
    const json: { [key: string]: unknown } = {};
    for (const [name, value] of this.entries()) {
      if (Object.hasOwn(json, name)) continue;
      Object.defineProperty(json, name, { value, enumerable: true, configurable: true, writable: true });
    }
    return json;
  }

  get size(): number {
    return this.#changed.filter(({ isDeleted }) => !isDeleted).length + this.#original.length;
  }

  [customInspect](): unknown {
    return this.toJSON();
  }
}
Object.defineProperty(CookieMap.prototype, Symbol.iterator, {
  value: CookieMap.prototype.entries,
  configurable: true,
  writable: true,
});
Object.defineProperty(CookieMap, "length", { value: 1 });
Object.defineProperty(CookieMap.prototype, Symbol.toStringTag, { value: "CookieMap", configurable: true });

const PublicCookie = constructible(Cookie);
const PublicMap = constructible(CookieMap);
for (const [Class, Public] of [
  [Cookie, PublicCookie],
  [CookieMap, PublicMap],
]) {
  Object.defineProperty(Class!.prototype, "constructor", { value: Public, configurable: true, writable: true });
}
export { PublicCookie as Cookie, PublicMap as CookieMap };
