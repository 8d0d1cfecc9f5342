# SIGINT and SIGTERM end a run with what is known so far, in each mode, also while code runs that does not come back; the report is
# written. A program that listens to the signal gets it.
. support/lib.sh
file a.test.ts <<'TS'
import { test, expect } from "bun:test";
test("passes", () => { expect(1).toBe(1); });
test("fails", () => { expect(1).toBe(2); });
TS
file z.test.ts <<'TS'
import { test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
test("waits", async () => {
  // With --parallel: until the other file is done.
  await Bun.sleep(300);
  writeFileSync("running", "");
  if (process.env.BUSY) for (;;);
  await Bun.sleep(30_000);
}, 60_000);
TS
# In Python, because a shell has its background programs ignore SIGINT.
interrupted() {
  rm -f running report.xml
  python3 - "$BAO" "$@" <<'PY'
import os, signal, subprocess, sys, time
bao, name, *words = sys.argv[1:]
signal.signal(signal.SIGINT, signal.default_int_handler)
run = subprocess.Popen([bao, "test", *words, "--reporter=default", "--reporter=junit", "--reporter-outfile=report.xml"], stdout=open("out", "w"), stderr=open("err", "w"))
for _ in range(600):
    if os.path.exists("running") or run.poll() is not None:
        break
    time.sleep(0.05)
run.send_signal(getattr(signal, "SIG" + name))
print("SIG" + name, *words, "exit code", run.wait())
PY
  mask err | grep -E '^\((pass|fail)\)|interrupted|^ [0-9]+ |^Ran'
  grep -o '<testcase name="[a-z]*"' report.xml
}
interrupted INT
BUSY=1 interrupted TERM --isolate
interrupted INT --parallel=2
BUSY=1 interrupted HUP --parallel=2
file z.test.ts <<'TS'
import { test } from "bun:test";
test("listens", async () => {
  const heard = new Promise((resolve) => process.once("SIGINT", resolve));
  process.kill(process.pid, "SIGINT");
  console.log("heard", await heard);
});
test("is ended", async () => { process.kill(process.pid, "SIGINT"); await Bun.sleep(10_000); });
TS
t ./z.test.ts
