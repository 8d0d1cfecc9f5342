// A module of the development server's graph, and what is told of its mistakes.

/** A mistake in a file, as the overlay shows it. Lines and columns count from 1; 0 if there is no place. */
export interface Problem {
  file: string;
  level: "error" | "warn";
  text: string;
  line: number;
  column: number;
  length: number;
  lineText: string;
  notes: string[];
}

/** What `devModule` gives. */
export interface Converted {
  problems?: { text: string; line: number; column: number; length: number; lineText: string; notes: string | null }[];
  code: string;
  map: string | null;
  kind: "esm" | "cjs";
  isAsync: boolean;
  isStrict: boolean;
  directives: string[];
  exports: string[];
  barrel: { exports: [exported: string, specifier: string, imported: string][]; always: string[] } | null;
  dependencies: Dependency[];
}

export interface Dependency {
  specifier: string;
  /** How it is written, if that is not the specifier: a page's URL from its root. */
  written?: string;
  kind: "import" | "dynamic" | "require";
  attribute: string | null;
  /** The graph that it names by `bunBakeGraph`. */
  graph: string | null;
  names: string[];
  /** Whether it wants all names. */
  isWhole: boolean;
  optional: boolean;
  line: number;
  column: number;
  lineText: string;
}

/** How a module is kept: what it is decides what a change of it means for pages. */
export type Kind = "script" | "sheet" | "asset" | "page";

/** An import: specifier, and the module or the id that it leads to. */
export interface Edge {
  specifier: string;
  target: Module | string;
  isStatic: boolean;
}

/** A module of the graph. */
export class Module {
  /** A path, or `namespace:path`. */
  readonly key: string;
  /** What pages call it: the path from the root, with `/`. */
  readonly id: string;
  readonly kind: Kind;
  flags = 0;
  code = "";
  /** The source map as JSON; undefined if positions are those of the source. */
  map: string | undefined = undefined;
  /** The text of the source, for source maps. */
  source = "";
  edges: Edge[] = [];
  importers = new Set<Module>();
  problems: Problem[] = [];
  /** Files whose change changes it. */
  inputs: string[] = [];
  /** Folders in which a file may come that it misses. */
  missing: string[] = [];
  /** Of a style sheet: its text with all that it imports. Of an asset: its bytes. Of a page: its text. */
  sheet = "";
  bytes: Uint8Array | undefined = undefined;
  /** Of an asset its URL. */
  url = "";
  /** Of a page: what each of its references has become. */
  references: { kind: string; url: string; target: Module | undefined }[] = [];
  /** Of a style sheet: the files that it refers to, by their URLs. */
  copies = new Map<string, Module>();
  /** Of the index file of a package: what it passes on, and what of that somebody wants (`*`: all). */
  barrel: Converted["barrel"] = null;
  dependencies: Dependency[] = [];
  wanted = new Set<string>();
  /** Whether it stands on the server for a module with "use client"; that one has the same key in the graph of the client. */
  isBoundary = false;
  /** The names that it exports by itself, of a script. */
  exports: string[] = [];
  /** While it is being loaded. */
  loading: Promise<void> | undefined = undefined;
  /** Counts its versions. */
  version = 0;
  /** Whether the last version differs from the one before in its code. */
  hasNewCode = true;

  constructor(key: string, id: string, kind: Kind) {
    this.key = key;
    this.id = id;
    this.kind = kind;
  }

  /** The style sheet's name in URLs: it stays when the text changes. */
  get sheetId(): string {
    return hex(this.id);
  }
}

/** 16 digits that stand for a text or for bytes. */
export function hex(value: string | Uint8Array): string {
  const { hash } = require("bun/hash");
  return BigInt.asUintN(64, hash(value)).toString(16).padStart(16, "0");
}
