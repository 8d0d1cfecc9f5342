// The metafile for people: which modules make a result large, and who imports them, as Markdown (`--metafile-md`) and as text
// (`--analyze`). The sections and marks are Bun's, which tools search for.

interface Import {
  path: string;
  kind: string;
  original?: string;
  external?: boolean;
  /** The module that a chunk of its own begins with, if `path` is that chunk. */
  entryPoint?: string;
}

interface Output {
  bytes: number;
  entryPoint?: string;
  cssBundle?: string;
  inputs: { [path: string]: { bytesInOutput: number } };
  imports: Import[];
  exports: string[];
}

interface Metafile {
  inputs: { [path: string]: { bytes: number; imports: Import[]; format?: string } };
  outputs: { [path: string]: Output };
}

/** A number of bytes as people read it, as in Bun's table. */
export function sizeOf(bytes: number): string {
  if (bytes < 512) return `${bytes} bytes`;
  const units = ["KB", "MB", "GB"];
  let value = bytes / 1024;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${value.toFixed(2)} ${units[unit]}`;
}

const isPackage = (path: string) => path.includes("node_modules/");

/** Modules with a number, the largest first. */
function descending(numbers: Iterable<readonly [string, number]>): (readonly [string, number])[] {
  return [...numbers].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
}

/** What the sections are made of. */
class Graph {
  readonly total: number;
  readonly entries: [string, Output][];
  /** Bytes of modules in all results. */
  readonly contributions = new Map<string, number>();
  readonly importers = new Map<string, string[]>();
  readonly modules: Metafile["inputs"];
  readonly outputs: Metafile["outputs"];

  constructor({ inputs, outputs }: Metafile) {
    this.modules = inputs;
    this.outputs = outputs;
    const results = Object.entries(outputs);
    this.total = results.reduce((sum, [, { bytes }]) => sum + bytes, 0);
    this.entries = results.filter(([, { entryPoint }]) => entryPoint !== undefined);
    for (const path of Object.keys(inputs)) this.contributions.set(path, 0);
    for (const [, output] of results) {
      for (const [path, { bytesInOutput }] of Object.entries(output.inputs))
        this.contributions.set(path, (this.contributions.get(path) ?? 0) + bytesInOutput);
    }
    for (const [path, { imports }] of Object.entries(inputs)) {
      for (const one of imports) {
        const target = this.targetOf(one);
        if (target === undefined) continue;
        const list = this.importers.get(target) ?? [];
        if (!list.includes(path)) list.push(path);
        this.importers.set(target, list);
      }
    }
  }

  /** The module that an import leads to; undefined if it stays an import. */
  targetOf({ path, external, entryPoint }: Import): string | undefined {
    if (entryPoint !== undefined) return entryPoint;
    if (this.modules[path] !== undefined) return path;
    return external === true ? undefined : this.outputs[path]?.entryPoint;
  }

  /** The results that a result loads, at once or later, with how it does. */
  loadedBy(path: string): Map<string, string> {
    const found = new Map<string, string>();
    const stack = [path];
    while (stack.length !== 0) {
      for (const { path: next, kind, external } of this.outputs[stack.pop()!]?.imports ?? []) {
        if (external === true || found.has(next) || next === path) continue;
        found.set(next, kind);
        if (kind !== "dynamic-import") stack.push(next);
      }
    }
    return found;
  }
}

function summary(graph: Graph): string[] {
  const modules = Object.entries(graph.modules);
  const chunks = Object.keys(graph.outputs).filter(
    (path) => path.endsWith(".js") && graph.outputs[path]!.entryPoint === undefined,
  );
  const packages = modules.filter(([path]) => isPackage(path));
  const packageBytes = packages.reduce((sum, [path]) => sum + graph.contributions.get(path)!, 0);
  const external = new Set(
    modules.flatMap(([, { imports }]) =>
      imports.filter((one) => graph.targetOf(one) === undefined).map(({ path }) => path),
    ),
  );
  const rows: [string, string | number][] = [
    ["Total output size", sizeOf(graph.total)],
    ["Input modules", modules.length],
    ["Entry points", graph.entries.length],
  ];
  if (chunks.length !== 0) rows.push(["Code-split chunks", chunks.length]);
  if (packages.length !== 0)
    rows.push(["node_modules contribution", `${packages.length} files (${sizeOf(packageBytes)})`]);
  rows.push(["ESM modules", modules.filter(([, { format }]) => format === "esm").length]);
  const cjs = modules.filter(([, { format }]) => format === "cjs").length;
  if (cjs !== 0) rows.push(["CommonJS modules", cjs]);
  if (external.size !== 0) rows.push(["External imports", external.size]);
  return ["| Metric | Value |", "|--------|-------|", ...rows.map(([name, value]) => `| ${name} | ${value} |`)];
}

function largest(graph: Graph): string[] {
  const lines = [
    "Modules sorted by bytes contributed to the output bundle. Large modules may indicate bloat.",
    "",
    "| Output Bytes | % of Total | Module | Format |",
    "|--------------|------------|--------|--------|",
  ];
  for (const [path, bytes] of descending(graph.contributions)) {
    if (bytes === 0) continue;
    const share = graph.total === 0 ? 0 : (bytes / graph.total) * 100;
    lines.push(`| ${sizeOf(bytes)} | ${share.toFixed(1)}% | \`${path}\` | ${graph.modules[path]?.format ?? "-"} |`);
  }
  return lines;
}

