// BuildArtifact, a file of the results of Bun.build: https://bun.com/docs/bundler#outputs
import { Blob } from "web/blob";

const kMake = Symbol("kMake");

const types: { [extension: string]: string } = {
  js: "text/javascript;charset=utf-8",
  css: "text/css;charset=utf-8",
  map: "application/json;charset=utf-8",
};

interface Parts {
  path: string;
  loader: string;
  hash: string | null;
  kind: string;
  sourcemap: BuildArtifact | null;
}

/** A result: a Blob with the place that it has, or would have. */
export class BuildArtifact extends Blob {
  #parts: Parts;

  constructor(key?: unknown, bytes: Uint8Array = new Uint8Array(), type = "", parts?: Parts) {
    if (key !== kMake || parts === undefined) throw new TypeError("Illegal constructor");
    super([bytes], { type });
    this.#parts = parts;
  }

  /** Absolute if the build has an output folder, else relative and beginning with `./`. */
  get path(): string {
    return this.#parts.path;
  }
  /** The loader of the source, `file` for what is copied. */
  get loader(): string {
    return this.#parts.loader;
  }
  get hash(): string | null {
    return this.#parts.hash;
  }
  /** `entry-point`, `chunk`, `asset` or `sourcemap`. */
  get kind(): string {
    return this.#parts.kind;
  }
  get sourcemap(): BuildArtifact | null {
    return this.#parts.sourcemap;
  }

  get [Symbol.toStringTag](): string {
    return "BuildArtifact";
  }

  [Symbol.for("nodejs.util.inspect.custom")](
    _depth: unknown,
    options: object,
    inspect: (value: unknown, options: object) => string,
  ) {
    const { path, loader, kind, hash, size, type, sourcemap } = this;
    return `BuildArtifact (${kind}) ${inspect({ path, loader, kind, hash, size, type, sourcemap }, options)}`;
  }
}

/** An artifact; `type` of its content comes from its name. Code is code under any name, but for executables. */
export function makeArtifact(bytes: Uint8Array, parts: Parts, isExecutable = false): BuildArtifact {
  const { path, kind, loader } = parts;
  const isCode = (kind === "entry-point" || kind === "chunk") && loader !== "html" && loader !== "css" && !isExecutable;
  const type = isCode
    ? types["js"]!
    : (types[path.slice(path.lastIndexOf(".") + 1)] ?? require("bun/mime").typeOf(path));
  return new BuildArtifact(kMake, bytes, type, parts);
}
