// expected: written by hand
// Types of members with decorators under `emitDecoratorMetadata`: what is imported for them alone is kept where it is a value, at run
// time and in bundles, and in bundles is `Object` where it is an interface.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = join(import.meta.dirname, "support/decorated_types");
const out = mkdtempSync(join(tmpdir(), "decorated-"));
const run = (file) => {
  const { stdout, stderr, status } = spawnSync(process.execPath, [file], { encoding: "utf8" });
  return `${status} ${stdout.trim()}${stderr.trim().split("\n").slice(0, 5).join("|")}`;
};
console.log(run(join(folder, "classes.ts")));
for (const name of ["classes.ts", "program.ts", "passes_on.ts"]) {
  const built = await Bun.build({ entrypoints: [join(folder, name)], outdir: out, target: "bun", throw: false });
  console.log(name, built.success ? `built ${run(built.outputs[0].path)}` : built.logs.map((log) => log.message));
}
rmSync(out, { recursive: true });