const quoted = (names: readonly string[], separator: string) => names.map((name) => `\`${name}\``).join(separator);

function entries(graph: Graph): string[] {
  const lines = ["Each entry point and the total code it loads (including shared chunks)."];
  for (const [path, { entryPoint, bytes, cssBundle, exports, inputs }] of graph.entries) {
    lines.push(
      "",
      `### Entry: \`${entryPoint}\``,
      "",
      `**Output file**: \`${path}\``,
      `**Bundle size**: ${sizeOf(bytes)}`,
    );
    if (cssBundle !== undefined) lines.push(`**CSS bundle**: \`${cssBundle}\``);
    if (exports.length !== 0) lines.push(`**Exports**: ${quoted(exports, ", ")}`);
    const chunks = graph.loadedBy(path);
    if (chunks.size !== 0) {
      lines.push("", "**Loads these chunks** (code-splitting):");
      for (const [chunk, kind] of chunks)
        lines.push(`- \`${chunk}\` (${sizeOf(graph.outputs[chunk]?.bytes ?? 0)}, ${kind})`);
    }
    const parts = descending(Object.entries(inputs).map(([module, { bytesInOutput }]) => [module, bytesInOutput]));
    if (parts.length === 0) continue;
    lines.push("", "**Bundled modules** (sorted by contribution):", "", "| Bytes | Module |", "|-------|--------|");
    for (const [module, size] of parts) lines.push(`| ${sizeOf(size)} | \`${module}\` |`);
  }
  return lines;
}

function chains(graph: Graph): string[] {
  const lines = [
    "For each module, shows what files import it. Use this to understand why a module is included.",
    "",
    "### Most Commonly Imported Modules",
    "",
    "Modules imported by many files. Extracting these to shared chunks may help.",
    "",
    "| Import Count | Module | Imported By |",
    "|--------------|--------|-------------|",
  ];
  const counts = descending([...graph.importers].map(([path, importers]) => [path, importers.length] as const));
  for (const [path, count] of counts) {
    if (count < 2) break;
    const importers = graph.importers.get(path)!;
    const rest = importers.length > 5 ? `, ... (${importers.length - 5} more)` : "";
    lines.push(`| ${count} | \`${path}\` | ${quoted(importers.slice(0, 5), ", ")}${rest} |`);
  }
  return lines;
}

