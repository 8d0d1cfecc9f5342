// Acorn over 1.2 MB of code: every token and every node.
import fs from "node:fs";
import * as acorn from "acorn";

const count = (counts, key) => counts.set(key, (counts.get(key) ?? 0) + 1);
for (const [name, sourceType] of [
  ["@babel/parser/lib/index.js", "script"],
  ["prettier/index.mjs", "module"],
]) {
  const text = fs.readFileSync(`node_modules/${name}`, "utf8");
  const nodes = new Map();
  const comments = [];
  const tree = acorn.parse(text, { ecmaVersion: "latest", sourceType, locations: true, ranges: true, onComment: comments });
  let checksum = 0;
  (function walk(node) {
    count(nodes, node.type);
    checksum = (checksum * 31 + node.start + node.end * 7 + node.loc.start.column) % 1_000_000_007;
    for (const value of Object.values(node)) {
      if (Array.isArray(value)) for (const item of value) item?.type && walk(item);
      else if (value?.type) walk(value);
    }
  })(tree);
  console.log(name, text.length, tree.body.length, comments.length, checksum);
  console.log(Object.fromEntries([...nodes].sort(([a], [b]) => (a < b ? -1 : 1))));
  const tokens = new Map();
  for (const token of acorn.tokenizer(text, { ecmaVersion: "latest", sourceType })) count(tokens, token.type.label);
  console.log(
    [...tokens]
      .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
      .slice(0, 12)
      .join(" "),
  );
}
for (const bad of ["let a = ;", "class { }", "`${", "/(/", "for (let x of a, b);", "await 1", '"\\u{110000}"']) {
  try {
    acorn.parse(bad, { ecmaVersion: "latest" });
    console.log("parsed", bad);
  } catch (error) {
    console.log(error.name, error.message, error.pos, error.raisedAt, error.loc);
  }
}
