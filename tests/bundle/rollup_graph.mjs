// expected: written by hand (Rollup 4.60 gives the same facts)
// What plugins of Rollup ask about modules and add to them, hooks about chunks, filters by expressions, and changed options.
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = mkdtempSync(join(tmpdir(), "rollup-graph-"));
process.chdir(root);
const files = {
  "main.js": 'import { a } from "./a.js";\nimport { unused } from "./pure.js";\nimport "outside";\nexport const main = a;\nexport default () => import("./later.js");\n',
  "a.js": 'export const a = "a";\nexport { b } from "./b.js";\n',
  "b.js": "export const b = 'b';\n",
  "pure.js": "globalThis.pure = true;\nexport const unused = 1;\n",
  "later.js": 'console.log("later");\n',
  "worker.js": 'console.log("worker", import.meta.url.endsWith("worker.js"));\n',
  "plain.js": 'console.log("plain");\n',
};
for (const [name, text] of Object.entries(files)) writeFileSync(name, text);
const short = (id) => id.replace(`${root}/`, "");
/** What a result prints; it is told not to look for packages elsewhere. */
const run = (file) => {
  const { stdout, stderr } = spawnSync(process.execPath, ["--no-install", file], { encoding: "utf8" });
  return stdout.trim() || stderr.trim().split("\n").find((line) => line.includes("rror"));
};
const build = (plugins, options = {}) =>
  Bun.build({ entrypoints: ["./main.js"], target: "node", outdir: "out", splitting: true, external: ["outside"], throw: false, plugins, ...options });
const text = (name) => readFileSync(join("out", name), "utf8");

// Syntax trees.
await build([{
  name: "parse",
  buildStart() {
    const { type, body } = this.parse("const n = 10n, r = /a(?<b>c)/u; export { n };");
    console.log(type, body.map((node) => `${node.type} ${node.start}-${node.end}`).join(), body[0].declarations.map(({ init }) => init.value));
    console.log(this.parse("'é'; x()").body[1].start, this.parse("return 1", { allowReturnOutsideFunction: true }).body[0].type, this.parse("<a/>", { jsx: true }).body[0].expression.type);
    try {
      this.parse("let a;\nlet = ;");
    } catch ({ code, pos, loc }) {
      console.log(code, pos, loc);
    }
  },
}]);

// What is known of modules.
const parsed = [];
const { success } = await build([{
  name: "facts",
  async transform(code, id) {
    if (id.endsWith("a.js")) {
      const resolved = await this.resolve("./b.js", id);
      const info = await this.load({ ...resolved, meta: { facts: { early: true } } });
      parsed.push(`loaded ${short(info.id)}: ${info.code.trim()} | ${info.exports} | ${JSON.stringify(info.meta)} | ${info.isEntry}`);
    }
    if (id.endsWith("pure.js")) return { code, map: null, moduleSideEffects: false };
  },
  moduleParsed({ id, exports, importedIds, dynamicallyImportedIds, hasDefaultExport, isIncluded }) {
    parsed.push(`parsed ${short(id)}: ${exports} | ${importedIds.map(short)} | ${dynamicallyImportedIds.map(short)} | ${hasDefaultExport} ${isIncluded}`);
  },
  buildEnd() {
    const ids = [...this.getModuleIds()].map(short).sort();
    console.log(ids.join());
    for (const name of ["a.js", "b.js", "later.js", "pure.js"]) {
      const info = this.getModuleInfo(join(root, name));
      console.log(name, info.importers.map(short).join(), info.dynamicImporters.map(short).join(), info.isEntry, info.moduleSideEffects, info === this.getModuleInfo(info.id), info.ast.type);
    }
    const { isExternal, code } = this.getModuleInfo("outside");
    console.log(isExternal, code, this.getModuleInfo("nothing"), this.getModuleInfo(join(root, "main.js")).importedIdResolutions.map(({ id, external }) => `${short(id)} ${external}`).join());
  },
  generateBundle(_options, bundle) {
    const chunk = bundle["main.js"];
    console.log(chunk.type, chunk.name, chunk.isEntry, chunk.exports.join(), chunk.imports.join(), chunk.dynamicImports.length, Object.keys(chunk.modules).map(short).join());
    console.log(chunk.modules[join(root, "a.js")].renderedExports, this.getModuleInfo(join(root, "b.js")).isIncluded);
  },
}]);
console.log(success, parsed.sort().join("\n"));
console.log("pure is out:", !text("main.js").includes("globalThis.pure"));

