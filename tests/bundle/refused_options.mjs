// expected: written by hand
// Options of Bun that bao does not have are refused, not ignored; asking for what it does anyway is none of them.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = mkdtempSync(join(tmpdir(), "refused-options-"));
process.chdir(root);
writeFileSync("main.ts", "console.log(1);");
for (const option of [
  { splitRequire: true },
  { minChunkSize: 1000 },
  { modulePreload: true },
  { deprecatedNamespaceObjectSetters: true },
  { optimize: { bytecode: true } },
  { bytecodeDepth: 1 },
  { splitRequire: false, minChunkSize: 0, modulePreload: false, deprecatedNamespaceObjectSetters: false },
]) {
  try {
    console.log(Object.keys(option).join(), (await Bun.build({ entrypoints: ["./main.ts"], ...option })).success);
  } catch (error) {
    console.log(Object.keys(option).join(), error.code, error.message);
  }
}
for (const option of ["--app", "--css-chunking", "--min-chunk-size=1", "--bytecode-order=x", "--no-module-preload", "--no-split-require"]) {
  const { status, stderr } = spawnSync(process.execPath, ["build", "main.ts", "--outdir=out", option], { encoding: "utf8" });
  console.log(option, status, stderr.split("\n")[0]);
}
process.chdir("/");
rmSync(root, { recursive: true });
