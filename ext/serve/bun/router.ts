// Bun.FileSystemRouter (https://bun.com/docs/runtime/file-system-router): routes from the files of a folder, in the style of
// Next.js's pages.
import { constructorOnly, invalidType } from "bun/util";

type Kind = "exact" | "dynamic" | "catch-all" | "optional-catch-all";

interface Route {
  name: string;
  filePath: string;
  kind: Kind;
  /** Literal names, and those in brackets with the number of their dots. */
  segments: { name: string; kind: Kind }[];
}

/** Order in which routes are tried. */
const order: Record<Kind, number> = { exact: 0, dynamic: 1, "catch-all": 2, "optional-catch-all": 3 };

/** What is wrong with the brackets of a part of a route, in Bun's words; undefined if nothing is. */
function mistakeIn(part: string, isLast: boolean): string | undefined {
  if (!part.startsWith("[")) return undefined;
  if (part.startsWith("[[") && !part.startsWith("[[..."))
    return "Invalid optional catch-all route, e.g. should be [[...param]]";
  if (/^\[\[?\.\.\./.test(part)) {
    const closed = part.startsWith("[[") ? /^\[\[\.\.\.[^\]]+\]\]/.exec(part) : /^\[\.\.\.[^\]]+\]/.exec(part);
    if (closed === null) return "Route is missing a closing bracket]";
    return isLast && closed[0] === part ? undefined : "Catch-all route must be at the end of the path";
  }
  if (part.startsWith("[.")) return "Invalid catch-all route, e.g. should be [...param]";
  if (!part.includes("]")) return "Route is missing a closing bracket]";
  return part.startsWith("[]") ? "Invalid dynamic route" : undefined;
}

function routeOf(name: string, filePath: string): Route {
  const parts = name.split("/");
  for (const [index, part] of parts.entries()) {
    const mistake = mistakeIn(part, index === parts.length - 1);
    if (mistake !== undefined) throw Object.assign(new Error(mistake), { path: filePath });
  }
  const segments = parts
    .filter((part) => part !== "")
    .map((part) => {
      const optional = /^\[\[\.\.\.(.+)\]\]$/.exec(part);
      if (optional) return { name: optional[1]!, kind: "optional-catch-all" as Kind };
      const all = /^\[\.\.\.(.+)\]$/.exec(part);
      if (all) return { name: all[1]!, kind: "catch-all" as Kind };
      const dynamic = /^\[(.+)\]$/.exec(part);
      if (dynamic) return { name: dynamic[1]!, kind: "dynamic" as Kind };
      return { name: part, kind: "exact" as Kind };
    });
  let kind: Kind = "exact";
  for (const segment of segments) if (order[segment.kind] > order[kind]) kind = segment.kind;
  return { name, filePath, kind, segments };
}

/** The parameters with which a route matches the names of a path. */
function matchRoute(route: Route, parts: string[]) {
  const params: Record<string, string> = {};
  for (let i = 0; i < route.segments.length; i++) {
    const segment = route.segments[i]!;
    const rest = parts.slice(i);
    switch (segment.kind) {
      case "optional-catch-all":
        if (rest.length > 0) params[segment.name] = rest.join("/");
        return params;
      case "catch-all":
        if (rest.length === 0) return undefined;
        params[segment.name] = rest.join("/");
        return params;
      case "dynamic":
        if (rest.length === 0) return undefined;
        params[segment.name] = rest[0];
        break;
      default:
        if (rest[0] !== segment.name) return undefined;
    }
  }
  return parts.length === route.segments.length ? params : undefined;
}

/** A route and what the path has in its place. */
class MatchedRoute {
  #router: Settings;
  #route: Route;
  #search: string;
  pathname: string;
  params: Record<string, string | string[]>;

  constructor(
    router: Settings,
    route: Route,
    pathname: string,
    search: string,
    params: Record<string, string | string[]>,
  ) {
    this.#router = router;
    this.#route = route;
    this.#search = search;
    this.pathname = pathname;
    this.params = params;
  }

  get filePath(): string {
    return this.#route.filePath;
  }

  get kind(): Kind {
    return this.#route.kind;
  }

  get name(): string {
    return this.#route.name;
  }

