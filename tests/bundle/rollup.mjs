// expected: written by hand
// Plugins of Rollup run unchanged: virtual modules, transform with maps, renderChunk, generateBundle, emitted files.
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = mkdtempSync(join(tmpdir(), "rollup-"));
process.chdir(root);
writeFileSync("index.ts", 'import data from "virtual:data";\nimport page from "./page.vue";\nimport { n } from "./n";\nconsole.log(data, page, n);\n');
writeFileSync("page.vue", "<template>hello</template>\n");
writeFileSync("n.ts", "export const n: number = 1;\nthrowIfNegative(n);\nfunction throwIfNegative(n: number) { if (n < 0) throw new Error(); }\n");
writeFileSync("ignored.js", "");
const calls = [];

const virtual = {
  name: "virtual",
  resolveId(source) {
    if (source === "virtual:data") return "\0virtual:data";
    return null;
  },
  load(id) {
    if (id === "\0virtual:data") return "export default 'virtual data'";
    return null;
  },
};
const vue = {
  name: "vue",
  transform: {
    order: "pre",
    handler(code, id) {
      if (!id.endsWith(".vue")) return null;
      this.emitFile({ type: "asset", fileName: "page.css", source: ".page {}" });
      return { code: `export default ${JSON.stringify(code.trim())}`, map: null };
    },
  },
};
const counting = {
  name: "counting",
  buildStart() {
    calls.push("buildStart");
  },
  transform(code, id) {
    if (id.endsWith("n.ts")) return code.replace("= 1", "= 41 + 1");
  },
  renderStart() {
    calls.push("renderStart");
  },
  renderChunk(code, chunk, { format }) {
    calls.push(`renderChunk ${chunk.isEntry} ${format} ${chunk.moduleIds.length > 2}`);
    return { code: `${code}\nconsole.log("rendered");\n`, map: null };
  },
  async generateBundle(_options, bundle) {
    const names = Object.keys(bundle).sort();
    calls.push(`generateBundle ${names.join()}`);
    const entry = Object.values(bundle).find(({ type, isEntry }) => type === "chunk" && isEntry);
    entry.code += 'console.log("generated");\n';
    delete bundle["page.css"];
    this.emitFile({ type: "asset", fileName: "late.txt", source: "emitted late" });
  },
  buildEnd(error) {
    calls.push(`buildEnd ${error === undefined}`);
  },
  writeBundle() {
    calls.push("writeBundle");
  },
  closeBundle() {
    calls.push("closeBundle");
  },
};
const { outputs, logs } = await Bun.build({
  entrypoints: ["./index.ts"],
  outdir: "out",
  target: "bun",
  plugins: [virtual, [vue, false], counting, { name: "only for the server", apply: "serve", load: () => "throw 1" }],
});
console.log(calls.join("\n"));
console.log(outputs.map(({ kind, path }) => `${kind} ${path.slice(root.length + 1)}`).join(), logs.length);
console.log(spawnSync(process.execPath, ["out/index.js"], { encoding: "utf8" }).stdout.trim());
console.log(readFileSync("out/late.txt", "utf8"), readdirSync("out").sort().join());

