# ES modules and CommonJS in one program, in both directions. The .out is what Node 20 prints (BAO=node).
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT INT TERM
cd "$dir" || exit 1
mkdir -p node_modules/dual node_modules/esm node_modules/cjs
echo '{ "name": "dual", "exports": { ".": { "import": "./i.mjs", "require": "./r.cjs" }, "./feature/*": "./f-*.js", "./internal/*": null } }' >node_modules/dual/package.json
echo 'export default "esm"; export const kind = "i";' >node_modules/dual/i.mjs
echo 'module.exports = { kind: "r" };' >node_modules/dual/r.cjs
echo 'exports.f = 1;' >node_modules/dual/f-x.js
echo '{ "name": "esm", "type": "module", "main": "m.js" }' >node_modules/esm/package.json
echo 'export default function named() {} export const a = 1; export let live = 0; export const bump = () => { live++; };' >node_modules/esm/m.js
echo '{ "name": "cjs", "main": "m" }' >node_modules/cjs/package.json
# What tsc and Babel write for `export * from "./re"`; names are found by reading, the values come later.
cat >node_modules/cjs/m.js <<'JS'
Object.defineProperty(exports, "__esModule", { value: true });
exports.default = "d";
exports.named = 1;
exports["x-y"] = 2;
if (0) exports.never = 1;
var _re = require("./re");
Object.keys(_re).forEach(function (k) {
  if (k === "default" || k === "__esModule") return;
  Object.defineProperty(exports, k, { enumerable: true, get: function () { return _re[k]; } });
});
JS
echo 'exports.fromRe = 5; module.exports.also = 6;' >node_modules/cjs/re.js
echo '{ "j": 1 }' >d.json
echo '{bad' >bad.json
echo 'export {};' >empty.mjs
echo 'export const v = await new Promise((r) => setTimeout(r, 2, "tla"));' >tla.mjs
echo 'export { s } from "./cycle2.mjs"; export function r() {}' >cycle1.mjs
echo 'import * as one from "./cycle1.mjs"; export const s = typeof one.r;' >cycle2.mjs
cat >main.mjs <<'JS'
import * as dual from "dual";
import { createRequire } from "module";
import cjs, { fromRe, named } from "cjs";
import * as ns from "cjs";
import fs, { readFileSync } from "fs";
import def, * as esm from "esm";
import data from "./d.json" with { type: "json" };
const require = createRequire(import.meta.url);
console.log(dual.default, dual.kind, require("dual"), require("dual/feature/x"), cjs, named, fromRe);
// Node 23 added "module.exports" to the names.
console.log(Object.keys(ns).filter((name) => name !== "module.exports"), fs.readFileSync === readFileSync);
console.log(def.name, esm.live, (esm.bump(), esm.live), data);
const imported = ["dual/internal/y", "dual/none", "dual/feature/zz", "nope", "./nope.mjs", "", "/abs", "file:///nope.mjs", "http://x/y.js",
  "node:nope", "fs/nope", "#x", "./a%2fb.mjs", "data:text/javascript,export default 7", "@x", "@x/y", ".."];
for (const id of imported) {
  await import(id).then((module) => console.log("import", id, module.default), (error) => console.log("import", id, error.name, error.code));
}
for (const id of ["dual/internal/y", "nope", "./nope", "", "node:nope", "./b.cjs", "./d.json", "./bad.json", "#x", "..", 5, undefined]) {
  try {
    console.log("require", id, typeof require(id));
  } catch (error) {
    console.log("require", id, error.name, error.code);
  }
}
console.log(import.meta.url.endsWith("main.mjs"), import.meta.filename.endsWith("main.mjs"), import.meta.resolve("dual").endsWith("i.mjs"));
console.log(Object.prototype.toString.call(esm), Reflect.ownKeys(esm), Object.isSealed(esm), Object.getOwnPropertyDescriptor(esm, "a"));
try {
  esm.a = 2;
} catch (error) {
  console.log(error.name);
}
console.log(this, typeof module, typeof exports, (await import("./tla.mjs")).v, (await import("./b.cjs")).default);
console.log(typeof (await import("./cycle1.mjs")).r, (await import("./cycle1.mjs")).s);
JS
cat >b.cjs <<'JS'
const Module = require("module");
module.exports = {
  main: require.main === module, id: module.id.endsWith("b.cjs"), paths: module.paths.length > 1, loaded: module.loaded, children: module.children.length,
  keys: Object.keys(require).join(), found: require.resolve("./d.json").endsWith("d.json"), searched: require.resolve.paths("x").length > 0,
  builtin: Module.isBuiltin("fs") && Module.builtinModules.includes("fs"), wrap: Module.wrap("x"), self: this === module.exports, count: arguments.length,
};
JS
cat >main.cjs <<'JS'
const path = require("path");
const Module = require("module");
require("./d.json").added = 1;
console.log(require("./d.json"), require.cache[require.resolve("./d.json")].exports.added);
delete require.cache[require.resolve("./d.json")];
console.log(require("./d.json"), require("./b.cjs"), require.main === module, module.children.length, __filename === module.filename);
require.extensions[".weird"] = (module, file) => { module.exports = "weird " + path.basename(file); };
require("fs").writeFileSync("x.weird", "");
console.log(require("./x.weird"));
const virtual = new Module("virtual.js");
virtual.paths = module.paths;
virtual._compile("module.exports = typeof require + __filename", "/v/virtual.js");
console.log(virtual.exports);
// What mocking and aliasing libraries do.
const { _resolveFilename, _load } = Module;
Module._resolveFilename = function (request, ...rest) { return request === "alias" ? require.resolve("./d.json") : _resolveFilename.call(this, request, ...rest); };
console.log(require("alias"));
Module._resolveFilename = _resolveFilename;
Module._load = (request, ...rest) => (request === "mocked" ? "mock!" : _load(request, ...rest));
console.log(require("mocked"));
Module._load = _load;
require.cache.fake = { exports: "no" };
try {
  require("fake");
} catch (error) {
  console.log(error.code);
}
console.log(typeof require("esm").default, require("esm").a);
try {
  require("./tla.mjs");
} catch (error) {
  console.log(error.code);
}
exports.x = 1;
console.log(module.exports, exports === module.exports, Module.Module === Module);
console.log(Module.createRequire(__filename)("./d.json"), Module.createRequire("file://" + __filename).resolve("cjs").endsWith("m.js"));
import("cjs").then(({ default: value }) => console.log(value));
JS
for program in main.mjs main.cjs; do
  echo "--- $program"
  "$BAO" $program 2>&1 || echo "exit code $?"
done
