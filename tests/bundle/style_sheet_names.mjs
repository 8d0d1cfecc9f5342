// expected: written by hand
// A plain style sheet in a bundle has a default export, an object, as in Bun; any other name is an error.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "bundle-sheet-names-"));
process.on("exit", () => rmSync(folder, { recursive: true }));
writeFileSync(join(folder, "a.css"), "a { color: red }");
writeFileSync(join(folder, "main.js"), `import sheet from "./a.css"; import * as all from "./a.css"; import "./a.css";
const { default: later } = await import("./a.css"); console.log(JSON.stringify([sheet, Object.keys(all), later, require("./a.css").default]), sheet.x);`);
writeFileSync(join(folder, "wrong.js"), `import { missing } from "./a.css"; console.log(missing);`);
for (const options of [{}, { minify: true }, { splitting: true }]) {
  const { outputs } = await Bun.build({ entrypoints: [join(folder, "main.js")], target: "node", outdir: join(folder, "out"), ...options });
  console.log(outputs.map(({ path }) => path.split(".").pop()).sort().join());
  const { stdout } = Bun.spawnSync([process.execPath, outputs[0].path]);
  console.log(String(stdout).trim(), readFileSync(outputs.find(({ path }) => path.endsWith(".css")).path, "utf8").includes("red"));
}
const { success, logs } = await Bun.build({ entrypoints: [join(folder, "wrong.js")], throw: false });
console.log(success, logs.map(({ message }) => message.replace(folder, "DIR")).join());
