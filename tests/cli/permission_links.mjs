// expected: recorded from node 25.9.0. The permission model: links, and paths in errors as they were given.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const dir = realpathSync(mkdtempSync(join(tmpdir(), "permission-")));
for (const name of ["both", "read", "write"]) mkdirSync(join(dir, name));
writeFileSync(join(dir, "both/file"), "x");
writeFileSync(join(dir, "read/file"), "x");
writeFileSync(
  join(dir, "main.cjs"),
  `const fs = require("fs"), { promises } = fs;
const say = (error) => console.log(error === null || error === undefined ? "done" : [error.code, error.message, error.permission, error.resource].join(" | ").replaceAll(${JSON.stringify(dir)}, "DIR"));
const attempt = (run) => { try { run(); say(); } catch (error) { say(error); } };
attempt(() => fs.writeFileSync("./read/../read/new", ""));
attempt(() => fs.readFileSync("write/file"));
attempt(() => fs.symlinkSync("both/file", "both/link"));
attempt(() => fs.linkSync("read/file", "both/hard"));
attempt(() => fs.linkSync("both/file", "read/hard"));
attempt(() => fs.linkSync("both/file", "write/hard"));
fs.symlink("both/file", "both/link", (error) => { say(error); promises.symlink("both/file", "both/link").catch(say); });
`,
);
const allow = (kind, ...names) => names.map((name) => `--allow-fs-${kind}=${join(dir, name)}`);
const words = ["--permission", ...allow("read", "main.cjs", "both", "read"), ...allow("write", "both", "write"), join(dir, "main.cjs")];
console.log(spawnSync(process.execPath, words, { cwd: dir, encoding: "utf8" }).stdout);
rmSync(dir, { recursive: true });
