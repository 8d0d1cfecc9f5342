/**
 * `Response`: https://fetch.spec.whatwg.org/#response-class. Status 101 is allowed and redirect() takes paths, as
 * in Bun, where json() takes a number for a status as well.
 */
import { addBodyMembers, Body, type BodyMembers, extractBody } from "internal/fetch/body";
import { finishInterface, requireArguments, wrongThis } from "internal/fetch/webidl";
import { fillHeaders, HeaderList, type Headers, wrapHeaders } from "web/headers";

const kInspect = Symbol.for("nodejs.util.inspect.custom");
/** First argument of built-in callers: a {@link ResponseState} follows. */
const kState = Symbol("kState");

/** What a response is. */
export interface ResponseState {
  type: string;
  status: number;
  statusText: string;
  url: string;
  redirected: boolean;
  list: HeaderList;
  /** The public Headers, once somebody has asked for them. */
  headers: Headers | undefined;
  /** Whether programs may not change the headers. */
  closed: boolean;
  body: Body | null;
}

// What the reason phrase of a status line may be made of.
const badStatusText = /[^\t\u0020-\u007e\u0080-\u00ff]/;
const isRedirectStatus = (status: number) =>
  status === 301 || status === 302 || status === 303 || status === 307 || status === 308;

function newState(type: string, status: number): ResponseState {
  return {
    type,
    status,
    statusText: "",
    url: "",
    redirected: false,
    list: new HeaderList(),
    headers: undefined,
    closed: false,
    body: null,
  };
}

let isResponseObject: (value: unknown) => value is Response;
let stateOf: (response: unknown) => ResponseState;

/** ResponseInit, not yet checked. */
interface ResponseOptions {
  headers?: unknown;
  status?: unknown;
  statusText?: unknown;
}

/** ResponseInit; sets status, text and headers. */
function initialize(
  state: ResponseState,
  init: ResponseOptions | null | undefined,
  body: { body: Body; type: string | undefined } | null,
): void {
  if (init !== undefined && init !== null) {
    if (typeof init !== "object" && typeof init !== "function") {
      throw new TypeError("Response constructor: the second argument is not an object");
    }
    const { headers, status, statusText } = init;
    if (status !== undefined) {
      // unsigned short
      const number = Math.trunc(Number(status)) & 0xffff;
      if (number !== 101 && (number < 200 || number > 599)) {
        throw new RangeError('init["status"] must be in the range of 200 to 599, inclusive.');
      }
      state.status = number;
    }
    if (statusText !== undefined) {
      const text = `${statusText}`;
      if (badStatusText.test(text)) throw new TypeError("Invalid statusText");
      state.statusText = text;
    }
    if (headers !== undefined) fillHeaders(state.list, headers);
  }
  if (body === null) return;
  // Also with a status that has none (204, 304), as in Bun, where the standard has an exception: servers drop it, and frameworks
  // that were written for Bun give one.
  state.body = body.body;
  if (body.type !== undefined && !state.list.has("content-type"))
    state.list.append("content-type", "content-type", body.type);
}

interface Response extends BodyMembers {}
/** The answer to a request. */
/** Bun: a file of S3 is not read here, its reader is sent to it. */
function redirectOf(blob: object): string | undefined {
  if (Object.prototype.toString.call(blob) !== "[object S3File]") return undefined;
  return (blob as { redirect?: string }).redirect;
}

class Response {
  #state: ResponseState;

  static {
    isResponseObject = (value): value is Response => typeof value === "object" && value !== null && #state in value;
    stateOf = (response) => {
      if (!isResponseObject(response)) throw wrongThis("Response");
      return response.#state;
    };
  }