// The order of hooks, and their filters.
writeFileSync("order.ts", 'import { n } from "./n";\nconsole.log(n);\n');
const asked = [];
const looking = (name, options) => ({
  name,
  transform: { ...options, handler: (_code, id) => void asked.push(`${name}: ${id.split("/").pop()}`) },
});
const order = await Bun.build({
  entrypoints: ["./order.ts"],
  target: "bun",
  plugins: [looking("last", { order: "post" }), looking("middle", {}), looking("first", { order: "pre" }), looking("then", { order: "pre" })],
});
console.log(order.success, asked.filter((text) => text.endsWith("n.ts")).join(", "));
asked.length = 0;
const both = (name, filter) => looking(name, { filter });
let resolved = [];
await Bun.build({
  entrypoints: ["./order.ts"],
  target: "bun",
  plugins: [
    { name: "only for the server", apply: "serve", options: () => null },
    both("regular expression", { id: /\/n\.ts$/g }),
    both("glob", { id: "**/order.ts" }),
    both("glob in the folder", { id: { include: ["*.ts"], exclude: [/n\.ts$/] } }),
    both("glob elsewhere", { id: "src/*.ts" }),
    both("code", { code: "throwIfNegative" }),
    both("one of them", { code: ["nothing", /console\.\w/] }),
    both("all of them", { id: /n\.ts$/, code: "console" }),
    both("excluded", { code: { exclude: "console" } }),
    both("kind", { moduleType: ["css", "ts"] }),
    both("other kind", { moduleType: { include: "tsx" } }),
    { name: "resolve", resolveId: { filter: { id: /^\.\/n/ }, handler: (source) => void resolved.push(source) } },
    { name: "load", load: { filter: { id: "**/nothing.*" }, handler: (id) => void resolved.push(id) } },
  ],
});
console.log(`${asked.sort().join("\n")}\n${resolved.join()}`);

// Names that lead out of the folder of the results.
for (const fileName of ["/absolute.txt", "../up.txt", "a/../../up.txt"]) {
  const emitting = { name: "emitting", buildStart() { this.emitFile({ type: "asset", fileName, source: "" }); } };
  const adding = { name: "adding", generateBundle: (_options, bundle) => void (bundle["x"] = { type: "asset", fileName, source: "" }) };
  for (const plugin of [emitting, adding]) {
    const { success, logs } = await Bun.build({ entrypoints: ["./order.ts"], target: "bun", outdir: "names", throw: false, plugins: [plugin] });
    console.log(success, plugin.name, logs[0].message.replace(/^.*received/, ""));
  }
}
const prefixed = await Bun.build({
  entrypoints: ["./order.ts"],
  target: "bun",
  plugins: [{ name: "a", banner: "// a" }, { name: "b", banner: { order: "pre", handler: () => "// b" } }],
});
console.log((await prefixed.outputs[0].text()).split("\n").filter((line) => /^\/\/ [ab]$/.test(line)).join());

// A plugin that asks for what it is asked for: each question is asked once, and what it tells is passed on.
const again = {
  name: "again",
  async resolveId(source, importer, { custom }) {
    if (!source.startsWith("./")) return null;
    if (custom.again !== undefined) return custom.again;
    const found = await this.resolve(source, importer);
    return this.resolve(source, importer, { skipSelf: false, custom: { again: { ...found, id: found.id.replace("n.ts", "page.vue") } } });
  },
  load: (id) => (id.endsWith("page.vue") ? "export const n = 'asked again'" : null),
};
const twice = await Bun.build({ entrypoints: ["./order.ts"], target: "bun", outdir: "twice", plugins: [again] });
console.log(twice.success, spawnSync(process.execPath, ["twice/order.js"], { encoding: "utf8" }).stdout.trim());

// Options are shown.
let shown = "";
await Bun.build({ entrypoints: ["./order.ts"], target: "bun", plugins: [{ name: "o", options: ({ input }) => void (shown += input), outputOptions: ({ format }) => void (shown += format) }] });
console.log(shown);

// A virtual module that imports another; none of them has a namespace.
writeFileSync("helped.ts", 'import { help } from "helper";\nconsole.log(help);\n');
const kinds = [];
const helper = {
  name: "helper",
  resolveId: (source, importer) => (source === "helper" || (source === "word" && importer === "\0helper") ? `\0${source}` : null),
  load: (id) => ({ "\0helper": 'export { help } from "word";', "\0word": 'export const help = "helped";' })[id],
  transform: (_code, id, { moduleType }) => void kinds.push(`${id.split(/[/\0]/).pop()} ${moduleType}`),
};
await Bun.build({ entrypoints: ["./helped.ts"], target: "bun", outdir: "helped", plugins: [helper] });
console.log(spawnSync(process.execPath, ["helped/helped.js"], { encoding: "utf8" }).stdout.trim(), kinds.sort().join());

