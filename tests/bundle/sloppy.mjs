// expected: written by hand
// Scripts of sloppy mode in bundles, which are strict code; names that every module has; the public path of chunks.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = mkdtempSync(join(tmpdir(), "sloppy-"));
process.chdir(root);
const write = (name, text) => {
  mkdirSync(join(name, ".."), { recursive: true });
  writeFileSync(name, text);
  return join(root, name);
};
const run = (...args) => {
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  return (stdout + stderr).trim();
};

write("octal.js", "exports.escape = '\\033[31m';\nexports.mode = 0755;");
write("words.js", "var static = 1, yield = 2, let = 3;\nexports.words = { static, sum: static + yield + let };");
write(
  "delete.js",
  "var kept = 1;\nglobalThis.gone = 1;\nexports.deleted = [delete kept, delete gone, kept, typeof gone];",
);
write(
  "loop.js",
  "for (var name = 'first' in {}) ;\nhere: for (var other = name in { a: 1 }) continue here;\nexports.loop = [name, other];",
);
write(
  "twice.js",
  `function f() { return 1 }
exports.twice = f();
function f() { return 2 }
function again() { return 3 }
exports.before = again();
while (true) { function again() { return 4 } break }
exports.after = again();`,
);
write(
  "label.js",
  "here: function f() { return 'labelled' }\nexports.label = f();\nif (exports) function bare() { return 'bare' }\nexports.bare = bare();",
);
write(
  "block.js",
  `if (exports) {
  exports.early = typeof f;
  function f() { return f }
  f = null;
}
exports.outer = [typeof f, f()];
let g = 1;
if (exports) function g() {}
exports.g = g;
(function () {
  'use strict';
  if (true) { function h() {} }
  exports.h = typeof h;
})();`,
);
write(
  "wrapper.js",
  "exports.wrapper = (function () { return [delete arguments, arguments.length, delete module]; })(1);",
);
write(
  "names.js",
  `exports.parameter = (function g(f) { if (true) { function f() {} } return typeof f; })(1);
const cases = (x) => {
  switch (x) {
    case 1: function f() { return 1; }
    case 2: function g() { return f() + 1; }
  }
  return [typeof f, typeof g, g && g()];
};
exports.cases = [cases(1), cases(2), cases(3)];
exports.caught = (function () {
  const seen = [];
  try { throw 1; } catch (z) {
    { seen.push(z()); function z() { return 2; } }
    seen.push(z);
  }
  return [...seen, z()];
})();
{
  let h = 1;
  { exports.inner = h(); function h() { return 2; } }
  exports.h = h;
}`,
);
// Modules by their names or their packages.
write("strict.mjs", "if (true) { function f() {} } globalThis.strict = [typeof f];");
write("typed/package.json", '{ "type": "module" }');
write("typed/strict.js", "if (true) { function f() {} } globalThis.strict.push(typeof f);");
write("typed/sloppy.cjs", "if (true) { function f() {} } globalThis.strict.push(typeof f);");
const names = ["octal", "words", "delete", "loop", "twice", "label", "block", "wrapper", "names"];
const entry = write(
  "entry.mjs",
  `${names.map((name) => `import ${name}_ from "./${name}.js";`).join("\n")}
console.log(JSON.stringify([${names.map((name) => `${name}_`).join(", ")}]));
import "./strict.mjs";
import "./typed/strict.js";
import "./typed/sloppy.cjs";
console.log("[strict]", strict.join());
import { fail } from "./thrower.js";
fail();`,
);
write(
  "thrower.js",
  "var mode = 010;\n\n/* three lines above */ exports.fail = function () {\n  throw new Error('of line 4, ' + mode);\n};",
);
for (const minify of [false, true]) {
  await Bun.build({
    entrypoints: [entry],
    target: "node",
    outdir: "out",
    naming: "[name].mjs",
    minify,
    sourcemap: "linked",
  });
  console.log(
    run("out/entry.mjs")
      .split("\n")
      .filter((line) => /^\[|^Error/.test(line)),
  );
  const lines = readFileSync("out/entry.mjs", "utf8").split("\n");
  const line = lines.findIndex((text) => text.includes("of line 4"));
  const map = new SourceMap(JSON.parse(readFileSync("out/entry.mjs.map", "utf8")));
  const { originalSource, originalLine } = map.findEntry(line, lines[line].indexOf("of line 4"));
  console.log(originalSource.replace(/.*\//, ""), originalLine + 1);
}

// What cannot be strict code, and modules, stay mistakes.
for (const [name, text] of [
  ["with", "with ({}) ;"],
  ["module", "export const a = 010;"],
  ["strict", "'use strict'; exports.a = 010;"],
  ["typed/octal", "globalThis.a = 010;"],
]) {
  const { logs } = await Bun.build({ entrypoints: [write(`${name}.js`, text)], throw: false });
  console.log(name, logs.length, logs[0]?.position?.line);
}

// `module`, `exports` and `require` are the module's own.
const defined = write(
  "defined.cjs",
  "console.log(typeof module, module.x, typeof exports, typeof require, WORD, require.word);",
);
await Bun.build({
  entrypoints: [defined],
  target: "node",
  outdir: "out",
  define: { module: "1", "module.x": "2", exports: "3", require: "4", "require.word": '"own"', WORD: '"word"' },
});
console.log(run("out/defined.js"));

// Chunks are imported from the public path.
write("shared.js", "export const shared = 'shared';");
const a = write(
  "pages/a.js",
  'import { shared } from "../shared.js"; console.log(shared, "./later.js"); import("./later.js").then((it) => console.log(it.later));',
);
const b = write("pages/b.js", 'import { shared } from "../shared.js"; export { shared };');
write("pages/later.js", "export const later = 1;");
for (const minify of [false, true]) {
  rmSync("public", { recursive: true, force: true });
  await Bun.build({
    entrypoints: [a, b],
    outdir: "public",
    root,
    splitting: true,
    publicPath: "/www/",
    minify,
    naming: { chunk: "chunks/[name]-[hash].[ext]" },
  });
  const text = readFileSync("public/pages/a.js", "utf8");
  console.log(
    [...text.matchAll(/["`](\S+?)(?:-\w+)?\.js["`]/g)].map(([, path]) => path),
    readdirSync("public/chunks").length,
  );
}

// What an import becomes is not the import of another chunk, and texts are none.
rmSync("public", { recursive: true });
await Bun.build({
  entrypoints: [
    write("x/a.js", 'import("../l.js"); import("./l.js"); console.log(`from "./l.js"`);'),
    write("x/l.js", "export const l = 1;"),
    write("l.js", "export const l = 2;"),
  ],
  outdir: "public",
  root,
  splitting: true,
  publicPath: "./",
});
console.log(readFileSync("public/x/a.js", "utf8").match(/import\([^)]*\)|from "[^"]*"/g));
// Two parameters of one name are found by themselves: nothing refuses them.
write("mapped.js", "module.exports = [1, 2].map(function (_, _) { return _; });");
const namesakes = write("namesakes.js", "import list from './mapped.js';\nconsole.log(list);");
await Bun.build({ entrypoints: [namesakes], outdir: "namesakes" });
console.log(run("namesakes/namesakes.js"));
// A variable in a `catch` is its parameter, also where a function of a block has the name; what the module is called with stays.
write(
  "caught.cjs",
  `var log = [];
try { throw 5 } catch (caught) {
  var caught = 6;
  log.push(caught);
  (function () { if (log) { function caught() { return 'inner' } } log.push(caught()); })();
}
log.push(typeof caught);
if (log) { function module() { return 'block' } log.push(module()); }
module.exports = log;`,
);
const caught = write("catches.js", "import list from './caught.cjs';\nconsole.log(list);");
for (const minify of [false, true]) {
  await Bun.build({ entrypoints: [caught], outdir: "catches", minify });
  console.log(run("catches/catches.js"), run("catches.js") === run("catches/catches.js"));
}
// A variable that becomes an assignment keeps its default.
write("given.cjs", "function given() {}\n{ var { given: given = 'default' } = {}; }\nmodule.exports = given;");
const given = write("gives.js", "import value from './given.cjs';\nconsole.log(value);");
for (const minify of [false, true]) {
  await Bun.build({ entrypoints: [given], outdir: "gives", minify });
  console.log(run("gives/gives.js"));
}
rmSync(root, { recursive: true });
