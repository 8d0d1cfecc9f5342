// Routes out of the files of a folder, in the styles of Next.js (https://nextjs.org/docs/pages/building-your-application/routing,
// https://nextjs.org/docs/app/getting-started/layouts-and-pages) or by a function of the framework.
import fs from "node:fs";
import path from "node:path";

const { basename, dirname, extname, join, relative } = path;

/** A segment of a route's pattern. */
type Part =
  | { kind: "text"; text: string }
  | { kind: "param"; name: string }
  | { kind: "rest"; name: string; isOptional: boolean };

type FileKind = "page" | "layout" | "extra";

/** What a file is: the page or the layout of a pattern. */
interface RouteFile {
  kind: FileKind;
  parts: Part[];
}

export type Style = "nextjs-pages" | "nextjs-app-ui" | "nextjs-app-routes" | ((path: string) => unknown);

/** `fileSystemRouterTypes` of a framework. Paths are absolute, `prefix` begins with `/` and does not end with one unless it is all. */
export interface RouterType {
  root: string;
  prefix: string;
  serverEntryPoint: string;
  clientEntryPoint: string | undefined;
  style: Style;
  layouts: boolean;
  ignoreUnderscores: boolean;
  ignoreDirs: string[];
  /** With their dots; undefined for any. */
  extensions: string[] | undefined;
}

/** A page with the layouts around it, the innermost first. */
export interface AppRoute {
  type: RouterType;
  parts: Part[];
  page: string;
  layouts: string[];
}

export const SCRIPT_EXTENSIONS = [".js", ".jsx", ".ts", ".tsx", ".mjs", ".cjs", ".mts", ".cts"];

/** A mistake in the name of a file. Columns count from 0. */
class RouteError extends Error {
  constructor(text: string, column: number, length: number) {
    super(`${text} (${column}:${length})`);
  }
}

/** Splits a path of folders and files into the parts of a pattern. `whole` is the path with its extension, for messages. */
function partsOf(segments: string, whole: string, hasGroups: boolean): Part[] {
  const parts: Part[] = [];
  let at = 1;
  for (const segment of segments.split("/").slice(1)) {
    if (segment !== "") {
      const part = partOf(segment, at, whole, hasGroups, at + segment.length === segments.length);
      if (part !== undefined) parts.push(part);
    }
    at += segment.length + 1;
  }
  return parts;
}

