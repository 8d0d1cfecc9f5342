# Code that never comes back, wherever it stands: it is ended, and the others' results are there, in each mode. bao's own: Bun
# runs for ever.
. support/lib.sh
for name in a z; do echo 'test("good", () => { expect(1).toBe(1); });' >${name}_good.test.ts; done
echo 'test("is not run", () => {}); for (;;);' >b_load.test.ts
echo 'test("is not run", () => {}); await 1; for (;;);' >c_after_await.test.ts
echo 'setInterval(() => {}, 1000); await new Promise(() => {});' >d_waits.test.ts
file e_block.test.ts <<'TS'
describe("block", () => { test("is not run", () => {}); for (;;); });
test("is run", () => {});
TS
file f_hooks.test.ts <<'TS'
describe("before", () => { beforeAll(() => { for (;;); }, 100); test("is not run", () => {}); });
describe("each", () => { beforeEach(async () => { await 1; for (;;); }, 100); test("fails", () => {}); });
describe("after", () => { afterAll(async () => { await Bun.sleep(1); for (;;); }, 100); test("passes", () => {}); });
TS
file g_tests.test.ts <<'TS'
test("at once", () => { for (;;) { try { for (;;); } catch {} } }, 100);
test("after await", async () => { await 1; for (;;); }, 100);
test("after a timer", async () => { await Bun.sleep(1); for (;;); }, 100);
test("in microtasks", async () => { for (;;) await 1; }, 100);
test("in a tick", () => new Promise(() => process.nextTick(() => { for (;;); })), 100);
test("by done", (done) => { setTimeout(() => { for (;;); }, 1); }, 100);
test("leaves a timer", () => { setTimeout(() => { for (;;); }, 5); });
test("is ended with it", async () => { await Bun.sleep(2000); }, 100);
test("timers go on", async () => { await Bun.sleep(2); await new Promise((resolve) => setImmediate(resolve)); }, 2000);
test.concurrent("together", async () => { await 1; for (;;); }, 100);
test.concurrent("together in a tick", () => new Promise(() => process.nextTick(() => { for (;;); })), 100);
test.concurrent("together with it", async () => { await Bun.sleep(5); }, 4000);
TS
file h_blocks.test.ts <<'TS'
const nest = () => describe("more", nest);
nest();
TS
for mode in --no-isolate --isolate --parallel=2; do
  "$BAO" test $mode --load-timeout=1000 >out 2>err
  echo "$mode: exit code $?"
  mask err | grep -E '^\((pass|fail)\)|^  \^|^error|^ [0-9]+ |^Ran' | LC_ALL=C sort
done
