/** Routes whose answer is stored: files, and directories of them. Conditions of requests as of RFC 9110, 13. */
import { Body } from "internal/fetch/body";
import { HeaderList } from "web/headers";
import { createResponse, responseState } from "web/response";
import { respond } from "internal/serve/respond";
import { respondWithFile } from "internal/serve/files";
import type { IncomingRequest } from "internal/serve/request";

const { findInside } = native("fs");

/** Whether a list of tags of a request has this one, as long as it need not be the very same bytes (weak comparison). */
export function matchesTag(wanted: string, etag: string): boolean {
  if (wanted.trim() === "*") return true;
  const bare = etag.replace(/^W\//, "");
  return wanted.split(",").some((tag) => tag.trim().replace(/^W\//, "") === bare);
}

/** What the request's conditions make of it: 0 (send it), 304 or 412. `changed`: when, in ms, whole seconds. */
function judged(request: IncomingRequest, etag: string | undefined, changed: number): number {
  const { text } = request;
  // Looked at closely only where one of these names may occur.
  if (!/\0if-/i.test(text)) return 0;
  const match = request.header("if-match");
  if (match !== undefined) {
    // A weak tag never is the very same.
    if (match.trim() !== "*" && (etag === undefined || etag.startsWith("W/") || !matchesTag(match, etag))) return 412;
  } else {
    const unmodified = Date.parse(request.header("if-unmodified-since") ?? "");
    if (unmodified < changed) return 412;
  }
  const none = request.header("if-none-match");
  if (none !== undefined) return (etag === undefined ? none.trim() === "*" : matchesTag(none, etag)) ? 304 : 0;
  return Date.parse(request.header("if-modified-since") ?? "") >= changed ? 304 : 0;
}

/** Answers with the file of a route, a Response around a Blob; false where there is none. */
export function sendStoredFile(request: IncomingRequest, response: unknown): boolean {
  const state = responseState(response);
  const blob = state.body!.source as File;
  const { status, statusText } = state;
  if (!require("node:fs").existsSync(blob.name)) return false;
  const list = state.list.copy();
  const said = Date.parse(list.get("last-modified") ?? "");
  const changed = Number.isNaN(said) ? Math.floor(blob.lastModified / 1000) * 1000 : said;
  if (!list.has("last-modified")) list.set("last-modified", "last-modified", new Date(changed).toUTCString());
  const verdict = status === 200 ? judged(request, list.get("etag") ?? undefined, changed) : 0;
  if (verdict !== 0) respond(request, createResponse({ status: verdict, list }));
  else respondWithFile(request, responseState(createResponse({ status, statusText, list })), blob, true);
  return true;
}

/** What percent-encoding is for in a segment of a path; whatever may stand for itself has one spelling only (RFC 3986, 3.3). */
const needless = /%(?:2[146-9a-f]|3[0-9abd]|4\d|4[a-f]|5[0-9a]|5f|6[1-9a-f]|7[0-9ae])/i;

/** The path of a file from what follows a route's prefix; undefined: a path that nothing can have. */
function relativePath(rest: string): string | undefined {
  if (rest === "") return "";
  for (const segment of (rest.endsWith("/") ? rest.slice(0, -1) : rest).split("/")) {
    if (segment === "" || segment === "." || segment === "..") return undefined;
  }
  if (!rest.includes("%")) return rest;
  if (needless.test(rest)) return undefined;
  try {
    const path = decodeURIComponent(rest);
    return path.includes("\0") ? undefined : path;
  } catch {
    return undefined;
  }
}

/** A directory that a route serves: `{ dir, statCache }` under a path that ends in "/*". */
export class Directory {
  #root: string;
  /** Length of the route's path up to the asterisk. */
  #prefix: number;
  /** Times of changes as text, where the program asked for keeping them. */
  #dates: Map<number, string> | undefined;

  constructor(route: string, options: { dir?: unknown; statCache?: unknown }) {
    const { dir, statCache } = options;
    if (typeof dir !== "string") {
      const error: NodeError = new TypeError(
        `The "dir" property must be of type string, got ${dir === null ? "null" : typeof dir}`,
      );
      error.code = "ERR_INVALID_ARG_TYPE";
      throw error;
    }
    if (!route.endsWith("/*")) throw new TypeError("To mount a directory, make sure the path ends in `/*`");
    if (/\/:[^/]/.test(route))
      throw new TypeError("Directory routes do not support :parameters; use a fixed prefix ending in `/*`");
    this.#root = require("node:path").resolve(dir);
    this.#prefix = route.length - 1;
    this.#dates = statCache ? new Map() : undefined;
    // Whether it is there: the error is that of opening it.
    require("node:fs").opendirSync(dir).closeSync();
  }

  #dateOf(changed: number): string {
    const dates = this.#dates;
    if (dates === undefined) return new Date(changed).toUTCString();
    let text = dates.get(changed);
    if (text === undefined) {
      if (dates.size >= 512) dates.clear();
      dates.set(changed, (text = new Date(changed).toUTCString()));
    }
    return text;
  }

  /** Answers a request whose path (without its query) is below the route's. */
  send(request: IncomingRequest, target: string): void {
    const query = target.indexOf("?");
    const path = query === -1 ? target : target.slice(0, query);
    let name = relativePath(path.slice(this.#prefix));
    if (name === undefined) {
      respond(request, createResponse({ status: 404 }));
      return;
    }
    if (name === "" || name.endsWith("/")) name += "index.html";
    const { 0: kind, 1: size, 2: time, 3: linked } = findInside(this.#root, name);
    const list = new HeaderList();
    if (kind === 1 && !path.endsWith("/")) {
      list.append("location", "location", `${path}/${query === -1 ? "" : target.slice(query)}`);
      respond(request, createResponse({ status: 301, list }));
      return;
    }
    if (kind !== 0) {
      respond(request, createResponse({ status: 404 }));
      return;
    }
    const changed = Math.floor(time / 1000) * 1000;
    const etag = `W/"${size.toString(16)}-${time.toString(16)}"`;
    list.append("etag", "etag", etag);
    list.append("last-modified", "last-modified", this.#dateOf(changed));
    const type: string = require("bun/mime").typeOf(name);
    if (type !== "") list.append("content-type", "content-type", type);
    const verdict = judged(request, etag, changed);
    if (verdict !== 0) {
      respond(request, createResponse({ status: verdict, list }));
      return;
    }
    list.append("accept-ranges", "accept-ranges", "bytes");
    respond(
      request,
      createResponse({ status: 200, list, body: new Body(Bun.file(linked ?? `${this.#root}/${name}`)) }),
    );
  }
}
