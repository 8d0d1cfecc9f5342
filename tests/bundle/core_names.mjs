// expected: written by hand
// Names in results of bao's own bundler core: each program prints the same as it is and bundled, also with short names.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "core-names-"));
process.on("exit", () => rmSync(folder, { recursive: true }));

// More names in one scope than there are letters.
const many = Array.from({ length: 130 }, (_, index) => `v${index}`);
const chain = Array.from({ length: 200 }, (_, index) => [
  `chain${index}.mjs`,
  `export const c${index} = ${index};\n${index < 199 ? `export * from "./chain${index + 1}.mjs";` : ""}`,
]);

const programs = {
  "scopes of every kind": {
    "main.mjs": `
      import { outer, counter, next } from "./other.mjs";
      const shadow = "top";
      function blocks(first) {
        { let second = first + 1; { var third = second * 2; let fourth = third; if (fourth) { var fifth = fourth; } } }
        for (var index = 0; index < 2; index++) { let index = 7; third += index; }
        for (const [key, value = key] of [["a"], ["b", "c"]]) { const inner = () => key + value; fifth += inner(); }
        return [third, fifth, index];
      }
      function caught(error) {
        try { throw 1; } catch (error) { var error = 2; }
        try { throw { a: 3 }; } catch ({ a: error }) { return [error, typeof shadow]; }
      }
      const named = function named(depth) { return depth === 0 ? typeof named : named(depth - 1); };
      const hidden = function same(same) { return same; };
      const fact = function again(n) { var again = (x) => x * 10; return again(n); };
      class Shape {
        static #count = 0; #size = 1; static { this.#count += 5; }
        static get count() { return Shape.#count; }
        grow(by = this.#size, { to = by } = {}) { const self = this; return (() => self.#size + to)(); }
        has(other) { return #size in other; }
      }
      const Named = class Inner { static make() { return new Inner() instanceof Named; } };
      function defaults(a, b = () => a, { c = b() } = {}, ...[d = c]) { var a = 9; return [a, b(), c, d]; }
      function* generate(list) { label: for (const item of list) { for (const other of list) { if (other > item) continue label; yield [item, other].join(":"); } } }
      const object = { shadow, outer, blocks() { return outer; }, get shape() { return shadow; }, ["k" + shadow]: 1 };
      function parameters() { return arguments.length + arguments[0]; }
      switch (shadow) { case "top": let shadow = "inner"; console.log(shadow); }
      console.log(blocks(1), caught(4), named(2), hidden(5), fact(4), Shape.count, new Shape().grow(), new Shape().has({}));
      console.log(Named.make(), defaults(1), [...generate([2, 1])], object, parameters(3, 4), counter, next(), counter);
      console.log(((e, t, n) => e + t + n + outer)(1, 2, 3), (() => { const NaN = 1; return NaN; })());`,
    "other.mjs": `export const outer = "outer"; export let counter = 1; export function next() { const before = counter; counter++; return before; }`,
  },
  "many names": {
    "main.mjs": `
      import { ee, te } from "./other.mjs";
      function sum(${many.join(", ")}) { const all = () => ${many.join(" + ")}; return all() + ee + te; }
      console.log(sum(${many.map((_, index) => index).join(", ")}));`,
    "other.mjs": `export const ee = 1000; export const te = 10000;`,
  },
  "CommonJS that declares its parameters": {
    "main.mjs": `import a from "./a.cjs"; import { b } from "./b.cjs"; import c from "./c.cjs"; import d from "./d.cjs"; console.log(a, b, c, d);`,
    "a.cjs": `var exports = exports || {}; exports.x = 1;`,
    "b.cjs": `var exports = exports || {}, module = module || {}; (function (root) { root.b = typeof root; })(exports); module.exports.c = 2;`,
    "c.cjs": `if (typeof exports === "undefined") { var exports = {}; } class Own { #x = 3; get() { return this.#x; } } exports.x = new Own().get(); exports.y = require === undefined;`,
    "d.cjs": `function module$() { var module = { exports: 5 }; return module.exports; } module.exports = { inner: module$(), top: this === exports, e: [1].map((exports) => exports)[0] };`,
  },
  "this of CommonJS in functions": {
    "main.mjs": `import { results } from "./own.cjs"; console.log(...results);`,
    "own.cjs": `
      exports.v = 1; const list = (a) => [a, this.v]; class Own { #x = 4; get = (a) => a + this.#x; }
      const inner = (x) => { const both = (p, w) => p + this.v + x + w; return both(2, 4); };
      const deep = [1, 2].map((k) => ((u) => { try { throw k; } catch (e) { return e + this.v + u; } })(k * 10));
      const named = (exports) => [exports, this.v]; { let exports = 9; var block = [this.v, exports]; }
      this.results = [list(5), inner(3), deep, named(7), block, new Own().get(1)];`,
  },
  "this of CommonJS without private names": {
    "main.mjs": `import { results } from "./own.cjs"; console.log(...results);`,
    "own.cjs": `
      exports.v = 1; const list = (a) => [a, this.v];
      const inner = (x) => { const both = (p, w) => p + this.v + x + w; return both(2, 4); };
      const deep = [1, 2].map((k) => ((u) => { try { throw k; } catch (e) { return e + this.v + u; } })(k * 10));
      const named = (exports) => [exports, this.v]; { let exports = 9; var block = [this.v, exports]; }
      this.results = [list(5), inner(3), deep, named(7), block];`,
  },
  "scripts of sloppy mode": {
    "main.mjs": `import result from "./old.cjs"; console.log(result);`,
    "old.cjs": `
      function inBlock(flag) { if (flag) { function made() { return "made"; } } return typeof made; }
      function twice(a) { var first = a; { function first() { return 1; } } return typeof first; }
      var list = []; for (var i in { a: 1, b: 2 }) { (function (j) { list.push(function () { return i + j; }); })(i); }
      try { throw new Error("x"); } catch (e) { var e = e.message; list.push(function () { return e; }); }
      module.exports = [inBlock(true), twice(2), list.map(function (f) { return f(); }), e];`,
  },
  "members of CommonJS as exports": {
    "main.mjs": `import * as lib from "./lib.mjs"; console.log(lib.a, lib.$0_import_c, lib.b);`,
    "lib.mjs": `export { a } from "./c.cjs"; export { a as b } from "./c.cjs"; export const $0_import_c = "its own";`,
    "c.cjs": `exports.a = "of CommonJS";`,
  },
  "a chain of stars": {
    "main.mjs": `import * as all from "./chain0.mjs"; import { c150 } from "./chain0.mjs"; console.log(Object.keys(all).length, c150, all.c199);`,
    ...Object.fromEntries(chain),
  },
};

