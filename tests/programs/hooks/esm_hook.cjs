// esm-hook: ES modules of packages turned into CommonJS as they are required.
const { mkdtempSync, mkdirSync, writeFileSync, rmSync } = require("node:fs");
const { join } = require("node:path");
require("esm-hook");

const folder = mkdtempSync(join(__dirname, "esm-hook-"));
process.on("exit", () => rmSync(folder, { recursive: true }));
mkdirSync(join(folder, "node_modules/pure"), { recursive: true });
writeFileSync(join(folder, "node_modules/pure/package.json"), '{"name":"pure","version":"1.0.0","type":"module","exports":"./index.js"}');
writeFileSync(join(folder, "node_modules/pure/index.js"), "import { join } from 'node:path';\nexport default function pure() { return join('a', 'b'); }\nexport const url = typeof import.meta.url;\n");
writeFileSync(join(folder, "main.cjs"), "const pure = require('pure'); module.exports = [pure.default(), pure.url, Object.keys(pure).sort()];\n");
console.log(require(join(folder, "main.cjs")));
