// expected: written by hand
// A file without an extension is JavaScript, and TypeScript where it is none, as in Bun: scripts with `#!/usr/bin/env bun` have no extension.
import { execFileSync, spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const require = createRequire(import.meta.url);
const at = (name) => fileURLToPath(new URL(`support/no_extension/${name}`, import.meta.url));
console.log(require(at("script")), require(at("plain")));
console.log((await import(at("module"))).default, (await import(at("script"))).default);
execFileSync(process.execPath, [at("script")], { stdio: "inherit" });
execFileSync(process.execPath, [at("module")], { stdio: "inherit" });
// The error is that of JavaScript.
const { status, stderr } = spawnSync(process.execPath, [at("broken")], { encoding: "utf8" });
console.log(status, stderr.includes("SyntaxError: Missing initializer in const declaration"));
// So is a main file of an unknown kind. One that is imported is its path.
execFileSync(process.execPath, [at("main.xyz"), "argument"], { stdio: "inherit" });
execFileSync(process.execPath, [at("module.xyz")], { stdio: "inherit" });
