// expected: recorded from bun 1.4.5
// Bundles behave as their sources, whatever the target, the format and the options.
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const root = realpathSync(mkdtempSync(join(tmpdir(), "bundle-")));
process.chdir(root);
let count = 0;

function files(map) {
  const folder = join(root, `case${count++}`);
  for (const [path, text] of Object.entries(map)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

function runs(file) {
  const { stdout, stderr } = spawnSync(process.execPath, [file], { encoding: "utf8" });
  return (stdout + stderr).replaceAll(root, "ROOT").trimEnd();
}

async function show(name, map, options = {}, { entry = "index.ts", run = true } = {}) {
  const folder = files(map);
  const outdir = join(folder, "out");
  const { outputs } = await Bun.build({ entrypoints: [join(folder, entry)], outdir, target: "bun", ...options });
  console.log(`--- ${name}`);
  console.log([...new Set(outputs.map(({ kind, path }) => `${kind} ${path.slice(outdir.length + 1).replace(/^.*-[a-z0-9]{8}\.js$/, "HASH.js").replace(/-[a-z0-9]{8}\./, "-HASH.")}`))].join(", "));
  if (run) console.log(runs(outputs[0].path));
  return { folder, outputs };
}

const app = {
  "index.ts": `
    import { greet, type Name } from "./greet";
    import * as all from "./all";
    import text from "./note.txt";
    import data from "./data.json";
    import toml from "./data.toml";
    import yaml from "./data.yaml";
    import odd from "./odd.foo" with { type: "text" };
    const cjs = require("./old.cjs");
    enum Level { Low = 1, High = 2 }
    const name: Name = "bundle";
    console.log(greet(name), Object.keys(all).join(), text.trim(), data.list.length, toml.a.b, yaml.c[1], odd.trim());
    console.log(cjs.value, cjs.default ?? "no default", Level.High, process.env.NODE_ENV);
    console.log((await import("./later")).later);
  `,
  "greet.ts": `export type Name = string; export function greet(name: Name) { return "hello " + name; } export const unused = "never printed";`,
  "all.ts": `export const one = 1; export default 2; export * from "./more";`,
  "more.js": `export const more = "more";`,
  "note.txt": "a note\n",
  "odd.foo": "an odd file\n",
  "data.json": `{ "list": [1, 2, 3] }`,
  "data.toml": `[a]\nb = "toml"\n`,
  "data.yaml": "c:\n  - x\n  - y\n",
  "old.cjs": `exports.value = typeof require + typeof module.exports; `,
  "later.ts": `export const later = "later";`,
};
for (const target of ["bun", "node", "browser"]) await show(`target ${target}`, app, { target });
await show("splitting", app, { splitting: true });
await show("minify", app, { minify: true });
await show("production", app, { define: { "process.env.NODE_ENV": '"production"' } });
const { outputs: small } = await show("tree shaking", app, {});
console.log(readFileSync(small[0].path, "utf8").includes("never printed"));

await show("cjs", { "index.ts": `import { x } from "./x"; console.log(x, typeof module); module.exports = { y: x };`, "x.ts": "export const x = 3;" }, { format: "cjs" });
await show("iife", { "index.ts": `import { x } from "./x"; console.log(x); var leaked = 1;`, "x.ts": "export const x = 3;" }, { format: "iife" });
await show("cycle", {
  "index.ts": `import { a } from "./a"; console.log(a());`,
  "a.ts": `import { b } from "./b"; export const a = () => b() + "a"; export const word = "w";`,
  "b.ts": `import { word } from "./a"; export const b = () => word + "b";`,
});
await show("paths", { "index.ts": `console.log(__dirname.endsWith("out"), __filename.split("/").pop(), import.meta.main);` }, { external: ["x"] });
await show("define and drop", { "index.ts": `console.log(VERSION, typeof FLAG); debug.log("dropped"); if (FLAG) console.log("on"); else console.log("off");` }, {
  define: { VERSION: '"1.2.3"', FLAG: "false" },
  drop: ["debug"],
});
await show("banner and footer", { "index.ts": `console.log(typeof before, "body");` }, { banner: "globalThis.before = 1;", footer: 'console.log("footer");' });
await show("jsx", {
  "index.tsx": `const React = { createElement: (tag, props, ...children) => ({ tag, props, children }) }; console.log(JSON.stringify(<p id="x">{1 + 1}</p>));`,
  "tsconfig.json": `{ "compilerOptions": { "jsx": "react" } }`,
}, {}, { entry: "index.tsx" });
await show("tsconfig paths", {
  "index.ts": `import { lib } from "@lib/a"; console.log(lib);`,
  "src/lib/a.ts": `export const lib = "from paths";`,
  "tsconfig.json": `{ "compilerOptions": { "baseUrl": ".", "paths": { "@lib/*": ["src/lib/*"] } } }`,
});
await show("packages", {
  "index.ts": `import esm from "dual"; import { sub } from "dual/sub"; console.log(esm, sub);`,
  "node_modules/dual/package.json": `{ "name": "dual", "exports": { ".": { "import": "./m.mjs", "require": "./c.cjs" }, "./sub": "./sub.js" } }`,
  "node_modules/dual/m.mjs": `export default "esm";`,
  "node_modules/dual/c.cjs": `module.exports = "cjs";`,
  "node_modules/dual/sub.js": `exports.sub = "sub";`,
});
await show("external package", {
  "index.ts": `import ext from "ext"; console.log(ext);`,
  "node_modules/ext/package.json": `{ "name": "ext", "main": "i.js" }`,
  "node_modules/ext/i.js": `module.exports = "stays outside";`,
}, { packages: "external" });
const { outputs: assets } = await show("assets", { "index.ts": `import url from "./a.bin"; console.log(typeof url, url.replace(/-[a-z0-9]{8}/, "-HASH"));`, "a.bin": "\x00\x01" }, {});
console.log(readFileSync(assets[1].path).length);
const { outputs: maps } = await show("source maps", { "index.ts": `import { x } from "./x";\nconsole.log(x as number);`, "x.ts": "export let x: number = 5;\nx += 0;" }, { sourcemap: "linked" });
const map = JSON.parse(readFileSync(maps[1].path, "utf8"));
console.log(map.version, map.sources.map((path) => path.split("/").pop()).sort().join(), readFileSync(maps[0].path, "utf8").includes("sourceMappingURL=index.js.map"));

// Several entry points.
{
  const folder = files({ "a/one.ts": `import "../shared"; console.log("one");`, "b/two.ts": `import "../shared"; console.log("two");`, "shared.ts": `console.log("shared");` });
  const outdir = join(folder, "out");
  await Bun.build({ entrypoints: [join(folder, "a/one.ts"), join(folder, "b/two.ts")], outdir, target: "bun" });
  console.log("--- entries", readdirSync(outdir, { recursive: true }).sort().join());
  console.log(runs(join(outdir, "a/one.js")), runs(join(outdir, "b/two.js")));
}

// Virtual files, and results in memory.
{
  const { outputs } = await Bun.build({ entrypoints: ["/virtual/app.ts"], files: { "/virtual/app.ts": `import { v } from "./lib.ts"; console.log(v);`, "/virtual/lib.ts": `export const v: string = "virtual";` }, target: "bun" });
  const [{ kind, type }] = outputs;
  console.log("--- virtual", outputs.length, kind, type);
  writeFileSync("virtual.js", await outputs[0].text());
  console.log(runs("virtual.js"));
}

// Plugins.
{
  const folder = files({ "index.ts": `import a from "virtual:a"; import b from "./b.up"; import c from "gone"; console.log(a, b, c);`, "b.up": "shouted" });
  const order = [];
  const { outputs } = await Bun.build({
    entrypoints: [join(folder, "index.ts")],
    target: "bun",
    plugins: [
      {
        name: "test",
        setup(build) {
          build.onStart(() => void order.push("start"));
          build.onResolve({ filter: /^virtual:/ }, ({ path }) => ({ path: path.slice(8), namespace: "virtual" }));
          build.onLoad({ filter: /.*/, namespace: "virtual" }, async ({ path, namespace }) => ({ contents: `export default ${JSON.stringify(`${namespace}/${path}`)}`, loader: "js" }));
          build.onLoad({ filter: /\.up$/ }, async ({ path }) => ({ contents: `export default ${JSON.stringify((await Bun.file(path).text()).toUpperCase())}`, loader: "ts" }));
          build.onResolve({ filter: /^gone$/ }, () => ({ path: join(folder, "b.up") }));
          build.onEnd(({ success }) => void order.push(`end ${success}`));
        },
      },
    ],
  });
  writeFileSync("plugins.js", await outputs[0].text());
  console.log("--- plugins", runs("plugins.js"), order.join());
}

// What goes wrong.
async function fails(name, map, options = {}) {
  const folder = files(map);
  try {
    await Bun.build({ entrypoints: [join(folder, "index.ts")], ...options });
    console.log(name, "no error");
  } catch (error) {
    const shown = (error.errors ?? [error]).map((one) => `${one.name}: ${one.message} ${one.position?.line > 0 ? `${one.position.line}:${one.position.column}` : ""}`);
    console.log("---", name, "|", error.name, "|", error.message, "|", shown.join(" | ").replaceAll(folder, "DIR"));
  }
}
await fails("unresolved file", { "index.ts": `import a from "./nope";\nconsole.log(a);` });
await fails("unresolved package", { "index.ts": `import a from "nope";\nconsole.log(a);` });
await fails("plugin that throws", { "index.ts": `import "x:y";` }, { plugins: [{ name: "bad", setup: (build) => void build.onResolve({ filter: /^x:/ }, () => { throw new Error("on purpose"); }) }] });
const folder = files({ "index.ts": "const = ;" });
const failed = await Bun.build({ entrypoints: [join(folder, "index.ts")], throw: false });
console.log("--- throw: false", failed.success, failed.outputs.length, failed.logs.length > 0);
for (const bad of [undefined, {}, { entrypoints: "x" }, { entrypoints: ["a.ts"], target: "mars" }, { entrypoints: ["a.ts"], format: "umd" }]) {
  try {
    Bun.build(bad);
    console.log("no error");
  } catch (error) {
    console.log(error.name);
  }
}
process.chdir("/");
rmSync(root, { recursive: true });
