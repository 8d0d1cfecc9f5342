// expected: written by hand
// What bao's own bundler core has to tell apart: calls without places of their own, modules that run later though they have no
// side effects, comments at an end, members of JSON that are called as the prototype.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "core-edges-"));
process.on("exit", () => rmSync(folder, { recursive: true }));

const later = `const later = (promise) => promise.then((module) => console.log("later", Object.keys(module).join(), module.x));\n`;
const pure = { "package.json": '{"name":"pkg","type":"module","sideEffects":false,"main":"index.js"}' };
const within = (files) => Object.fromEntries(Object.entries(files).map(([name, text]) => [`node_modules/pkg/${name}`, text]));

const programs = {
  "a member behind ?.[]": {
    "main.js": `import * as space from "./a.js"; console.log(space?.["one"], space?.one, space?.["two"].x, space.two?.x);`,
    "a.js": `export const one = 1, two = { x: 2 };`,
  },
  "import x = require()": {
    "main.ts": `import path = require("node:path"); import first = require("./a.cjs"); import second = require("./b.cjs");
      console.log(path.posix.join("a", "b"), first.x, second.x);`,
    "a.cjs": `exports.x = 1;`,
    "b.cjs": `exports.x = 2;`,
  },
  "JSON, later too": {
    "main.js": `import data from "./data.json"; ${later} console.log(data.x); later(import("./data.json"));`,
    "data.json": `{ "x": 3 }`,
  },
  "passed on without side effects, later too": {
    "main.js": `import { x } from "pkg"; ${later} console.log(x); later(import("pkg/x.js"));`,
    ...within({ ...pure, "index.js": `export { x } from "./x.js";`, "x.js": `export const x = [4].map((x) => x)[0];` }),
  },
  "passed on without side effects, to what runs later": {
    "main.js": `${later} later(import("./page.js"));`,
    "page.js": `import { y } from "pkg"; export const x = y + 1;`,
    ...within({
      ...pure,
      "index.js": `export * from "./y.js"; export { z } from "./z.js";`,
      "y.js": `import { inner } from "./inner.js"; export const y = inner.length;`,
      "z.js": `export const z = console.log("not used");`,
      "inner.js": `export const inner = [1, 2].map(String);`,
    }),
  },
  "another Promise": {
    "main.js": `import { Other } from "./a.js"; ${later}
      const within = (Promise) => later(import("./b.js")); console.log(new Other() instanceof Other); within(null);`,
    "a.js": `class Promise { static resolve() { throw new Error("not this one"); } } export { Promise as Other };`,
    "b.js": `export const x = 5;`,
  },
  "comments at the end": {
    "main.js": `import { a } from "./a.js"; import "./b.cjs"; console.log("main", a()) //! of main`,
    "a.js": `export function a() { return 6 }\n//! of a`,
    "b.cjs": `console.log("b")\n//! of b`,
  },
  "JSON with __proto__": {
    "main.js": `import data from "./data.json"; import required from "./required.cjs"; console.log(JSON.stringify(data), required);`,
    "data.json": `{ "__proto__": 1, "a": { "__proto__": { "x": 2 }, "y": [{ "__proto__": 3 }] } }`,
    "required.cjs": `module.exports = Object.keys(require("./other.json")).join();`,
    "other.json": `{ "__proto__": { "x": 1 }, "y": 2 }`,
  },
  "JSON with the names of its variables": {
    "main.js": `import data from "./data.json"; console.log(JSON.stringify(data));`,
    "data.json": `{ "$json1": 1, "a-b": 2, "$$json0": 3, "let": 4 }`,
  },
  "imports in CommonJS": {
    "main.js": `import path from "node:path"; import { x } from "./a.js"; module.exports = { x }; console.log(path.sep, Object.keys(exports).join(), module.exports.x);`,
    "a.js": `export const x = 8;`,
  },
  "an export called __proto__": {
    "main.js": `import * as space from "./a.js"; console.log(Object.keys(space).join(), space["__proto__"]);`,
    "a.js": `const x = 7; export { x as __proto__, x as "a b" };`,
  },
};

for (const [name, files] of Object.entries(programs)) {
  const here = join(folder, name.replace(/\W+/g, "-"));
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(here, file)), { recursive: true });
    writeFileSync(join(here, file), text);
  }
  const outputs = new Set();
  for (const flags of [[], ["--minify"], ["--format=cjs"], ["--format=iife", "--minify"]]) {
    const out = join(here, flags.includes("--format=cjs") ? "out.cjs" : "out.mjs");
    const main = join(here, "main.ts" in files ? "main.ts" : "main.js");
    const env = { ...process.env, BAO_BUNDLER_CORE: "explain" };
    const command = [process.execPath, "build", main, "--target=node", `--outfile=${out}`, ...flags];
    const built = Bun.spawnSync(command, { cwd: here, env });
    const ran = Bun.spawnSync([process.execPath, out], { cwd: here });
    outputs.add(`${built.stderr}${ran.stdout}${ran.stderr}`.replaceAll(folder, "DIR"));
  }
  console.log(`${name}:\n${[...outputs].join("--- or\n").trimEnd()}`);
}

// A change of an import is an error whoever links.
for (const change of ["space.x = 2", "space.x++", "[space['x']] = [2]", "delete space.x", "delete space?.x"]) {
  writeFileSync(join(folder, "main.js"), `import * as space from "./a.js"; export default () => { ${change}; };`);
  writeFileSync(join(folder, "a.js"), `export let x = 1;`);
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, "build", join(folder, "main.js")], { cwd: folder });
  console.log(change, exitCode, String(stderr).match(/error: .*/)?.[0]);
}
