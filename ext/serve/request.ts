/** What a server's requests are made of: nothing is taken apart that no handler looks at. */
import { methods } from "internal/http/common";
import { Body } from "internal/fetch/body";
import { lower } from "internal/fetch/header_names";
import { HeaderList } from "web/headers";
import { kState, Request, requestState, type RequestState } from "web/request";
import type { Incoming } from "internal/fetch/incoming";
import type { ServerConnection } from "internal/serve/connection";

/** Hosts that are in a URL as they are. */
const plainHost = /^[a-z0-9.\-_]+(?::[1-9]\d{0,3})?$/;
/** Paths that the URL standard leaves as they are. */
const plainPath = /^\/(?:[A-Za-z0-9\-_~!$&()*+,;=:@/?]|%(?!2[Ee])|\.(?![./?%]|$))*$/;

/** Targets of which the URL standard makes another path: with a fragment, backslashes, or segments "." and "..". */
const movedPath = /[#\\]|\/(?:\.|%2e)/i;

/** How names of headers are usually written: "\0Content-Type\0" and "\0content-type\0". */
const usualForms = new Map<string, string[]>();

/** The value behind a name with its separators, in a head as native code gives it. */
function valueOf(text: string, name: string): string | undefined {
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    // Names come after an odd number of separators, this one included; the same characters may be a value.
    let before = 1;
    for (let i = 0; i < at; i++) if (text.charCodeAt(i) === 0) before++;
    if ((before & 1) === 0) continue;
    const start = at + name.length;
    const end = text.indexOf("\0", start);
    return end === -1 ? text.slice(start) : text.slice(start, end);
  }
  return undefined;
}

/** A Bun.CookieMap. */
export type CookieMap = InstanceType<(typeof import("bun/cookie"))["CookieMap"]>;

/** While it is on, requests that end tell nobody: their server is a disposed graph's. */
export const quiet = { isOn: false };

/** The state of a Request (web/request) that came in over a connection. */
export class IncomingRequest {
  declare connection: ServerConnection;
  declare info: number;
  /** Target, then names and values, separated by NUL. */
  declare text: string;
  /** All of the body, or undefined. */
  declare payload: ArrayBuffer | undefined;
  /** The body that is still coming, see internal/fetch/incoming. */
  declare incoming: Incoming | undefined;
  declare method: string;
  declare headers: Headers | undefined;
  /** Of the route that matched. */
  declare params: Record<string, string> | undefined;
  declare cookies: CookieMap | undefined;
  declare private theUrl: string | undefined;
  declare private theList: HeaderList | undefined;
  declare private theBody: Body | null | undefined;
  declare private abortion: { signal: AbortSignal; abort: (reason?: unknown) => void } | undefined;
  declare aborted: boolean;
  /** It has got its response, or its connection is gone. */
  declare done: boolean;
  /** Its response has begun to go out: an error ends the connection. */
  declare begun: boolean;
  /** It has become a WebSocket. */
  declare upgraded: boolean;

  constructor(connection: ServerConnection, info: number, text: string, payload: ArrayBuffer | undefined) {
    this.connection = connection;
    this.info = info;
    this.text = text;
    this.payload = payload;
    this.incoming = undefined;
    this.method = methods[info & 1023]!;
    this.headers = undefined;
    this.params = undefined;
    this.cookies = undefined;
    this.theUrl = undefined;
    this.theList = undefined;
    this.theBody = undefined;
    this.abortion = undefined;
    this.aborted = false;
    this.done = false;
    this.begun = false;
    this.upgraded = false;
  }

  /** The request target without scheme and host. */
  private get target(): string {
    const { text } = this;
    const end = text.indexOf("\0");
    const target = end === -1 ? text : text.slice(0, end);
    if (target.charCodeAt(0) !== 47 /* / */) return pathOf(target);
    // As in Bun, slashes at the front are one: `${server.url}/path` is `/path`.
    return target.charCodeAt(1) === 47 ? target.replace(/^\/+/, "/") : target;
  }

  /** Path and query that routes are found by: those of `url`, so that nobody takes one path for another. */
  get path(): string {
    const { target } = this;
    if (!movedPath.test(target)) return target;
    const { pathname, search } = new URL(this.url);
    return pathname + search;
  }

  get url(): string {
    return (this.theUrl ??= this.makeUrl());
  }

  private makeUrl(): string {
    const { server } = this.connection;
    const path = this.target;
    const scheme = server.secure ? "https://" : "http://";
    let host = this.header("host") ?? "";
    if (host === "") host = server.authority;
    if (plainPath.test(path) && plainHost.test(host)) {
      if (host.endsWith(server.secure ? ":443" : ":80")) host = host.slice(0, host.lastIndexOf(":"));
      return `${scheme}${host}${path}`;
    }
    return URL.parse(`${scheme}${host}${path}`)?.href ?? `${scheme}${server.authority}${path}`;
  }

