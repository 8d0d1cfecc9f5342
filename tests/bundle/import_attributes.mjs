// expected: written by hand
// An import that stays in a bundle keeps its attributes, as Node loads no JSON without them (Bun loses them), in the form of ECMA-262;
// one that is bundled chooses its loader by them.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "bundle-attributes-"));
process.on("exit", () => rmSync(folder, { recursive: true }));
writeFileSync(join(folder, "data.json"), '{ "a": 1 }');
writeFileSync(join(folder, "a.mjs"), `import outside from "./outside.json" with { type: "json" };
import text from "./data.json" with { type: "text" };
import old from "package/old.json" assert { type: "json" };
export { default as passed } from "package/passed.json" with { type: "json" };
export const later = () => import("package/later.json", { with: { type: "json" } });
console.log(outside, text, old);
`);
for (const options of [{}, { splitting: true }, { minify: true }]) {
  const { outputs } = await Bun.build({ entrypoints: [join(folder, "a.mjs")], target: "node", external: ["./outside.json", "package/*"], ...options });
  const code = await outputs[0].text();
  console.log(JSON.stringify(options), code.match(/[\w./]+\.json["'`][^;]*type: ?["'`]json["'`]/g)?.map((found) => found.replace(/\s/g, "")), code.includes('"a": 1') || code.includes("\\\"a\\\": 1"));
}
