/** `Request`: https://fetch.spec.whatwg.org/#request-class. As in Node, there is no base URL and no header is forbidden. */
import { addBodyMembers, Body, type BodyMembers, extractBody } from "internal/fetch/body";
import { finishInterface, requireArguments, wrongThis } from "internal/fetch/webidl";
import { fillHeaders, HeaderList, type Headers, wrapHeaders } from "web/headers";

const kInspect = Symbol.for("nodejs.util.inspect.custom");
/** First argument of built-in callers: a {@link RequestState} follows. */
const kState = Symbol("kState");

/** What a request is. */
export interface RequestState {
  method: string;
  /** Serialized, with the fragment. */
  url: string;
  list: HeaderList;
  /** The public Headers, once somebody has asked for them. */
  headers: Headers | undefined;
  body: Body | null;
  /** The public AbortSignal, once somebody has asked for it. */
  signal: AbortSignal | undefined;
  /** The signal that it follows, if there is one. */
  follows: AbortSignal | undefined;
  mode: string;
  credentials: string;
  cache: string;
  redirect: string;
  referrer: string;
  referrerPolicy: string;
  integrity: string;
  keepalive: boolean;
  duplex: string;
  /** What a `blob:` URL stood for when the request was made: it may be revoked before the fetch. */
  blob?: Blob | undefined;
}

/** RequestInit, not yet checked; Bun takes the URL in it. */
export interface RequestOptions {
  [name: string]: unknown;
  signal?: AbortSignal | null;
}

