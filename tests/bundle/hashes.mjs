// expected: recorded from bun 1.4.5
// The hash of a result is the one in its name, if that has one, and another if what it imports is another.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "bundle-hashes-"));
process.on("exit", () => rmSync(folder, { recursive: true }));
for (const name of ["first", "second"]) writeFileSync(join(folder, `${name}.js`), `import { shared } from "./shared.js"; export default ["${name}", shared];`);
const build = async (options) => (await Bun.build({ entrypoints: ["first.js", "second.js"].map((name) => join(folder, name)), target: "node", ...options })).outputs;
for (const options of [
  { splitting: true, naming: { entry: "[name]-[hash].[ext]", chunk: "[name]-[hash].[ext]" } },
  { splitting: true, naming: { entry: "[name]-[hash].[ext]", chunk: "[hash]/[name].[ext]" }, minify: true },
  { naming: "[dir]/[name].[hash].[ext]" },
  { naming: "[name].[ext]" },
]) {
  const hashes = new Set();
  for (const value of [1, 2]) {
    writeFileSync(join(folder, "shared.js"), `export const shared = () => ${value};`);
    const outputs = await build(options);
    for (const output of outputs) hashes.add(output.hash);
    if (value === 1) console.log(outputs.map((output) => `${output.kind} ${output.path.includes(output.hash)}`).sort().join(", "));
  }
  console.log(hashes.size);
}
