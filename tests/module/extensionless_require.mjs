// expected: recorded from node 25.9.0
// Files without an extension in packages of modules: what is required is CommonJS if it is written so, as a file of yargs is.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "extensionless-"));
const pack = join(folder, "node_modules/yargs");
mkdirSync(pack, { recursive: true });
writeFileSync(join(pack, "package.json"), JSON.stringify({ type: "module", exports: { "./yargs": "./yargs", "./esm": "./esm" } }));
writeFileSync(join(pack, "yargs"), "module.exports = function () { return typeof __filename; };\n");
writeFileSync(join(pack, "esm"), "export default import.meta.url.startsWith('file:');\n");
const require = createRequire(join(folder, "main.js"));
console.log(require("yargs/yargs")());
writeFileSync(join(folder, "main.mjs"), "export { default } from 'yargs/esm';\n");
console.log((await import(join(folder, "main.mjs"))).default);
rmSync(folder, { recursive: true });