// A plugin that reads the entry point while it is looked for, and asks about a module that is being read.
const early = [];
const first = await build([{
  name: "early",
  async resolveId(source, importer, options) {
    if (!options.isEntry) return null;
    const found = await this.resolve(source, importer, options);
    const loading = this.load(found);
    early.push(`asked for: ${this.getModuleInfo(found.id).exports}`);
    const { id, exports } = await loading;
    early.push(`${short(id)} ${exports.join()}`);
    return found;
  },
  transform(_code, id) {
    early.push(`being read: ${this.getModuleInfo(id).id === id}`);
  },
}], { entrypoints: ["./a.js"] });
console.log(first.success, early.join("; "));

// Chunks and files that plugins add, and code that refers to them.
rmSync("out", { recursive: true });
const emitting = (extra = {}) => ({
  name: "emit",
  resolveId: (source) => (source === "outside" ? "\0outside" : null),
  load: (id) => (id === "\0outside" ? "" : null),
  transform(code, id) {
    if (!id.endsWith("main.js")) return null;
    const chunk = this.emitFile({ type: "chunk", id: "./worker.js", importer: id, name: "work" });
    const asset = this.emitFile({ type: "asset", name: "note.txt", source: "a note" });
    return `${code}\nconsole.log([import.meta.ROLLUP_FILE_URL_${chunk}, import.meta.ROLLUP_FILE_URL_${asset}].map((url) => String(url).split("/").pop()).join());`;
  },
  ...extra,
});
const naming = { entry: "[name].[ext]", chunk: "[name].[ext]", asset: "[name].[ext]" };
for (const resolveFileUrl of [undefined, ({ fileName, relativePath, format }) => JSON.stringify(`/cdn/${format} ${relativePath === fileName}`)]) {
  const result = await build([emitting(resolveFileUrl && { resolveFileUrl })], { naming, external: [] });
  console.log(result.success, result.logs.map(({ message }) => message).join(), readdirSync("out").sort().join());
  console.log(run("out/main.js"), run("out/work.js"), readFileSync("out/note.txt", "utf8"));
}
const unsplit = await build([emitting()], { splitting: false });
console.log(unsplit.success, unsplit.logs[0].message);

