/**
 * `fetch`: https://fetch.spec.whatwg.org/#fetch-method, with Bun's options (https://bun.com/docs/runtime/networking/fetch).
 * HTTP is in internal/fetch/exchange, the pool of connections in internal/fetch/connection.
 */
import { Exchange, MAX_REDIRECTS, Options } from "internal/fetch/exchange";
import { targetOf } from "internal/fetch/url_target";
import { isRequest, makeState, type RequestOptions } from "web/request";
import type { ProxyOption, TlsOptions } from "internal/fetch/types";

/** The standard's RequestInit and what Bun adds; not yet checked where a type says `unknown`. */
interface FetchOptions extends RequestOptions {
  tls?: TlsOptions | null;
  proxy?: ProxyOption;
  unix?: string | null;
}

const plainOptions: Options = {
  tls: undefined,
  proxy: undefined,
  unix: undefined,
  verbose: undefined,
  decompress: true,
  timeout: undefined,
  keepalive: true,
  maxRedirects: MAX_REDIRECTS,
  http2: false,
  http3: false,
};

function typeError(code: string, message: string): TypeError {
  const error: NodeError = new TypeError(message);
  error.code = code;
  return error;
}

/** BUN_CONFIG_VERBOSE_FETCH. */
function verboseByDefault(): string | boolean | undefined {
  const value = process.env.BUN_CONFIG_VERBOSE_FETCH;
  return value === undefined || value === "" || value === "0" || value === "false"
    ? undefined
    : value === "curl"
      ? "curl"
      : true;
}

/** Whether BUN_FEATURE_FLAG_EXPERIMENTAL_<NAME>_CLIENT or `--experimental-<name>-fetch` offers a protocol. */
function offered(name: "HTTP2" | "HTTP3"): false | "offered" {
  const value = process.env[`BUN_FEATURE_FLAG_EXPERIMENTAL_${name}_CLIENT`];
  const isOn = value === "1" || value === "true";
  return isOn || native("process").cliOption(`--experimental-${name.toLowerCase()}-fetch`) !== undefined
    ? "offered"
    : false;
}

/** Servers are offered HTTP/2, and may choose HTTP/1.1. */
const http2Offered = (): false | "offered" => offered("HTTP2");

/** Servers are asked over HTTP/3 that have said before that they speak it. */
const http3Offered = (): false | "offered" => offered("HTTP3");

/** Bun's options. */
function optionsOf(given: FetchOptions): Options {
  let init = given;
  // `null` is no session.
  const session = given.session == null ? undefined : require("bun/fetch_session").sessionOf(given.session);
  if (session !== undefined) {
    init = {
      ...given,
      tls: given.tls || session.defaults.tls,
      proxy: given.proxy || session.defaults.proxy,
    } as FetchOptions;
  }
  const { tls, proxy, unix, verbose, decompress, timeout, keepalive, maxRedirects, protocol, compress, s3 } = init;
  let http2: Options["http2"] = false;
  let http3: Options["http3"] = false;
  switch (protocol) {
    case undefined:
    case null:
      http2 = http2Offered();
      http3 = http3Offered();
      break;
    case "http1.1":
    case "h1":
      break;
    case "http2":
    case "h2":
      http2 = true;
      break;
    case "http3":
    case "h3":
      http3 = true;
      break;
    default:
      throw typeError(
        "ERR_INVALID_ARG_TYPE",
        'fetch: \'protocol\' must be "http2", "h2", "http3", "h3", "http1.1", or "h1"',
      );
  }
  if (compress !== undefined && compress !== false) throw new Error("bao: fetch() with compress is not implemented");
  if (tls !== undefined && tls !== null && typeof tls !== "object") {
    throw typeError("ERR_INVALID_ARG_TYPE", "fetch() tls option must be an object");
  }
  if (unix !== undefined && unix !== null && typeof unix !== "string") {
    throw typeError("ERR_INVALID_ARG_TYPE", "fetch() unix option must be a string");
  }
  return {
    tls: tls ?? undefined,
    proxy,
    unix: unix || undefined,
    decompress: decompress !== false,
    timeout,
    keepalive: keepalive !== false,
    verbose: verbose === undefined ? verboseByDefault() : verbose || undefined,
    http2,
    http3,
    s3,
    session,
    maxRedirects: maxRedirects === undefined ? MAX_REDIRECTS : Math.max(Math.trunc(Number(maxRedirects)) || 0, 0),
  };
}

