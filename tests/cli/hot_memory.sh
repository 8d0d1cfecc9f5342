# --hot: modules that were loaded anew many times do not stay in memory.
# expected: written by hand
. support/lib.sh
cat >main.mjs <<'JS'
import { version } from "./other.mjs";
import { renameSync, writeFileSync } from "node:fs";
globalThis.loads ??= [];
export const data = Array.from({ length: 5000 }, (_, i) => ({ i, version }));
Bun.gc(true);
globalThis.loads.push(process.memoryUsage().heapUsed);
setTimeout(() => {
  if (globalThis.loads.length > 40) {
    const grown = globalThis.loads.at(-1) - globalThis.loads[10];
    console.log(grown < 1_000_000 ? "flat" : `grown by ${grown}`);
    process.exit();
  }
  // Another one is renamed over it, so that it is never half written.
  writeFileSync("new.mjs", `export const version = ${globalThis.loads.length};`);
  renameSync("new.mjs", "other.mjs");
}, 5);
JS
echo 'export const version = 0;' >other.mjs
timeout 60 "$BAO" --hot main.mjs
