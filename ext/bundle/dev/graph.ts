// The modules of a development server: each a file (or what a plugin makes of a name) that has been turned into a function for
// browsers, with what it imports. A change turns one file anew and nothing else.
import fs from "node:fs";
import path from "node:path";
import { Module, hex } from "internal/bundle/dev/module";
import { Plugins } from "internal/bundle/plugins";
import type { AppOptions, Components, Side } from "internal/bundle/app/options";
import type { Converted, Dependency, Edge, Kind, Problem } from "internal/bundle/dev/module";
import type { LoaderName, NativeOptions } from "internal/bundle/types";

const { dirname, extname, join, relative, resolve } = path;
const { existsSync, readFileSync } = fs;

const ops = native("bundle");

/** Flags of a definition, see native/client/modules.js. */
const ES = 1;
const ASYNC = 2;
const REFRESH = 4;
const STRICT = 8;

/** Prefix of URLs of assets and style sheets. */
export const ASSETS = "/_bun/asset/";

/** The namespace of what stands for built-in modules of Node in browsers. */
const POLYFILLS = "bao-node";

/** bao's own refresh runtime for React. */
const REFRESH_KEY = "bao:react-refresh";

/** Behind the key of a module with "use client" as it is written, which the server runs beside its stand-in. */
const ORIGINAL = "?bao-original";

/** The namespace of texts that the server makes itself. */
export const MADE = "bao-made:";

/** What the graphs of a server's app are made with. */
interface GraphOfApp {
  side: Side;
  app: AppOptions;
  /** Another graph of the app. */
  other(side: Side): Graph | undefined;
}

const scripts: readonly string[] = ["js", "jsx", "ts", "tsx"];

function problemOf(file: string, text: string, place?: Partial<Problem>): Problem {
  return { file, level: "error", text, line: 0, column: 0, length: 1, lineText: "", notes: [], ...place };
}

/** The folder where a path that leads nowhere could appear, or the one above that is there. */
function folderOf(importer: string, specifier: string): string {
  let folder = dirname(resolve(dirname(importer), specifier));
  while (!existsSync(folder)) folder = dirname(folder);
  return folder;
}

/** The namespace of a key and what it is called there. */
function placeOf(key: string): { namespace: string; name: string } {
  const colon = key.startsWith("/") ? -1 : key.indexOf(":");
  return colon === -1
    ? { namespace: "file", name: key }
    : { namespace: key.slice(0, colon), name: key.slice(colon + 1) };
}

/**
 * The text of a module with the results of its macros, on the same lines; undefined if one has failed, which is a problem of the
 * module then.
 */
function expandMacros(module: Module, source: string, key: string, loader: string): string | undefined {
  const { expandText, failureOf } = require("internal/module/macros");
  try {
    return expandText(source, key, loader) ?? source;
  } catch (error) {
    const { message, ...place } = failureOf(error, source);
    module.problems.push(problemOf(module.id, message, place));
    return undefined;
  }
}

/** Whether a module is nothing but a script without mistakes. */
function isPlain({ kind, problems, missing }: Module): boolean {
  return kind === "script" && problems.length === 0 && missing.length === 0;
}

/** A module that stands for a built-in module of Node, and where its specifiers lead. */
function polyfill(id: string): { code: string; imports: { [specifier: string]: string } } {
  return JSON.parse(ops.devPolyfill(id));
}

function haveSameTargets(before: readonly Edge[], after: readonly Edge[]): boolean {
  return (
    before.length === after.length &&
    before.every(({ specifier, target, isStatic }, i) => {
      const other = after[i]!;
      return specifier === other.specifier && target === other.target && isStatic === other.isStatic;
    })
  );
}

/** Whether the package of a file says that its modules do nothing but export. */
function hasNoSideEffects(path: string): boolean {
  for (let folder = dirname(path); folder.includes("/node_modules/"); folder = dirname(folder)) {
    try {
      return (
        (JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { sideEffects?: unknown }).sideEffects ===
        false
      );
    } catch {
      // The next folder.
    }
  }
  return false;
}