let verboseEnvironment: string | boolean | undefined;
let http2Environment: false | "offered" = false;
let http3Environment: false | "offered" = false;
let environmentRead = false;

function begin(
  input: unknown,
  init: FetchOptions | null | undefined,
  resolve: (response: unknown) => void,
  reject: (reason: unknown) => void,
): void {
  let options = plainOptions;
  if (!environmentRead) {
    environmentRead = true;
    verboseEnvironment = verboseByDefault();
    http2Environment = http2Offered();
    http3Environment = http3Offered();
  }
  if (init !== undefined && init !== null) {
    if (typeof init !== "object" && typeof init !== "function")
      throw typeError("ERR_INVALID_ARG_TYPE", "fetch() options must be an object");
    options = optionsOf(init);
  } else if (
    typeof input === "object" &&
    input !== null &&
    !isRequest(input) &&
    !(input instanceof URL) &&
    typeof (input as FetchOptions).url === "string"
  ) {
    options = optionsOf(input as FetchOptions);
  } else if (verboseEnvironment !== undefined || http2Environment || http3Environment) {
    options = {
      ...plainOptions,
      verbose: verboseEnvironment,
      http2: http2Environment,
      http3: http3Environment,
    };
  }
  if (typeof input === "string" && options.unix !== undefined && input.startsWith("/"))
    input = `http://localhost${input}`;
  const state = makeState(input, init, true);
  const { follows } = state;
  if (follows?.aborted) {
    const { body } = state;
    if (body !== null && body.take() === undefined) body.stream.cancel(follows.reason).catch(() => {});
    throw follows.reason;
  }
  const { url } = state;
  if (url.startsWith("http:") || url.startsWith("https:")) new Exchange(state, options, resolve, reject).start();
  else resolve(require("internal/fetch/schemes").fetchScheme(state, options));
}

/**
 * @param input a URL or a Request
 * @param init the standard's RequestInit; as in Bun `tls`, `proxy`, `unix`, `verbose`, `decompress`, `timeout` (false for
 * none), `keepalive`, `maxRedirects`
 */
function start(given: number, input: unknown, init: unknown): Promise<unknown> {
  return new Promise((resolve, reject) => {
    if (given === 0) throw typeError("ERR_MISSING_ARGS", "fetch() expects a string but received no arguments.");
    begin(input, init as FetchOptions, resolve, reject);
  });
}

// A method, so that it is no constructor.
export const { fetch } = {
  fetch(input: unknown, init: unknown = undefined): Promise<unknown> {
    return start(arguments.length, input, init);
  },
};

/** Opens a connection to the server of a URL, for the requests that follow (Bun). */
function preconnect(url: unknown): void {
  if (arguments.length === 0) {
    throw typeError("ERR_MISSING_ARGS", "Not enough arguments to 'fetch.preconnect'. Expected 1, got 0.");
  }
  const parsed = URL.parse(`${url}`);
  if (parsed === null) throw typeError("ERR_INVALID_URL", "Invalid URL");
  if (parsed.protocol !== "http:" && parsed.protocol !== "https:") {
    throw typeError("ERR_INVALID_ARG_VALUE", "URL must be HTTP or HTTPS");
  }
  if (parsed.port === "0") throw typeError("ERR_INVALID_ARG_TYPE", "Invalid port");
  const target = targetOf(parsed.href);
  require("internal/fetch/connection").preconnect({
    key: target.origin,
    target,
    proxy: undefined,
    unix: undefined,
    tls: undefined,
    tunnel: false,
    http2: false,
    http3: false,
  });
}

Object.defineProperty(fetch, "length", { value: 1, configurable: true });
Object.defineProperty(fetch, "preconnect", { value: preconnect, writable: true, enumerable: true, configurable: true });