  /**
   * @param body string, bytes, Blob, FormData, URLSearchParams, stream, async iterable or null
   * @param init `status` (200), `statusText` (""), `headers`
   */
  constructor(body: unknown = undefined, init: ResponseState | ResponseOptions | null | undefined = undefined) {
    if (body === kState) {
      this.#state = init as ResponseState;
      return;
    }
    const state = (this.#state = newState("default", 200));
    const place = body instanceof Blob ? redirectOf(body) : undefined;
    if (place !== undefined) {
      initialize(state, init, null);
      state.status = 302;
      this.headers.set("location", place);
      return;
    }
    initialize(state, init, body === undefined || body === null ? null : extractBody(body));
  }

  /** A network error. */
  static error(): Response {
    const state = newState("error", 0);
    state.closed = true;
    return new Response(kState, state);
  }

  /** A response with the JSON of `data`. */
  static json(data: unknown, init: ResponseOptions | number | null | undefined = undefined): Response {
    requireArguments(arguments.length, 1, "Response.json");
    const text = JSON.stringify(data);
    if (text === undefined) throw new TypeError("Value is not JSON serializable");
    const state = newState("default", 200);
    // Bun: the status alone.
    if (typeof init === "number") init = { status: init };
    initialize(state, init, { body: new Body(text), type: "application/json" });
    return new Response(kState, state);
  }

  /** A response that sends the client to another URL. `status`: 301, 302, 303, 307 or 308, or an init with one. */
  static redirect(url: unknown, status: ResponseOptions | number = 302): Response {
    requireArguments(arguments.length, 1, "Response.redirect");
    const text = `${url}`.toWellFormed();
    // A path is for the client to resolve.
    const parsed = text.startsWith("/") ? text : URL.parse(text)?.href;
    if (parsed === undefined) throw new TypeError(`Failed to parse URL from ${text}`);
    const init = typeof status === "object" && status !== null ? status : undefined;
    const number = Math.trunc(Number(init === undefined ? status : (init.status ?? 302))) & 0xffff;
    if (!isRedirectStatus(number)) throw new RangeError(`Invalid status code ${number}`);
    const state = newState("default", number);
    if (init !== undefined) initialize(state, init, null);
    // Not closed, other than in the standard: servers add cookies (Bun).
    state.list.set("location", "location", parsed);
    return new Response(kState, state);
  }

  get type(): string {
    return stateOf(this).type;
  }

  /** Where it came from, without the fragment. */
  get url(): string {
    return stateOf(this).url;
  }

  get redirected(): boolean {
    return stateOf(this).redirected;
  }

  get status(): number {
    return stateOf(this).status;
  }

  /** Whether the status is one of 200 to 299. */
  get ok(): boolean {
    const { status } = stateOf(this);
    return status >= 200 && status <= 299;
  }

  get statusText(): string {
    return stateOf(this).statusText;
  }

  get headers(): Headers {
    const state = stateOf(this);
    return (state.headers ??= wrapHeaders(state.list, state.closed));
  }

  /** A second response with the same body. */
  clone(): Response {
    const state = stateOf(this);
    if (state.body?.unusable) throw new TypeError("Response.clone: Body has already been consumed.");
    return new Response(kState, {
      ...state,
      list: state.list.copy(),
      headers: undefined,
      body: state.body === null ? null : state.body.clone(),
    });
  }

  [kInspect](depth: number, options: { depth?: unknown } | null | undefined): string {
    if (typeof depth === "number" && depth < 0) return "[Response]";
    const { inspect } = require("internal/util/inspect");
    const { status, statusText, headers, body, bodyUsed, ok, redirected, type, url } = this;
    const shown = { status, statusText, headers, body, bodyUsed, ok, redirected, type, url };
    return `Response ${inspect(shown, { ...options, depth: options?.depth ?? 2 })}`;
  }
}

finishInterface(Response, "Response", ["type", "url", "redirected", "status", "ok", "statusText", "headers", "clone"]);
for (const name of ["error", "json", "redirect"]) Object.defineProperty(Response, name, { enumerable: true });
addBodyMembers(
  Response,
  (object) => stateOf(object).body,
  (object) => stateOf(object).list.get("content-type"),
);

/** A response of a state, which is not copied: for fetch and for servers. */
export function createResponse(state: Partial<ResponseState>): Response {
  return new Response(kState, Object.assign(newState("default", 200), state));
}

/** Whether a value is a Response. */
export function isResponse(value: unknown): value is Response {
  return isResponseObject(value);
}

/** The state of a Response: what a server sends. */
export function responseState(response: unknown): ResponseState {
  return stateOf(response);
}

export { Response };
