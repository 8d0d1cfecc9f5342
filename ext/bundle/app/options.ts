// The option `app` of Bun.serve: a framework with server components, checked.
import path from "node:path";
import { notImplemented } from "bun/util";
import { SCRIPT_EXTENSIONS } from "internal/bundle/app/routes";
import type { BundlerPlugin } from "internal/bundle/options";
import type { RouterType, Style } from "internal/bundle/app/routes";

const { resolve } = path;

/** Options of the bundler that a framework may set. */
interface GraphOptions {
  conditions?: unknown;
  define?: unknown;
  loader?: unknown;
}

export type Side = "client" | "server" | "ssr";

/** How modules with "use client" are seen by those of the server. */
export interface Components {
  /** Whether they run on the server in a graph of their own. */
  isSeparate: boolean;
  /** The module whose export `register` makes a reference of each of their exports. */
  runtime: string;
  register: string;
}

export interface AppOptions {
  types: RouterType[];
  components: Components | undefined;
  plugins: BundlerPlugin[];
  /** Folders whose files are served as they are: prefix and folder. */
  statics: { prefix: string; folder: string }[];
  /** Modules that the framework brings: a path or a text by specifier. */
  builtIns: Map<string, { path: string } | { code: string }>;
  /** The module that refreshes components in browsers; undefined for none. */
  refresh: string | undefined;
  /** What {@link check} of internal/bundle/options takes for a graph. */
  graphOptions(side: Side): { conditions: unknown[]; define: object; loader: object };
}

const UNKNOWN_TO_DEV = ["drop", "ignoreDCEAnnotations"];

type Fields = { [name: string]: unknown };

function fieldsOf(value: unknown, name: string): Fields {
  if (value === undefined || value === null) return {};
  if (typeof value !== "object") throw new TypeError(`Bun.serve: '${name}' must be an object`);
  return value as Fields;
}

function listOf(value: unknown, name: string): unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new TypeError(`Bun.serve: '${name}' must be an array`);
  return value;
}

function textOf(value: unknown, name: string): string {
  if (typeof value !== "string" || value === "") throw new TypeError(`Bun.serve: '${name}' must be a string`);
  return value;
}

function prefixOf(value: unknown, name: string): string {
  if (value === undefined || value === null) return "/";
  const prefix = textOf(value, name);
  if (!prefix.startsWith("/")) throw new TypeError(`Bun.serve: '${name}' must begin with "/"`);
  return prefix.length > 1 && prefix.endsWith("/") ? prefix.slice(0, -1) : prefix;
}

function styleOf(value: unknown, name: string): Style {
  if (typeof value === "function") return value as Style;
  if (value === "nextjs-pages" || value === "nextjs-app-ui" || value === "nextjs-app-routes") return value;
  throw new TypeError(
    `Bun.serve: '${name}' must be "nextjs-pages", "nextjs-app-ui", "nextjs-app-routes" or a function`,
  );
}

function extensionsOf(value: unknown, name: string): string[] | undefined {
  if (value === undefined || value === null) return SCRIPT_EXTENSIONS;
  if (value === "*") return undefined;
  return listOf(value, name).map((one) => {
    const extension = textOf(one, name);
    return extension.startsWith(".") ? extension : `.${extension}`;
  });
}

function typeOf(value: unknown, index: number, root: string): RouterType {
  const name = `app.framework.fileSystemRouterTypes[${index}]`;
  const fields = fieldsOf(value, name);
  const layouts = fields["layouts"] === true;
  return {
    root: resolve(root, textOf(fields["root"], `${name}.root`)),
    prefix: prefixOf(fields["prefix"], `${name}.prefix`),
    serverEntryPoint: textOf(fields["serverEntryPoint"], `${name}.serverEntryPoint`),
    clientEntryPoint:
      fields["clientEntryPoint"] === undefined || fields["clientEntryPoint"] === null
        ? undefined
        : textOf(fields["clientEntryPoint"], `${name}.clientEntryPoint`),
    style: styleOf(fields["style"], `${name}.style`),
    layouts,
    ignoreUnderscores: fields["ignoreUnderscores"] === true,
    ignoreDirs:
      fields["ignoreDirs"] === undefined
        ? ["node_modules", ".git"]
        : listOf(fields["ignoreDirs"], `${name}.ignoreDirs`).map((one) => textOf(one, `${name}.ignoreDirs`)),
    extensions: extensionsOf(fields["extensions"], `${name}.extensions`),
  };
}

