# --bail, --rerun-each, --retry, --timeout, --shard, --concurrent, and wrong values. Recorded with Bun.
. support/lib.sh
file a.test.ts <<'TS'
import { test, expect } from "bun:test";
let calls = 0;
test("first", () => { calls++; expect(calls).toBe(1); });
test("fails", () => { expect(1).toBe(2); });
test("waits", async () => { await Bun.sleep(100); });
TS
echo 'test("b", () => {});' >b.test.ts
echo 'test("c", () => {});' >c.test.ts
t --bail
t --bail=2
t --rerun-each=2 ./a.test.ts ./b.test.ts
t --retry=1 ./a.test.ts
t --timeout=20 ./a.test.ts
t --shard=1/2
t --shard=2/2
t --shard=3/2
t --shard=x
t --timeout=abc
t --reporter=junit
printf '[test]\nretry = 1\nonlyFailures = true\n' >bunfig.toml
t ./a.test.ts
printf '[test.reporter]\ndots = true\n' >bunfig.toml
t