function moduleGraph(graph: Graph): string[] {
  const lines = ["Complete dependency information for each module."];
  for (const path of Object.keys(graph.modules).sort()) {
    const { imports, format } = graph.modules[path]!;
    lines.push("", `### \`${path}\``, "", `- **Output contribution**: ${sizeOf(graph.contributions.get(path)!)}`);
    if (format !== undefined) lines.push(`- **Format**: ${format}`);
    const importers = graph.importers.get(path) ?? [];
    lines.push(
      importers.length === 0
        ? "- **Imported by**: (entry point or orphan)"
        : `- **Imported by** (${importers.length} files): ${quoted(importers, " ")}`,
    );
    if (imports.length === 0) continue;
    lines.push("- **Imports**:");
    for (const one of imports) {
      const target = graph.targetOf(one);
      lines.push(
        target === undefined
          ? `  - \`${one.path}\` (${one.kind}, **external**)`
          : `  - \`${target}\` (${one.kind}, contributes ${sizeOf(graph.contributions.get(target) ?? 0)}, specifier: \`${one.original ?? one.path}\`)`,
      );
    }
  }
  return lines;
}

function rawData(graph: Graph): string[] {
  const fenced = (title: string, lines: string[]) => ["", `### ${title}`, "", "```", ...lines, "```"];
  const modules = descending(graph.contributions).flatMap(([path, bytes]) => [
    `[MODULE: ${path}]`,
    `[OUTPUT_BYTES: ${path} = ${bytes} bytes]`,
    ...(graph.modules[path]?.format === undefined ? [] : [`[FORMAT: ${path} = ${graph.modules[path].format}]`]),
    ...(isPackage(path) ? [`[NODE_MODULES: ${path}]`] : []),
  ]);
  const imports = Object.entries(graph.modules).flatMap(([path, { imports: all }]) =>
    all.map((one) => {
      const target = graph.targetOf(one);
      return target === undefined ? `[EXTERNAL: ${path} imports ${one.path}]` : `[IMPORT: ${path} -> ${target}]`;
    }),
  );
  const importers = [...graph.importers].flatMap(([path, all]) => all.map((one) => `[IMPORTED_BY: ${path} <- ${one}]`));
  const entryLines = graph.entries.map(
    ([path, { entryPoint, bytes }]) => `[ENTRY: ${entryPoint} -> ${path} (${bytes} bytes)]`,
  );
  const packages = [...graph.contributions].filter(([path]) => isPackage(path));
  return [
    "This section contains raw, grep-friendly data. Use these patterns:",
    "- `[MODULE:` - Find all modules",
    "- `[OUTPUT_BYTES:` - Find output contribution for each module",
    "- `[IMPORT:` - Find all import relationships",
    "- `[IMPORTED_BY:` - Find reverse dependencies",
    "- `[ENTRY:` - Find entry points",
    "- `[EXTERNAL:` - Find external imports",
    "- `[NODE_MODULES:` - Find node_modules files",
    ...fenced("All Modules", modules),
    ...fenced("All Imports", imports),
    ...fenced("Reverse Dependencies (Imported By)", importers),
    ...fenced("Entry Points", entryLines),
    ...(packages.length === 0
      ? []
      : fenced(
          "node_modules Summary",
          packages.map(([path, bytes]) => `[NODE_MODULES: ${path} (contributes ${bytes} bytes)]`),
        )),
  ];
}

/** The metafile as Markdown. */
export function markdownOf(metafile: Metafile): string {
  const graph = new Graph(metafile);
  const sections: [string, string[]][] = [
    ["Quick Summary", summary(graph)],
    ["Largest Modules by Output Contribution", largest(graph)],
    ["Entry Point Analysis", entries(graph)],
    ["Dependency Chains", chains(graph)],
    ["Full Module Graph", moduleGraph(graph)],
    ["Raw Data for Searching", rawData(graph)],
  ];
  const lines = [
    "# Bundle Analysis Report",
    "",
    "This report helps identify bundle size issues, dependency bloat, and optimization opportunities.",
    "",
    "## Table of Contents",
    "",
    ...sections.map(([title]) => `- [${title}](#${title.toLowerCase().replaceAll(" ", "-")})`),
    "",
    "---",
  ];
  for (const [title, text] of sections) lines.push("", `## ${title}`, "", ...text);
  return `${lines.join("\n")}\n`;
}
