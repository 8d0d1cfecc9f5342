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

// Waiting for all other modules.
const order = [];
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
          order.push("vue");
          return { contents: "export default 1", loader: "js" };
        });
        build.onLoad({ filter: /n\.ts$/ }, async () => {
          await Bun.sleep(20);
          order.push("n");
          return { contents: "export const n = 1", loader: "js" };
        });
      },
    },
  ],
});
console.log(order.join());
process.chdir("/");
rmSync(root, { recursive: true });
