// expected: written by hand
// Options beyond Bun's and those that change what is printed: each is seen in the results.
import { spawnSync } from "node:child_process";
import { mkdtempSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = mkdtempSync(join(tmpdir(), "options-"));
process.chdir(root);
const write = (files) => {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, text);
  }
};
const run = (file) => {
  const { stdout, stderr } = spawnSync(process.execPath, [file], { encoding: "utf8" });
  return (stdout + stderr).trim();
};
const build = (options) => Bun.build({ target: "bun", outdir: "out", ...options });
const text = async (options) => (await build(options)).outputs[0].text();

// Entry points that are bundled apart, from one scan.
write({
  "a.ts": 'import { shared } from "./shared"; import { onlyA } from "./only-a"; console.log("a", shared, onlyA); export const name = "a";',
  "b.ts": 'import { shared } from "./shared"; console.log("b", shared, (await import("./later")).later);',
  "c.ts": 'import s from "./old.cjs"; import "./a"; console.log("c", s.old, require("./esm").value);',
  "shared.ts": 'export const shared = `shared ${Math.max(1, 2)}`; export const unused = "only for nobody";',
  "only-a.ts": 'export const onlyA = "only in a";',
  "later.ts": 'export const later = "later";',
  "old.cjs": "exports.old = 'cjs';",
  "esm.ts": "export const value = 'required';",
});
let reads = 0;
const counting = { name: "counting", setup: (b) => void b.onLoad({ filter: /shared\.ts$/ }, () => { reads++; return undefined; }) };
for (const minify of [false, true]) {
  await build({ entrypoints: ["./a.ts", "./b.ts", "./c.ts"], minify, sourcemap: "linked", plugins: [counting] });
  console.log(readdirSync("out").sort().join());
  for (const name of ["a", "b", "c"]) console.log(run(`out/${name}.js`));
  console.log(readFileSync("out/b.js", "utf8").includes("only in a"), readFileSync("out/a.js", "utf8").includes("only for nobody"), reads);
}

// A chunk that is large enough to be minified in parts behaves as its sources.
const modules = Array.from({ length: 120 }, (_, i) => `m${i}`);
write({
  "large.ts": `${modules.map((m) => `import { ${m}, Class_${m} } from "./large/${m}";`).join("\n")}
    let sum = 0;
    ${modules.map((m) => `sum += ${m}(1) + new Class_${m}().value;`).join("\n")}
    console.log(sum, ${modules[7]}.name === "m7" || true);
    export { m1, Class_m2 as Renamed };`,
  ...Object.fromEntries(modules.map((m, i) => [
    `large/${m}.ts`,
    `import { ${modules[(i + 1) % 120]} as next } from "./${modules[(i + 1) % 120]}";
     export type T = 1;
     const local = ${i};
     let calls = 0;
     export function ${m}(depth: number): number {
       calls++;
       const helper = (first: number, second: number) => { const inner = { first, second, local }; return inner.first + inner.second + inner.local; };
       const { first = depth, ...rest } = { first: undefined, next, ${m} };
       return depth > 3 ? helper(first, calls) : next(depth + 1) + Object.keys(rest).length;
     }
     export class Class_${m} { #secret = local; static count = 0; get value() { Class_${m}.count++; return this.#secret * 2; } }
     ${"// a comment that makes the module long enough to be cut, and that nobody reads in the result\n".repeat(4)}
     export const table_${m} = [${Array.from({ length: 200 }, (_, j) => `"${m} entry number ${j}"`).join()}];
     if (table_${m}.length !== 200) throw new Error("lost");`,
  ])),
});
await build({ entrypoints: ["./large.ts"], outdir: "plain" });
await build({ entrypoints: ["./large.ts"], minify: true, sourcemap: "external" });
const [plain, small] = [readFileSync("plain/large.js", "utf8"), readFileSync("out/large.js", "utf8")];
console.log(run("plain/large.js") === run("out/large.js"), run("out/large.js"));
const [plainModule, smallModule] = [await import(join(root, "plain/large.js")), await import(join(root, "out/large.js"))];
console.log(Object.keys(plainModule).join(), Object.keys(smallModule).join(), smallModule.m1(1) === plainModule.m1(1));
console.log(plain.length > 512 << 10, small.length < plain.length, small.includes("//#region"));
const map = JSON.parse(readFileSync("out/large.js.map", "utf8"));
console.log(map.sources.length, /^[0-9A-F]{32}$/.test(map.debugId), small.includes(`debugId=${map.debugId}`));

