// The legacy URL API of `node:url`: `Url` objects, parse and format. It follows no standard; its many special cases are
// those programs of the last decade rely on. Resolving is in internal/url_legacy_resolve.
import { codes } from "internal/core/errors";
import { validateString } from "internal/core/validators";
import querystring from "node:querystring";

const { idnaToAscii } = native("url");
/** Not what a program may have put in its place. */
const escapeComponent = querystring.escape;

const MAX_HOST_LENGTH = 255;

/** Protocols that never have a host; their rest is not looked into. */
export const hostless = new Set(["javascript", "javascript:"]);
/** Protocols whose text is not escaped. */
const unescaped = hostless;
/** Protocols that have "//" after the colon even if it was not written. */
export const slashed = new Set([
  "http",
  "http:",
  "https",
  "https:",
  "ftp",
  "ftp:",
  "gopher",
  "gopher:",
  "file",
  "file:",
  "ws",
  "ws:",
  "wss",
  "wss:",
]);

/** What may not be in a host, once it is in ASCII; an IPv6 address may have a few of them. */
const FORBIDDEN_IN_HOST = /[\0\t\n\r #%/:<>?@[\\\]^|]/;
const FORBIDDEN_IN_IPV6 = /[\0\t\n\r #%/<>?@\\^|]/;

/** A parsed URL: the fields are strings or null, `slashes` is a boolean or null, `query` may be an object. */
export interface UrlObject {
  protocol: string | null;
  slashes: boolean | null;
  auth: string | null;
  host: string | null;
  port: string | null;
  hostname: string | null;
  hash: string | null;
  search: string | null;
  query: unknown;
  pathname: string | null;
  path: string | null;
  href: string | null;
  parse(url: unknown, parseQuery?: boolean, slashesDenoteHost?: boolean): UrlObject;
  format(): string;
  resolve(relative: unknown): string;
  resolveObject(relative: unknown): UrlObject;
  parseHost(): void;
  [name: string]: unknown;
}

/** The class, which is a function. */
export interface UrlClass {
  new (): UrlObject;
  (this: UrlObject): void;
  readonly prototype: UrlObject;
}

export function Url(this: UrlObject) {
  this.protocol = null;
  this.slashes = null;
  this.auth = null;
  this.host = null;
  this.port = null;
  this.hostname = null;
  this.hash = null;
  this.search = null;
  this.query = null;
  this.pathname = null;
  this.path = null;
  this.href = null;
}

/**
 * url.parse(). Throws ERR_INVALID_ARG_TYPE, ERR_INVALID_URL for a host that cannot be one, ERR_INVALID_ARG_VALUE for
 * something that is no port, URIError for a malformed user name.
 * @param parseQuery give `query` as an object
 * @param slashesDenoteHost take "//host/path" for a host and a path
 */
export function parseUrl(url: unknown, parseQuery?: boolean, slashesDenoteHost?: boolean): UrlObject {
  if (url instanceof (Url as UrlClass)) return url;
  const made: UrlObject = new (Url as UrlClass)();
  made.parse(url, parseQuery, slashesDenoteHost);
  return made;
}

function isSpace(code: number): boolean {
  return code <= 32 || code === 160 || code === 65279;
}

/** The text without white space and control characters around it, and with "\" turned into "/" in front of the query and fragment. */
function clean(text: string): { rest: string; hasHash: boolean; hasAt: boolean } {
  let start = 0;
  let end = text.length;
  while (start < end && isSpace(text.charCodeAt(start))) start++;
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--;
  const rest = text.slice(start, end);
  const special = rest.search(/[?#]/);
  const head = special === -1 ? rest : rest.slice(0, special);
  return {
    rest: head.includes("\\") ? head.replaceAll("\\", "/") + rest.slice(head.length) : rest,
    hasHash: special !== -1 && rest.includes("#", special),
    hasAt: head.includes("@"),
  };
}

/** The query object of a search with "?" in front. */
function queryOf(search: string, parseQuery: boolean | undefined): unknown {
  return parseQuery ? querystring.parse(search.slice(1)) : search.slice(1);
}

function parse(this: UrlObject, url: string, parseQuery?: boolean, slashesDenoteHost?: boolean): UrlObject {
  validateString(url, "url");
  let { rest, hasHash, hasAt } = clean(url);

  if (!slashesDenoteHost && !hasHash && !hasAt) {
    // Just a path, with or without a query.
    const simple = /^(\/\/?(?!\/)[^?\s]*)(\?[^\s]*)?$/.exec(rest);
    if (simple !== null) {
      this.path = this.href = rest;
      this.pathname = simple[1]!;
      if (simple[2]) {
        this.search = simple[2];
        this.query = queryOf(simple[2], parseQuery);
      } else if (parseQuery) {
        this.search = null;
        this.query = { __proto__: null };
      }
      return this;
    }
  }

  const scheme = /^[a-z0-9.+-]+:/i.exec(rest)?.[0];
  const protocol = scheme?.toLowerCase();
  if (scheme !== undefined) {
    this.protocol = protocol!;
    rest = rest.slice(scheme.length);
  }

  // "//" starts a host if the caller says so, if there is a protocol, or if an "@" is in front of the next slash.
  let hasSlashes = false;
  if (slashesDenoteHost || scheme || /^\/\/[^@/]+@[^@/]+/.test(rest)) {
    hasSlashes = rest.startsWith("//");
    if (hasSlashes && !(protocol && hostless.has(protocol))) {
      rest = rest.slice(2);
      this.slashes = true;
    }
  }
  if (!(protocol && hostless.has(protocol)) && (hasSlashes || (scheme && !slashed.has(scheme)))) {
    rest = takeAuthority(this, rest, url);
  }
  if (!(protocol && unescaped.has(protocol))) rest = escapeRest(rest);
  splitRest(this, rest, parseQuery);

  if (protocol && slashed.has(protocol) && this.hostname && !this.pathname) this.pathname = "/";
  if (this.pathname || this.search) this.path = (this.pathname || "") + (this.search || "");
  this.href = this.format();
  return this;
}

/** Takes user, host and port off the front of `rest`; returns what is left, which is or will be the path. */
function takeAuthority(target: UrlObject, rest: string, url: string): string {
  // The host ends at the first of these characters; but an "@" after one that is not / ? # moves it behind the "@".
  let odd = -1; // the first character after the "@" that cannot be in a host
  let at = -1;
  scan: for (let i = 0; i < rest.length; i++) {
    switch (rest[i]) {
      case "\t":
      case "\n":
      case "\r":
        // As WHATWG URLs do, drop these.
        rest = rest.slice(0, i) + rest.slice(i + 1);
        i--;
        break;
      case " ":
      case '"':
      case "%":
      case "'":
      case ";":
      case "<":
      case ">":
      case "\\":
      case "^":
      case "`":
      case "{":
      case "|":
      case "}":
        if (odd === -1) odd = i;
        break;
      case "#":
      case "/":
      case "?":
        if (odd === -1) odd = i;
        break scan;
      case "@":
        at = i;
        odd = -1;
        break;
    }
  }
  if (at !== -1) target.auth = decodeURIComponent(rest.slice(0, at));
  if (odd === -1) {
    target.host = rest.slice(at + 1);
    rest = "";
  } else {
    target.host = rest.slice(at + 1, odd);
    rest = rest.slice(odd);
  }
  target.parseHost();
  if (typeof target.hostname !== "string") target.hostname = "";

  const isIpv6 = isBracketed(target.hostname);
  if (!isIpv6) rest = cutHostname(target, rest, url);
  target.hostname = target.hostname.length > MAX_HOST_LENGTH ? "" : target.hostname.toLowerCase();
  if (target.hostname !== "") {
    if (isIpv6) {
      if (FORBIDDEN_IN_IPV6.test(target.hostname)) throw new codes.ERR_INVALID_URL(url);
    } else {
      // To ASCII, as the host field of a request needs it. What maps to a separator must not move the host's end.
      target.hostname = toASCII(target.hostname);
      if (target.hostname === "" || FORBIDDEN_IN_HOST.test(target.hostname)) throw new codes.ERR_INVALID_URL(url);
    }
  }
  target.host = target.hostname + (target.port ? `:${target.port}` : "");
  if (isIpv6) {
    target.hostname = target.hostname.slice(1, -1);
    if (rest[0] !== "/") rest = `/${rest}`;
  }
  return rest;
}

function isBracketed(hostname: string): boolean {
  return hostname.charCodeAt(0) === 91 && hostname.charCodeAt(hostname.length - 1) === 93;
}

/** UTS 46 ToASCII for anything that is not plain already; "" if it fails. */
function toASCII(hostname: string): string {
  return /^[a-z0-9.-]*$/.test(hostname) && !hostname.includes("xn--") ? hostname : idnaToAscii(hostname);
}

/** Cuts the host name at a character that cannot be in one; that and the rest become path. */
function cutHostname(target: UrlObject, rest: string, url: string): string {
  const hostname = target.hostname!;
  const bad = hostname.search(/[#/:?\\]/);
  if (bad === -1) return rest;
  // parseHost has taken a proper port off, so this colon is in front of something else.
  if (hostname[bad] === ":") throw new codes.ERR_INVALID_ARG_VALUE("url", url, "has an invalid port");
  target.hostname = hostname.slice(0, bad);
  return `/${hostname.slice(bad)}${rest}`;
}

/** Sets pathname, search, query and hash. */
function splitRest(target: UrlObject, rest: string, parseQuery: boolean | undefined): void {
  const hash = rest.indexOf("#");
  const head = hash === -1 ? rest : rest.slice(0, hash);
  if (hash !== -1) target.hash = rest.slice(hash);
  const question = head.indexOf("?");
  if (question !== -1) {
    target.search = head.slice(question);
    target.query = queryOf(target.search, parseQuery);
  } else if (parseQuery) {
    target.search = null;
    target.query = { __proto__: null };
  }
  const pathname = question === -1 ? head : head.slice(0, question);
  if (pathname !== "") target.pathname = pathname;
}

/** Escapes the characters that RFC 2396 calls delimiters or unwise, and the quote. */
function escapeRest(rest: string): string {
  if (!/[\t\n\r "'<>\\^`{|}]/.test(rest)) return rest;
  return rest.replace(/[\t\n\r "'<>\\^`{|}]/g, (c) => {
    const code = c.charCodeAt(0);
    return `%${code < 16 ? "0" : ""}${code.toString(16).toUpperCase()}`;
  });
}

/** Takes ":digits" off the end of `host`. */
function parseHost(this: UrlObject): void {
  let host = this.host!;
  const port = /:[0-9]*$/.exec(host)?.[0];
  if (port !== undefined) {
    if (port !== ":") this.port = port.slice(1);
    host = host.slice(0, host.length - port.length);
  }
  if (host) this.hostname = host;
}

/** Escapes user information: what encodeURIComponent escapes, except ":". */
function escapeAuth(auth: string): string {
  return escapeComponent(auth).replaceAll("%3A", ":");
}

/** Puts the fields together again; see url.format(). */
function format(this: UrlObject): string {
  const auth = this.auth ? `${escapeAuth(String(this.auth))}@` : "";
  let protocol = this.protocol || "";
  let pathname = this.pathname || "";
  let hash = this.hash || "";
  let host = "";
  if (this.host) {
    host = auth + this.host;
  } else if (this.hostname) {
    const { hostname } = this;
    host = auth + (hostname.includes(":") && !isBracketed(hostname) ? `[${hostname}]` : hostname);
    if (this.port) host += `:${this.port}`;
  }
  let query = "";
  if (this.query !== null && typeof this.query === "object") query = querystring.stringify(this.query);
  let search = this.search || (query && `?${query}`) || "";

  if (protocol && protocol.charCodeAt(protocol.length - 1) !== 58) protocol += ":";
  if (/[#?]/.test(pathname)) pathname = pathname.replace(/[#?]/g, (c) => (c === "#" ? "%23" : "%3F"));
  if (this.slashes || slashed.has(protocol)) {
    if (this.slashes || host) {
      if (pathname && pathname[0] !== "/") pathname = `/${pathname}`;
      host = `//${host}`;
    } else if (protocol.startsWith("file")) {
      host = "//";
    }
  }
  if (search.includes("#")) search = search.replaceAll("#", "%23");
  if (hash && hash[0] !== "#") hash = `#${hash}`;
  if (search && search[0] !== "?") search = `?${search}`;
  return protocol + host + pathname + search + hash;
}

Object.assign(Url.prototype, {
  parse,
  format,
  resolve(this: UrlObject, relative: unknown) {
    return require("internal/url/url_legacy_resolve")
      .resolveObject(this, parseUrl(relative, false, true))
      .format();
  },
  resolveObject(this: UrlObject, relative: UrlObject) {
    return require("internal/url/url_legacy_resolve").resolveObject(this, relative);
  },
  parseHost,
});
