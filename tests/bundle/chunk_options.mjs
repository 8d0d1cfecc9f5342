// expected: written by hand
// Options about chunks: what is required, small chunks, links that load chunks early, sheets in common, namespaces that can be assigned to.
import { spawnSync } from "node:child_process";
import { mkdtempSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = mkdtempSync(join(tmpdir(), "chunk-options-"));
process.chdir(root);
const write = (files) => {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, text);
  }
};
const run = (file, ...args) => {
  const { stdout, stderr } = spawnSync(file.endsWith(".js") ? process.execPath : file, file.endsWith(".js") ? [file, ...args] : args, { encoding: "utf8" });
  return (stdout + stderr).trim().replaceAll("\n", " | ");
};
/** The names of the results without their hashes, and the results by these names. */
const build = async (options) => {
  rmSync("out", { recursive: true, force: true });
  const made = await Bun.build({ outdir: "out", splitting: true, naming: { chunk: "[name]-[hash].[ext]" }, ...options });
  const plain = (path) => path.slice(path.lastIndexOf("/out/") + 5).replace(/-[a-z0-9]{8}\./, ".");
  return {
    names: made.outputs.map(({ path }) => plain(path)).sort().join(),
    texts: Object.fromEntries(await Promise.all(made.outputs.map(async (output) => [plain(output.path), await output.text()]))),
    metafile: made.metafile,
  };
};