/** A key without the mark of an original. */
function plainOf(key: string): string {
  return key.endsWith(ORIGINAL) ? key.slice(0, -ORIGINAL.length) : key;
}

/** A path without the query behind it. */
function fileOf(path: string): string {
  if (existsSync(path)) return path;
  const at = path.search(/[?#]/);
  return at === -1 ? path : path.slice(0, at);
}

export class Graph {
  readonly root: string;
  readonly options: NativeOptions;
  readonly plugins: Plugins;
  readonly modules = new Map<string, Module>();
  /** Modules that have been loaded since somebody last looked. */
  readonly loaded = new Set<Module>();
  /** Counts what changes more than the code of a script: modules, what they import, the files that they are made of, mistakes. */
  shape = 0;
  /** React's refresh runtime; undefined if the project has no React. */
  refresh: Module | undefined = undefined;
  /** Texts of the modules of {@link MADE}, by key. */
  readonly made = new Map<string, string>();
  readonly #app: GraphOfApp | undefined;
  /** The number of the native resolver, once one was needed. */
  #resolver: number | undefined;
  #define: string;

  constructor(root: string, options: NativeOptions, plugins: Plugins, app?: GraphOfApp) {
    this.root = root;
    this.options = options;
    this.plugins = plugins;
    this.#app = app;
    const env = Object.entries(options.env).map(([name, value]) => [`process.env.${name}`, JSON.stringify(value)]);
    this.#define = JSON.stringify({ ...Object.fromEntries(env), ...options.define });
  }

  /** Where a specifier leads from a file, as `devResolve` says it. */
  #find(importer: string, specifier: string, isRequire: boolean): string | undefined {
    this.#resolver ??= ops.devResolver(JSON.stringify(this.options));
    return ops.devResolve(this.#resolver, importer, specifier, isRequire);
  }

  /** Drops the resolver. A request that is still answered makes a new one. */
  close(): void {
    if (this.#resolver !== undefined) ops.devClose(this.#resolver);
    this.#resolver = undefined;
  }

  /** What pages and messages call a path. The modules of an app's two graphs on the server share a registry. */
  idOf(path: string): string {
    const id = relative(this.root, path);
    const prefix = this.#app?.side === "ssr" ? "ssr:" : "";
    return prefix + (id.startsWith("..") ? path : id);
  }

  get #isServer(): boolean {
    return this.#app !== undefined && this.#app.side !== "client";
  }

  /** Looks at the disk anew from now on. */
  forget(): void {
    if (this.#resolver !== undefined) ops.devForget(this.#resolver);
  }

  #loaderOf(path: string, attribute: string | null): LoaderName {
    if (attribute !== null) return require("internal/bundle/options").loaderOf(attribute, "type");
    const file = fileOf(path);
    const name = file.slice(file.lastIndexOf("/") + 1);
    for (let at = name.indexOf("."); at !== -1; at = name.indexOf(".", at + 1)) {
      const own = this.options.loader[name.slice(at)];
      if (own !== undefined) return own;
    }
    const dot = name.lastIndexOf(".");
    return dot === -1 ? "file" : (ops.devLoader(name.slice(dot)) as LoaderName);
  }

  /** The module of a path; it is loaded if it is new. */
  async take(key: string, loader: LoaderName, importer: Module | undefined): Promise<Module> {
    const isScript = scripts.includes(loader);
    const marked = loader === this.#loaderOf(key, null) ? key : `${key}?bao-loader=${loader}`;
    let module = this.modules.get(marked);
    if (module === undefined) {
      const kind: Kind = loader === "css" ? "sheet" : loader === "html" ? "page" : isScript ? "script" : "asset";
      const id = key.startsWith("/") ? this.idOf(key) : key;
      module = new Module(marked, marked === key ? id : `${id}?${loader}`, kind);
      this.modules.set(marked, module);
      this.shape++;
      void this.#note(module, this.#load(module, loader));
    }
    if (importer !== undefined) module.importers.add(importer);
    return module;
  }

  /** Waits until a module and all below it are there. */
  async settle(entry: Module): Promise<void> {
    const seen = new Set<Module>();
    const queue = [entry];
    while (queue.length !== 0) {
      const module = queue.pop()!;
      const { loading } = module;
      if (loading !== undefined) await loading;
      else if (seen.has(module)) continue;
      seen.add(module);
      for (const { target } of module.edges) if (typeof target !== "string") queue.push(target);
      for (const { target } of module.references) if (target !== undefined) queue.push(target);
    }
  }

  /** Loads a module anew. */
  async reload(module: Module): Promise<void> {
    const at = module.key.indexOf("?bao-loader=");
    const key = at === -1 ? module.key : module.key.slice(0, at);
    const loader = at === -1 ? this.#loaderOf(plainOf(key), null) : (module.key.slice(at + 12) as LoaderName);
    await this.#note(module, this.#load(module, loader));
  }

  /** Notes that a module is being loaded, until that is done or something else loads it. */
  #note(module: Module, work: Promise<void>): Promise<void> {
    const loading = work.finally(() => {
      if (module.loading === loading) module.loading = undefined;
    });
    return (module.loading = loading);
  }

  async #load(module: Module, loader: LoaderName): Promise<void> {
    const at = module.key.indexOf("?bao-loader=");
    const key = at === -1 ? module.key : module.key.slice(0, at);
    const before = [...module.edges.map(({ target }) => target), ...module.references.map(({ target }) => target)];
    const { edges, inputs, exports, isBoundary } = module;
    const wasPlain = isPlain(module);
    const codeBefore = module.code;
    module.problems = [];
    module.missing = [];
    module.version++;
    this.loaded.add(module);
    try {
      const read = await this.#read(key, loader);
      const { bytes, loader: chosen } = await this.#transformed(key, read.bytes, read.loader);
      await this.#convert(module, key, bytes, chosen);
    } catch (error) {
      const text = (error as NodeError).code === "ENOENT" ? `File not found: "${module.id}"` : (error as Error).message;
      module.problems.push(problemOf(module.id, text));
    } finally {
      module.hasNewCode = module.code !== codeBefore;
    }
    // The manifests of an app have the exports of modules with "use client".
    const hasSameExports =
      isBoundary === module.isBoundary && (!isBoundary || exports.join() === module.exports.join());
    const isSame = wasPlain && isPlain(module) && hasSameExports && haveSameTargets(edges, module.edges);
    if (!isSame || inputs.length !== module.inputs.length || inputs.some((input, i) => input !== module.inputs[i]))
      this.shape++;
    const after = new Set([
      ...module.edges.map(({ target }) => target),
      ...module.references.map(({ target }) => target),
    ]);
    for (const target of before) {
      if (target !== undefined && typeof target !== "string" && !after.has(target)) target.importers.delete(module);
    }
  }

  async #read(key: string, loader: LoaderName): Promise<{ bytes: Uint8Array; loader: LoaderName }> {
    const made = this.made.get(key);
    if (made !== undefined) return { bytes: Buffer.from(made), loader };
    const { namespace, name } = placeOf(plainOf(key));
    const loaded = await this.#original(key, namespace, name, loader);
    return this.plugins.prepared(name, namespace, loaded.bytes, loaded.loader);
  }

  /** A module as a plugin or the file system has it. */
  async #original(
    key: string,
    namespace: string,
    name: string,
    loader: LoaderName,
  ): Promise<{ bytes: Uint8Array; loader: LoaderName }> {
    if (!this.plugins.isEmpty) {
      const answer = await this.plugins.load(0, name, namespace, loader, this.#isServer ? "server" : "client");
      if (answer?.bytes !== undefined) {
        const { loader: chosen } = answer.value as { loader?: LoaderName };
        return { bytes: answer.bytes, loader: chosen ?? (namespace === "file" ? loader : "js") };
      }
    }
    if (key === REFRESH_KEY) return { bytes: Buffer.from(ops.reactRefresh()), loader: "js" };
    if (namespace === POLYFILLS) return { bytes: Buffer.from(polyfill(name).code), loader: "js" };
    if (namespace !== "file") throw new Error(`no plugin has loaded "${name}" of the namespace "${namespace}"`);
    return { bytes: readFileSync(fileOf(plainOf(key))), loader };
  }

  /** What Rollup's plugins make of a module's text. */
  async #transformed(
    key: string,
    bytes: Uint8Array,
    loader: LoaderName,
  ): Promise<{ bytes: Uint8Array; loader: LoaderName }> {
    if (this.plugins.rollup.isEmpty || loader === "html" || bytes.includes(0)) return { bytes, loader };
    const { namespace, name } = placeOf(plainOf(key));
    const answer = await this.plugins.transform(name, namespace, new TextDecoder().decode(bytes), loader);
    if (answer?.bytes === undefined) return { bytes, loader };
    const { loader: chosen } = answer.value as { loader?: LoaderName };
    return { bytes: answer.bytes, loader: chosen ?? (loader === "file" ? "js" : loader) };
  }

  async #convert(module: Module, key: string, bytes: Uint8Array, loader: LoaderName): Promise<void> {
    const file = fileOf(key);
    const text = () => new TextDecoder().decode(bytes);
    module.inputs = key.startsWith("/") ? [fileOf(plainOf(file))] : [];
    module.isBoundary = false;
    if (module.kind === "page") {
      await this.#convertPage(module, file, text());
      return;
    }
    module.flags = 0;
    const exports = (value: string) => {
      module.edges = [];
      module.code = `module.exports = ${value};`;
      module.map = undefined;
      module.source = module.code;
    };
    switch (loader) {
      case "js":
      case "jsx":
      case "ts":
      case "tsx":
        await this.#convertScript(module, key, text(), loader);
        return;
      case "css":
        await this.#convertSheet(module, file, text());
        return;
      case "json":
      case "jsonc":
        return exports(JSON.stringify(text().trim() === "" ? {} : Bun.JSONC.parse(text())));
      case "json5":
        return exports(JSON.stringify(Bun.JSON5.parse(text())));
      case "toml":
        return exports(JSON.stringify(Bun.TOML.parse(text())));
      case "yaml":
        return exports(JSON.stringify(Bun.YAML.parse(text())));
      case "text":
      case "md":
        return exports(JSON.stringify(text()));
      case "empty":
        return exports("{}");
      case "base64":
        return exports(JSON.stringify(Buffer.from(bytes).toString("base64")));
      case "dataurl": {
        const type: string = require("bun/mime").typeOf(file) || "application/octet-stream";
        return exports(JSON.stringify(`data:${type};base64,${Buffer.from(bytes).toString("base64")}`));
      }
      case "binary":
        return exports(`new Uint8Array([${bytes.join(",")}])`);
      case "napi":
        if (this.#isServer) {
          // The process loads it itself.
          exports(`require(${JSON.stringify(file)})`);
          module.edges = [{ specifier: file, target: file, isStatic: false }];
          return;
        }
      // falls through
      default:
        module.bytes = bytes;
        module.url = `${ASSETS}${hex(bytes)}${extname(file)}`;
        exports(JSON.stringify(module.url));
    }
  }

  async #convertScript(module: Module, key: string, source: string, loader: LoaderName): Promise<void> {
    const isPackage = key.includes("/node_modules/");
    const expanded = expandMacros(module, source, key, loader);
    if (expanded === undefined) {
      module.source = source;
      return;
    }
    const refresh = !isPackage && this.refresh !== undefined && (loader.endsWith("x") || /\buse[A-Z]/.test(source));
    const converted = JSON.parse(
      await new Promise<string>((done, failed) => {
        ops.devModule(key, module.id, expanded, loader, this.#define, refresh, (error: unknown, text: string) =>
          error ? failed(error as Error) : done(text),
        );
      }),
    ) as Converted;
    module.source = source;
    if (converted.problems === undefined) module.exports = converted.exports;
    if (this.#app?.side === "client" && converted.directives?.includes("use server") === true)
      module.problems.push(problemOf(module.id, '"use server" is not implemented'));
    const components = this.#app?.side === "server" ? this.#app.app.components : undefined;
    if (
      components !== undefined &&
      converted.problems === undefined &&
      converted.directives.includes("use client") &&
      !key.endsWith(ORIGINAL)
    ) {
      module.isBoundary = true;
      await this.#convertScript(module, key + ORIGINAL, this.#standIn(module, key, converted, components), "js");
      module.source = source;
      module.map = undefined;
      return;
    }
    if (converted.problems !== undefined) {
      for (const { text, line, column, length, lineText, notes } of converted.problems) {
        module.problems.push(
          problemOf(module.id, text, { line, column, length, lineText, notes: notes === null ? [] : [notes] }),
        );
      }
      return;
    }
    module.barrel = converted.barrel !== null && isPackage && hasNoSideEffects(key) ? converted.barrel : null;
    module.dependencies = converted.dependencies;
    module.edges = await this.#edgesOf(module, key);
    module.code = converted.code;
    module.map = converted.map ?? undefined;
    module.flags =
      (converted.kind === "esm" ? ES : 0) |
      (converted.isAsync ? ASYNC : 0) |
      (converted.isStrict ? STRICT : 0) |
      (refresh && converted.kind === "esm" ? REFRESH : 0);
  }

  /** The text of the module that stands on the server for one with "use client": references to its exports. */
  #standIn(module: Module, key: string, { kind, exports }: Converted, components: Components): string {
    const { runtime, register, isSeparate } = components;
    if (kind !== "esm" || exports.length === 0) {
      if (kind !== "esm") module.problems.push(problemOf(module.id, '"use client" needs an ES module'));
      return "export {};";
    }
    const quoted = JSON.stringify;
    const name = (exported: string) => (isSeparate ? "outside" : `original[${quoted(exported)}]`);
    const lines = [
      `import { ${register} as register } from ${quoted(this.#runtimeOf(module, runtime))};`,
      isSeparate
        ? 'function outside() { throw new Error("A client component cannot be called on the server"); }'
        : `import * as original from ${quoted(key + ORIGINAL)};`,
    ];
    exports.forEach((exported, index) => {
      lines.push(
        `const reference${index} = register(${name(exported)}, ${quoted(module.id)}, ${quoted(exported)});`,
        `export { reference${index} as ${exported === "default" ? exported : quoted(exported)} };`,
      );
    });
    return lines.join("\n");
  }

  /** Where the runtime of server components is, seen from the root. */
  #runtimeOf(module: Module, specifier: string): string {
    if (this.#app?.app.builtIns.has(specifier) === true) return specifier;
    try {
      return this.#find(join(this.root, "x"), specifier, false) || specifier;
    } catch {
      module.problems.push(problemOf(module.id, `Could not resolve: "${specifier}"`));
      return specifier;
    }
  }

  /** What a module imports; a barrel only what somebody wants of it. */
  async #edgesOf(module: Module, key: string): Promise<Edge[]> {
    const { barrel, wanted, dependencies } = module;
    const edges: Edge[] = [];
    for (const dependency of dependencies) {
      const { specifier } = dependency;
      let { names, isWhole } = dependency;
      if (barrel !== null && !wanted.has("*")) {
        const passed = barrel.exports.filter(([exported, from]) => from === specifier && wanted.has(exported));
        isWhole = barrel.always.includes(specifier);
        if (passed.length === 0 && !isWhole) continue;
        names = passed.map(([, , imported]) => imported);
      }
      const target = await this.#resolve(module, key, dependency);
      if (target === undefined) continue;
      edges.push({ specifier, target, isStatic: dependency.kind === "import" });
      if (typeof target !== "string") this.#want(target, isWhole ? ["*"] : names);
    }
    return edges;
  }

  /** Somebody wants names of a module: a barrel has to import more for that. */
  #want(module: Module, names: readonly string[]): void {
    const { barrel, wanted } = module;
    const before = wanted.size;
    for (const name of names) wanted.add(name);
    if (barrel === null || wanted.size === before) return;
    this.shape++;
    const work = async () => {
      const edges = await this.#edgesOf(module, module.key);
      if (edges.length === module.edges.length) return;
      module.edges = edges;
      module.version++;
      module.hasNewCode = true;
      this.loaded.add(module);
    };
    const after = (module.loading ?? Promise.resolve()).then(work).catch((error: unknown) => {
      module.problems.push(problemOf(module.id, (error as Error).message));
    });
    void this.#note(module, after);
  }

  /** Where an import leads; a mistake is kept with the importer. */
  async #resolve(module: Module, key: string, dependency: Dependency): Promise<Module | string | undefined> {
    const { specifier, kind, attribute, optional, line, column, lineText } = dependency;
    const fail = (text: string) => {
      if (optional) return undefined;
      module.problems.push(problemOf(module.id, text, { line, column, length: specifier.length + 2, lineText }));
      return undefined;
    };
    if (specifier.endsWith(ORIGINAL)) return this.take(specifier, this.#loaderOf(plainOf(specifier), null), module);
    if (dependency.graph !== null && dependency.graph !== this.#app?.side) {
      const other = this.#app?.other(dependency.graph as Side);
      if (other === undefined) return fail(`There is no graph "${dependency.graph}" to import from`);
      return other.#resolve(module, key, { ...dependency, graph: null });
    }
    const builtIn = this.#app?.app.builtIns.get(specifier);
    if (builtIn !== undefined) {
      if ("path" in builtIn) return this.take(builtIn.path, this.#loaderOf(builtIn.path, attribute), module);
      const made = MADE + specifier;
      this.made.set(made, builtIn.code);
      return this.take(
        made,
        scripts.includes(extname(specifier).slice(1)) ? this.#loaderOf(specifier, null) : "tsx",
        module,
      );
    }
    if (this.#app !== undefined && specifier === (this.#isServer ? "bun:bake/server" : "bun:bake/client"))
      return this.#isServer ? specifier : this.take(MADE + specifier, "js", module);
    const { namespace, name } = placeOf(plainOf(key));
    if (namespace === POLYFILLS) return this.take(polyfill(name).imports[specifier]!, "js", module);
    const isFile = namespace === "file";
    const importer = isFile ? fileOf(name) : name;
    let path: string;
    let space = "file";
    const bunKind = kind === "require" ? "require-call" : kind === "dynamic" ? "dynamic-import" : "import-statement";
    const answer = this.plugins.isEmpty
      ? undefined
      : await this.plugins.resolve(specifier, importer, namespace, bunKind);
    if (answer !== undefined) {
      const found = answer.value as { path: string; namespace: string; external: boolean };
      if (found.external) return found.path;
      ({ path, namespace: space } = found);
    } else {
      if (!this.#isServer && (specifier === "bun" || specifier.startsWith("bun:")))
        return fail(`Browser build cannot import Bun builtin: "${specifier}"`);
      try {
        const isPathOfFile = isFile && importer.startsWith("/");
        const found = this.#find(isPathOfFile ? importer : join(this.root, "x"), specifier, kind === "require");
        if (found === null || found === undefined) return specifier;
        if (found === "") return "";
        if (found.startsWith(`${POLYFILLS}:`)) return this.take(found, "js", module);
        path = found;
      } catch {
        const isPath = specifier.startsWith(".") || specifier.startsWith("/");
        if (isPath) {
          module.missing.push(folderOf(importer, specifier));
        } else module.missing.push(dirname(importer));
        return fail(
          `Could not resolve: "${dependency.written ?? specifier}"${isPath ? "" : '. Maybe you need to "bun install"?'}`,
        );
      }
    }
    const target = space === "file" ? path : `${space}:${path}`;
    const loader = this.#loaderOf(path, attribute);
    if (loader === "html") {
      return fail(`${this.#isServer ? "Modules of an app" : "Browser builds"} cannot import HTML files.`);
    }
    return this.take(target, loader, module);
  }

  async #convertSheet(module: Module, file: string, text: string): Promise<void> {
    const options: NativeOptions = {
      ...this.options,
      publicPath: ASSETS,
      naming: { ...this.options.naming, asset: "[hash].[ext]" },
    };
    // Sheets that plugins make are known by their path.
    const texts = JSON.stringify({ [file]: text });
    const made = JSON.parse(
      await new Promise<string>((done, failed) => {
        ops.devSheet(JSON.stringify(options), file, texts, (error: unknown, json: string) =>
          error ? failed(error as Error) : done(json),
        );
      }),
    ) as {
      problem?: Omit<Problem, "level" | "file"> & { file: string | null; unresolved: string | null };
      code: string;
      module: string | null;
      inputs: string[];
      assets: { name: string; source: string }[];
    };
    module.source = text;
    if (made.problem !== undefined) {
      const { file: at, unresolved, ...problem } = made.problem;
      if (at !== null && !module.inputs.includes(at)) module.inputs.push(at);
      if (unresolved !== null) module.missing.push(folderOf(at ?? file, unresolved));
      module.problems.push({ ...problem, level: "error", file: at === null ? module.id : this.idOf(at) });
      return;
    }
    module.sheet = made.code;
    module.inputs = [...new Set([file, ...made.inputs])];
    if (made.module === null) {
      module.edges = [];
      module.flags = 0;
      module.code = "module.exports = {};";
      module.map = undefined;
    } else {
      // Sheets that it is composed of come before it.
      await this.#convertScript(module, module.key, made.module, "js");
      module.map = undefined;
      module.source = text;
    }
    module.copies = new Map();
    for (const { name, source } of made.assets) {
      const asset = await this.take(source, "file", module);
      module.copies.set(ASSETS + name, asset);
      module.edges.push({ specifier: "", target: asset, isStatic: false });
      module.inputs.push(source);
    }
  }

  async #convertPage(module: Module, file: string, text: string): Promise<void> {
    const found = JSON.parse(ops.pageReferences(text)) as { kind: "script" | "style" | "asset"; url: string }[];
    const references: Module["references"] = [];
    const edges: Edge[] = [];
    for (const { kind, url } of found) {
      const target = await this.#reference(module, file, kind, url);
      references.push({ kind, url, target });
      if (target !== undefined && kind === "script") edges.push({ specifier: url, target, isStatic: true });
    }
    module.sheet = text;
    module.source = text;
    module.references = references;
    module.edges = edges;
    module.flags = ES;
    module.code = "";
    module.map = undefined;
  }

  async #reference(module: Module, file: string, kind: string, url: string): Promise<Module | undefined> {
    const at = url.search(/[?#]/);
    const name = at === -1 ? url : url.slice(0, at);
    const place = name.startsWith("/") ? join(this.root, name) : resolve(dirname(file), name);
    if (existsSync(place)) {
      const loader = kind === "asset" ? "file" : kind === "style" ? "css" : this.#loaderOf(place, null);
      return this.take(place, loader, module);
    }
    const dependency: Dependency = {
      specifier: kind !== "asset" && !name.startsWith("/") ? url : url.startsWith("/") ? `.${url}` : url,
      written: url,
      kind: "import",
      attribute: kind === "style" ? "css" : kind === "asset" ? "file" : null,
      graph: null,
      names: [],
      isWhole: true,
      optional: false,
      line: 0,
      column: 0,
      lineText: "",
    };
    const target = await this.#resolve(module, file, dependency);
    return typeof target === "string" ? undefined : target;
  }

  /** The modules that a page needs, importers after what they import; sheets and assets of them apart. */
  reachable(entry: Module): { scripts: Module[]; sheets: Module[]; assets: Module[]; all: Set<Module> } {
    const all = new Set<Module>();
    const scripts: Module[] = [];
    const sheets: Module[] = [];
    const assets: Module[] = [];
    const stack: { module: Module; isDone: boolean }[] = [{ module: entry, isDone: false }];
    if (this.refresh !== undefined) stack.unshift({ module: this.refresh, isDone: false });
    while (stack.length !== 0) {
      const { module, isDone } = stack.pop()!;
      if (isDone) {
        if (module.kind === "sheet") sheets.push(module);
        else if (module.kind === "asset" && module.bytes !== undefined) assets.push(module);
        // A style sheet is a module too, if a script imports it.
        if (module.kind !== "page" || module === entry) scripts.push(module);
        continue;
      }
      if (all.has(module)) continue;
      all.add(module);
      stack.push({ module, isDone: true });
      const next = [
        ...module.references.map(({ target }) => target),
        ...module.edges.map(({ target }) => target),
      ].filter((target) => target !== undefined && typeof target !== "string") as Module[];
      for (let i = next.length - 1; i >= 0; i--) stack.push({ module: next[i]!, isDone: false });
    }
    return { scripts, sheets, assets, all };
  }

  /** Drops modules that none of the pages needs. */
  collect(pages: Iterable<Module>): void {
    const kept = new Set<Module>();
    for (const page of pages) for (const module of this.reachable(page).all) kept.add(module);
    for (const { 0: key, 1: module } of this.modules) {
      if (kept.has(module)) continue;
      this.modules.delete(key);
      for (const { target } of module.edges) if (typeof target !== "string") target.importers.delete(module);
    }
  }

  /** The module of a specifier that the server itself imports, seen from the root. */
  async entry(specifier: string): Promise<Module> {
    const builtIn = this.#app?.app.builtIns.get(specifier);
    if (builtIn !== undefined && "path" in builtIn)
      return this.take(builtIn.path, this.#loaderOf(builtIn.path, null), undefined);
    if (builtIn !== undefined) {
      this.made.set(MADE + specifier, builtIn.code);
      return this.take(MADE + specifier, "tsx", undefined);
    }
    const path = this.#find(join(this.root, "x"), specifier, false);
    if (path === undefined || path === "") throw new TypeError(`Bun.serve: 'app' cannot use "${specifier}"`);
    return this.take(path, this.#loaderOf(path, null), undefined);
  }

  /** The module of a text that the server makes; its changed text makes it load anew. */
  async takeMade(name: string, text: string): Promise<Module> {
    const key = MADE + name;
    const before = this.made.get(key);
    this.made.set(key, text);
    const module = await this.take(key, "js", undefined);
    if (before !== undefined && before !== text) await this.reload(module);
    return module;
  }

  /**
   * Finds React's refresh runtime, before anything else is loaded: that of the project, or else bao's if `hasOwn` and there is a
   * React.
   */
  async findRefresh(source: string, hasOwn: boolean): Promise<void> {
    const find = (specifier: string) => {
      try {
        return this.#find(join(this.root, "x"), specifier, false) ?? "";
      } catch {
        return "";
      }
    };
    const found = find(source);
    if (found === "" && (!hasOwn || find("react") === "")) return;
    this.refresh =
      found === ""
        ? await this.take(REFRESH_KEY, "js", undefined)
        : await this.take(found, this.#loaderOf(found, null), undefined);
    await this.settle(this.refresh);
    if (this.refresh.problems.length !== 0) this.refresh = undefined;
  }
}
