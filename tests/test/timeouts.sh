# Tests that take too long, and the processes that they leave. Recorded with Bun.
. support/lib.sh
file a.test.ts <<'TS'
import { test, setDefaultTimeout } from "bun:test";
test("two processes", async () => { const p = Bun.spawn(["sleep", "3"]); Bun.spawn(["sleep", "3"]); await p.exited; }, 50);
test("one process", async () => { await Bun.spawn(["sleep", "3"]).exited; }, 50);
test("none", async () => { await Bun.sleep(3000); }, 50);
test("too long without waiting", () => { const end = Date.now() + 100; while (Date.now() < end); }, 20);
setDefaultTimeout(30);
test("the default", async () => { await Bun.sleep(3000); });
test("its own", async () => { await Bun.sleep(60); }, 2000);
TS
t