// splitRequire
write({
  "r/main.js": `import { shared } from "./shared.js";
    console.log("main", shared);
    export function go() {
      const { a, default: b } = require("./esm.ts");
      console.log(a, b, require("./esm.ts").a, require("./cjs.js").c, require("./both.js").both);
    }
    import "./both.js";
    function unused() { return require("./gone.js"); }
    function shadowed(require) { return require("./esm.ts"); }
    console.log(shadowed((specifier) => specifier));
    if (process.argv[2] === "go") go();
    console.log("end");`,
  "r/esm.ts": `import { shared } from "./shared.js"; import { deep } from "./deep.js"; console.log("esm runs", shared as string);
    export const a = deep + 1; export default "default";`,
  "r/shared.js": `console.log("shared runs"); export const shared = "shared";`,
  "r/deep.js": `export const deep = 1;`,
  "r/cjs.js": `console.log("cjs runs"); exports.c = "c";`,
  "r/both.js": `console.log("both runs"); export const both = "both";`,
  "r/gone.js": `console.log("gone runs"); export const x = 1;`,
});
for (const minify of [false, true]) {
  const { names, texts } = await build({ entrypoints: ["./r/main.js"], target: "bun", minify });
  console.log(names, /import\.meta\.require\("\.\/esm-/.test(texts["main.js"]), Object.values(texts).some((text) => text.includes("baoRequire")));
  console.log(run("out/main.js"), "//", run("out/main.js", "go"));
}
const { names: noSplit } = await build({ entrypoints: ["./r/main.js"], target: "bun", splitRequire: false });
console.log(noSplit, run("out/main.js", "go"));
console.log((await build({ entrypoints: ["./r/main.js"], target: "node" })).names, run("out/main.js", "go"));
const { texts, metafile } = await build({ entrypoints: ["./r/main.js"], target: "bun", publicPath: "/p/", metafile: true });
console.log(texts["main.js"].match(/import\.meta\.require\("(.*?)-/)[1]);
const ofMain = metafile.inputs["r/main.js"].imports.filter(({ kind }) => kind === "require-call");
console.log(ofMain.map(({ original, path, entryPoint }) => `${original} ${path.replace(/-.*\./, ".")} ${entryPoint}`).sort().join(", "));
const told = spawnSync(process.execPath, ["build", "r/main.js", "--target=bun", "--splitting", "--outdir=told"], { encoding: "utf8" });
console.log(told.stdout.match(/Bundled \d+ modules/)[0], `[${told.stderr}]`);
await Bun.build({ entrypoints: ["./r/main.js"], splitting: true, compile: { outfile: "program", jitPolicy: 4 } });
console.log(run(join(root, "program"), "go"));

// minChunkSize: what is small and runs nothing goes where more is loaded.
const large = `export const large = "${"x".repeat(20_000)}";`;
write({
  "m/a.js": `import { large } from "./large.js"; import { small } from "./small.js"; import { effect } from "./effect.js"; console.log("a", large.length, small(), effect);`,
  "m/b.js": `import { large } from "./large.js"; import { small } from "./small.js"; import { effect } from "./effect.js"; console.log("b", large.length, small(), effect);`,
  "m/c.js": `import { large } from "./large.js"; import { tiny } from "./tiny.js"; console.log("c", large.length, tiny());`,
  "m/d.js": `import { large } from "./large.js"; import { tiny } from "./tiny.js"; console.log("d", large.length, tiny());`,
  "m/large.js": large,
  "m/small.js": `import { large } from "./large.js"; export function small() { return "small" + large.length; }`,
  "m/tiny.js": `export function tiny() { return "tiny"; }`,
  "m/effect.js": `console.log("effect runs"); export const effect = "effect";`,
});
const entrypoints = ["a", "b", "c", "d"].map((name) => `./m/${name}.js`);
for (const minChunkSize of [0, 30, 1000]) {
  const { names, texts } = await build({ entrypoints, target: "bun", minChunkSize });
  console.log(minChunkSize, names, Object.keys(texts).filter((name) => texts[name].includes("function small")).join());
  console.log(["a", "b", "c", "d"].map((name) => run(`out/${name}.js`)).join(" / "));
}

// modulePreload: a page, and import() in it.
write({
  "p/index.html": `<html><head></head><body><script type="module" src="./main.js"></script></body></html>`,
  "p/other.html": `<html><head></head><body><script type="module" src="./other.js"></script></body></html>`,
  "p/main.js": `import { shared } from "./shared.js"; console.log("main", shared()); globalThis.later = () => import("./lazy.js").then((m) => m.run());
    globalThis.__preload = 1;`,
  "p/other.js": `import { shared } from "./shared.js"; import { deep } from "./deep.js"; console.log("other", shared(), deep());
    globalThis.later = async () => (await import("./lazy.js")).run(await import("./leaf.js"));`,
  "p/shared.js": `console.log("shared runs"); export function shared() { return "shared"; }`,
  "p/deep.js": `import { shared } from "./shared.js"; console.log("deep runs"); export function deep() { return "deep " + shared(); }`,
  "p/lazy.js": `import { deep } from "./deep.js"; export function run() { console.log("lazy", deep()); }`,
  "p/leaf.js": `export const leaf = 1;`,
  "p/document.js": `
    const links = [];
    globalThis.document = {
      querySelectorAll: () => [],
      querySelector: () => ({ nonce: "", getAttribute: () => "n0" }),
      createElement: (name) => ({ name }),
      head: { appendChild: (link) => links.push(link) },
    };
    for (let i = 0; i < 2; i++) {
      await import(process.argv[2]);
      await globalThis.later();
    }
    console.log(links.length, links.map(({ name, rel, crossOrigin, nonce, href }) =>
      [name, rel, JSON.stringify(crossOrigin), nonce, href.replace(/^.*[/](out[/])?/, "").replace(/-.*[.]/, ".")].join(" ")).join(", "));`,
});
const links = (text) => [...text.matchAll(/<link rel="modulepreload" crossorigin href="(.*?)-/g)].map((found) => found[1]).join();
for (const options of [{}, { minify: true }, { publicPath: "/p/" }, { modulePreload: false }, { splitting: false }]) {
  const { texts } = await build({ entrypoints: ["./p/index.html", "./p/other.html"], ...options });
  console.log(JSON.stringify(options), `[${links(texts["index.html"])}] [${links(texts["other.html"])}]`, texts["index.js"].includes("modulepreload"));
  if (options.publicPath !== undefined) continue;
  for (const name of ["index", "other"]) {
    console.log(run("p/document.js", join(root, "out", readdirSync("out").find((file) => new RegExp(`^${name}-.*js$`).test(file) && readFileSync(join("out", file), "utf8").includes("later")))));
  }
}

// cssChunking
write({
  "c/one.js": `import "./a.css"; import "./b.css"; console.log(1);`,
  "c/two.js": `import "./a.css"; import "./b.css"; console.log(2);`,
  "c/three.js": `import "./b.css"; import "./a.css"; console.log(3);`,
  "c/a.css": `a { color: red }`,
  "c/b.css": `b { color: red }`,
});
for (const cssChunking of [false, true]) {
  const { names, metafile } = await build({ entrypoints: ["./c/one.js", "./c/two.js", "./c/three.js"], splitting: false, cssChunking, metafile: true });
  console.log(names, Object.values(metafile.outputs).map(({ cssBundle }) => cssBundle).filter(Boolean).join());
}

// deprecatedNamespaceObjectSetters
write({
  "n/main.js": `import * as names from "./names.js"; const all = globalThis.none ?? names;
    try { all.x = 5; console.log("kept", all.x); } catch (error) { console.log(error.name); }`,
  "n/names.js": `export let x = 1;`,
});
for (const deprecatedNamespaceObjectSetters of [undefined, false, true]) {
  await build({ entrypoints: ["./n/main.js"], target: "bun", deprecatedNamespaceObjectSetters });
  console.log(deprecatedNamespaceObjectSetters, run("out/main.js"));
}

// Values that mean nothing.
for (const options of [{ minChunkSize: -1 }, { minChunkSize: 1.5 }, { minChunkSize: "1" }, { minChunkSize: 1 }, { compile: { jitPolicy: 0.5 } }, { compile: { jitPolicy: "2" } }]) {
  try {
    console.log((await Bun.build({ entrypoints: ["./n/main.js"], ...options })).success);
  } catch (error) {
    console.log(error.name, error.code, error.message);
  }
}
for (const words of [["--min-chunk-size=x", "--splitting"], ["--min-chunk-size=1"], ["--compile-jit-policy=2"], ["--compile", "--compile-jit-policy=0"]]) {
  const { status, stderr } = spawnSync(process.execPath, ["build", "n/main.js", "--outfile=none", ...words], { encoding: "utf8" });
  console.log(status, stderr.split("\n")[0]);
}

// Entry points that import each other run only where they are imported, whatever the sizes.
write({
  "e/a.js": 'export const a = () => require("./both.js").v; console.log("a", a());',
  "e/b.js": 'import "./c.js"; console.log("b");',
  "e/c.js": 'import "./small.js"; export const c = () => import("./small.js").then((all) => all.small); console.log("c"); c().then(console.log);',
  "e/small.js": 'export const later = () => import("./both.js").then((all) => all.v); import { v } from "./both.js"; export const get = () => v; export const small = 2;',
  "e/both.js": "export const v = 1;",
});
for (const minChunkSize of [0, 1, 1000]) {
  await build({ entrypoints: ["./e/a.js", "./e/b.js", "./e/c.js"], target: "bun", minChunkSize });
  console.log(minChunkSize, ["a", "b", "c"].map((name) => run(`out/${name}.js`)).join("; "));
}
process.chdir("/");
rmSync(root, { recursive: true });
