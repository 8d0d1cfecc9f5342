// expected: written by hand
// Programs that bao's own bundler core links are the same as those that rolldown links, in every form; what the core does not do
// is left to rolldown.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "core-"));
process.on("exit", () => rmSync(folder, { recursive: true }));

function build(name, core, flags, out) {
  const env = { ...process.env, BAO_BUNDLER_CORE: core };
  const command = [process.execPath, "build", join(folder, name, "main.js"), `--outfile=${out}`, ...flags];
  const { exitCode, stderr, stdout } = Bun.spawnSync(command, { env, cwd: join(folder, name) });
  return exitCode === 0 ? stderr.toString().match(/bundler core: .*/)?.[0] ?? "" : `failed: ${stdout}${stderr}`;
}

function run(file) {
  const { exitCode, stdout, stderr } = Bun.spawnSync([process.execPath, file], { cwd: dirname(file) });
  return exitCode === 0 ? stdout.toString() : `exit code ${exitCode}: ${stderr}`;
}

const ALL = [
  [],
  ["--minify"],
  ["--minify-whitespace"],
  ["--minify-identifiers"],
  ["--minify-syntax"],
  ["--format=cjs"],
  ["--format=cjs", "--minify"],
  ["--format=iife"],
  ["--format=iife", "--minify", "--sourcemap=inline"],
];
const ESM = ALL.filter((flags) => !flags.join(" ").includes("--format"));

const programs = {
  names: {
    forms: ALL,
    files: {
      "main.js": `import first, { value as other, bump, count } from "./a.js"; import second, * as space from "./b.js";
        const value = 1; let show = (value, a_default, other$1) => [value, a_default, other$1, other, first(), second];
        { let count = 5; show = ((old) => (...all) => [...old(...all), count])(show); }
        bump(); console.log(JSON.stringify(show(2, 3, 4)), value, count, space.value, space.default.s, Object.keys(space));
        console.log(((value) => space.value + value)(1), space?.value, { other, count }, typeof first.name, space["a-b"]);`,
      "a.js": `export const value = "a"; export let count = 0; export function bump() { count++; } export default () => value;`,
      "b.js": `export const value = "b"; export default class value2 { static s = value; }; const x = "ab"; export { x as "a-b" };`,
    },
  },
  commonjs: {
    forms: ALL,
    files: {
      "main.js": `import whole, { named } from "./c.cjs"; import * as space from "./c.cjs"; import mod from "./esmodule.cjs";
        import { named as again } from "./pass.js"; import json, { list } from "./data.json";
        console.log(whole.named, named(), space.named === named, again(), mod, json.name, list.length, typeof this);
        console.log(named\`x\`, new space.Kind().kind, whole.where, whole.self, require("./other.json")["with-dash"]);`,
      "c.cjs": `const inner = require("./d.cjs"); exports.named = function () { return this === exports ? "exports" : inner.value; };
        exports.Kind = class { kind = "kind" }; exports.self = this === module.exports; exports.where = typeof __dirname;`,
      "d.cjs": `exports.value = "early"; const c = require("./c.cjs"); exports.value = "d" + typeof c.named; return;`,
      "esmodule.cjs": `Object.defineProperty(exports, "__esModule", { value: true }); exports.default = "default";`,
      "pass.js": `export { named } from "./c.cjs";`,
      "other.json": `{ "with-dash": "dash" }`,
      "data.json": `{ "name": "data", "list": [1, 2], "with-dash": "dash", "class": 1 }`,
    },
  },
  later: {
    forms: ESM,
    files: {
      "main.js": `console.log("main"); const load = () => import("./a.js"), older = async () => { return import("./c.cjs"); };
        const space = await load(); console.log(Object.keys(space), space.default(), space.p, space.rest);
        console.log((await older()).default.c, new space.Kind().x, space.none, space === (await load())); export {};`,
      "a.js": `import { b, deep } from "./b.js"; console.log("a", b); export default function () { return helper() + deep; }
        function helper() { return k; } export const k = 7, { p: [p], ...rest } = { p: [1], q: 2 };
        export class Kind { static me = new Kind(); x = Kind.me === undefined; } export let none;`,
      "b.js": `import c from "./c.cjs"; console.log("b", c.c); export const b = "b"; export * from "./deep.js";`,
      "deep.js": `export const deep = "deep"; export const unused = 1;`,
      "c.cjs": `exports.c = "c";`,
    },
  },
  order: {
    forms: ALL,
    files: {
      "main.js": `import "./first.cjs"; import { after } from "./second.js"; import third from "./third.cjs"; console.log(after, third);`,
      "first.cjs": `exports.name = globalThis.order = "first";`,
      "second.js": `import { name } from "./first.cjs"; export const after = name + globalThis.order + globalThis.third;`,
      "third.cjs": `module.exports = globalThis.third = "third";`,
    },
  },
  fallback: {
    forms: [[], ["--minify"]],
    files: {
      "main.js": `const { b } = await import("./b.js"); console.log(b, require("./d.js").d);`,
      "b.js": `export const b = "b", c = "c";`,
      "d.js": `export const d = "d";`,
    },
  },
  shaking: {
    forms: ALL,
    files: {
      "main.js": `import { used } from "lib"; import "lib/effect.js"; import { a } from "./multi.js"; console.log(used, a, process.env.NODE_ENV === "never" ? require("./missing.js") : "kept");`,
      "multi.js": `export const a = 1, b = console.log("b runs"); const c = /* @__PURE__ */ (() => console.log("never"))(); var d = { never: 1 };`,
      "node_modules/lib/package.json": `{ "name": "lib", "main": "index.js", "sideEffects": ["effect.js"], "type": "module" }`,
      "node_modules/lib/index.js": `export * from "./used.js"; export { unused } from "./unused.js";`,
      "node_modules/lib/used.js": `console.log("used runs"); export const used = "used";`,
      "node_modules/lib/unused.js": `console.log("unused runs"); export const unused = 1;`,
      "node_modules/lib/effect.js": `console.log("effect runs");`,
    },
  },
  outside: {
    forms: ALL,
    files: {
      "main.js": `import fs, { readFileSync as read } from "node:fs"; import * as path from "node:path"; import { join } from "./pass.js";
        const readFileSync = 1; console.log(typeof fs.existsSync, typeof read, path.sep, join("a", "b"), readFileSync, typeof require("node:os").type);`,
      "pass.js": `export { join } from "node:path";`,
    },
  },
};

// Says why builds that are meant for rolldown are none for the core.
for (const [name, { forms, files }] of Object.entries(programs)) {
  for (const [file, text] of Object.entries(files)) {
    const place = join(folder, name, file);
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, text);
  }
  const outputs = new Set();
  for (const flags of forms) {
    for (const core of ["0", "explain"]) {
      const out = join(folder, name, core === "0" ? "out/rolldown" : "out/core", `${flags.join("").replaceAll("-", "") || "plain"}.js`);
      mkdirSync(dirname(out), { recursive: true });
      writeFileSync(join(dirname(out), "package.json"), flags.join().includes("cjs") ? "{}" : '{ "type": "module" }');
      const said = build(name, core, ["--target=node", ...flags], out);
      if (said) console.log(name, flags.join(" "), said.replaceAll(folder, ""));
      outputs.add(run(out));
    }
  }
  console.log(`${name}: ${outputs.size} result`);
  for (const output of outputs) console.log(output.trimEnd());
}
