/** `import.meta` of the program's modules: Node's and Bun's properties. */

const loader = native("loader");

function dirname(path: string): string {
  const at = path.lastIndexOf("/");
  return at <= 0 ? "/" : path.slice(0, at);
}

const isUrl = /^[a-zA-Z][a-zA-Z0-9+.-]*:/;

interface Meta {
  dirname: string;
  filename: string;
  main: boolean;
  url: string;
  dir: string;
  path: string;
  file: string;
  resolve(specifier: string, parent?: string | URL): string;
  resolveSync(specifier: string, parent?: string): string;
}

/** What hooks of node:module change: `resolve` of a specifier for an importer's path, and modules of hooks, which have none. */
export const forHooks: { resolve: ((specifier: string, importer: string) => string) | undefined; isHidden: boolean } = {
  resolve: undefined,
  isHidden: false,
};

/** Adds the properties to `meta`. */
export function fill(meta: Meta, path: string, url: string, isMain: boolean, graph: number) {
  const dir = dirname(path);
  meta.dirname = dir;
  meta.filename = path;
  meta.main = isMain;
  meta.url = url;
  meta.dir = dir;
  meta.path = path;
  meta.file = path.slice(path.lastIndexOf("/") + 1);
  meta.resolve = function resolve(specifier: string, parent?: string | URL | null) {
    specifier = `${specifier}`;
    // As in Node no parent is null, too; as in Bun it may be a path.
    let base: string | undefined;
    if (typeof parent === "string" && parent[0] === "/") base = require("node:url").pathToFileURL(parent).href;
    else if (typeof parent === "string" || parent instanceof URL) base = `${parent}`;
    else if (parent !== undefined && parent !== null) {
      const { codes } = require("internal/core/errors");
      throw new codes.ERR_INVALID_ARG_TYPE("parentURL", ["string", "URL"], parent);
    }
    if (forHooks.resolve !== undefined) {
      const from = base ?? url;
      return forHooks.resolve(specifier, from.startsWith("file:") ? require("node:url").fileURLToPath(from) : from);
    }
    if (/^\.\.?\//.test(specifier) || specifier.startsWith("/")) {
      return new URL(specifier, base ?? url).href;
    }
    if (isUrl.test(specifier) && loader.builtinId(specifier) === undefined) {
      return new URL(specifier).href;
    }
    const from = base === undefined ? path : require("node:url").fileURLToPath(base);
    return loader.resolveUrl(specifier, from);
  };
  if (forHooks.isHidden) delete (meta as Partial<Meta>).resolve;
  Object.defineProperty(meta, "env", {
    configurable: true,
    enumerable: true,
    get: () => require("node:process").env,
  });
  Object.defineProperty(meta, "require", {
    configurable: true,
    enumerable: false,
    get: () =>
      graph === 0
        ? require("node:module").createRequire(path)
        : require("internal/module/cjs").moduleScope(path, graph).require,
  });
  meta.resolveSync = function resolveSync(specifier: string, parent?: string) {
    const importer = parent ?? path;
    let url: string;
    try {
      url = loader.resolveUrl(`${specifier}`, importer);
    } catch (error) {
      const mocked = require("internal/module/loader_hooks").moduleMocks.path?.(`${specifier}`, importer);
      if (mocked === undefined) throw error;
      return mocked;
    }
    return require("node:url").fileURLToPath(url);
  };
}