function componentsOf(value: unknown): Components | undefined {
  if (value === undefined || value === null) return undefined;
  const name = "app.framework.serverComponents";
  const fields = fieldsOf(value, name);
  if (typeof fields["separateSSRGraph"] !== "boolean")
    throw new TypeError(`Bun.serve: '${name}.separateSSRGraph' must be a boolean`);
  return {
    isSeparate: fields["separateSSRGraph"],
    runtime: textOf(fields["serverRuntimeImportSource"], `${name}.serverRuntimeImportSource`),
    register: textOf(
      fields["serverRegisterClientReferenceExport"] ?? "registerClientReference",
      `${name}.serverRegisterClientReferenceExport`,
    ),
  };
}

/**
 * The option `app`, checked; relative paths start at `root`.
 *
 * @throws TypeError about an option that has another form; NotImplemented for what the development server does not know.
 */
export function appOptionsOf(value: unknown, root: string): AppOptions {
  const app = fieldsOf(value, "app");
  if (app["framework"] === "react") throw notImplemented('the built-in framework "react" of Bun.serve\'s option `app`');
  if (typeof app["framework"] !== "object" || app["framework"] === null)
    throw new TypeError("Bun.serve: 'app' needs a 'framework', which is an object");
  const framework = fieldsOf(app["framework"], "app.framework");
  const types = listOf(framework["fileSystemRouterTypes"], "app.framework.fileSystemRouterTypes").map((one, index) =>
    typeOf(one, index, root),
  );
  if (types.length === 0)
    throw new TypeError("Bun.serve: 'app.framework.fileSystemRouterTypes' must name a folder of routes");
  const bundler = [
    fieldsOf(framework["bundlerOptions"], "app.framework.bundlerOptions"),
    fieldsOf(app["bundlerOptions"], "app.bundlerOptions"),
  ];
  const sides = (side: Side) =>
    bundler.flatMap((options) => [options, fieldsOf(options[side], `app.bundlerOptions.${side}`)]);
  for (const options of (["client", "server", "ssr"] as const).flatMap(sides)) {
    for (const name of UNKNOWN_TO_DEV)
      if (options[name] !== undefined) throw notImplemented(`the option "${name}" of an app's bundlerOptions`);
  }
  const builtIns: AppOptions["builtIns"] = new Map();
  for (const one of listOf(framework["builtInModules"], "app.framework.builtInModules")) {
    const fields = fieldsOf(one, "app.framework.builtInModules");
    const specifier = textOf(fields["import"], "app.framework.builtInModules.import");
    builtIns.set(
      specifier,
      fields["code"] === undefined
        ? { path: resolve(root, textOf(fields["path"], "app.framework.builtInModules.path")) }
        : { code: textOf(fields["code"], "app.framework.builtInModules.code") },
    );
  }
  const refresh = framework["reactFastRefresh"];
  const refreshSource =
    typeof refresh === "object" && refresh !== null ? (refresh as { importSource?: unknown }).importSource : undefined;
  return {
    types,
    components: componentsOf(framework["serverComponents"]),
    plugins: [
      ...listOf(framework["plugins"], "app.framework.plugins"),
      ...listOf(app["plugins"], "app.plugins"),
    ] as BundlerPlugin[],
    statics: listOf(framework["staticRouters"], "app.framework.staticRouters").map((one) => {
      if (typeof one === "string") return { prefix: "/", folder: resolve(root, one) };
      const fields = fieldsOf(one, "app.framework.staticRouters");
      return {
        prefix: prefixOf(fields["prefix"], "app.framework.staticRouters.prefix"),
        folder: resolve(root, textOf(fields["source"], "app.framework.staticRouters.source")),
      };
    }),
    builtIns,
    refresh:
      refresh === undefined || refresh === null || refresh === false
        ? undefined
        : refreshSource === undefined
          ? "react-refresh/runtime"
          : textOf(refreshSource, "app.framework.reactFastRefresh.importSource"),
    graphOptions(side) {
      const all: GraphOptions[] = sides(side);
      return {
        conditions: all.flatMap(({ conditions }) =>
          typeof conditions === "string" ? [conditions] : listOf(conditions, "app.bundlerOptions.conditions"),
        ),
        define: Object.assign({}, ...all.map(({ define }) => fieldsOf(define, "app.bundlerOptions.define"))) as object,
        loader: Object.assign({}, ...all.map(({ loader }) => fieldsOf(loader, "app.bundlerOptions.loader"))) as object,
      };
    },
  };
}
