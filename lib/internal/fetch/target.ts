/** Where a request goes: what there is to know about a URL, kept for those that come again and again. */
import { proxyFor } from "internal/fetch/proxy";

/** A server, the way there, and what to ask it for. */
export interface Target {
  /** The URL without its fragment. */
  href: string;
  protocol: string;
  /** Without the brackets of an IPv6 address. */
  hostname: string;
  port: number;
  /** Value of the Host header. */
  host: string;
  /** Path and query. */
  path: string;
  /** Scheme, host and port. */
  origin: string;
  /** Value of an Authorization header for credentials in the URL, or undefined. */
  authorization: string | undefined;
  /** The proxy that the environment says, or undefined. */
  proxy: Proxy | undefined;
  /** The head of a GET request that has nothing but the usual headers, once there was one. */
  plainHead: string | undefined;
}

/** A proxy: its URL's parts, and headers for it. */
export interface Proxy {
  protocol: string;
  hostname: string;
  port: number;
  authorization: string | undefined;
  headers: [string, string][];
}

const MAX_KNOWN = 200;
const known = new Map<string, Target>();

function basic(url: URL): string | undefined {
  if (url.username === "" && url.password === "") return undefined;
  const text = `${decode(url.username)}:${decode(url.password)}`;
  return `Basic ${Buffer.from(text).toString("base64")}`;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const withoutBrackets = (hostname: string) => hostname.startsWith("[") ? hostname.slice(1, -1) : hostname;
const defaultPort = (protocol: string) => protocol === "https:" ? 443 : 80;

/** What to know about a serialized http: or https: URL. */
export function targetOf(href: string): Target {
  let target = known.get(href);
  if (target !== undefined) return target;
  const url = new URL(href);
  const port = url.port === "" ? defaultPort(url.protocol) : Number(url.port);
  let clean = href;
  const hash = clean.indexOf("#");
  if (hash !== -1) clean = clean.slice(0, hash);
  target = {
    href: clean, protocol: url.protocol, hostname: withoutBrackets(url.hostname), port, host: url.host,
    path: `${url.pathname}${url.search}`, origin: `${url.protocol}//${url.host}`, authorization: basic(url),
    proxy: undefined, plainHead: undefined,
  };
  if (target.authorization !== undefined) {
    url.username = "";
    url.password = "";
    url.hash = "";
  }
  if (known.size >= MAX_KNOWN) known.delete(known.keys().next().value!);
  known.set(href, target);
  return target;
}

/** The proxy for a target: `option` is fetch's `proxy` (undefined: what the environment says). */
export function proxyOf(target: Target, option: any): Proxy | undefined {
  let headers: [string, string][] = [];
  if (option === false || option === null || option === "") return undefined;
  if (option !== undefined && typeof option === "object" && !(option instanceof URL)) {
    if (option.headers !== undefined) headers = [...new Headers(option.headers) as any];
    if (option.respectNoProxy && proxyFor(target, true) === false) return undefined;
    option = option.url;
  }
  const text = option === undefined ? proxyFor(target, false) : `${option}`;
  if (typeof text !== "string" || text === "") return undefined;
  const url = URL.parse(text.includes("://") ? text : `http://${text}`);
  if (url === null || url.hostname === "") throw new TypeError("fetch() proxy URL is invalid");
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new TypeError(`fetch() proxy protocol must be http: or https:, not ${url.protocol}`);
  }
  return {
    protocol: url.protocol, hostname: withoutBrackets(url.hostname),
    port: url.port === "" ? defaultPort(url.protocol) : Number(url.port), authorization: basic(url), headers,
  };
}