// Modules made of data and of sheets; what is changed and stays data keeps its loader.
writeFileSync("data.json", '{ "n": 1 }');
writeFileSync("kept.json", '{ "n": "OLD export default" }');
writeFileSync("sheet.css", "a { color: red }");
writeFileSync("data.ts", 'import { n } from "./data.json";\nimport kept from "./kept.json";\nimport css from "./sheet.css";\nconsole.log(n, kept.n, css);\n');
const making = {
  name: "making",
  transform(code, id) {
    if (id.endsWith("data.json")) return `export const n = ${JSON.parse(code).n + 1};`;
    if (id.endsWith("kept.json")) return code.replace("OLD", "new");
    if (id.endsWith(".css")) return `export default ${JSON.stringify(code)};`;
  },
};
await Bun.build({ entrypoints: ["./data.ts"], target: "bun", outdir: "made", plugins: [making] });
console.log(spawnSync(process.execPath, ["made/data.js"], { encoding: "utf8" }).stdout.trim(), readdirSync("made").join());

// Plugins of both kinds, in their order.
const seen = [];
const mixed = await Bun.build({
  entrypoints: ["./index.ts"],
  target: "bun",
  plugins: [
    { name: "bun", setup: (build) => void build.onLoad({ filter: /\.vue$/ }, () => ({ contents: "export default 'by bun'", loader: "js" })) },
    virtual,
    { name: "look", transform: (_code, id) => void seen.push(id.split(/[/\0]/).pop()) },
  ],
});
writeFileSync("mixed.js", await mixed.outputs[0].text());
console.log(spawnSync(process.execPath, ["mixed.js"], { encoding: "utf8" }).stdout.trim(), seen.sort().join());

// The map of a transform leads to the source.
mkdirSync("maps");
writeFileSync("maps/a.ts", "const a = 1;\nthrow new Error('here');\n");
const shift = {
  name: "shift",
  transform(code) {
    return { code: `/* one */\n/* two */\n${code}`, map: { version: 3, sources: [join(root, "maps/a.ts")], sourcesContent: [code], names: [], mappings: ";;AAAA;AACA" } };
  },
};
const mapped = await Bun.build({ entrypoints: ["./maps/a.ts"], target: "bun", sourcemap: "external", plugins: [shift] });
const map = JSON.parse(await mapped.outputs[1].text());
console.log(map.sources.map((source) => source.split("/").pop()).join(), map.sourcesContent[0].startsWith("const a"));

// Waiting for all other modules, however long it takes to find them.
writeFileSync("slow.ts", 'import "slow:module";\n');
writeFileSync("index.ts", `import "./slow";\n${readFileSync("index.ts", "utf8")}`);
const turns = [];
await Bun.build({
  entrypoints: ["./index.ts"],
  target: "bun",
  plugins: [
    virtual,
    {
      name: "defer",
      setup(build) {
        build.onLoad({ filter: /\.vue$/ }, async ({ defer }) => {
          await defer();
          turns.push("vue");
          return { contents: "export default 1", loader: "js" };
        });
        build.onResolve({ filter: /^slow:/ }, async () => {
          await Bun.sleep(700);
          return { path: "module", namespace: "slow" };
        });
        build.onLoad({ filter: /.*/, namespace: "slow" }, () => {
          turns.push("slow");
          return { contents: "", loader: "js" };
        });
        build.onLoad({ filter: /n\.ts$/ }, async () => {
          await Bun.sleep(20);
          turns.push("n");
          return { contents: "export const n = 1", loader: "js" };
        });
      },
    },
  ],
});
console.log(turns.join());
process.chdir("/");
rmSync(root, { recursive: true });
