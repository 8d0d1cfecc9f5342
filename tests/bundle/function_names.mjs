// expected: recorded from node 25.9.0 (what the files print unbundled)
// Variables of blocks with the name of a function beside the block, or of the parameter of a `catch`, are that name: such files
// are bundled, and do what they do unbundled. What an IIFE imports from elsewhere is required.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "bundle-function-names-"));
process.on("exit", () => rmSync(folder, { recursive: true }));
const require = createRequire(import.meta.url);

const files = {
  block: "function f() { function x() {} { var x = 1; } return x; }\nconsole.log(f());",
  script: 'function x() {}\nif (typeof x === "function") { var x = 2; }\nconsole.log(x);',
  loops: `function f(list) {
  function x() { return 1; }
  function y() { return 2; }
  const before = [typeof x, typeof y];
  for (var x = 0, z = 5; x < 2; x++);
  for (var y of list);
  for (var { a: x2, y } of [{ a: 7, y: 8 }]);
  for (var q in { k: 1 }) { var [x, rest = 3] = [q]; }
  return [...before, x, y, z, x2, q, rest];
}
console.log(f([3, 4]).join());`,
  named: "function f() { function x() {} { var x = function () {}; } return x.name; }\nconsole.log(f());",
  nothing: "function f() { function x() {} { var x; } for (var x; ; ) break; return typeof x; }\nconsole.log(f());",
  inner: "function f() { function x() { return 1; } function g() { { var x = 2; } return x; } return x() + g(); }\nconsole.log(f());",
  "class": "function f() { function x() { return 1; } class C { static { { var x = 2; } this.y = x; } } return x() + C.y; }\nconsole.log(f());",
  arrow: "const f = () => { try { var x = 1; } finally { var y = 2; } function x() {} function y() {} return x + y; };\nconsole.log(f());",
  "catch": `var u = 1; function e() {} function n() {}
try { throw 5; } catch (u) { (function () { console.log(u); })(); var u = 6, w = 7; console.log(u, w); }
function f(g) { try { g(); } catch (x) { try { throw 2; } catch (x) { var x = 3; var [y] = [x]; } return [x, y]; } return [x, y]; }
console.log(u, typeof e, typeof n, String(f(() => { throw 1; })), String(f(() => {})));`,
};
for (const [name, text] of Object.entries(files)) {
  const file = join(folder, `${name}.cjs`);
  writeFileSync(file, text);
  const run = (path) => execFileSync(process.execPath, [path], { encoding: "utf8" }).trim();
  const printed = [run(file)];
  for (const [format, minify] of [["esm", false], ["cjs", true], ["iife", false]]) {
    const { success, outputs, logs } = await Bun.build({ entrypoints: [file], target: "node", format, minify: minify && { whitespace: true, syntax: true, identifiers: true, keepNames: true }, throw: false });
    if (!success) {
      printed.push(logs.map(({ message }) => message).join());
      continue;
    }
    const result = join(folder, `${name}-${format}.${format === "esm" ? "mjs" : "cjs"}`);
    writeFileSync(result, await outputs[0].text());
    printed.push(run(result));
  }
  console.log(name, "|", printed[0], "|", printed.every((text) => text === printed[0]) ? "the same bundled" : printed.join(" / "));
}

// The functions of a module are no variables.
const module = join(folder, "module.mjs");
writeFileSync(module, "export function x() {}\n{ var x = 1; }\n");
console.log((await Bun.build({ entrypoints: [module], throw: false })).logs[0]?.message);

// Imports of an IIFE, and the namespace under `globalName`.
const imports = join(folder, "imports.mjs");
writeFileSync(
  imports,
  'import fs, { readFileSync } from "node:fs"; import * as all from "node:path"; import external from "some-package";\nexport default [typeof fs.statSync, typeof readFileSync, typeof all.join, external].join();\n',
);
const { outputs } = await Bun.build({ entrypoints: [imports], target: "node", format: "iife", external: ["some-package"], globalName: "found" });
const required = [];
const found = new Function("require", `${await outputs[0].text()}\nreturn found;`)((name) => {
  required.push(name);
  return name === "some-package" ? "own" : require(name);
});
console.log(found.default, required.sort().join());

// Of CommonJS `globalName` is what the module exports.
const common = join(folder, "common.cjs");
writeFileSync(common, "module.exports = 123;\n");
const { outputs: commons } = await Bun.build({ entrypoints: [common], format: "iife", globalName: "found" });
console.log(new Function(`${await commons[0].text()}\nreturn found;`)());
