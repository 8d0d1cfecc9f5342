// Style sheets: what stays an import, files that stand in a sheet, compositions of modules, mistakes.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "bundle-sheets-"));
process.on("exit", () => rmSync(folder, { recursive: true }));
process.chdir(folder);

mkdirSync("node_modules/pkg", { recursive: true });
writeFileSync("node_modules/pkg/dot.png", "package");

function write(files) {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, ".."), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

/** The results of a build by name, without hashes and white space at the ends of lines; or its mistakes. */
async function show(options) {
  const { outputs, logs } = await Bun.build({ throw: false, ...options });
  for (const { message, position } of logs) console.log(`${position?.file.split("/").at(-1)}: ${message}`);
  for (const output of outputs) {
    const name = output.path.replace(/-[a-z0-9]{8}\./, "-HASH.");
    console.log(name, output.size < 2000 ? (await output.text()).replace(/-[a-z0-9]{8}\./g, "-HASH.").trim() : "");
  }
}

console.log("# imports of other hosts");
write({ "far.css": '@import "https://example.com/print.css" print;\n@import url(//example.com/x.css);\na { color: red }\n' });
await show({ entrypoints: ["far.css"] });

console.log("# conditions inside of one another, layers, and what stays an import");
write({
  "way.css": `@layer reset, theme;
@import "./inner.css" layer(theme) supports(display: grid) screen;
@import "./inner.css" layer(reset);
@import "https://example.com/late.css" print;
.way { color: red }`,
  "inner.css": `@import "./leaf/leaf.css" (min-width: 100px);
@import url(//example.com/x.css) supports(color: red);
.inner { color: blue }`,
  "leaf/leaf.css": '@import "../inner.css";\n.leaf { background: url(./leaf.bin) }',
  "leaf/leaf.bin": "x",
  "twice.css": '@import "./a.css" print; @import "./b.css" supports(top: 0); @import "./a.css" supports(left: 0) print; @import "./b.css" supports(top: 0);',
  "a.css": ".a { color: red }",
  "b.css": '@import "./a.css" screen; .b { color: red }',
});
await show({ entrypoints: ["way.css"] });
await show({ entrypoints: ["twice.css"], minify: true });
const many = Object.fromEntries(Array.from({ length: 14 }, (_, i) => [`many${i}.css`, `@import "./many${i + 1}.css" print; @import "./many${i + 1}.css" supports(top: ${i}px);`]));
write({ ...many, "many14.css": ".many { color: red }" });
await show({ entrypoints: ["many0.css"] });
console.log(spawnSync(process.execPath, ["build", "a.css"], { encoding: "utf8" }).stdout.trim());

console.log("# small files");
write({
  "files.css": `
    .png { background: url(./dot.png) }
    .svg { background: url("./dot.svg#part") }
    .txt { background: url(./note.txt) }
    .big { background: url(./big.bin) }
    .pkg { background: url(pkg/dot.png) }`,
  "dot.png": Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
  "dot.svg": "<svg/>",
  "note.txt": "text",
  "big.bin": Buffer.alloc(128 * 1024 + 1),
});
await show({ entrypoints: ["files.css"] });

console.log("# compositions");
write({
  "styles.module.css": `
    .a { composes: plain from global; composes: b; color: red }
    .b { composes: c; top: 0 }
    .c { composes: own from "./styles.module.css"; left: 0 }
    .own { composes: own; right: 0 }
    .far { composes: x from "./other.module.css"; composes: y from "./other.module.css" }`,
  "other.module.css": ".x { composes: z; bottom: 0 }\n.y { composes: z; margin: 0 }\n.z { padding: 0 }\n",
  "styles.js": 'import styles from "./styles.module.css"; export default styles;',
});
const { outputs } = await Bun.build({ entrypoints: ["styles.js"], outdir: "out" });
const { default: styles } = await import(join(folder, "out/styles.js"));
for (const name of Object.keys(styles).sort()) console.log(name, styles[name].replace(/_[\w-]{6}\b/g, ""));
console.log(outputs.length);

console.log("# mistakes");
write({
  "code.ts": "export default 1;",
  "data.json": "{}",
  "imports.css": '@import "./code.ts";\n',
  "codes.css": "a { background: url(./code.ts) }\nb { background: url(./data.json) }\n",
  "urls.css": "a { background: url(gone/a.png?b) }\nb { background: url(./gone.png#c) }\n",
  "name.module.css": ".a { composes: gone }\n",
  "id.module.css": ".a { composes: #gone }\n",
  "file.module.css": '.a { composes: b from "./note.txt" }\n',
  "far.module.css": '.a { composes: gone from "./other.module.css" }\n',
  ...Object.fromEntries(["name", "id", "file", "far"].map((name) => [`${name}.js`, `import styles from "./${name}.module.css"; console.log(styles);`])),
});
for (const entry of ["imports.css", "codes.css", "urls.css", "name.js", "id.js", "file.js", "far.js"]) {
  console.log(`- ${entry}`);
  await show({ entrypoints: [entry] });
}
