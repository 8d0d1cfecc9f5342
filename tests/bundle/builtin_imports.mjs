// expected: written by hand
// Imports of built-in modules of which nothing is used go, as in Bun and esbuild: loading them costs time and does nothing. Those of
// packages stay, for their effects.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "bundle-builtins-"));
process.on("exit", () => rmSync(folder, { recursive: true }));
writeFileSync(join(folder, "a.js"), `import fs from "fs"; import * as http from "node:http"; import "node:net"; import { x } from "package"; import "other";
import { join } from "node:path"; export { sep } from "path"; export * from "node:os"; import { used } from "./b.js"; console.log(join("a", used));`);
writeFileSync(join(folder, "b.js"), `import { createHash } from "node:crypto"; export const used = "b"; export const unused = () => createHash("md5");`);
writeFileSync(join(folder, "browser.js"), `import "node:net"; import "fs"; console.log(1);`);
const names = (code) => [...new Set(code.match(/(?:from ?|import ?|require\()["'][^"']*["']/g) ?? [])].map((found) => found.replace(/^.*?["']|["']$/g, "")).join();
for (const options of [{}, { splitting: true }, { minify: true }, { format: "cjs" }, { packages: "external" }, { external: ["fs", "node:*"] }, { target: "bun" }]) {
  const { outputs } = await Bun.build({ entrypoints: [join(folder, "a.js")], target: "node", external: ["package", "other"], ...options, ...(options.external && { external: [...options.external, "package", "other"] }) });
  console.log(JSON.stringify(options), names(await outputs[0].text()));
}
for (const target of ["browser", "node"]) {
  const { outputs } = await Bun.build({ entrypoints: [join(folder, "browser.js")], target, external: ["fs", "node:net"] });
  console.log(target, names(await outputs[0].text()));
}
