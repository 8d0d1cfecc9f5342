// expected: written by hand (as bun 1.4.5, but that CommonJS works for `!==`, too)
// What asks whether it is the program's first module: only the entry point is, whatever is bundled with it.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = mkdtempSync(join(tmpdir(), "bundle-main-"));
process.chdir(root);
mkdirSync("out");
const files = {
  "lib.ts": 'if (import.meta.main) console.log("lib runs");\nexport const lib = [import.meta.main, require.main === module, module !== require.main];',
  "old.cjs": 'if (require.main === module) console.log("old runs");\nexports.old = require.main !== module;',
  "entry.ts": 'import { lib } from "./lib.ts";\nimport { old } from "./old.cjs";\nconsole.log(lib.join(), old, import.meta.main, !import.meta.main);\nif (import.meta.main) console.log("entry runs");\n',
  "plain.ts": 'if (import.meta.main) console.log("plain runs");',
  "old-entry.cjs": 'const { old } = require("./old.cjs");\nif (require.main === module) console.log("old entry runs", old);\nif (module != require.main) console.log("never");',
  "second.ts": 'import "./third.ts";\nconsole.log("second", import.meta.main);',
  "third.ts": 'console.log("third", import.meta.main);',
  "defined.ts": "console.log(import.meta.main);",
};
for (const [name, text] of Object.entries(files)) writeFileSync(name, text);
const run = (file) => spawnSync(process.execPath, [file], { encoding: "utf8" }).stdout.trim().replaceAll("\n", " | ");

async function built(entry, options = {}) {
  const result = await Bun.build({ entrypoints: [`./${entry}`], target: "bun", ...options });
  const text = await result.outputs[0].text();
  const file = `out/${entry.replace(/\W/g, "_")}.${options.format === "cjs" ? "cjs" : "mjs"}`;
  writeFileSync(file, text);
  return file;
}

for (const options of [{}, { minify: true }, { format: "cjs" }, { format: "cjs", minify: true }, { target: "node" }, { metafile: true }, { define: { "process.env.X": '"1"' } }]) {
  console.log(JSON.stringify(options));
  for (const entry of ["entry.ts", "plain.ts", "old-entry.cjs"]) console.log(" ", run(await built(entry, options)));
  // Another program that begins with something else.
  writeFileSync("out/other.cjs", `import("./${(await built("entry.ts", options)).slice(4)}")`);
  console.log(" ", run("out/other.cjs"));
}

// Entry points that share modules, one of which imports the other; built apart they are as their files say.
const result = await Bun.build({ entrypoints: ["./second.ts", "./third.ts"], splitting: true, outdir: "split", target: "bun" });
console.log(result.success, run("split/second.js"), "/", run("split/third.js"));
console.log(run(await built("defined.ts", { define: { "import.meta.main": '"told"' } })));
const virtual = await Bun.build({ entrypoints: ["./virtual.ts"], target: "bun", files: { "./virtual.ts": 'import "./lib.ts"; console.log("virtual", import.meta.main);' } });
writeFileSync("out/virtual.mjs", await virtual.outputs[0].text());
console.log(run("out/virtual.mjs"));
process.chdir("/");
rmSync(root, { recursive: true });