const notToken = /[^!#$%&'*+\-.^_`|~A-Za-z0-9]/;
const upperMethods = new Set(["DELETE", "GET", "HEAD", "OPTIONS", "POST", "PUT"]);

const values: Record<string, string[]> = {
  mode: ["navigate", "same-origin", "no-cors", "cors"],
  credentials: ["omit", "same-origin", "include"],
  cache: ["default", "no-store", "reload", "no-cache", "force-cache", "only-if-cached"],
  redirect: ["follow", "error", "manual"],
  referrerPolicy: [
    "",
    "no-referrer",
    "no-referrer-when-downgrade",
    "same-origin",
    "origin",
    "strict-origin",
    "origin-when-cross-origin",
    "strict-origin-when-cross-origin",
    "unsafe-url",
  ],
};

let isRequestObject: (value: unknown) => value is Request;
let stateOf: (request: unknown) => RequestState;

function newState(url: string): RequestState {
  const state: RequestState = {
    method: "GET",
    url,
    list: new HeaderList(),
    headers: undefined,
    body: null,
    signal: undefined,
    follows: undefined,
    mode: "cors",
    credentials: "same-origin",
    cache: "default",
    redirect: "follow",
    referrer: "about:client",
    referrerPolicy: "",
    integrity: "",
    keepalive: false,
    duplex: "half",
  };
  if (url.startsWith("blob:")) state.blob = require("web/blob").resolveObjectURL(url);
  return state;
}

function parseUrl(input: unknown, fetching: boolean): string {
  const text = `${input}`.toWellFormed();
  const url = URL.parse(text);
  if (url === null) throw invalidUrl(text);
  if (fetching) return url.href;
  if (url.username !== "" || url.password !== "") {
    throw new TypeError(`Request cannot be constructed from a URL that includes credentials: ${text}`);
  }
  return url.href;
}

/**
 * Member by member: those of a server's requests are accessors. What aborts `from` aborts the copy; where nobody can (nobody gave a signal
 * or asked for one), no signal is made, which costs more than the rest of the copy.
 */
function copyState(from: RequestState, body: Body | null): RequestState {
  const {
    method,
    url,
    list,
    mode,
    credentials,
    cache,
    redirect,
    referrer,
    referrerPolicy,
    integrity,
    keepalive,
    duplex,
  } = from;
  const state: RequestState = {
    method,
    url,
    list: list.copy(),
    headers: undefined,
    body,
    signal: undefined,
    follows: from.signal ?? from.follows,
    mode,
    credentials,
    cache,
    redirect,
    referrer,
    referrerPolicy,
    integrity,
    keepalive,
    duplex,
  };
  if (url.startsWith("blob:")) state.blob = from.blob;
  return state;
}

function invalidUrl(text: string): TypeError {
  try {
    new URL(text);
  } catch (cause) {
    const error: NodeError = new TypeError(`Failed to parse URL from ${text}`, { cause });
    error.code = (cause as NodeError).code;
    return error;
  }
  return new TypeError(`Failed to parse URL from ${text}`);
}

function checkMethod(value: unknown): string {
  const method = `${value}`;
  if (method === "" || notToken.test(method)) throw new TypeError(`'${method}' is not a valid HTTP method.`);
  const upper = method.toUpperCase();
  if (upper === "CONNECT" || upper === "TRACE" || upper === "TRACK") {
    throw new TypeError(`'${method}' HTTP method is unsupported.`);
  }
  return upperMethods.has(upper) ? upper : method;
}

function checkReferrer(value: unknown): string {
  const text = `${value}`.toWellFormed();
  if (text === "") return "no-referrer";
  const url = URL.parse(text);
  if (url === null) throw new TypeError(`Referrer "${text}" is not a valid URL.`);
  // Without a page there is no origin that another URL could be of.
  return url.protocol === "about:" && url.pathname === "client" ? "about:client" : url.href;
}

/** Takes over the members of RequestInit except the body. */
function initialize(state: RequestState, init: RequestOptions): void {
  if (init.window !== undefined && init.window !== null) {
    throw new TypeError(`'window' option '${init.window}' must be null`);
  }
  if (init.referrer !== undefined) state.referrer = checkReferrer(init.referrer);
  for (const name of ["referrerPolicy", "mode", "credentials", "cache", "redirect"] as const) {
    const value = init[name];
    if (value === undefined) continue;
    const text = `${value}`;
    if (!values[name].includes(text)) {
      throw new TypeError(
        `Request constructor: ${text} is not an accepted type. Expected one of ${values[name].join(", ")}.`,
      );
    }
    state[name] = text;
  }
  if (state.mode === "navigate") throw new TypeError("Request constructor: invalid request mode navigate.");
  if (state.cache === "only-if-cached" && state.mode !== "same-origin") {
    throw new TypeError("'only-if-cached' can be set only with 'same-origin' mode");
  }
  if (init.integrity !== undefined) state.integrity = `${init.integrity}`;
  if (init.keepalive !== undefined) state.keepalive = Boolean(init.keepalive);
  if (init.method !== undefined) state.method = checkMethod(init.method);
  if (state.mode === "no-cors" && !["GET", "HEAD", "POST"].includes(state.method)) {
    throw new TypeError(`'${state.method}' is unsupported in no-cors mode.`);
  }
  if (init.signal !== undefined) {
    if (init.signal !== null && !require("web/abort").isAbortSignal(init.signal)) {
      throw new TypeError("Failed to construct 'Request': member signal is not of type AbortSignal.");
    }
    state.follows = init.signal ?? undefined;
  }
  if (init.duplex !== undefined) {
    const duplex = `${init.duplex}`;
    if (duplex !== "half" && duplex !== "full") {
      throw new TypeError(`Request constructor: ${duplex} is not an accepted type. Expected half.`);
    }
    state.duplex = duplex;
  }
  if (init.headers !== undefined) {
    state.list = new HeaderList();
    fillHeaders(state.list, init.headers);
  }
}

/**
 * What `new Request(input, init)` makes; `init` is an object, null or undefined. For fetch (`fetching`) a URL may have credentials,
 * and the body of a Request is taken as it is, with its signal.
 */
export function makeState(input: unknown, init: RequestOptions | null | undefined, fetching: boolean): RequestState {
  const from: RequestState | undefined = isRequestObject(input) ? stateOf(input) : undefined;
  if (
    from === undefined &&
    typeof input === "object" &&
    input !== null &&
    !(input instanceof URL) &&
    typeof (input as RequestOptions).url === "string"
  ) {
    // Bun: an init with the URL in it.
    init = { ...input, ...init };
    input = (input as RequestOptions).url;
  }
  const state = from === undefined ? newState(parseUrl(input, fetching)) : copyState(from, null);
  if (init) initialize(state, init);

  const given = init?.body;
  const isGiven = given !== undefined && given !== null;
  // As in Bun a Request may be anything that a server can get, and some servers get a body with GET; fetch sends none.
  if (
    fetching &&
    (isGiven || (from !== undefined && from.body !== null && given === undefined)) &&
    (state.method === "GET" || state.method === "HEAD")
  ) {
    throw new TypeError("fetch() request with GET/HEAD method cannot have body.");
  }
  if (isGiven) {
    const extracted = extractBody(given);
    state.body = extracted.body;
    if (extracted.type !== undefined && !state.list.has("content-type")) {
      state.list.append("content-type", "content-type", extracted.type);
    }
  } else if (from !== undefined && from.body !== null && given === undefined) {
    if (from.body.unusable)
      throw new TypeError("Cannot construct a Request with a Request object that has already been used.");
    state.body = fetching ? from.body : moveBody(from.body);
  }
  return state;
}

interface Request extends BodyMembers {}
/** What is asked of a server. */
class Request {
  #state: RequestState;

  static {
    isRequestObject = (value): value is Request => typeof value === "object" && value !== null && #state in value;
    stateOf = (request) => {
      if (!isRequestObject(request)) throw wrongThis("Request");
      return request.#state;
    };
  }

  /**
   * @param input a URL, or a request to begin with, whose body is taken
   * @param init `method`, `headers`, `body`, `signal` and the other members of RequestInit
   */
  constructor(input: unknown, init: RequestState | RequestOptions | null | undefined = undefined) {
    if (input === kState) {
      this.#state = init as RequestState;
      return;
    }
    requireArguments(arguments.length, 1, "Request constructor");
    if (init !== undefined && init !== null && typeof init !== "object" && typeof init !== "function") {
      throw new TypeError("Request constructor: the second argument is not an object");
    }
    this.#state = makeState(input, init as RequestOptions, false);
  }

  get method(): string {
    return stateOf(this).method;
  }

  get url(): string {
    return stateOf(this).url;
  }

  get headers(): Headers {
    const state = stateOf(this);
    return (state.headers ??= wrapHeaders(state.list));
  }

  get destination(): string {
    stateOf(this);
    return "";
  }

  get referrer(): string {
    const { referrer } = stateOf(this);
    return referrer === "no-referrer" ? "" : referrer;
  }

  get referrerPolicy(): string {
    return stateOf(this).referrerPolicy;
  }

  get mode(): string {
    return stateOf(this).mode;
  }

  get credentials(): string {
    return stateOf(this).credentials;
  }

  get cache(): string {
    return stateOf(this).cache;
  }

  get redirect(): string {
    return stateOf(this).redirect;
  }

  get integrity(): string {
    return stateOf(this).integrity;
  }

  get keepalive(): boolean {
    return stateOf(this).keepalive;
  }

  get isReloadNavigation(): boolean {
    stateOf(this);
    return false;
  }

  get isHistoryNavigation(): boolean {
    stateOf(this);
    return false;
  }

  /** Aborts when the signal does that the request was made with. */
  get signal(): AbortSignal {
    const state = stateOf(this);
    return (state.signal ??= AbortSignal.any(state.follows === undefined ? [] : [state.follows]));
  }

  get duplex(): string {
    stateOf(this);
    return "half";
  }

  /** A second request with the same body. */
  clone(): Request {
    const state = stateOf(this);
    if (state.body?.unusable) throw new TypeError("unusable");
    return new Request(kState, copyState(state, state.body === null ? null : state.body.clone()));
  }

  [kInspect](depth: number, options: { depth?: unknown } | null | undefined) {
    if (typeof depth === "number" && depth < 0) return "[Request]";
    const { inspect } = require("internal/util/inspect");
    const {
      method,
      url,
      headers,
      destination,
      referrer,
      referrerPolicy,
      mode,
      credentials,
      cache,
      redirect,
      integrity,
      keepalive,
      isReloadNavigation,
      isHistoryNavigation,
      signal,
    } = this;
    const shown = {
      method,
      url,
      headers,
      destination,
      referrer,
      referrerPolicy,
      mode,
      credentials,
      cache,
      redirect,
      integrity,
      keepalive,
      isReloadNavigation,
      isHistoryNavigation,
      signal,
    };
    return `Request ${inspect(shown, { ...options, depth: options?.depth ?? 2 })}`;
  }
}

/** Takes the content of a body over: the old one counts as read. */
function moveBody(body: Body): Body {
  // The old stream is locked and read by way of the new one.
  return body.move() ?? new Body(undefined, body.stream.pipeThrough(new TransformStream()) as Body["stream"]);
}

finishInterface(Request, "Request", [
  "method",
  "url",
  "headers",
  "destination",
  "referrer",
  "referrerPolicy",
  "mode",
  "credentials",
  "cache",
  "redirect",
  "integrity",
  "keepalive",
  "isReloadNavigation",
  "isHistoryNavigation",
  "signal",
  "duplex",
  "clone",
]);
addBodyMembers(
  Request,
  (object) => stateOf(object).body,
  (object) => stateOf(object).list.get("content-type"),
);

/** A request whose state is `state` itself. */
export function wrapRequest(state: RequestState): Request {
  return new Request(kState, state);
}

/** What `super` is to be called with, for classes of servers. */
export { kState };

/** Whether a value is a Request. */
export function isRequest(value: unknown): value is Request {
  return isRequestObject(value);
}

/** The state of a Request: what fetch sends. */
export function requestState(request: unknown): RequestState {
  return stateOf(request);
}

export { Request };
