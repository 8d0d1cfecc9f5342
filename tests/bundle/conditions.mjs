// expected: recorded from bun 1.4.5
// Which of the conditions of `exports` hold for a target.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = mkdtempSync(join(tmpdir(), "conditions-"));
const write = (name, text) => {
  mkdirSync(join(root, name, ".."), { recursive: true });
  writeFileSync(join(root, name), text);
  return join(root, name);
};
const names = ["bun", "node", "browser", "module", "development", "production", "import", "require"];
const entry = [];
for (const name of names) {
  write(`node_modules/${name}-only/package.json`, JSON.stringify({ exports: { [name]: "./yes.js", default: "./no.js" } }));
  write(`node_modules/${name}-only/yes.js`, `module.exports = "${name} holds";`);
  write(`node_modules/${name}-only/no.js`, `module.exports = "${name} does not hold";`);
  entry.push(`import ${name}_ from "${name}-only"; seen.push(${name}_, require("${name}-only"));`);
}
const file = write("entry.js", `const seen = [];\n${entry.join("\n")}\nglobalThis.seen = seen;`);
for (const target of ["browser", "bun", "node"]) {
  const { outputs } = await Bun.build({ entrypoints: [file], target });
  const text = await outputs[0].text();
  const holds = names.filter((name) => text.includes(`"${name} holds"`));
  const mixed = names.filter((name) => text.includes(`"${name} holds"`) && text.includes(`"${name} does not hold"`));
  console.log(target, holds.join(" "), "| one way only:", mixed.join(" "));
}
rmSync(root, { recursive: true });
