// expected: written by hand
// What oxc's passes alone would get wrong: a call of the last of several expressions has no `this`, also if that is an optional chain,
// and members of classes whose names are negative numbers keep their brackets. Directives keep their quotes.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "bundle-meaning-"));
process.on("exit", () => rmSync(folder, { recursive: true }));
const node = (name) => execFileSync(process.execPath, [join(folder, name)], { encoding: "utf8" }).trim();

const text = `
const object = { name: "object", method() { return this?.name ?? "none"; } };
const call = (a) => [
  (0, a?.method)(), (0, a?.["method"])(), (0, a?.method)?.(), (1, 2, (a?.method))(), (0, a?.method)\`\`,
  (a?.method)(), a?.method(), (a?.method)\`\`,
  (true && a?.method)(), (1 ? a?.method : 0)(), (0 ? 1 : a?.method)(), (false || a?.method)(), (null ?? a?.method)(), (true && a?.method)\`\`,
  (a ? a?.method : a?.method)(), (a ? (0, a?.method) : 0)(), (a && (true && (a?.method)))(), (1 ? true && a?.method : 0)?.(),
];
console.log(call(object).join());
const one = 1;
class Names { [-1] = "a"; static [-2] = "b"; [-3]() { return "c"; } get [one - 5]() { return "d"; } [1 / 0] = "e"; [-0] = "f"; ["g"] = "g"; 7 = "h"; }
const names = new Names();
console.log(names[-1], Names[-2], names[-3](), names[-4], names[Infinity], names[0], names.g, names[7]);
let first, second, third, fourth;
({ first: first = 5, second: second = 6, "third": third = [7], fourth: { third: fourth = third } = { third: 8 } } = { second: 2 });
for ({ first: first = 9 } of [{}]) ;
console.log(first, second, third[0], fourth);
console.log(JSON.stringify({ [-1]: 1, [-0]: 2, [one - 3]: 3 }));
`;
writeFileSync(join(folder, "a.mjs"), text);
console.log(node("a.mjs"));
const wanted = node("a.mjs");
// Chunks of more than a quarter of a megabyte are minified in parts.
const filler = Array.from({ length: 6000 }, (_, at) => `export function named${at}(first, second) { return first + second + ${at}; }`);
for (const at of [1, 2, 3]) writeFileSync(join(folder, `filler${at}.mjs`), `${filler.join("\n")}\nglobalThis.kept${at} = [${filler.map((_, at) => `named${at}`)}];\n`);
writeFileSync(join(folder, "large.mjs"), `import "./filler1.mjs";\nimport "./filler2.mjs";\nimport "./filler3.mjs";\nimport "./a.mjs";\n`);
for (const entry of ["a.mjs", "large.mjs"]) {
  for (const minify of [false, true, { syntax: true }, { whitespace: true }]) {
    const { outputs } = await Bun.build({ entrypoints: [join(folder, entry)], target: "node", minify });
    writeFileSync(join(folder, "out.mjs"), await outputs[0].text());
    console.log(entry, JSON.stringify(minify), node("out.mjs") === wanted);
  }
}
// Alone, as a look at the module decides what is done to it.
for (const call of ["(true && a?.method)()", "(1 ? a?.method : 0)()", "(false || a?.method)()", "(a ? a?.method : a?.method)()", "(1 ? true && (0, a?.method) : 0)()"]) {
  writeFileSync(join(folder, "b.mjs"), `const a = { method() { return this === undefined; } };\nconsole.log(${call});`);
  for (const minify of [false, true]) {
    const { outputs } = await Bun.build({ entrypoints: [join(folder, "b.mjs")], target: "node", minify });
    writeFileSync(join(folder, "out.mjs"), await outputs[0].text());
    console.log(call, minify, node("out.mjs"));
  }
}
for (const options of [{}, { minify: { syntax: true } }, { minify: true }, { minifyWhitespace: true }, { deadCodeElimination: false }]) {
  writeFileSync(join(folder, "out.mjs"), new Bun.Transpiler({ loader: "js", ...options }).transformSync(text));
  console.log("transpiled", JSON.stringify(options), node("out.mjs") === wanted);
}
const transpiler = new Bun.Transpiler({ loader: "js" });
// What is no directive becomes none, although the statement before it is not printed.
const sloppy = "function sloppy() { ; 'use strict'; return this !== undefined; } console.log(sloppy.call(undefined));";
for (const options of [{}, { deadCodeElimination: false }]) new Function(new Bun.Transpiler({ loader: "js", ...options }).transformSync(sloppy))();
console.log(transpiler.transformSync("(0, a?.b)();").trim());
for (const directive of [`"it's \\"so\\""`, `'it\\'s "so"'`, `'a\\'b'`, `"a\\\\"`]) console.log(transpiler.transformSync(`${directive}; a;`).split("\n")[0]);
