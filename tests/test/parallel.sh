# --parallel: each file's output together, sums, a worker that dies, preloaded hooks, records for reporters.
. support/lib.sh
for name in a b c d; do
  file $name.test.ts <<TS
import { test, expect } from "bun:test";
(globalThis as any).leak = ((globalThis as any).leak ?? 0) + 1;
console.log("$name stdout");
test("$name", () => { console.error("$name stderr"); expect((globalThis as any).leak).toBe(1); });
test("worker", () => { expect(process.env.JEST_WORKER_ID).toMatch(/^\\d+\$/); expect(process.env.BUN_TEST_WORKER_ID).toBe(process.env.JEST_WORKER_ID!); });
TS
done
file e.test.ts <<'TS'
import { test, expect } from "bun:test";
test("fails", () => { expect(1).toBe(2); });
test.skip("skipped", () => {});
TS
file f.test.ts <<'TS'
import { test } from "bun:test";
test("dies", () => { process.kill(process.pid, "SIGKILL"); });
TS
# Files are over in any order, and one that takes long is shown in pieces: blocks are joined and sorted by their first lines.
sorted() {
  python3 -c '
import sys
head, *rest = sys.stdin.read().split("\n\n")
tail = [block for block in rest if block.startswith((" ", "Ran"))]
files = {}
for block in rest:
    if block not in tail:
        name, _, text = block.partition("\n")
        files[name] = "\n".join(part for part in (files.get(name, name), text) if part)
files = sorted(files.values())
print("\n\n".join([head, *files, *tail]))'
}
"$BAO" test --parallel=2 a b c d e f >out 2>err
echo "exit code $?"
sort out | mask
mask err | sorted
"$BAO" test --parallel=3 --reporter=tap a b c d 2>&1 | grep -c '^ok'
"$BAO" test --parallel=2 --bail e a b c d 2>&1 | mask | grep -c Bailed
echo 'import { afterAll, beforeAll } from "bun:test"; beforeAll(() => console.log("first")); afterAll(() => console.log("last"));' >pre.ts
"$BAO" test --parallel=2 --no-isolate --parallel-delay=5000 --preload ./pre.ts a b 2>err | mask
tail -n 4 err | mask