// inject, alias, manual chunks, declarations, lowering.
write({
  "inject.ts": 'export const $ = (x: string) => `injected ${x}`; export function unusedHelper() { return "not printed"; }',
  "free.ts": 'console.log($("dollar"), typeof unusedHelper);',
  "node_modules/big/package.json": '{ "name": "big", "main": "./index.js" }',
  "node_modules/big/index.js": 'export const big = "big package";',
  "one.ts": 'import { big } from "big"; console.log("one", big);',
  "two.ts": 'import { big } from "big"; import("./later").then((m) => console.log("two", big, m.later));',
  "types.ts": 'import type { Other } from "./types-of";\nexport interface Point extends Other { x: number }\n/** A point. */\nexport function point(x: number): Point { return { x, other: 1 }; }\nexport const names = ["a", "b"] as const;\n',
  "types-of.ts": "export interface Other { other: number }\nexport const real = 1;\n",
  "modern.ts": "const o: any = { a: { b: 1 } }; class C { #x = o?.a?.b ?? 2; get x() { return this.#x; } } let n: number | null = null; n ??= 2; console.log(new C().x, n ** 2);",
});
console.log(await text({ entrypoints: ["./free.ts"], inject: ["./inject.ts"] }).then((code) => (writeFileSync("free.js", code), run("free.js"))));
await build({ entrypoints: ["./one.ts", "./two.ts"], splitting: true, outdir: "chunks", manualChunks: { vendor: ["big"] } });
console.log(readdirSync("chunks").map((name) => name.replace(/-[a-z0-9]{8}\./, "-HASH.")).sort().join(), run("chunks/one.js"), run("chunks/two.js"));
await build({ entrypoints: ["./types.ts"], outdir: "typed", declarations: true });
console.log(readdirSync("typed").sort().join());
console.log(readFileSync("typed/types.d.ts", "utf8"));
const lowered = await text({ entrypoints: ["./modern.ts"], syntaxTarget: ["es2015"] });
writeFileSync("lowered.js", lowered);
console.log(/\?\.|\?\?|\*\*|#x/.test(lowered), run("lowered.js"));

// Texts around the code, and marks in it.
write({ "mark.ts": '/*! licence */ console.log(/* @__PURE__ */ String("kept"));' });
const marked = await text({ entrypoints: ["./mark.ts"], banner: "// banner", footer: "// footer", minify: true });
console.log(marked.startsWith("// @bun\n// banner\n"), marked.trimEnd().endsWith("// footer"), marked.includes("licence"));
console.log((await text({ entrypoints: ["./mark.ts"], minify: true, legalComments: "none" })).includes("licence"));
console.log((await text({ entrypoints: ["./mark.ts"], minify: { whitespace: true }, emitDCEAnnotations: true })).includes("@__PURE__"), (await text({ entrypoints: ["./mark.ts"], minify: { whitespace: true } })).includes("@__PURE__"));
write({ "define.ts": "console.log(WORDS, NUMBER, NAME.toString(), NESTED.a);" });
console.log(run((writeFileSync("define.js", await text({ entrypoints: ["./define.ts"], define: { WORDS: "two words", NUMBER: "1", NAME: "Math.PI", NESTED: '{"a":2}' } })), "define.js")));

// What Bun's parser knows.
write({ "main.ts": 'if (require.main === module) console.log("main", typeof require);\nif (import.meta.hot) { import.meta.hot.accept(); throw 1; }\nimport.meta.hot.dispose(() => {});\n' });
console.log(run((writeFileSync("main.js", await text({ entrypoints: ["./main.ts"] })), "main.js")));
const old = await text({ entrypoints: ["./main.ts"] });
console.log(old.includes("hot"), old.includes("require.main"));

// What only the server's result has is not the page's: its name, and types beside it.
write({ "served.ts": 'import page from "./page.html"; console.log(page.index, page.files.length);', "page.html": "<script src=./page.ts></script>", "page.ts": "export const n: number = 1; console.log(n);" });
await build({ entrypoints: ["./served.ts"], outfile: "served/all.js", declarations: true });
console.log(readdirSync("served").map((name) => name.replace(/-[a-z0-9]{8}(?=\.)/, "-HASH")).sort().join(), run("served/all.js"));
process.chdir("/");
rmSync(root, { recursive: true });
