// Modules of a ShadowRealm: files, compiled once more for the realm, with state of their own. They see neither built-in modules nor the
// program's hooks, as in Node.
import { codes } from "internal/core/errors";
import type { Holder } from "internal/vm/import";

const ops = native("vm");

type ModuleRecord = ReturnType<typeof ops.compileModule>[0];

/** Extensions that are compiled as ES modules. */
const MODULES = /\.m?[jt]s$/;

export class RealmModules {
  readonly #global: object;
  /** By the path of the file with its query. */
  readonly #records = new Map<string, ModuleRecord>();
  /** Makes a TypeError of the realm. */
  readonly #typeError: (message: string) => unknown;

  constructor(global: object, typeError: (message: string) => unknown) {
    this.#global = global;
    this.#typeError = typeError;
  }

  /**
   * The namespace of an evaluated module, in a promise of this realm. Rejects with errors of this realm where it is not found or
   * cannot be linked, and with what it throws.
   */
  async namespace(specifier: string, importer: string): Promise<Record<string, unknown>> {
    const record = this.#find(specifier, importer);
    await this.#evaluate(record);
    return ops.moduleNamespace(record);
  }

  /** What `import()` of a text in the realm gives, whose importer is the working directory. What it rejects with is the realm's. */
  async load(specifier: string, importer: string): Promise<ModuleRecord> {
    try {
      const record = this.#find(specifier, importer);
      await this.#evaluate(record);
      return record;
    } catch (error) {
      throw this.#typeError(textOf(error));
    }
  }

  #evaluate(record: ModuleRecord): Promise<void> {
    ops.linkModule(record);
    const [state, value, promise] = ops.evaluateModule(record, this.#global, 0, false);
    if (state === 1) return Promise.resolve();
    if (state === 2) return Promise.reject(value);
    // A promise of this realm: that one is of the other.
    return new Promise((resolve, reject) => {
      Promise.prototype.then.call(promise, () => resolve(), reject);
    });
  }

  #find(specifier: string, importer: string, type?: string): ModuleRecord {
    if (type !== undefined) throw new codes.ERR_NOT_IMPLEMENTED(`a module of type '${type}' in a ShadowRealm`);
    const [kind, name, suffix] = native("loader").resolve(specifier, importer, false);
    if (kind === "builtin") {
      const isPlain = !specifier.startsWith("node:");
      throw new Error(isPlain ? `Cannot find package '${specifier}'` : `No such built-in module: ${specifier}`);
    }
    const url = kind === "url" ? name : require("node:url").pathToFileURL(name).href + (suffix ?? "");
    let record = this.#records.get(url);
    if (record === undefined) {
      record = this.#compile(name, url);
      this.#records.set(url, record);
    }
    return record;
  }

  #compile(path: string, url: string): ModuleRecord {
    if (!MODULES.test(path)) {
      throw new Error(`only ES modules can be loaded in a ShadowRealm in bao, which ${url} is not`);
    }
    let text: string = require("node:fs").readFileSync(path, "utf8");
    if (/\.m?ts$/.test(path)) text = require("node:module").stripTypeScriptTypes(text, { mode: "transform" });
    const holder: Holder = {
      load: (specifier, type, dynamic) => (dynamic ? this.load(specifier, path) : this.#find(specifier, path, type)),
      meta: (meta) => {
        Object.defineProperty(meta, "url", { value: url, writable: true, enumerable: true, configurable: true });
      },
    };
    return ops.compileModule(text, url, 1, 1, this.#global, holder)[0];
  }
}

/** What an error of another realm is told as: its name and its message. */
export function textOf(error: unknown): string {
  try {
    if (typeof error === "object" && error !== null) return `${(error as Error).name}: ${(error as Error).message}`;
    return String(error);
  } catch {
    return "an error that cannot be shown";
  }
}
