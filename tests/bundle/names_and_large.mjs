// expected: written by hand
// Names that a module may declare itself, in all forms that are asked for; modules of more than a megabyte, which are minified by
// themselves; chunks of several parts that end with a default export.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "bundle-names-"));
process.on("exit", () => rmSync(folder, { recursive: true }));
const file = (name) => join(folder, name);

/** What a bundle of an entry point prints, run beside its sources. */
async function run(entry, options = {}) {
  const { outputs, logs, success } = await Bun.build({ entrypoints: [file(entry)], target: "node", throw: false, ...options });
  if (!success) return logs.map(String).join("\n");
  writeFileSync(file("result.mjs"), await outputs[0].text());
  return execFileSync(process.execPath, [file("result.mjs")], { encoding: "utf8" }).trim();
}

const kinds = {
  spaced: "typeof   require",
  bracketed: "typeof (require)",
  doubly: "typeof ((require))",
  commented: "typeof /* of the module */ require",
  broken: "typeof\n  require",
};
for (const [name, kind] of Object.entries(kinds)) {
  writeFileSync(file(`${name}.cjs`), `console.log(${kind});`);
  console.log(name, await run(`${name}.cjs`));
}
writeFileSync(file("main.cjs"), "console.log(require\n  .main === module, require /* x */ .main !== module, module === (require).main);");
console.log("main", await run("main.cjs"));
writeFileSync(
  file("declared.cjs"),
  `console.log((function (require) { return [typeof require, typeof require.main]; })(1).join());
console.log((function (__dirname) { const { __filename } = { __filename: "own" }; return [__dirname, __filename]; })("mine").join());
console.log(typeof __filename, typeof require);`,
);
console.log("declared", await run("declared.cjs"));
writeFileSync(
  file("wrapped.cjs"),
  `((module) => { console.log(typeof require, typeof module.require, typeof module
  .require); })({ require: 1 });
console.log(((module) => require.main === module)(1), typeof module
  .require);`,
);
console.log("wrapped", await run("wrapped.cjs"));
writeFileSync(
  file("parameter.cjs"),
  `((module) => { console.log(typeof require, typeof module
  .require); })({ require: 1 });`,
);
console.log("parameter", await run("parameter.cjs"));

// What is sloppy stands behind a megabyte.
const filler = Array.from({ length: 12_000 }, (_, at) => `exports.value${at} = function named${at}(first, second) { return first + second + ${at}; };`);
for (const name of ["sloppy.cjs", "sloppy.js"]) {
  writeFileSync(file(name), `${filler.join("\n")}\nvar inner = 0755; exports.inner = delete inner ? 0 : inner;\n`);
  writeFileSync(file("large.js"), `import { inner, value11999 } from "./${name}";\nconsole.log(inner, value11999(1, 2));\n`);
  console.log(name, await run("large.js"), await run("large.js", { minify: true }));
}

// A chunk whose last part is a default export of an expression, and of a declaration.
writeFileSync(file("dep.cjs"), `${filler.join("\n")}\n`);
writeFileSync(file("value.js"), 'import { value1 } from "./dep.cjs";\nconst sum = value1(1, 2);\nexport default sum;\n');
writeFileSync(file("function.js"), 'import { value2 } from "./dep.cjs";\nexport default function total() { return value2(1, 2); }\n');
for (const name of ["dep.cjs", "value.js", "function.js"]) {
  const { outputs } = await Bun.build({ entrypoints: [file(name)], target: "node", minify: true });
  const place = file(`${name}.mjs`);
  writeFileSync(place, await outputs[0].text());
  const { default: made } = await import(place);
  console.log(name, typeof made === "function" ? made() : (made.value1?.(1, 2) ?? made));
}
