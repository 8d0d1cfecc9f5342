// expected: recorded from bun 1.4.5
// Style sheets are objects without names for programs that run, as only bundles have the names of their classes.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "style-sheets-"));
process.on("exit", () => rmSync(folder, { recursive: true }));
writeFileSync(join(folder, "a.css"), "a { color: red }");
writeFileSync(join(folder, "b.module.css"), ".b { color: red }");
writeFileSync(join(folder, "c.css"), ".c { color: red }");
for (const name of ["a.css", "b.module.css"]) {
  const path = join(folder, name);
  const { default: sheet } = await import(path);
  console.log(name, JSON.stringify(sheet), sheet.b, JSON.stringify(require(path)));
}
console.log(JSON.stringify((await import(join(folder, "c.css"), { with: { type: "css" } })).default));
