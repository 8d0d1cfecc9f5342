# bao test --watch: after a change only the test files that it reaches run; on a terminal, keys choose others.
. support/lib.sh
echo 'export const a = 1;' >a.ts
echo 'export const both = 1;' >both.ts
echo 'export const hidden = 1;' >hidden.ts
echo 'globalThis.preloaded = 1;' >preload.ts
echo '[test]
preload = "./preload.ts"' >bunfig.toml
file a.test.ts <<'TS'
import { a } from "./a";
import { both } from "./both";
test("a", () => expect(a + both).toBeGreaterThan(1));
TS
file b.test.ts <<'TS'
import * as fs from "node:fs";
test("b", () => expect(require("./both").both).toBeGreaterThan(0));
TS
file c.test.ts <<'TS'
test("c", async () => expect((await import("./hid" + "den")).hidden).toBeGreaterThan(0));
TS
# Waits for the end of a run, and shows which files it was.
shown=0
run() {
  tries=0
  while [ "$(grep -c '^Ran ' out)" -le "$shown" ]; do
    sleep 0.05
    tries=$((tries + 1))
    [ $tries -lt 400 ] || { echo "gave up waiting for run $shown"; cat out; kill $pid; exit 1; }
  done
  shown=$((shown + 1))
  echo "# $1"
  awk -v n=$shown '/^bao test v/ { run++ } run == n' out | grep -E 'test files,|\.test\.ts:$|^\((pass|fail)\)|^Ran' | sed 's/ \[.*//'
}
: >out
"$BAO" test --watch "$@" >out 2>&1 </dev/null &
pid=$!
run "everything"
echo 'export const a = 2;' >a.ts
run "what imports a"
echo 'export const both = 2;' >both.ts
run "what imports or requires both"
echo 'export const hidden = 2;' >hidden.ts
run "who loads it cannot be told: everything"
echo 'globalThis.preloaded = 2;' >preload.ts
run "loaded first: everything"
echo 'test("b", () => expect(1).toBe(2))' >b.test.ts
run "the test file itself"
echo 'export const a = 3;' >a.ts
run "a again"
kill -TERM $pid
{ wait $pid; code=$?; } 2>/dev/null
echo "exit code $code"
# The same where other processes load the files.
mkdir again
cp ./*.ts bunfig.toml again
cd again || exit 1
shown=0
: >out
"$BAO" test --watch --parallel=2 >out 2>&1 </dev/null &
pid=$!
run "everything" | tail -1
echo 'export const a = 4;' >a.ts
shown=1
run "what imports a"
echo 'export const hidden = 3;' >hidden.ts
run "everything" | tail -1
kill -TERM $pid
{ wait $pid; code=$?; } 2>/dev/null
echo "exit code $code"
cd ..
rm -r again
file keys.py <<'PY'
import os, pty, re, sys, time
pid, fd = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], [sys.argv[1], "test", "--watch"])
seen = ""
def until(text):
    global seen
    end = time.time() + 20
    while text not in seen:
        if time.time() > end:
            sys.exit("gave up waiting for " + text + "\n" + seen)
        seen += os.read(fd, 65536).decode("utf8", "replace")
    seen, before = seen.split(text, 1)[1], seen.split(text, 1)[0]
    return before
for key in ["", "f", "\n", "a", "q"]:
    if key:
        os.write(fd, key.encode())
    if key != "q":
        text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", until("q: quit")).replace("\r", "\n")
        print("key", repr(key), *re.findall(r"\d of \d test files.*|Ran \d tests? across \d files?", text), sep="\n  ")
    else:
        print("key q: exit code", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
PY
NO_COLOR='' python3 keys.py "$BAO"