  /** Parameters of the path and of the query together. */
  get query() {
    const query = { ...this.params };
    for (const [name, value] of new URLSearchParams(this.#search) as unknown as Iterable<[string, string]>) {
      if (name in this.params) continue;
      query[name] = name in query ? ([] as string[]).concat(query[name]!, value) : value;
    }
    return query;
  }

  /** The URL of the file: origin, asset prefix and path from the folder. */
  get src(): string {
    const { dir, origin, assetPrefix } = this.#router;
    const path = this.#route.filePath.slice(dir.length).replace(/^\//, "");
    const prefix = assetPrefix.replace(/^\/|\/$/g, "");
    return `${origin.replace(/\/$/, "")}/${prefix === "" ? "" : `${prefix}/`}${path}`;
  }

  get scriptSrc(): string {
    return this.src;
  }
}

interface Settings {
  dir: string;
  origin: string;
  assetPrefix: string;
  extensions: string[];
}

/** Options as programs give them. */
interface RouterOptions {
  dir?: unknown;
  style?: unknown;
  assetPrefix?: unknown;
  origin?: unknown;
  fileExtensions?: unknown;
}

class FileSystemRouter {
  #settings: Settings;
  #routes: Route[] = [];
  /** @param options `dir`, `style` ("nextjs"), `assetPrefix`, `origin`, `fileExtensions` */
  constructor(options: RouterOptions | null) {
    if (typeof options !== "object" || options === null) throw invalidType("Expected object");
    const { dir, style, assetPrefix, origin, fileExtensions } = options;
    if (dir === undefined) throw invalidType("FileSystemRouterOptions.dir is required");
    if (typeof dir !== "string") throw invalidType("FileSystemRouterOptions.dir must be a string");
    if (style !== "nextjs") throw invalidType('Only "nextjs" style is currently implemented');
    if (origin !== undefined && typeof origin !== "string") throw invalidType("Expected origin to be a string");
    if (assetPrefix !== undefined && typeof assetPrefix !== "string")
      throw invalidType("Expected assetPrefix to be a string");
    if (fileExtensions !== undefined && !Array.isArray(fileExtensions))
      throw invalidType("Expected fileExtensions to be an Array");
    const extensions = (fileExtensions ?? [".tsx", ".ts", ".jsx", ".js", ".mjs", ".cjs"]).map((extension: unknown) =>
      `${extension}`.replace(/^\.?/, "."),
    );
    this.#settings = {
      dir: require("node:path").resolve(dir ?? "."),
      origin: origin ?? "",
      assetPrefix: assetPrefix ?? "",
      extensions,
    };
    this.#load();
  }

  #load(): void {
    const { dir, extensions } = this.#settings;
    let paths: string[];
    try {
      paths = require("node:fs").readdirSync(dir, { recursive: true });
    } catch (error) {
      throw new Error(`Unable to find directory: ${dir}`, { cause: error });
    }
    const routes: Route[] = [];
    const { join } = require("node:path");
    for (const path of paths.sort()) {
      const extension = extensions.find((known) => path.endsWith(known));
      if (extension === undefined || path.split("/").some((part) => part.startsWith(".") || part === "node_modules"))
        continue;
      let name = `/${path.slice(0, -extension.length)}`;
      if (name.endsWith("/index")) name = name.slice(0, -6) || "/";
      if (!routes.some((route) => route.name === name)) routes.push(routeOf(name, join(dir, path)));
    }
    // The most exact ones first: names before parameters, from left to right.
    this.#routes = routes.sort((a, b) => {
      if (a.kind !== b.kind && (a.kind === "exact" || b.kind === "exact")) return a.kind === "exact" ? -1 : 1;
      const count = Math.min(a.segments.length, b.segments.length);
      for (let i = 0; i < count; i++) {
        const difference = order[a.segments[i]!.kind] - order[b.segments[i]!.kind];
        if (difference !== 0) return difference;
      }
      return b.segments.length - a.segments.length || (a.name < b.name ? -1 : 1);
    });
  }

  /** "nextjs" */
  get style(): string {
    if (!(#settings in this)) throw invalidType("Expected this to be instanceof FileSystemRouter");
    return "nextjs";
  }

  get assetPrefix(): string {
    return this.#settings.assetPrefix;
  }

  get origin(): string {
    return this.#settings.origin;
  }

  /** Paths of files by the names of routes. */
  get routes(): Record<string, string> {
    return Object.fromEntries(this.#routes.map((route) => [route.name, route.filePath]));
  }

  /** The route of a path, a URL, a Request or a Response; null if there is none. */
  match(input: unknown): MatchedRoute | null {
    if (typeof input === "object" && input !== null && typeof (input as Request).url === "string")
      input = (input as Request).url;
    if (typeof input !== "string") throw invalidType("Expected string, Request, or Response");
    let path = input;
    if (/^[a-z][a-z\d+.-]*:\/\//i.test(path)) path = path.slice(path.indexOf("/", path.indexOf("://") + 3));
    const hash = path.indexOf("#");
    if (hash >= 0) path = path.slice(0, hash);
    const question = path.indexOf("?");
    const search = question < 0 ? "" : path.slice(question);
    if (question >= 0) path = path.slice(0, question);
    if (!path.startsWith("/")) return null;
    try {
      path = decodeURIComponent(path);
    } catch {
      // As it is.
    }
    const parts = path.split("/").filter((part: string) => part !== "");
    // The route of an index file has the name of its folder.
    if (parts.at(-1) === "index") parts.pop();
    for (const route of this.#routes) {
      const params = matchRoute(route, parts);
      if (params !== undefined) return new MatchedRoute(this.#settings, route, path + search, search, params);
    }
    return null;
  }

  /** Looks at the folder again. */
  reload(): void {
    this.#load();
  }
}
Object.defineProperty(FileSystemRouter, "length", { value: 0 });
Object.defineProperty(FileSystemRouter.prototype, Symbol.toStringTag, {
  value: "FileSystemRouter",
  configurable: true,
});
Object.defineProperty(MatchedRoute.prototype, Symbol.toStringTag, { value: "MatchedRoute", configurable: true });

const PublicRouter = constructorOnly(FileSystemRouter);
Object.defineProperty(FileSystemRouter.prototype, "constructor", {
  value: PublicRouter,
  configurable: true,
  writable: true,
});
export { PublicRouter as FileSystemRouter };
