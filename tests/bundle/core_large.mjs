// expected: written by hand
// A module above 512 kB, of which the bundler's core rewrites only the functions that need it: `require`, `import()` and the `this` of
// the module stand deep inside of some, between many without. Comments of code are no decorators, and the mode of a build is
// put in where it is read, not where a text has its name.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "bundle-large-"));
const write = (name, text) => writeFileSync(join(folder, name), text);
const filler = (from, count) =>
  Array.from(
    { length: count },
    (_, index) =>
      `function plain${from + index}(value) { const list = /* @__PURE__ */ new Array(value); return () => list.map((item) => ({ item, of: ${from + index} })); }`,
  ).join("\n");

write("inner.js", 'exports.word = "inner";');
write("later.js", 'export const word = "later";');
write(
  "large.js",
  `${filler(0, 3000)}
const self = this;
const outer = () => {
  "use strict";
  ${filler(10000, 200)}
  const deep = { find(name) { return () => { if (name) { return (function () { return require("./inner.js").word + typeof this; }).call(1); } return name; }; } };
  { function inBlock() { return "block"; } }
  return { word: deep.find("x")(), sees: typeof inBlock, later: () => [0].map(() => import("./later.js"))[0] };
};
exports.isExports = (() => this === module.exports && self === this)();
exports.read = (name) => name + ":" + ((name) => name)("NODE_ENV");
exports.mode = () => ((() => process.env.NODE_ENV))();
exports.outer = outer;
exports.count = plain2999(2)().length;
${filler(20000, 1500)}
`,
);
write(
  "index.js",
  `import large from "./large.js";
const { word, sees, later } = large.outer();
console.log(word, sees, large.isExports, large.read("x"), large.mode(), large.count, (await later()).word);`,
);
console.log("large:", statSync(join(folder, "large.js")).size > 512 << 10);
try {
  for (const more of [[], ["--minify"], ["--sourcemap"], ["--production"]]) {
    const env = { ...process.env, BAO_BUNDLER_CORE: "explain", NODE_ENV: undefined };
    const options = { cwd: folder, encoding: "utf8", env };
    const built = spawnSync(process.execPath, ["build", "index.js", "--target=node", "--outfile=out.mjs", ...more], options);
    if (built.status !== 0 || built.stderr !== "") console.log(built.stderr);
    const ran = spawnSync(process.execPath, ["out.mjs"], { ...options, env: { ...env, NODE_ENV: "at run time" } });
    console.log(more.join(" ") || "as it is", "|", ran.stdout.trim(), ran.stderr.trim());
    const code = readFileSync(join(folder, "out.mjs"), "utf8");
    console.log("asks for files:", /require\(['"`]\.\/|import\(['"`]\.\//.test(code));
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
