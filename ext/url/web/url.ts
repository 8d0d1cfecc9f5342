// `URL` (https://url.spec.whatwg.org/#url-class) as Node shows it.
//
// A URL object is its href and the places of the parts in it; a getter cuts its part out. Nearly all URLs are written as
// the parser would write them: one native call finds that out and gives the places packed into one number, and no parser
// runs. Other URLs (long, to be changed by the parser) and those whose `searchParams` was read have a Places object instead of the number. Changes made through `searchParams` are put back into the href when it is next
// needed.
import { codes } from "internal/core/errors";

declare const exports: unknown;

const { scan, join, isPlain, parse, parseWithBase, canParse, canParseWithBase, update } = native("url");
const inspectCustom = Symbol.for("nodejs.util.inspect.custom");

/** What the native parser writes to; see ext/url/native/layout.rs. */
const written = new Int32Array(6);

const MASK = 4095;
const TWO_24 = 2 ** 24;
const TWO_36 = 2 ** 36;
const TWO_48 = 2 ** 48;

/** Places of the parts in an href, and the URL's searchParams once they were read. 0: no search, no hash. */
class Places {
  declare usernameEnd: number;
  declare hostStart: number;
  declare hostEnd: number;
  declare pathname: number;
  declare search: number;
  declare hash: number;
  declare params: URLSearchParams | undefined;

  constructor(usernameEnd: number, hostStart: number, hostEnd: number, pathname: number, search: number, hash: number) {
    this.usernameEnd = usernameEnd;
    this.hostStart = hostStart;
    this.hostEnd = hostEnd;
    this.pathname = pathname;
    this.search = search;
    this.hash = hash;
    this.params = undefined;
  }
}

/**
 * A Places object, or for an href with "//" that is shorter than 4096 characters
 * host end + pathname * 2^12 + search * 2^24 + hash * 2^36, and 2^48 more with credentials, which the first "@" ends.
 * Without, the host starts 3 characters after the first ":".
 */
type Layout = number | Places;

function pathnameStart(layout: Layout): number {
  return typeof layout === "number" ? (layout >>> 12) & MASK : layout.pathname;
}
function hostEnd(layout: Layout): number {
  return typeof layout === "number" ? layout & MASK : layout.hostEnd;
}
function searchStart(layout: Layout): number {
  return typeof layout === "number" ? (layout / TWO_24) & MASK : layout.search;
}
function hashStart(layout: Layout): number {
  return typeof layout === "number" ? (layout / TWO_36) & MASK : layout.hash;
}
function hostStart(layout: Layout, href: string): number {
  if (typeof layout !== "number") return layout.hostStart;
  return layout < TWO_48 ? href.indexOf(":") + 3 : href.indexOf("@");
}
function usernameEnd(layout: Layout, href: string): number {
  if (typeof layout !== "number") return layout.usernameEnd;
  const start = href.indexOf(":") + 3;
  if (layout < TWO_48) return start;
  const at = href.indexOf("@", start);
  const colon = href.indexOf(":", start);
  return colon !== -1 && colon < at ? colon : at;
}

/** What the native parser has just written. */
function takePlaces(): Places {
  return new Places(written[0]!, written[1]!, written[2]!, written[3]!, written[4]!, written[5]!);
}

/** The same as an object. */
function unpack(layout: Layout, href: string): Places {
  if (typeof layout !== "number") return layout;
  return new Places(
    usernameEnd(layout, href),
    hostStart(layout, href),
    hostEnd(layout),
    pathnameStart(layout),
    searchStart(layout),
    hashStart(layout),
  );
}

/** Indices of the native setters. */
const PROTOCOL = 0;
const USERNAME = 1;
const PASSWORD = 2;
const HOST = 3;
const HOSTNAME = 4;
const PORT = 5;
const PATHNAME = 6;
const SEARCH = 7;
const HASH = 8;

const AT = 64;
const COLON = 58;

/** web/url_search_params, once some URL's searchParams was read. */
let params: typeof import("web/url_search_params");

/** ERR_INVALID_URL as Node's native code makes it: the code is not in the name. */
function invalid(input: string, base?: string): Error {
  const error: NodeError & { input?: string; base?: string } = new TypeError("Invalid URL");
  error.code = "ERR_INVALID_URL";
  error.input = input;
  if (base !== undefined) error.base = base;
  return error;
}

/** Conversion to a string, with V8's words for symbols. */
function text(value: unknown): string {
  if (typeof value === "symbol") throw new TypeError("Cannot convert a Symbol value to a string");
  return `${value}`;
}

