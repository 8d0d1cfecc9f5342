// expected: written by hand
// Sources, options and plugins that are wrong: each is told with its place, nothing hangs, and nothing is written.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = realpathSync(mkdtempSync(join(tmpdir(), "bad-")));
process.chdir(root);

function place({ position }) {
  if (!position) return "";
  return ` @ ${position.file.replace(root, "DIR")}${position.line > 0 ? `:${position.line}:${position.column}` : ""}`;
}

async function fails(name, files, options = {}) {
  for (const [path, text] of Object.entries(files)) writeFileSync(path, text);
  const { success, logs } = await Bun.build({ entrypoints: ["./index.ts"], target: "bun", throw: false, ...options });
  const shown = logs.map((log) => `${log.message.replaceAll(root, "DIR")}${place(log)}`);
  console.log(`${name} | ${success ? "built" : "failed"}${shown.map((line) => `\n  ${line}`).join("")}`);
}

// A syntax error in every loader.
for (const [extension, text] of [
  ["js", "let a = 1;\nconst = 2;"],
  ["jsx", "export default <div>\n  <p></div>;"],
  ["ts", "type A = ;\nexport {};"],
  ["tsx", "const a: = <b/>;"],
  ["mjs", "export default (1;"],
  ["cjs", "module.exports = {"],
  ["json", '{\n  "a": 1,,\n}'],
  ["jsonc", "{ // comment\n  a }"],
  ["json5", "{ a: }"],
  ["toml", "a = 1\nb = ="],
  ["yaml", "a: [1, 2"],
]) {
  writeFileSync(`bad.${extension}`, text);
  await fails(extension, { "index.ts": `import x from "./bad.${extension}"; console.log(x);` });
}
await fails("css", { "index.ts": 'import "./bad.css";', "bad.css": "a { color: red;\n} }\n@import 5;" });
await fails("css modules", { "index.ts": 'import s from "./bad.module.css"; console.log(s);', "bad.module.css": ".a { composes: b from './gone.module.css'; }" });

// Imports that lead nowhere.
await fails("unresolved", { "index.ts": 'import "./gone";\nimport "gone-package";\nrequire("./gone-too");\ntry { require("./optional"); } catch {}' });
await fails("folder", { "index.ts": 'import "./";' });
mkdirSync("empty-folder", { recursive: true });
await fails("folder without index", { "index.ts": 'import "./empty-folder";' });
symlinkSync("loop-b.ts", "loop-a.ts");
symlinkSync("loop-a.ts", "loop-b.ts");
await fails("symlink loop", { "index.ts": 'import "./loop-a.ts";' });
await fails("entry point in a symlink loop", {}, { entrypoints: ["./loop-a.ts"] });
await fails("entry point that is a folder", {}, { entrypoints: ["./empty-folder"] });
await fails("no entry point", {}, { entrypoints: ["./nobody.ts"] });

// What is no text.
writeFileSync("latin1.ts", Buffer.from([0x65, 0x78, 0x70, 0x6f, 0x72, 0x74, 0x20, 0x64, 0x65, 0x66, 0x61, 0x75, 0x6c, 0x74, 0x20, 0x22, 0xe9, 0x22, 0x3b]));
await fails("not UTF-8", { "index.ts": 'import x from "./latin1.ts"; console.log(x);' });
writeFileSync("latin1.css", Buffer.from('a { content: "\xe9"; }', "latin1"));
await fails("style sheet that is not UTF-8", {}, { entrypoints: ["./latin1.css"] });
writeFileSync("utf16.ts", Buffer.from("\ufeffexport default 1;", "utf16le"));
await fails("UTF-16", { "index.ts": 'import x from "./utf16.ts"; console.log(x);' });

// What is wrong below a page that a module for a server imports.
await fails("page of a server", { "index.ts": 'import page from "./page.html"; console.log(page);', "page.html": "<script src=./bad.jsx></script>" });

