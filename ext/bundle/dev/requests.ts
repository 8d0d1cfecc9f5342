// Requests of pages to the development server: scripts and their source maps, files, errors, the editor.
import type { DevServer } from "internal/bundle/dev/server";
import { printProblems } from "internal/bundle/dev/terminal";

const headers = (type: string) => ({ "content-type": type, "cache-control": "no-store" });

/** Paths that the server answers itself. */
export const INTERNAL_PATHS = ["/_bun/client/*", "/_bun/asset/*", "/_bun/report_error", "/_bun/open-in-editor"];
/** Where Chrome looks for the folder of a page: https://developer.chrome.com/docs/devtools/workspaces */
export const WORKSPACE_PATH = "/.well-known/appspecific/com.chrome.devtools.json";

/** Names that can only mean this machine, and addresses: no other site can be made to lead here by them. */
function isOwn(host: string, hostname: string | undefined): boolean {
  const name = host.replace(/:\d+$/, "").toLowerCase();
  return (
    name === "localhost" ||
    name.endsWith(".localhost") ||
    name === hostname?.toLowerCase() ||
    name.startsWith("[") ||
    require("internal/net/ip").isIP(name) !== 0
  );
}

/**
 * A refusal of a request whose Host header is not the server's: a page of another site whose name has been made to lead to this
 * machine (DNS rebinding) must not read the sources of the program.
 */
export function refusalOf(server: DevServer, request: Request): Response | undefined {
  const host = request.headers.get("host");
  if (host === null || isOwn(host, server.host.hostname)) return undefined;
  return new Response(
    `The host "${host}" is not the development server's. Set "hostname" of Bun.serve to allow it.\n`,
    {
      status: 403,
      headers: headers("text/plain;charset=utf-8"),
    },
  );
}

/**
 * A refusal of a WebSocket or a POST of a page of another site. Any site may send them from the developer's browser, with the right
 * Host, and a WebSocket gives the sources.
 */
export function crossSiteRefusal(request: Request): Response | undefined {
  const origin = request.headers.get("origin");
  if (origin === null) return undefined;
  if (URL.canParse(origin) && new URL(origin).host === request.headers.get("host")?.toLowerCase()) return undefined;
  return new Response("Blocked: Origin header does not match the dev server\n", {
    status: 403,
    headers: headers("text/plain;charset=utf-8"),
  });
}

function notFound(): Response {
  return new Response("Not found\n", { status: 404, headers: headers("text/plain;charset=utf-8") });
}

/** A part of a path without its percent encoding; undefined if that is malformed. */
function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}

/** Answers one of {@link INTERNAL_PATHS} or {@link WORKSPACE_PATH}. */
export async function answerInternal(server: DevServer, request: Request): Promise<Response> {
  const refusal = refusalOf(server, request);
  if (refusal !== undefined) return refusal;
  const url = new URL(request.url);
  const { pathname } = url;
  if (pathname.startsWith("/_bun/client/")) {
    const name = decoded(pathname.slice("/_bun/client/".length));
    if (name === undefined) return notFound();
    if (name.endsWith(".map")) {
      const map = server.sourceMap(name.slice(0, -4));
      return map === undefined ? notFound() : new Response(map, { headers: headers("application/json;charset=utf-8") });
    }
    const script = server.scripts.get(name);
    return script === undefined
      ? notFound()
      : new Response(script.text, { headers: headers("text/javascript;charset=utf-8") });
  }
  if (pathname.startsWith("/_bun/asset/")) {
    const file = server.files.get(pathname);
    if (file === undefined) return notFound();
    return new Response(file.bytes as string, { headers: headers(file.type) });
  }
  if (pathname === WORKSPACE_PATH) return workspace(server);
  if (request.method !== "POST") return new Response(null, { status: 405 });
  const crossSite = crossSiteRefusal(request);
  if (crossSite !== undefined) return crossSite;
  if (pathname === "/_bun/report_error") return report(server, request);
  return openEditor(server, url);
}

function workspace(server: DevServer): Response {
  const { hash } = require("bun/hash");
  const digits = [1n, 2n]
    .map((seed) => BigInt.asUintN(64, hash(server.root, seed)).toString(16).padStart(16, "0"))
    .join("");
  // The form of a version 4 UUID; the same for the folder each time.
  const uuid = `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-8${digits.slice(17, 20)}-${digits.slice(20)}`;
  return Response.json({ workspace: { root: server.root, uuid } });
}

interface Report {
  name?: unknown;
  message?: unknown;
  stack?: unknown;
}

function isReport(value: unknown): value is Report {
  return typeof value === "object" && value !== null;
}

/** A member of a report as text. It is what a page has sent: an object may not become one. */
function textOf(value: unknown): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** An error of a page: prints it with its place in the sources, and gives the places back for the overlay. */
async function report(server: DevServer, request: Request): Promise<Response> {
  let error: unknown;
  try {
    error = await request.json();
  } catch {
    // What is no JSON is no object either.
  }
  if (!isReport(error)) return new Response("expected a JSON object\n", { status: 400 });
  const frames = server.frames(textOf(error.stack ?? ""));
  const first = frames[0];
  const lineText = first === undefined ? "" : (first.source.split("\n")[first.line - 1] ?? "");
  // oxlint-disable-next-line no-control-regex
  const text = `${textOf(error.name)}: ${textOf(error.message)}`.replace(
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g,
    "",
  );
  printProblems([
    {
      file: first?.file ?? "[browser]",
      level: "error",
      text: `[browser] ${text}`,
      line: first?.line ?? 0,
      column: first?.column ?? 0,
      length: 1,
      lineText,
      notes: frames.slice(1, 8).map(({ name, file, line, column }) => `${name} (${file}:${line}:${column})`.trim()),
    },
  ]);
  const places = frames.map(({ name, file, line, column }) => ({ name, file, line, column }));
  const shown = first === undefined ? undefined : { line: first.line, column: first.column, length: 1, lineText };
  return Response.json({ frames: places, shown });
}

/** Opens a module of a page in the editor. */
function openEditor(server: DevServer, url: URL): Response {
  const query = new URLSearchParams(url.search);
  const file = (query.get("file") ?? "").replace(/:\d+:\d+$/, "");
  const path = server.pathOf(file);
  if (path === undefined) return notFound();
  try {
    require("bun/editor").openInEditor(path, { line: query.get("line"), column: query.get("column") });
  } catch (error) {
    return new Response(`${(error as Error).message}\n`, { status: 500 });
  }
  return new Response(null, { status: 204 });
}