/** For `URL.parse`, whose result may be "no URL": the constructor then leaves the href empty. */
const kQuiet = Symbol("quiet");

/** The constructor that made an object, as far as its prototypes tell. */
function constructorOf(value: unknown): { name: string } {
  for (let object = value; object !== null; object = Object.getPrototypeOf(object)) {
    const found = Object.getOwnPropertyDescriptor(object, "constructor")?.value;
    if (typeof found === "function" && found.name !== "") return found;
  }
  return URL;
}

class URL {
  #href: string;
  #layout: Layout;

  /**
   * @param url absolute, or relative to `base`
   * Throws ERR_INVALID_URL (TypeError) with `input` and `base`, ERR_MISSING_ARGS without an argument.
   */
  constructor(url: string, base: unknown = undefined, quiet: symbol | undefined = undefined) {
    if (typeof url !== "string") {
      if (arguments.length === 0) throw new codes.ERR_MISSING_ARGS("url");
      url = text(url);
    }
    // The short way first, which does for URLs that parsing would not change.
    let href: string | true | undefined;
    if (base === undefined) {
      const layout = scan(url);
      this.#href = url;
      this.#layout = layout;
      if (layout > 0) return;
      if (layout < 0) {
        this.#href = `${url}/`;
        this.#layout = -layout;
        return;
      }
      href = parse(url, written);
    } else {
      if (typeof base !== "string") base = text(base);
      const joined = join(url, base as string);
      const layout = joined === undefined ? 0 : scan(joined);
      this.#href = joined!;
      this.#layout = layout;
      if (layout > 0) return;
      href = parseWithBase(url, base as string, written);
    }
    if (href !== undefined) {
      this.#href = href === true ? url : href;
      this.#layout = takePlaces();
    } else {
      if (quiet !== kQuiet) throw invalid(url, base as string | undefined);
      this.#href = "";
    }
  }

  /** Whether the constructor would succeed. */
  static canParse(url: string, base: string | URL | undefined = undefined): boolean {
    if (arguments.length === 0) throw new codes.ERR_MISSING_ARGS("url");
    url = text(url);
    return base === undefined ? canParse(url) : canParseWithBase(url, text(base));
  }

  /** As the constructor, but null instead of an exception. */
  static parse(url: string, base: string | URL | undefined = undefined): URL | null {
    if (arguments.length === 0) throw new codes.ERR_MISSING_ARGS("url");
    const made = new URL(text(url), base, kQuiet);
    return made.#href === "" ? null : made;
  }

  /** A URL that stands for a Blob until it is revoked or the thread ends. */
  static createObjectURL(obj: { [key: string]: unknown }): string {
    return require("web/blob").createObjectURL(obj);
  }

  static revokeObjectURL(url: string): void {
    if (arguments.length === 0) throw new codes.ERR_MISSING_ARGS("url");
    require("web/blob").revokeObjectURL(text(url));
  }

