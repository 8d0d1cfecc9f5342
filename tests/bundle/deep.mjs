// expected: written by hand
// Sources that nest too deeply for the threads of a build are errors, and those that people and generators write are not.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "bundle-deep-"));
process.on("exit", () => rmSync(folder, { recursive: true }));

const code = (open, middle = "1", close = "") => (n) => `export var x = ${open.repeat(n)}${middle}${close.repeat(n)};`;
const kinds = {
  "list.js": code("[", "1", "]"),
  "function.js": code("function(){return ", "1", "}"),
  "class.js": code("class{static a=", "1", "}"),
  "call.js": code("f(", "1", ")"),
  "condition.js": code("globalThis.a?1:"),
  "sum.js": code("", "globalThis.a", "+1"),
  "and.js": code("", "globalThis.a", "&&globalThis.b"),
  "calls.js": code("", "globalThis", ".a()"),
  "else.js": (n) => `${"if (globalThis.a) { a(); } else ".repeat(n)} {}`,
  // Neither the brackets nor the sums alone are long.
  "both.js": (n) => `export var x = ${"(".repeat(n / 100)}globalThis.a${`${"+1".repeat(100)},0)`.repeat(n / 100)};`,
  "element.jsx": code("<a>", "", "</a>"),
  "rules.css": (n) => `${"a{".repeat(n)}b:c${"}".repeat(n)}`,
  "selectors.css": (n) => `${":is(".repeat(n)}a${")".repeat(n)}{b:c}`,
};

async function build(name, depth, minify) {
  const file = join(folder, name);
  writeFileSync(file, kinds[name](depth));
  const { success, logs } = await Bun.build({ entrypoints: [file], external: ["*"], minify, throw: false });
  return success ? "built" : logs.map(({ message }) => message).join("; ");
}

for (const name of Object.keys(kinds)) {
  console.log(name, await build(name, 1000, false), await build(name, 1000, true), "|", await build(name, 100_000, false));
}
console.log("long sum", await build("sum.js", 10_000, true));
