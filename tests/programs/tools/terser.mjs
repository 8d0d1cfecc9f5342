// Terser over its own sources, with source maps.
import { createHash } from "node:crypto";
import fs from "node:fs";
import { minify } from "terser";

const digest = (text) => createHash("sha256").update(text).digest("hex").slice(0, 16);
const root = "node_modules/terser/lib/";
const files = {};
for (const name of fs.readdirSync(root, { recursive: true }).map(String).sort()) {
  if (name.endsWith(".js")) files[name] = fs.readFileSync(root + name, "utf8");
}
for (const name of ["parse.js", "ast.js", "compress/index.js", "output.js"]) {
  const { code, map } = await minify(
    { [name]: files[name] },
    { module: true, compress: { passes: 2 }, mangle: true, sourceMap: { filename: name } },
  );
  console.log(name, files[name].length, code.length, digest(code), digest(map));
}
const { code } = await minify(files["propmangle.js"], { module: true, format: { beautify: true, comments: /license/i } });
console.log(code.slice(0, 600));
try {
  await minify("let a = 1; let a = 2 +;");
} catch (error) {
  console.log(error.name, error.message, error.line, error.col);
}