  /** Takes the result of a native call, whose places are in `written`; searchParams stays the same object. */
  #take(href: string | true): void {
    const old = this.#layout;
    const places = takePlaces();
    if (href !== true) this.#href = href;
    if (typeof old !== "number") places.params = old.params;
    this.#layout = places;
  }

  /** Runs a native setter; the URL stays as it is if the value is refused. */
  #set(part: number, value: string): void {
    // The brand check comes first, then pending changes of searchParams, then the conversion.
    this.#sync();
    const result = update(this.#href, part, text(value), written);
    if (result !== undefined) this.#take(result);
  }

  /**
   * Replaces the href from `start` to `end` with text that needs no escaping, and moves the places behind it. Only for
   * what comes after the host.
   */
  #splice(start: number, end: number, text: string, search: number, hash: number): void {
    const href = this.#href;
    const layout = this.#layout;
    const next = href.slice(0, start) + text + href.slice(end);
    this.#href = next;
    if (typeof layout === "number" && next.length <= MASK) {
      const credentials = layout < TWO_48 ? 0 : TWO_48;
      this.#layout = hostEnd(layout) + pathnameStart(layout) * 4096 + search * TWO_24 + hash * TWO_36 + credentials;
      return;
    }
    const places = unpack(layout, href);
    places.search = search;
    places.hash = hash;
    this.#layout = places;
  }

  /** Replaces the query ("" takes it away) with text that needs no escaping. */
  #spliceSearch(text: string): void {
    const layout = this.#layout;
    const { length } = this.#href;
    const hash = hashStart(layout);
    const start = searchStart(layout) || hash || length;
    const end = hash || length;
    const moved = start - end + (text === "" ? 0 : text.length + 1);
    this.#splice(start, end, text === "" ? "" : `?${text}`, text === "" ? 0 : start, hash === 0 ? 0 : hash + moved);
  }

  /** Brings changes made through searchParams into the href. */
  #sync(): void {
    const layout = this.#layout;
    if (typeof layout === "number") return;
    const own = layout.params;
    if (own === undefined || !params.takeChanges(own)) return;
    const query = own.toString();
    // Form-urlencoded text needs no escaping; but taking the query away may change a path that is opaque.
    if (query !== "" || this.#href[layout.pathname] === "/") {
      this.#spliceSearch(query);
      return;
    }
    const result = update(this.#href, SEARCH, "", written);
    if (result !== undefined) this.#take(result);
  }

  [inspectCustom](depth: number, options: { showHidden?: unknown } | null | undefined) {
    if (this == null || typeof this !== "object" || !(#href in this)) throw new codes.ERR_INVALID_THIS("URL");
    if (typeof depth === "number" && depth < 0) return this;
    const constructor = constructorOf(this);
    const shown: { [name: PropertyKey]: unknown } = { __proto__: { constructor } };
    for (const name of [
      "href",
      "origin",
      "protocol",
      "username",
      "password",
      "host",
      "hostname",
      "port",
      "pathname",
      "search",
      "searchParams",
      "hash",
    ] as const) {
      shown[name] = this[name];
    }
    if (options?.showHidden) {
      const { contextOf } = require("internal/url/url_context");
      const href = this.#href;
      shown[Symbol("context")] = contextOf(this, usernameEnd(this.#layout, href), hostStart(this.#layout, href));
    }
    return `${constructor.name} ${require("internal/util/inspect").inspect(shown, options)}`;
  }

  toString(): string {
    if (typeof this.#layout !== "number") this.#sync();
    return this.#href;
  }

  get href(): string {
    if (typeof this.#layout !== "number") this.#sync();
    return this.#href;
  }

  /** Throws ERR_INVALID_URL and leaves the URL as it is if the value is not an absolute URL. */
  set href(value: string) {
    const layout = this.#layout;
    value = text(value);
    const href = parse(value, written);
    if (href === undefined) throw invalid(value);
    this.#href = value;
    this.#take(href);
    if (typeof layout !== "number" && layout.params !== undefined) params.replaceAll(layout.params, this.#search());
  }

  /** Scheme, host and port, or "null" for schemes without an origin. */
  get origin(): string {
    const href = this.#href;
    const protocol = href.slice(0, href.indexOf(":") + 1);
    switch (protocol) {
      case "http:":
      case "https:":
      case "ws:":
      case "wss:":
      case "ftp:":
        return `${protocol}//${this.host}`;
      case "blob:": {
        const inner = URL.parse(this.pathname);
        return inner !== null && (inner.protocol === "http:" || inner.protocol === "https:") ? inner.origin : "null";
      }
      default:
        return "null";
    }
  }

  get protocol(): string {
    const href = this.#href;
    return href.slice(0, href.indexOf(":") + 1);
  }

  set protocol(value: string) {
    this.#set(PROTOCOL, value);
  }

  get username(): string {
    const layout = this.#layout;
    if (typeof layout === "number" && layout < TWO_48) return "";
    const href = this.#href;
    const start = href.indexOf(":") + 3;
    const end = usernameEnd(layout, href);
    return start < end ? href.slice(start, end) : "";
  }

  set username(value: string) {
    this.#set(USERNAME, value);
  }

  get password(): string {
    const layout = this.#layout;
    if (typeof layout === "number" && layout < TWO_48) return "";
    const href = this.#href;
    const start = hostStart(layout, href);
    const end = usernameEnd(layout, href);
    return start > end ? href.slice(end + 1, start) : "";
  }

  set password(value: string) {
    this.#set(PASSWORD, value);
  }

  get host(): string {
    const href = this.#href;
    const layout = this.#layout;
    let start = hostStart(layout, href);
    if (href.charCodeAt(start) === AT) start++;
    const end = hostEnd(layout);
    // Between host and path is a port, or the "/." of a path that would otherwise look like a host.
    const path = pathnameStart(layout);
    return href.slice(start, end < path && href.charCodeAt(end) === COLON ? path : end);
  }

  set host(value: string) {
    this.#set(HOST, value);
  }

  get hostname(): string {
    const href = this.#href;
    const layout = this.#layout;
    let start = hostStart(layout, href);
    if (href.charCodeAt(start) === AT) start++;
    return href.slice(start, hostEnd(layout));
  }

  set hostname(value: string) {
    this.#set(HOSTNAME, value);
  }

  get port(): string {
    const href = this.#href;
    const layout = this.#layout;
    const end = hostEnd(layout);
    const path = pathnameStart(layout);
    return end < path && href.charCodeAt(end) === COLON ? href.slice(end + 1, path) : "";
  }

  set port(value: string) {
    this.#set(PORT, value);
  }

  get pathname(): string {
    const href = this.#href;
    const layout = this.#layout;
    return href.slice(pathnameStart(layout), searchStart(layout) || hashStart(layout) || href.length);
  }

  set pathname(value: string) {
    const layout = this.#layout;
    if (typeof layout === "number" && typeof value === "string" && isPlain(value, 0)) {
      const href = this.#href;
      const start = pathnameStart(layout);
      const search = searchStart(layout);
      const hash = hashStart(layout);
      const end = search || hash || href.length;
      const moved = start + value.length - end;
      this.#splice(start, end, value, search === 0 ? 0 : search + moved, hash === 0 ? 0 : hash + moved);
      return;
    }
    this.#set(PATHNAME, value);
  }

  #search(): string {
    const layout = this.#layout;
    const start = searchStart(layout);
    if (start === 0) return "";
    const href = this.#href;
    const end = hashStart(layout) || href.length;
    return end - start > 1 ? href.slice(start, end) : "";
  }

  /** The query with its "?", or "" for an empty one. */
  get search(): string {
    if (typeof this.#layout !== "number") this.#sync();
    return this.#search();
  }

  set search(value: string) {
    const layout = this.#layout;
    if (typeof layout === "number" && typeof value === "string") {
      const text = value.charCodeAt(0) === 63 ? value.slice(1) : value;
      if (value !== "?" && isPlain(text, 1)) {
        this.#spliceSearch(text);
        return;
      }
    }
    this.#set(SEARCH, value);
    if (typeof layout !== "number" && layout.params !== undefined) params.replaceAll(layout.params, this.#search());
  }

  /** The query as a live object, always the same one. */
  get searchParams(): unknown {
    let layout = this.#layout;
    if (typeof layout === "number") this.#layout = layout = unpack(layout, this.#href);
    if (layout.params === undefined) {
      params ??= require("web/url_search_params");
      layout.params = params.createLinked(this.#search());
    }
    return layout.params;
  }

  /** The fragment with its "#", or "" for an empty one. */
  get hash(): string {
    const start = hashStart(this.#layout);
    if (start === 0) return "";
    const href = this.#href;
    return href.length - start > 1 ? href.slice(start) : "";
  }

  set hash(value: string) {
    const layout = this.#layout;
    if (typeof layout === "number" && typeof value === "string") {
      const text = value.charCodeAt(0) === 35 ? value.slice(1) : value;
      if (value !== "#" && isPlain(text, 2)) {
        const { length } = this.#href;
        const start = hashStart(layout) || length;
        this.#splice(start, length, text === "" ? "" : `#${text}`, searchStart(layout), text === "" ? 0 : start);
        return;
      }
    }
    this.#set(HASH, value);
  }

  toJSON(): string {
    if (typeof this.#layout !== "number") this.#sync();
    return this.#href;
  }
}

/** `isURLObject`: whether an object is a URL made here (subclasses included), whatever was done to its prototype. */
export { URL };

const enumerable = { enumerable: true };
Object.defineProperties(URL.prototype, {
  [Symbol.toStringTag]: { configurable: true, value: "URL" },
  toString: enumerable,
  href: enumerable,
  origin: enumerable,
  protocol: enumerable,
  username: enumerable,
  password: enumerable,
  host: enumerable,
  hostname: enumerable,
  port: enumerable,
  pathname: enumerable,
  search: enumerable,
  searchParams: enumerable,
  hash: enumerable,
  toJSON: enumerable,
});
Object.defineProperties(URL, {
  canParse: enumerable,
  parse: enumerable,
  createObjectURL: enumerable,
  revokeObjectURL: enumerable,
});

// For those who expect both classes here; URLSearchParams has a module of its own because most programs that parse URLs
// never use it.
Object.defineProperty(exports, "URLSearchParams", {
  configurable: true,
  enumerable: true,
  get: () => require("web/url_search_params").URLSearchParams,
});
