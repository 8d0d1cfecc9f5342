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
# A preload is a part of each file: its modules, hooks and globals, and the environment. Recorded with bun 1.4.5.
rm -f ./*.test.*
file pre.ts <<'TS'
import { beforeAll, afterAll } from "bun:test";
import { n } from "./mod";
(globalThis as any).preN = n;
(globalThis as any).g1 = 1;
process.env.PRE = "pre";
beforeAll(() => console.log("before all"));
afterAll(() => console.log("after all"));
TS
file mod.ts <<'TS'
export const n = {};
TS
for name in one two; do
file $name.test.ts <<'TS'
import { n } from "./mod";
import { test } from "bun:test";
test("x", () => {
  console.log(n === (globalThis as any).preN, process.env.PRE, process.env.LEFT, (globalThis as any).g1);
  process.env.LEFT = "left";
  process.env.PRE = "changed";
  (globalThis as any).g1 = 2;
});
TS
done
t --isolate --preload ./pre.ts ./one.test.ts ./two.test.ts
