# Modules and globals between files: shared, or with --isolate each file's own.
. support/lib.sh
file shared.ts <<'TS'
export const state = { count: 0 };
console.log("shared is loaded");
TS
echo 'exports.count = 0; console.log("common is loaded");' >common.cjs
for name in a b; do
  file $name.test.ts <<'TS'
import { test } from "bun:test";
import { state } from "./shared";
import common from "./common.cjs";
test("counts", () => {
  console.log(++state.count, ++common.count, (globalThis as any).leak, typeof Array.prototype.toSorted);
  (globalThis as any).leak = true;
  (globalThis as any).fetch = 5;
  console.log(typeof structuredClone);
  (globalThis as any).structuredClone = undefined;
});
TS
done
t
t --isolate
t --rerun-each=2 a