  /** One header, without taking all of them apart. */
  header(name: string): string | undefined {
    if (this.theList !== undefined) return this.theList.get(name) ?? undefined;
    const { text } = this;
    let forms = usualForms.get(name);
    if (forms === undefined) {
      forms = [`\0${name.replace(/(?:^|-)[a-z]/g, (start) => start.toUpperCase())}\0`, `\0${name}\0`];
      usualForms.set(name, forms);
    }
    const found = valueOf(text, forms[0]!) ?? valueOf(text, forms[1]!);
    if (found !== undefined) return found;
    const parts = text.split("\0");
    for (let i = 1; i < parts.length; i += 2) {
      const given = parts[i]!;
      if (given.length === name.length && lower(given) === name) return parts[i + 1];
    }
    return undefined;
  }

  get list(): HeaderList {
    let list = this.theList;
    if (list === undefined) {
      list = this.theList = new HeaderList();
      const parts = this.text.split("\0");
      const { items } = list;
      for (let i = 1; i < parts.length; i += 2) {
        const name = lower(parts[i]!);
        items.push(name, name, parts[i + 1]!);
      }
    }
    return list;
  }

  get body(): Body | null {
    let body = this.theBody;
    if (body === undefined) {
      const { payload, incoming } = this;
      body = this.theBody =
        payload !== undefined ? new Body(new Uint8Array(payload)) : incoming !== undefined ? new Body(incoming) : null;
      this.payload = undefined;
    }
    return body;
  }

  /** Aborts when the client goes away before it has its response. */
  get signal(): AbortSignal {
    if (this.abortion === undefined) {
      this.abortion = require("web/abort").createAbortSignal();
      if (this.aborted) this.abortion.abort();
    }
    return this.abortion.signal;
  }

  get follows(): AbortSignal {
    return this.signal;
  }

  /** The client has gone away. */
  abort(): void {
    if (quiet.isOn) return;
    this.aborted = true;
    this.abortion?.abort();
  }
}

Object.assign(IncomingRequest.prototype, {
  mode: "cors",
  credentials: "same-origin",
  cache: "default",
  redirect: "follow",
  referrer: "about:client",
  referrerPolicy: "",
  integrity: "",
  keepalive: false,
  duplex: "half",
});

/** The path of a target in absolute form, "*", or host and port of CONNECT. */
function pathOf(target: string): string {
  const match = /^[a-zA-Z][a-zA-Z0-9+.-]*:\/\/[^/?#]*(.*)$/s.exec(target);
  if (match === null) return `/${target}`;
  return match[1]!.startsWith("/") ? match[1]! : `/${match[1]}`;
}

/** Hosts with or without a port, as native code checks them for HTTP/1. */
const hostForm = /^(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9\-._~%!$&'()*+,;=]*)(?::\d*)?$/;

/** Whether an `:authority` or a Host is a host with or without a port. */
export function isHost(text: string): boolean {
  return hostForm.test(text);
}

/** Whether a target that is no path can be answered: "*" of OPTIONS, host and port of CONNECT, a URL of ours. */
export function isTarget(text: string, info: number): boolean {
  const end = text.indexOf("\0");
  const target = end === -1 ? text : text.slice(0, end);
  const method = methods[info & 1023];
  return method === "CONNECT"
    ? isHost(target)
    : target === "*"
      ? method === "OPTIONS"
      : /^https?:\/\/[^/?#@\\]/i.test(target);
}

/** The state of a Request if a server of this thread has made it. */
export function incomingOf(request: unknown): IncomingRequest | undefined {
  const state = requestState(request);
  return state instanceof IncomingRequest ? state : undefined;
}

/** Requests of routes, with Bun's `params` and `cookies`. */
class RouteRequest extends Request {
  /** What the route's parameters stand for, decoded. */
  get params(): Record<string, string> {
    return incomingOf(this)?.params ?? {};
  }

  /** The cookies that came, as a Bun.CookieMap; what is changed in it goes into the response. */
  get cookies(): CookieMap {
    const state = incomingOf(this)!;
    if (state.cookies === undefined) {
      const { CookieMap } = require("bun/cookie");
      state.cookies = new CookieMap(state.header("cookie") ?? "");
    }
    return state.cookies;
  }
}
Object.defineProperty(RouteRequest, "name", { value: "Request" });

/** The Request for a route's handler. */
export function routeRequest(state: IncomingRequest): RouteRequest {
  return new RouteRequest(kState, state as IncomingRequest & RequestState);
}