// Hooks about chunks and their names.
const hashes = new Set();
for (const hash of ["1", "2", "1"]) {
  const { outputs } = await build([{
    name: "around",
    banner: "/* banner */",
    intro: ({ fileName, isEntry }) => `/* intro ${isEntry} ${fileName.startsWith("main")} */`,
    outro: { order: "pre", handler: async () => "/* outro */" },
    footer: () => "/* footer */",
    augmentChunkHash: ({ isEntry }) => (isEntry ? hash : undefined),
  }, { name: "second", banner: () => "/* second */", intro: "/* more */" }], { naming: "[name]-[hash].[ext]" });
  const code = await outputs[0].text();
  hashes.add(outputs[0].path);
  if (hash === "2") console.log(code.match(/\/\* [a-z].*?\*\//g).join(""));
}
console.log("hashes:", hashes.size);

// import() and import.meta.
writeFileSync("dynamic.js", 'console.log(typeof import.meta.url, import.meta.custom, import.meta["custom"], Object.keys(import.meta).join());\nimport("node:kept")\n  .catch(() => console.log("kept"))\n  .then(() => import("./nowhere.js"))\n  .then(({ default: value }) => console.log(value));\n');
for (const format of ["esm", "cjs"]) {
  const seen = [];
  const result = await build([{
    name: "dynamic",
    resolveDynamicImport: (specifier, importer) => (specifier === "./nowhere.js" ? `./there.js` : specifier === "node:kept" && short(importer) === "dynamic.js" ? false : null),
    load: (id) => (id.endsWith("/there.js") ? "export default 'there';" : null),
    resolveImportMeta(property, { moduleId, format, chunkId }) {
      seen.push(`${property} ${short(moduleId)} ${format} ${chunkId}`);
      if (property === "custom") return JSON.stringify("from the plugin");
      if (property === null) return "({ all: 1 })";
      return null;
    },
  }], { entrypoints: ["./dynamic.js"], format });
  console.log(result.success, result.logs.map(({ message }) => message).join(), seen.join("; "));
  console.log(run("out/dynamic.js"));
}

// Filters by expressions.
const include = (expr) => ({ kind: "include", expr });
const exclude = (expr) => ({ kind: "exclude", expr });
const id = (pattern, cleanUrl = false) => ({ kind: "id", pattern, params: { cleanUrl } });
const asked = [];
const filtered = (name, filter, hook = "transform") => ({ name, [hook]: { filter, handler: (_code, other) => void asked.push(`${name}: ${short(hook === "transform" ? other : _code)}`) } });
writeFileSync("queries.js", 'import "./plain.js?raw&x=1";\nimport "./plain.js";\nimport "./a.js";\n');
await build([
  filtered("id", [include(id(/plain\.js$/))]),
  filtered("clean", [include(id(/plain\.js$/, true))]),
  filtered("not", [include({ kind: "not", expr: id(/plain|queries/) })]),
  filtered("and", [include({ kind: "and", args: [id(/js/), { kind: "code", pattern: "plain" }] })]),
  filtered("or", [include({ kind: "or", args: [id(/\/a\.js/), id(/\/b\.js/)] })]),
  filtered("query", [include({ kind: "query", key: "x", pattern: "1" })]),
  filtered("no query", [exclude({ kind: "query", key: "raw", pattern: true }), exclude(id(/\/[ab]\.js/))]),
  filtered("type", [include({ kind: "moduleType", pattern: "jsx" }), exclude(id(/./))]),
  filtered("importer", [include({ kind: "importerId", pattern: /\/a\.js$/ })], "resolveId"),
], { entrypoints: ["./queries.js"] });
console.log([...new Set(asked)].sort().join("\n"));
for (const filter of [[{ kind: "id" }], [include({ kind: "odd" })], [include(id(1))]]) {
  const wrong = await build([filtered("wrong", filter)]);
  console.log(wrong.success, wrong.logs[0].message);
}

// Options that plugins change.
const told = [];
const optioned = await build([{
  name: "options",
  options: (options) => ({ ...options, input: ["./plain.js", "./dynamic.js"], external: [/nowhere/], plugins: [options.plugins, { name: "added", buildStart: ({ input }) => void told.push(input.join()), onLog: (level, { message, plugin }) => void told.push(`${level} ${message} ${plugin}`) }] }),
  outputOptions: (options) => ({ ...options, entryFileNames: "entry-[name].js", banner: "/* by options */", sourcemap: true }),
  buildStart() {
    this.info("information");
    this.warn({ message: "a warning", code: "W" });
    this.debug(() => "later");
  },
}], { external: [] });
console.log(optioned.success, optioned.outputs.map(({ kind, path }) => `${kind} ${short(path)}`).filter((line) => !line.startsWith("chunk")).join(), told.join("; "));
const dynamic = await optioned.outputs.find(({ path }) => path.endsWith("entry-dynamic.js")).text();
console.log(dynamic.includes("/* by options */"), dynamic.includes('import("./nowhere.js")'), optioned.logs.map(({ message }) => message).join());

// A cache belongs to a name.
const caches = [];
const caching = (name) => ({ name, buildStart() { try { this.cache.set("n", (this.cache.get("n") ?? 0) + 1); caches.push(`${this.cache.has("n")} ${this.cache.get("n")} ${this.cache.delete("n")} ${this.cache.has("n")}`); } catch ({ message }) { caches.push(message.slice(0, 34)); } } });
await build([caching("one"), caching(), caching("two"), caching("two")]);
console.log(caches.join("; "));

// Texts that nest too deeply are errors, and modules belong to their build.
const kept = [];
const late = (act) => { try { return String(act()); } catch ({ message }) { return message; } };
const deep = ["(".repeat(1e5) + ")".repeat(1e5), "[".repeat(2e4) + "]".repeat(2e4), "1" + "+1".repeat(1e5)];
await build([{ name: "parses", moduleParsed(info) { kept.push(info); }, buildStart() { for (const text of deep) kept.push(late(() => this.parse(text).type)); } }]);
console.log(kept.splice(0, 3).join("; "), "|", late(() => kept[0].isEntry), "|", late(() => kept[0].code));

// What a build has failed with.
for (const hook of ["transform", "renderChunk"]) {
  const ends = [];
  const plugin = { name: "fails", [hook]() { throw new Error(`in ${hook}`); }, buildEnd: (error) => void ends.push(`buildEnd ${error?.message}`), renderStart: () => void ends.push("renderStart"), renderError: (error) => void ends.push(`renderError ${error.message}`), closeBundle: () => void ends.push("closeBundle") };
  console.log((await build([plugin])).success, ends.join(", "));
}

process.chdir("/");
rmSync(root, { recursive: true });