function partOf(segment: string, at: number, whole: string, hasGroups: boolean, isLast: boolean): Part | undefined {
  if (hasGroups) {
    if (segment.startsWith("@") || segment.startsWith("(."))
      throw new RouteError("Named slots and intercepted routes are not implemented", at, segment.length);
    // A group is a folder that is no part of the path.
    if (segment.startsWith("(") && segment.endsWith(")")) return undefined;
  }
  const open = segment.indexOf("[");
  if (open === -1) return { kind: "text", text: segment };
  const from = at + open;
  const isOptional = segment[open + 1] === "[";
  const close = segment.indexOf("]", open);
  if (close === -1) throw new RouteError('Missing "]" to match this route parameter', from, whole.length - from);
  const inner = segment.slice(open + 1 + Number(isOptional), close);
  const isDouble = segment[close + 1] === "]";
  const end = close + Number(isDouble);
  const length = end - open + 1;
  const isRest = inner.startsWith("...");
  const name = isRest ? inner.slice(3) : inner;
  if (name === "") throw new RouteError("Parameter needs a name", from, length);
  if (name.startsWith("."))
    throw new RouteError('Parameter name cannot start with "." (use "..." for catch-all)', from, length);
  if (isOptional && !isRest) {
    throw new RouteError(
      `Optional parameters can only be catch-all (change to "[[...${name}]]" or remove extra brackets)`,
      from,
      length,
    );
  }
  const bad = /[?*{}()=:#,]/.exec(name);
  if (bad !== null) throw new RouteError(`Parameter name cannot contain "${bad[0]}"`, from + bad.index, 1);
  if (isDouble && !isOptional) throw new RouteError('Extra "]" in route parameter', at + end, 1);
  if (!isDouble && isOptional)
    throw new RouteError('Missing second "]" to close optional route parameter', at + end, 1);
  if (open !== 0 || end + 1 !== segment.length)
    throw new RouteError("Parameters must take up the entire file name", from, length);
  if (isRest && !isLast) throw new RouteError("Catch-all parameter must be at the end of a route", from, length);
  return isRest ? { kind: "rest", name, isOptional } : { kind: "param", name };
}

const APP_FILES: { [name: string]: FileKind } = {
  page: "page",
  layout: "layout",
  default: "extra",
  template: "extra",
  error: "extra",
  loading: "extra",
  "not-found": "extra",
};

/** The pattern of a text with `:name`, `*name` and `*?name`, as functions of frameworks give it. */
function partsOfPattern(pattern: string): Part[] {
  return pattern
    .split("/")
    .filter((segment) => segment !== "")
    .map((segment) => {
      if (segment.startsWith(":*?")) return { kind: "rest", name: segment.slice(3), isOptional: true };
      if (segment.startsWith(":*")) return { kind: "rest", name: segment.slice(2), isOptional: false };
      if (segment.startsWith(":")) return { kind: "param", name: segment.slice(1) };
      return { kind: "text", text: segment };
    });
}

/**
 * What a file is by its path, which begins with `/`; undefined if it is no part of a route.
 *
 * @throws RouteError about brackets that do not fit.
 */
function routeFileOf(style: Style, file: string, allowsLayouts: boolean): RouteFile | undefined {
  if (typeof style === "function") {
    const answer = style(file) as { pattern?: unknown; type?: unknown } | null | undefined;
    if (answer === undefined || answer === null) return undefined;
    const { pattern, type } = answer;
    if (typeof pattern !== "string" || (type !== "route" && type !== "layout" && type !== "extra"))
      throw new TypeError(`app.framework: the style function must give { pattern, type } for "${file}", or undefined`);
    return { kind: type === "route" ? "page" : type, parts: partsOfPattern(pattern) };
  }
  const extension = extname(file);
  const stem = file.slice(0, file.length - extension.length);
  if (style === "nextjs-pages") {
    const name = basename(stem);
    if (name === "index") return { kind: "page", parts: partsOf(dirname(stem), file, false) };
    if (allowsLayouts && name === "_layout") return { kind: "layout", parts: partsOf(dirname(stem), file, false) };
    return { kind: "page", parts: partsOf(stem, file, false) };
  }
  if (!SCRIPT_EXTENSIONS.includes(extension)) return undefined;
  const name = basename(stem);
  const kind = style === "nextjs-app-routes" ? (name === "route" ? "page" : undefined) : APP_FILES[name];
  if (kind === undefined || (kind === "layout" && !allowsLayouts)) return undefined;
  return { kind, parts: partsOf(dirname(stem), file, true) };
}

/** Fixed segments before parameters, these before those that take the rest. */
function rank(part: Part | undefined): number {
  if (part === undefined) return 1;
  if (part.kind === "text") return 0;
  return part.kind === "param" ? 2 : part.isOptional ? 4 : 3;
}

function compare(a: AppRoute, b: AppRoute): number {
  const length = Math.max(a.parts.length, b.parts.length);
  for (let i = 0; i < length; i++) {
    const difference = rank(a.parts[i]) - rank(b.parts[i]);
    if (difference !== 0) return difference;
  }
  return 0;
}

const keyOf = (parts: readonly Part[]) =>
  parts.map((part) => (part.kind === "text" ? `/${part.text}` : part.kind === "param" ? "/[]" : "/[...]")).join("");

const readEntries = (folder: string) => fs.readdirSync(folder, { withFileTypes: true });

/** The routes below the folders of router types, and the folders that were looked at. A mistake in a name goes to `report`. */
export function findRoutes(
  types: readonly RouterType[],
  report: (file: string, error: Error) => void,
): { routes: AppRoute[]; folders: Set<string> } {
  const routes: AppRoute[] = [];
  const folders = new Set<string>();
  for (const type of types) {
    const layouts = new Map<string, string>();
    const pages = new Map<string, { page: string; parts: Part[] }>();
    const prefix: Part[] = type.prefix
      .split("/")
      .filter((segment) => segment !== "")
      .map((text) => ({ kind: "text", text }));
    const take = (file: string) => {
      const extension = extname(file);
      if (type.extensions !== undefined && !type.extensions.includes(extension)) return;
      try {
        const found = routeFileOf(type.style, `/${relative(type.root, file)}`, type.layouts);
        if (found === undefined || found.kind === "extra") return;
        if (found.kind === "page" && type.ignoreUnderscores && basename(file).startsWith("_")) return;
        const parts = [...prefix, ...found.parts];
        const key = keyOf(parts);
        if (found.kind === "layout") layouts.set(key, file);
        else if (pages.has(key))
          report(file, new Error(`The route "${key}" is taken by "${relative(type.root, pages.get(key)!.page)}"`));
        else pages.set(key, { page: file, parts });
      } catch (error) {
        report(file, error as Error);
      }
    };
    const walk = (folder: string) => {
      let entries: ReturnType<typeof readEntries>;
      try {
        entries = readEntries(folder);
      } catch (error) {
        if ((error as NodeError).code === "ENOENT") return;
        throw error;
      }
      folders.add(folder);
      entries.sort((a, b) => (a.name < b.name ? -1 : 1));
      for (const entry of entries) {
        const at = join(folder, entry.name);
        if (!entry.isDirectory()) take(at);
        else if (!type.ignoreDirs.includes(entry.name) && !(type.ignoreUnderscores && entry.name.startsWith("_")))
          walk(at);
      }
    };
    walk(type.root);
    for (const { page, parts } of pages.values()) {
      const around: string[] = [];
      for (let length = parts.length; length >= prefix.length; length--) {
        const layout = layouts.get(keyOf(parts.slice(0, length)));
        if (layout !== undefined) around.push(layout);
      }
      routes.push({ type, parts, page, layouts: around });
    }
  }
  routes.sort(compare);
  return { routes, folders };
}

export type Params = { [name: string]: string | string[] };

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function matchParts(parts: readonly Part[], segments: readonly string[], hasSlash: boolean): Params | undefined {
  const params: Params = {};
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i]!;
    if (part.kind === "rest") {
      const rest = segments.slice(i);
      // `/blog/` is a path below `/blog`, whose rest is empty.
      if (rest.length === 0 && !part.isOptional && !hasSlash) return undefined;
      if (rest.length !== 0 || !part.isOptional) params[part.name] = rest.map(decoded);
      return params;
    }
    const segment = segments[i];
    if (segment === undefined) return undefined;
    if (part.kind === "param") params[part.name] = decoded(segment);
    else if (part.text !== segment && part.text !== decoded(segment)) return undefined;
  }
  return parts.length === segments.length ? params : undefined;
}

/** The route of a path, and its parameters; null if it has none. `routes` are in the order of {@link findRoutes}. */
export function matchRoute(
  routes: readonly AppRoute[],
  pathname: string,
): { route: AppRoute; params: Params | null } | undefined {
  const hasSlash = pathname.length > 1 && pathname.endsWith("/");
  const segments = pathname.split("/").filter((segment) => segment !== "");
  for (const route of routes) {
    const params = matchParts(route.parts, segments, hasSlash);
    if (params !== undefined) return { route, params: Object.keys(params).length === 0 ? null : params };
  }
  return undefined;
}
