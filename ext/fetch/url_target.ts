/** Where a request goes: what there is to know about a URL, kept for those that come again and again. */
import { fetchError } from "internal/fetch/errors";
import { isDirect, proxyOfEnvironment, serverOf } from "internal/fetch/proxy";
import type { OwnProxy, ProxyOption } from "internal/fetch/types";

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

/** https://fetch.spec.whatwg.org/#port-blocking: ports of services that a request could be made to look like. */
const badPorts = new Set([
  1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
  111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
  540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
  6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);

/** Whether no request may go to a port. */
export const isBadPort = (port: number): boolean => badPorts.has(port);

const MAX_KNOWN = 200;
const known = new Map<string, Target>();

/** What to know about a serialized http: or https: URL. */
export function targetOf(href: string): Target {
  let target = known.get(href);
  if (target !== undefined) return target;
  const url = new URL(href);
  let clean = href;
  const hash = clean.indexOf("#");
  if (hash !== -1) clean = clean.slice(0, hash);
  target = {
    href: clean,
    protocol: url.protocol,
    ...serverOf(url),
    host: url.host,
    path: `${url.pathname}${url.search}`,
    origin: `${url.protocol}//${url.host}`,
    proxy: undefined,
    plainHead: undefined,
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

function invalid(code: string, message: string): TypeError {
  const error: NodeError = new TypeError(message);
  error.code = code;
  return error;
}

/**
 * The proxy for a target, or undefined. `option` is fetch's `proxy`: a URL, `{ url, headers, respectNoProxy }`, false for none; without
 * it (or with one that is empty) what the environment says. NO_PROXY counts either way, unless `respectNoProxy` is false.
 * Throws ERR_INVALID_ARG_TYPE, ERR_INVALID_ARG_VALUE, UnsupportedProxyProtocol.
 */
export function proxyOf(target: Target, option: ProxyOption): Proxy | undefined {
  if (option === false) return undefined;
  let headers: [string, string][] = [];
  let text = "";
  let exempting = true;
  if (typeof option === "string") {
    text = option;
  } else if (typeof option === "object" && option !== null) {
    const url = option instanceof URL ? option.href : option.url;
    if (url !== undefined && url !== null) {
      text = `${url}`;
      if (text === "") throw invalid("ERR_INVALID_ARG_VALUE", "fetch() proxy URL is invalid");
      if ((option as OwnProxy).headers !== undefined && (option as OwnProxy).headers !== null)
        headers = [...new Headers((option as OwnProxy).headers)];
      exempting = (option as OwnProxy).respectNoProxy !== false;
    }
  } else if (option !== undefined && option !== null) {
    throw invalid(
      "ERR_INVALID_ARG_TYPE",
      `The "proxy" argument must be a string, a URL, an object with a "url", or false. Received type ${typeof option} (${String(option)})`,
    );
  }
  // Programs give a URL; variables often have only a host and a port.
  let url: URL | null;
  if (text === "") {
    text = proxyOfEnvironment(target.protocol);
    if (text === "") return undefined;
    url = URL.parse(text.includes("://") ? text : `http://${text}`);
  } else {
    url = URL.parse(/^[\w.-]+:\d+$/.test(text) ? `http://${text}` : text);
  }
  if (exempting && isDirect(target)) return undefined;
  if (url === null || (url.hostname === "" && (url.protocol === "http:" || url.protocol === "https:"))) {
    throw invalid("ERR_INVALID_ARG_VALUE", "fetch() proxy URL is invalid");
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw fetchError(
      "UnsupportedProxyProtocol",
      target.href,
      new Error(`The protocol of a proxy must be http: or https:, not ${url.protocol}`),
    );
  }
  const { hostname, port, authorization } = serverOf(url);
  return {
    protocol: url.protocol,
    hostname,
    port,
    headers,
    // Headers go before what stands in the URL.
    authorization: headers.some(([name]) => name === "proxy-authorization") ? undefined : authorization,
  };
}
