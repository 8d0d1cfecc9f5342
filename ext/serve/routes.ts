/** Bun.serve's `routes`: exact paths, parameters (`/users/:id`) and wildcards (`/files/*`), by method. */
import { isResponse, responseState } from "web/response";
import { blobBytesSync, isBlob } from "web/blob";
import type { Directory } from "internal/serve/file_routes";

/** What a program answers a request with. */
export type Handler = (this: unknown, request: Request, server: unknown) => unknown;

/** What answers a route: a handler, or a response made once. */
export interface Answer {
  handler: Handler | undefined;
  fixed: Fixed | undefined;
  /** A response whose body is a file. */
  file: Response | undefined;
  /** A directory of files. */
  directory: Directory | undefined;
}

/** A response that is always the same. */
export interface Fixed {
  response: Response;
  body: Uint8Array | string | undefined;
  etag: string | undefined;
}

interface Route {
  /** For all methods, or undefined. */
  any: Answer | undefined;
  methods: Map<string, Answer> | undefined;
  /** Names of the parameters in the order of the path. */
  names: string[];
}

interface Node {
  children: Map<string, Node>;
  parameter: Node | undefined;
  here: Route | undefined;
  wildcard: Route | undefined;
}

const known = ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "CONNECT", "TRACE"];
const newNode = (): Node => ({ children: new Map(), parameter: undefined, here: undefined, wildcard: undefined });

function decoded(text: string): string {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A tag that changes with the content. */
function tagOf(body: Uint8Array | string | undefined): string {
  const { hash } = require("bun/hash");
  return `"${BigInt.asUintN(64, hash(body ?? ""))
    .toString(16)
    .padStart(16, "0")}"`;
}

const none: Answer = { handler: undefined, fixed: undefined, file: undefined, directory: undefined };

/** The route is `false`: no other route is looked for, the request goes to `fetch`. */
const toFetch: Answer = { ...none };

function answerOf(path: string, value: unknown): Answer | undefined {
  if (value === false) return undefined;
  if (typeof value === "function") return { ...none, handler: value as Handler };
  if (isBlob(value)) value = new Response(value);
  if (isResponse(value)) {
    const state = responseState(value);
    const { body } = state;
    let content: Uint8Array | string | undefined;
    if (body !== null) {
      if (body.unusable) throw new TypeError(`Response for route '${path}' has already been used`);
      const { source } = body;
      if (isBlob(source) && blobBytesSync(source) === undefined) return { ...none, file: value };
      if (source === undefined) throw new TypeError(`Response for route '${path}' cannot have a stream as its body`);
      content = isBlob(source) ? blobBytesSync(source) : (source as Uint8Array | string);
    }
    const given = state.list.get("etag");
    const etag = given ?? (state.status === 200 ? tagOf(content) : undefined);
    if (given === null && etag !== undefined) state.list.set("etag", "etag", etag);
    return { ...none, fixed: { response: value, body: content, etag } };
  }
  throw new TypeError(
    `Bun.serve: the route '${path}' must be a function, a Response, a Bun.file, an imported page, false, { dir } or an object of methods.`,
  );
}

function routeOf(path: string, value: unknown, names: string[]): Route | undefined {
  if (value === false) return { any: toFetch, methods: undefined, names };
  if (typeof value !== "object" || value === null || isResponse(value) || isBlob(value))
    return { any: answerOf(path, value), methods: undefined, names };
  if ("dir" in value) {
    const { Directory } = require("internal/serve/file_routes");
    return { any: { ...none, directory: new Directory(path, value) }, methods: undefined, names };
  }
  const methods = new Map<string, Answer>();
  for (const method of Object.keys(value)) {
    if (!known.includes(method)) {
      throw new TypeError(`Bun.serve: '${method}' of the route '${path}' is no HTTP method.`);
    }
    const answer = answerOf(path, (value as { [method: string]: unknown })[method]);
    if (answer !== undefined) methods.set(method, answer);
  }
  return { any: undefined, methods, names };
}

/** Where {@link Router.find} leaves the parameters that it has found. */
export class Router {
  params: Record<string, string> | undefined = undefined;
  #exact = new Map<string, Route>();
  #root: Node | undefined = undefined;

  constructor(routes: { [path: string]: unknown }) {
    for (const path of Object.keys(routes)) {
      if (!path.startsWith("/")) throw new TypeError(`Bun.serve: the route '${path}' must begin with "/"`);
      const segments = path.slice(1).split("/");
      const names: string[] = [];
      for (const segment of segments) {
        if (!segment.startsWith(":") || segment.length === 1) continue;
        const name = segment.slice(1);
        if (names.includes(name))
          throw new TypeError(`Support for duplicate route parameter names is not yet implemented: '${path}'`);
        names.push(name);
      }
      const route = routeOf(path, routes[path], names)!;
      if (names.length === 0 && segments[segments.length - 1] !== "*") {
        this.#exact.set(path, route);
        continue;
      }
      let node = (this.#root ??= newNode());
      segments.forEach((segment, index) => {
        if (segment === "*" && index === segments.length - 1) {
          node.wildcard = route;
          return;
        }
        if (segment.startsWith(":") && segment.length > 1) {
          node = node.parameter ??= newNode();
        } else {
          let child = node.children.get(segment);
          if (child === undefined) node.children.set(segment, (child = newNode()));
          node = child;
        }
        if (index === segments.length - 1) node.here = route;
      });
    }
  }

  /** Adds a handler for an exact path, unless the program has a route there. */
  add(path: string, handler: Handler): void {
    if (!this.#exact.has(path)) this.#exact.set(path, { any: { ...none, handler }, methods: undefined, names: [] });
  }

  /** What answers `method` for a path (with or without a query); undefined: `fetch` does. Parameters are in `params`. */
  find(method: string, path: string): Answer | undefined {
    this.params = undefined;
    const answer = this.#match(method, path);
    return answer === toFetch ? undefined : answer;
  }

  #match(method: string, path: string): Answer | undefined {
    const query = path.indexOf("?");
    if (query !== -1) path = path.slice(0, query);
    const exact = this.#exact.get(path);
    if (exact !== undefined) {
      const answer = pick(exact, method);
      if (answer !== undefined || exact.methods === undefined) return answer;
    }
    if (this.#root === undefined) return undefined;
    return this.#search(this.#root, path.slice(1).split("/"), 0, [], method);
  }

  #search(node: Node, segments: string[], at: number, values: string[], method: string): Answer | undefined {
    if (at === segments.length) {
      return node.here === undefined ? undefined : this.#take(node.here, values, method);
    }
    const segment = segments[at]!;
    const child = node.children.get(segment);
    if (child !== undefined) {
      const answer = this.#search(child, segments, at + 1, values, method);
      if (answer !== undefined) return answer;
    }
    if (node.parameter !== undefined && segment !== "") {
      values.push(segment);
      const answer = this.#search(node.parameter, segments, at + 1, values, method);
      if (answer !== undefined) return answer;
      values.pop();
    }
    return node.wildcard === undefined ? undefined : this.#take(node.wildcard, values, method);
  }

  #take(route: Route, values: string[], method: string): Answer | undefined {
    const answer = pick(route, method);
    if (answer !== undefined && route.names.length > 0) {
      const params: Record<string, string> = (this.params = {});
      route.names.forEach((name, index) => {
        params[name] = decoded(values[index]!);
      });
    }
    return answer;
  }
}

function pick(route: Route, method: string): Answer | undefined {
  if (route.methods === undefined) return route.any;
  return route.methods.get(method) ?? (method === "HEAD" ? route.methods.get("GET") : undefined);
}
