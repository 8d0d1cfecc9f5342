// expected: written by hand (Bun 1.4.5 gives the same but for what the comments say)
// onBeforeParse: functions of an addon that see modules before they are parsed, on any thread.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker, isMainThread, workerData } from "node:worker_threads";

if (!isMainThread) {
  await build({ entrypoints: ["many.js"] }, [[/\.js$/, "replace"]], workerData);
  process.exit();
}

const require = createRequire(import.meta.url);
const { build: compile } = require("../napi/support/build.cjs");
const file = compile("../../bundle/support/native_plugin.c", "native_plugin.node");
const notPlugin = compile("values.c");
const root = mkdtempSync(join(tmpdir(), "native-plugins-"));
process.chdir(root);
writeFileSync("one.js", 'import two from "./two.js";\nconsole.log("ONE", "ONE", two);\n');
writeFileSync("two.js", 'export default "ONE of two";\n');
writeFileSync("plain.js", "console.log(typeof 1);\n");
writeFileSync("text.js", "console.log('as text ONE');\n");
writeFileSync("import_text.js", 'import text from "./text.js";\nconsole.log(text);\n');
writeFileSync("virtual.js", 'import made from "virtual:one";\nimport kept from "virtual:two";\nconsole.log(made, kept);\n');
writeFileSync("data.js", 'import data from "./data.json";\nconsole.log(data);\n');
writeFileSync("data.json", '{ "count": "ONE" }');
mkdirSync("many");
const many = Array.from({ length: 300 }, (_, n) => n);
for (const n of many) writeFileSync(`many/${n}.js`, `export default "ONE${n}";\n`);
writeFileSync("many.js", `${many.map((n) => `import n${n} from "./many/${n}.js";`).join("\n")}\nconsole.log([${many.map((n) => `n${n}`)}].filter((text) => text.startsWith("TWO")).length);\n`);

/** A build with functions of the addon: each is a filter, a name, and perhaps a namespace. */
async function build(options, functions, path, external, setup = () => {}) {
  const napiModule = createRequire(import.meta.url)(path);
  const plugin = {
    name: "native",
    setup(builder) {
      for (const [filter, symbol, namespace] of functions) {
        const same = builder.onBeforeParse({ filter, namespace }, { napiModule, symbol, external });
        if (same !== builder) throw new Error("onBeforeParse gives the builder");
      }
      setup(builder, napiModule);
    },
  };
  return Bun.build({ ...options, plugins: [plugin], throw: false });
}

const run = async (result) => {
  if (!result.success) return result.logs.map(({ level, message, position }) => `${level}: ${message}${position ? ` (${position.line}:${position.column} ${position.lineText})` : ""}`).join("; ");
  await Bun.write("out.mjs", result.outputs[0]);
  return spawnSync(process.execPath, ["out.mjs"], { encoding: "utf8" }).stdout.trim();
};
const one = (name, functions, external) => build({ entrypoints: [name] }, functions, file, external);

const addon = require(file);
const counter = addon.counter();
console.log("replaces:", await run(await one("one.js", [[/\.js$/, "replace"]], counter)), addon.counts(counter));
console.log("leaves alone:", await run(await one("plain.js", [[/\.js$/, "replace"]])));
console.log("the first that changes it:", await run(await one("two.js", [[/plain/, "fail"], [/\.js$/, "replace"], [/\.js$/, "fail"]])) === "");
console.log("in place:", await run(await one("one.js", [[/\.js$/, "in_place"]])));
console.log("another loader:", await run(await one("import_text.js", [[/[/]text\.js$/, "as_text"]])));
console.log("a loader that is none:", await run(await one("plain.js", [[/\.js$/, "odd_loader"]])));
console.log("a length that is none:", await run(await one("plain.js", [[/\.js$/, "too_long"]])));
console.log("free without a context:", await run(await one("plain.js", [[/\.js$/, "no_context"]])));
console.log("an error:", await run(await one("plain.js", [[/\.js$/, "fail"]])));
const warned = await one("plain.js", [[/\.js$/, "warn"]]);
console.log("warnings:", warned.success, warned.logs.map(({ level, message }) => `${level} ${message}`));
console.log("missing file:", (await one("gone.js", [[/\.js$/, "replace"]])).success);
const onLoad = (builder) => {
  builder.onResolve({ filter: /^virtual:/ }, ({ path }) => ({ path: path.slice(8), namespace: "virtual" }));
  builder.onLoad({ filter: /two/, namespace: "virtual" }, () => ({ contents: 'export default "ONE by onLoad"', loader: "js" }));
};
console.log("namespaces:", await run(await build({ entrypoints: ["virtual.js"] }, [[/one/, "make", "virtual"], [/two/, "replace", "virtual"]], file, undefined, onLoad)));
console.log("data:", await run(await one("data.js", [[/\.json$/, "replace"]])));
const all = addon.counter();
console.log("300 modules:", await run(await one("many.js", [[/many[/]/, "replace"]], all)), addon.counts(all));

for (const [what, plugin] of Object.entries({
  "no addon": { napiModule: {}, symbol: "replace" },
  number: { napiModule: 420, symbol: "replace" },
  "no plugin": { napiModule: require(notPlugin), symbol: "replace" },
  "no symbol": { napiModule: addon, symbol: "gone" },
  "symbol is a number": { napiModule: addon, symbol: 1 },
  "no external": { napiModule: addon, symbol: "replace", external: {} },
})) {
  const setup = (builder) => builder.onBeforeParse({ filter: /./ }, plugin);
  await Bun.build({ entrypoints: ["plain.js"], plugins: [{ name: "wrong", setup }] }).then(
    () => console.log(`${what}: no error`),
    (error) => console.log(`${what}: ${error}`),
  );
}

// A worker that ends while its plugin is at work: calls of the bundler are over before the addon ends.
for (let n = 0; n < 3; n++) {
  const worker = new Worker(new URL(import.meta.url), { workerData: file });
  await new Promise((resolve) => worker.once("online", resolve));
  console.log("terminated:", await worker.terminate().then(() => true));
}

// A fault names the plugin.
writeFileSync("fault.mjs", `await Bun.build({ entrypoints: ["plain.js"], plugins: [{ name: "x", setup(build) { build.onBeforeParse({ filter: /./ }, { napiModule: require(${JSON.stringify(file)}), symbol: "fault" }); } }] });`);
const { signal, stderr } = spawnSync(process.execPath, ["fault.mjs"], { encoding: "utf8" });
console.log(signal, stderr.includes('"test plugin"\x1b[0m native plugin'), stderr.includes("native_plugin.node, fault"));

process.chdir("/");
rmSync(root, { recursive: true });
