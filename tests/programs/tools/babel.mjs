// Babel: parses 1.2 MB, prints it back, and compiles for old browsers.
import { createHash } from "node:crypto";
import fs from "node:fs";
import babel from "@babel/core";
import { parse } from "@babel/parser";
import env from "@babel/preset-env";

const digest = (text) => createHash("sha256").update(text).digest("hex").slice(0, 16);
for (const [name, sourceType] of [
  ["@babel/parser/lib/index.js", "script"],
  ["prettier/index.mjs", "module"],
]) {
  const text = fs.readFileSync(`node_modules/${name}`, "utf8");
  const tree = parse(text, { sourceType, tokens: true });
  console.log(name, tree.program.body.length, tree.tokens.length, tree.comments.length, tree.errors.length);
  const types = new Map();
  babel.traverse(tree, { enter: ({ node }) => void types.set(node.type, (types.get(node.type) ?? 0) + 1) });
  console.log(
    types.size,
    [...types]
      .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
      .slice(0, 8)
      .join(" "),
  );
  if (name.startsWith("@"))
    console.log(
      digest(babel.transformFromAstSync(tree, text, { configFile: false, babelrc: false, compact: true, comments: false }).code),
    );
}
const source = `
class A extends B { #x = 1; static s = 2; get x() { return this.#x ?? super.x?.y; } async *gen() { for await (const v of this.list) yield v; } }
const { a, ...rest } = f\`t\${1}\`; let n = 2 ** 3; label: for (const [k, v] of new Map()) { setTimeout(() => k + v); continue label; }
export default async (x = 1, ...y) => { try { await x; } catch { return { ...y, [Symbol.iterator]: 1_000n }; } };
`;
for (const targets of ["ie 11", "chrome 70", "maintained node versions"]) {
  const { code, map } = babel.transformSync(source, {
    presets: [[env, { targets: targets.startsWith("main") ? { node: "18" } : targets }]],
    configFile: false,
    babelrc: false,
    sourceMaps: true,
    filename: "x.js",
  });
  console.log(code);
  console.log(digest(map.mappings));
}
try {
  babel.transformSync("const a = 1;\na = = 2;", { configFile: false, babelrc: false, filename: "/bad.js", highlightCode: false });
} catch (error) {
  console.log(error.name, error.code, error.message);
}
console.log(
  parse("let x: Array<number> = <any>[]; @d class D { declare y?: string }", {
    plugins: ["typescript", "decorators"],
  }).program.body.map((n) => n.type),
);
