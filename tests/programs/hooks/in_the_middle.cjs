// require-in-the-middle and import-in-the-middle: what tracing agents do.
const { mkdtempSync, mkdirSync, writeFileSync, rmSync } = require("node:fs");
const { join } = require("node:path");
const { Hook } = require("require-in-the-middle");

const folder = mkdtempSync(join(__dirname, "middle-"));
process.on("exit", () => rmSync(folder, { recursive: true }));
mkdirSync(join(folder, "node_modules/patched/lib"), { recursive: true });
writeFileSync(join(folder, "node_modules/patched/package.json"), '{"name":"patched","version":"1.2.3","main":"lib/main.js"}');
writeFileSync(join(folder, "node_modules/patched/lib/main.js"), "exports.answer = () => 41; exports.inner = require('./inner.js');\n");
writeFileSync(join(folder, "node_modules/patched/lib/inner.js"), "exports.inner = true;\n");
writeFileSync(join(folder, "main.js"), "module.exports = [require('patched').answer(), require('patched') === require('patched')];\n");

const seen = [];
const hook = new Hook(["http", "patched", "url"], { internals: true }, (exports, name, basedir) => {
  seen.push(`${name.replaceAll("\\", "/")} ${basedir === undefined ? "built in" : basedir.slice(folder.length)}`);
  if (name === "patched") return { ...exports, answer: () => exports.answer() + 1 };
  if (name === "http") exports.traced = true;
  return exports;
});
console.log(require(join(folder, "main.js")));
console.log(require("http").traced, require("node:http").traced, seen);
hook.unhook();
require("url");
console.log(seen.length);
