// proxyquire: a module loaded with others in the place of what it requires.
const { mkdtempSync, writeFileSync, rmSync } = require("node:fs");
const { join } = require("node:path");
const proxyquire = require("proxyquire");

const folder = mkdtempSync(join(__dirname, "proxyquire-"));
process.on("exit", () => rmSync(folder, { recursive: true }));
writeFileSync(join(folder, "dependency.js"), "exports.name = () => 'real'; exports.other = () => 'other';\n");
writeFileSync(join(folder, "deep.js"), "exports.deep = () => require('./dependency').name();\n");
writeFileSync(
  join(folder, "subject.js"),
  "const dependency = require('./dependency'); const fs = require('fs'); const deep = require('./deep');\n" +
    "exports.loaded = Math.random(); exports.all = () => [dependency.name(), dependency.other(), fs.readFileSync('x'), deep.deep()];\n",
);
const subject = join(folder, "subject.js");
const stubbed = proxyquire(subject, { "./dependency": { name: () => "stub" }, fs: { readFileSync: () => "file" } });
console.log(stubbed.all());
const deep = proxyquire(subject, { "./dependency": { name: () => "global stub", "@global": true }, fs: { readFileSync: () => 1 } });
console.log(deep.all());
const alone = proxyquire.noCallThru().load(subject, { "./dependency": { name: () => "alone" }, fs: { readFileSync: () => 2 }, "./deep": { deep: () => 3 } });
try {
  alone.all();
} catch (error) {
  console.log(error.name);
}
console.log(require(subject).loaded === stubbed.loaded, require(subject).loaded === require(subject).loaded);
const missing = proxyquire(join(folder, "deep.js"), { "not-installed": {}, "./dependency": { name: () => "third" } });
console.log(missing.deep());
