import { spawnSync } from "node:child_process";
import fs from "node:fs";
fs.writeFileSync("checked.js", "debugger; if (a == NaN) { b(); }\n");
const run = spawnSync(process.execPath, ["node_modules/oxlint/bin/oxlint", "-f", "json", "checked.js"], {
  encoding: "utf8",
});
const report = JSON.parse(run.stdout);
console.log(report.diagnostics.map((found) => found.code).sort(), report.number_of_files, run.status);
