// Files that Rollup's plugins add to the results: `this.emitFile` (https://rollupjs.org/plugin-development/#this-emitfile).
import path from "node:path";
import type { ModuleGraph } from "internal/bundle/rollup_modules";

const { isAbsolute, normalize } = path;

/** What `this.emitFile` takes. */
interface NewFile {
  type?: unknown;
  name?: string;
  fileName?: string;
  source?: string | Uint8Array;
}

/** A file that is no chunk. */
interface EmittedAsset {
  /** Undefined as long as it depends on a source that has not come yet. */
  fileName: string | undefined;
  name: string | undefined;
  source: string | Uint8Array | undefined;
}

/** Checks the name of a file that a plugin adds, with Rollup's words; results stay in the folder of the build. */
export function checkName(fileName: unknown): asserts fileName is string {
  if (
    typeof fileName === "string" &&
    fileName !== "" &&
    !isAbsolute(fileName) &&
    !/^\.\.(?:\/|$)/.test(normalize(fileName))
  )
    return;
  throw new Error(
    `The "fileName" or "name" properties of emitted chunks and assets must be strings that are neither absolute nor relative paths, received "${String(fileName)}".`,
  );
}

/** The files that the plugins of a build have added. */
export class EmittedFiles {
  readonly #assets = new Map<string, EmittedAsset>();
  readonly #modules: ModuleGraph;
  /** The template of names. */
  assetNames = "[name]-[hash].[ext]";
  /** Whether chunks beside those of the entry points are made. */
  splits = false;

  constructor(modules: ModuleGraph) {
    this.#modules = modules;
  }

  /** Adds a file and gives its reference. Throws about a kind, a name or a time that does not fit. */
  emit(file: unknown): string {
    const { type, name, fileName, source } = Object(file) as NewFile;
    const given = fileName ?? name;
    if (given !== undefined) checkName(given);
    if (type === "chunk") {
      if (!this.splits) throw new Error('emitFile() of the type "chunk" needs the option `splitting`');
      return this.#modules.emitChunk(file as object);
    }
    if (type !== "asset") throw new TypeError(`emitFile() does not know the type "${String(type)}"`);
    const asset: EmittedAsset = { fileName, name, source };
    if (fileName === undefined && source !== undefined) asset.fileName = this.#nameOf(name ?? "asset", source);
    // The bundler knows it by its name, so that code can refer to it.
    const reference =
      asset.fileName !== undefined && this.#modules.isOpen
        ? this.#modules.emitAsset(asset.fileName)
        : Bun.hash(`${this.#assets.size} ${given ?? ""}`).toString(36);
    this.#assets.set(reference, asset);
    return reference;
  }

  #assetOf(reference: string): EmittedAsset {
    const asset = this.#assets.get(reference);
    if (asset === undefined) throw new Error(`no emitted file has the reference "${reference}"`);
    return asset;
  }

  setSource(reference: string, source: string | Uint8Array): void {
    const asset = this.#assetOf(reference);
    asset.source = source;
    asset.fileName ??= this.#nameOf(asset.name ?? "asset", source);
  }

  nameOf(reference: string): string {
    if (!this.#assets.has(reference) && this.#modules.isOpen) return this.#modules.nameOf(reference);
    const { fileName } = this.#assetOf(reference);
    if (fileName === undefined)
      throw new Error(`the name of the emitted file "${reference}" depends on its source, which is not set`);
    return fileName;
  }

  #nameOf(name: string, source: string | Uint8Array): string {
    const { dir, name: stem, ext } = path.parse(name);
    const hash = Bun.hash(source).toString(36).padStart(8, "0").slice(0, 8);
    const made = this.assetNames
      .replaceAll("[dir]", "")
      .replaceAll("[name]", path.join(dir, stem))
      .replace(/\[hash\d*\]/g, hash)
      .replaceAll("[extname]", ext)
      .replaceAll("[ext]", ext.slice(1))
      .replace(/^[./]+/, "");
    const isTaken = (wanted: string) =>
      this.#assets.values().some((asset) => asset.fileName === wanted && asset.source !== source);
    const parts = path.parse(made);
    let unique = made;
    for (let n = 2; isTaken(unique); n++) unique = path.join(parts.dir, `${parts.name}${n}${parts.ext}`);
    return unique;
  }

  /** All files by their names. Throws about one whose source was never set. */
  all(): { fileName: string; name: string | undefined; source: string | Uint8Array }[] {
    return [...this.#assets.entries()].map(([reference, { fileName, name, source = "" }]) => {
      if (fileName === undefined)
        throw new Error(
          `Plugin error - Unable to get file name for asset "${reference}". Ensure that the source is set.`,
        );
      return { fileName, name, source };
    });
  }
}