// Rules of modules.
await fails("const", { "index.ts": "const a = 1;\na = 2;" });
await fails("import", { "index.ts": 'import { x } from "./other";\nx = 2;', "other.ts": "export let x = 1;" });
await fails("declared twice", { "index.ts": "let a = 1;\nlet a = 2;" });
await fails("export that is not there", { "index.ts": 'import { y } from "./other";\nconsole.log(y);' });
await fails("return", { "index.ts": "export {};\nif (1) return;" });
await fails("top-level await behind require", { "index.ts": 'require("./later");', "later.ts": "await 1; export {};" });
await fails("unknown specifier", { "index.ts": "const x = process.argv[2];\nimport(`./a/${x}.js`);\nrequire(x);" }, { allowUnresolved: ["./b/*"] });
await fails("known shape", { "index.ts": "const x = process.argv[2];\nimport(`./a/${x}.js`);" }, { allowUnresolved: ["./a/*.js"] });
await fails("feature", { "index.ts": 'import { feature } from "bun:bundle";\nconst on = feature("A");\nif (feature(on)) feature();' });

// Names of results.
const fine = { "index.ts": "console.log(1);", "other.ts": "console.log(2);" };
await fails("same names", fine, { entrypoints: ["./index.ts", "./other.ts"], outdir: "out", naming: "[dir]/one.js" });
await fails("an entry point twice", fine, { entrypoints: ["./index.ts", "./index.ts"], outdir: "twice" });
await fails("over its source", { ...fine, "over.js": "console.log('source');" }, { entrypoints: ["./over.js"], outdir: root });
console.log(readFileSync("over.js", "utf8"), existsSync("out"));
writeFileSync("is-a-file", "");
await fails("outdir below a file", fine, { outdir: "is-a-file/out" });
// Nobody can make folders there, not even root.
await fails("outdir that cannot be written", fine, { outdir: "/proc/bad/out" });

// Plugins.
const plugin = (setup) => ({ plugins: [{ name: "p", setup }] });
await fails("setup that throws", fine, plugin(() => { throw new Error("in setup"); }));
await fails("onStart that throws", fine, plugin((build) => void build.onStart(() => { throw new Error("in onStart"); })));
await fails("onResolve that throws", fine, plugin((build) => void build.onResolve({ filter: /.*/ }, () => { throw new Error("in onResolve"); })));
await fails("onResolve with a number", fine, plugin((build) => void build.onResolve({ filter: /.*/ }, () => 1)));
await fails("onResolve with a path that is none", fine, plugin((build) => void build.onResolve({ filter: /.*/ }, () => ({ path: 1 }))));
await fails("onLoad that throws", fine, plugin((build) => void build.onLoad({ filter: /.*/ }, async () => { throw new TypeError("in onLoad"); })));
await fails("onLoad without contents", fine, plugin((build) => void build.onLoad({ filter: /.*/ }, () => ({ loader: "ts" }))));
await fails("onLoad with an unknown loader", fine, plugin((build) => void build.onLoad({ filter: /.*/ }, () => ({ contents: "", loader: "cobol" }))));
await fails("onLoad with a syntax error", fine, plugin((build) => void build.onLoad({ filter: /index/ }, () => ({ contents: "a b", loader: "ts" }))));
await fails("namespace that nobody loads", { "index.ts": 'import "x:y";' }, plugin((build) => void build.onResolve({ filter: /^x:/ }, () => ({ path: "y", namespace: "x" }))));
await fails("defer twice", fine, plugin((build) => void build.onLoad({ filter: /index/ }, async ({ defer }) => { await defer(); await defer(); return { contents: "" }; })));
await fails("hook of Rollup that is not there", fine, { plugins: [{ name: "r", renderDynamicImport() {}, transform() {} }] });
await fails("only a hook of Rollup that is not there", fine, { plugins: [{ name: "r", renderDynamicImport() {} }] });
await fails("options of Rollup", fine, { plugins: [{ name: "r", load() {}, options: () => ({ treeshake: false }) }] });
await fails("output options of Rollup", fine, { plugins: [{ name: "r", options: (given) => given, outputOptions: () => ({ preserveModules: true }) }] });
await fails("filter of Rollup that is not there", fine, { plugins: [{ name: "r", load: { filter: { code: "1" }, handler() {} } }] });
await fails("hook of Rollup that throws", fine, { plugins: [{ name: "r", transform() { this.error("in transform"); } }] });

console.log(readdirSync(".").filter((name) => name === "out" || name.startsWith(".bao")).join());
process.chdir("/");
rmSync(root, { recursive: true });
