# --parallel: a worker that dies in some way, or does to its descriptors what it likes, takes only its file with it; what it prints
# stays in bounds.
. support/lib.sh
for name in a z; do echo 'test("good", () => { expect(1).toBe(1); });' >${name}_good.test.ts; done
file b.test.ts <<'TS'
test("dies", () => { process.kill(process.pid, "SIGKILL"); });
TS
file c.test.ts <<'TS'
process.kill(process.pid, "SIGTERM");
TS
file d.test.ts <<'TS'
test("aborts", () => { process.abort(); }); test("next", () => {});
TS
file e.test.ts <<'TS'
test("leaves", () => { process.reallyExit(0); }); test("next", () => {});
TS
file f.test.ts <<'TS'
test("closes", () => { for (const fd of [1, 2, 3, 4]) try { require("fs").closeSync(fd); } catch {} }); test("next", () => {});
TS
file g.test.ts <<'TS'
test("writes", () => { for (const fd of [3, 4, 5]) try { require("fs").writeSync(fd, "{bad\n"); } catch {} }); test("next", () => {});
TS
file h.test.ts <<'TS'
test("imitates", () => { process.stdout.write("\0bao test: over\0\n"); console.error("\0bao test: over\0"); });
TS
file i.test.ts <<'TS'
test("leaves a process", () => { Bun.spawn(["sleep", "60"], { stdio: ["ignore", "inherit", "inherit"] }); });
TS
file j.test.ts <<'TS'
test("prints", () => { const line = "x".repeat(99_999); for (let i = 0; i < 150; i++) { console.log(line); console.error(line); } });
TS
file k.test.ts <<'TS'
test("prints too", () => { const line = "y".repeat(99_999); for (let i = 0; i < 150; i++) { console.log(line); console.error(line); } });
TS
"$BAO" test --parallel=3 --reporter=default --reporter=json --reporter-outfile=report.json >out 2>err
echo "exit code $?"
tr -cd 'xy' <out | wc -c | tr -d ' '
# The lines of the one file are not among those of the other.
grep -ao '^[xy]' out | uniq -c | wc -l | tr -d ' '
grep -av '^[xy]' err | mask | tr -d '\0' | grep -aE '^\((pass|fail)\)|error|^ [0-9]+ |^Ran' | LC_ALL=C sort
python3 - <<'PY'
import json
report = json.load(open("report.json"))
for file in sorted(report["testResults"], key=lambda file: file["name"]):
    print(file["name"].split("/")[-1], file["status"], [test["title"] for test in file["assertionResults"]])
PY
