// NODE_V8_COVERAGE: functions and ranges of programs in fixtures/coverage, as Node 25 reports them.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const folder = fileURLToPath(new URL("fixtures/coverage", import.meta.url));
for (const name of readdirSync(folder).sort()) {
  const file = join(folder, name);
  const reports = mkdtempSync(join(tmpdir(), "coverage-"));
  const { status, stderr } = spawnSync(process.execPath, [file], { env: { ...process.env, NODE_V8_COVERAGE: reports } });
  if (status !== 0) console.log(`${stderr}`);
  // (Node appends a comment to a text whose types it took out.)
  const { length } = readFileSync(file, "utf8");
  for (const report of readdirSync(reports)) {
    const { result } = JSON.parse(readFileSync(join(reports, report), "utf8"));
    for (const { functions } of result.filter(({ url }) => url === pathToFileURL(file).href)) {
      console.log(`--- ${name}`);
      for (const { functionName, isBlockCoverage, ranges } of functions) {
        const list = ranges.map((one) => `${one.startOffset}-${Math.min(one.endOffset, length)}x${one.count}`);
        console.log(`${functionName || "(anonymous)"}${isBlockCoverage ? "" : " (not run)"}: ${list.join(" ")}`);
      }
    }
  }
  rmSync(reports, { recursive: true });
}