for (const [name, files] of Object.entries(programs)) {
  const here = join(folder, name.replace(/\W+/g, "-"));
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(here, file)), { recursive: true });
    writeFileSync(join(here, file), text);
  }
  const run = (file) => {
    const { stdout, stderr } = Bun.spawnSync([process.execPath, file], { cwd: here });
    return `${stdout}${stderr}`;
  };
  const outputs = new Map([[run("main.mjs"), ["as it is"]]]);
  for (const flags of [
    [],
    ["--minify"],
    ["--minify-identifiers"],
    ["--minify-whitespace"],
    ["--format=cjs"],
    ["--format=cjs", "--minify"],
    ["--format=iife", "--minify"],
  ]) {
    const out = flags.includes("--format=cjs") ? "out.cjs" : "out.mjs";
    const env = { ...process.env, BAO_BUNDLER_CORE: "explain" };
    const command = [process.execPath, "build", "main.mjs", "--target=node", `--outfile=${out}`, ...flags];
    const { stderr } = Bun.spawnSync(command, { cwd: here, env });
    const output = `${stderr}${run(out)}`;
    outputs.set(output, [...(outputs.get(output) ?? []), flags.join(" ")]);
  }
  const [[first], ...others] = outputs;
  console.log(`${name}:\n${first.trimEnd()}`);
  for (const [output, forms] of others) console.log(`but ${forms.join(", ")}:\n${output.trimEnd()}`);
}

// CommonJS that is the result itself: `this` becomes `exports`.
writeFileSync(join(folder, "entry.cjs"), `exports.v = 1; const f = (exports) => [exports, this.v]; console.log(...f(5));`);
for (const flags of [[], ["--minify"]]) {
  const env = { ...process.env, BAO_BUNDLER_CORE: "explain" };
  const command = [process.execPath, "build", "entry.cjs", "--target=node", "--format=cjs", "--outfile=entry-out.cjs", ...flags];
  const built = Bun.spawnSync(command, { cwd: folder, env });
  const ran = Bun.spawnSync([process.execPath, "entry-out.cjs"], { cwd: folder });
  console.log(`entry: ${built.stderr}${ran.stdout}${ran.stderr}`.trimEnd());
}

// What is known only when it runs stays.
writeFileSync(join(folder, "computed.mjs"), `import load from "./load.cjs"; const later = (name) => import(name);
  console.log(load("node:path").posix.join("a", "b"), load("node:fs") === load("fs")); later("node:os").then(({ EOL }) => console.log(EOL.length));`);
writeFileSync(join(folder, "load.cjs"), `module.exports = function (name) { return name ? require(name) : undefined; };`);
for (const [flags, out] of [[[], "computed-out.mjs"], [["--minify"], "computed-out.mjs"]]) {
  const env = { ...process.env, BAO_BUNDLER_CORE: "explain" };
  const command = [process.execPath, "build", "computed.mjs", "--target=node", `--outfile=${out}`, ...flags];
  const built = Bun.spawnSync(command, { cwd: folder, env });
  const ran = Bun.spawnSync([process.execPath, out], { cwd: folder });
  console.log(`computed: ${built.stderr}${ran.stdout}${ran.stderr}`.trimEnd());
}

// An export of the result that has the name that the core would make.
writeFileSync(join(folder, "main.mjs"), `export { a } from "./c.cjs"; export const $0_import_c = "its own";`);
writeFileSync(join(folder, "c.cjs"), `exports.a = "of CommonJS";`);
const command = [process.execPath, "build", "main.mjs", "--target=node", "--outfile=out.mjs"];
Bun.spawnSync(command, { cwd: folder });
const { a, $0_import_c } = await import(join(folder, "out.mjs"));
console.log(a, $0_import_c);
