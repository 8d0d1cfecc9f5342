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
  { optimize: { bytecode: true } },
  { optimize: true },
  { bytecodeDepth: 1 },
  { bytecodeDepth: -1 },
  { compile: { bytecodeOrder: "main.order", outfile: "main" } },
  { bytecode: true, compile: { bytecodeOrder: ["main.order"], outfile: "main" } },
  { bytecode: true, compile: { bytecodeOrder: [""], outfile: "main" } },
  { bytecode: true, compile: { bytecodeOrder: 1, outfile: "main" } },
  { bytecode: true, compile: { windows: { title: "x" }, outfile: "main" } },
  { bytecode: true, bytecodeDepth: 0, optimize: { bytecode: false }, splitRequire: false, minChunkSize: 0 },
]) {
  try {
    console.log(Object.keys(option).join(), (await Bun.build({ entrypoints: ["./main.ts"], ...option })).success);
  } catch (error) {
    console.log(Object.keys(option).join(), error.code, error.message.replaceAll(process.cwd(), ""));
  }
}
for (const option of ["--app", "--bytecode-order=x", "--bytecode-order=x --compile", "--bytecode-depth=1", "--bytecode-depth=x", "--no-optimize-bytecode", "--windows-title=x", "--windows-hide-console"]) {
  const { status, stderr } = spawnSync(process.execPath, ["build", "main.ts", "--outfile=out", ...option.split(" ")], { encoding: "utf8" });
  console.log(option, status, stderr.split("\n")[0]);
}
process.chdir("/");
rmSync(root, { recursive: true });
