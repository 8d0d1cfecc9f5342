# One bad file never hides the results of the others: it cannot be parsed or imported, throws, exits, never ends, runs forever.
# bao's own where Bun ends without a summary.
. support/lib.sh
file a_good.test.ts <<'TS'
test("good", () => { expect(1).toBe(1); });
TS
file b_throws.test.ts <<'TS'
test("is not run", () => {});
throw new Error("while loading");
TS
file c_import.test.ts <<'TS'
import "./missing";
test("is not run", () => {});
TS
file d_exits.test.ts <<'TS'
test("exits", () => { process.exit(3); });

test("goes on", () => {});
afterAll(() => process.exit(0));
TS
file e_exits.test.ts <<'TS'
process.exit(5);
TS
file f_forever.test.ts <<'TS'
test("comes back never", () => { for (;;) { try { for (;;); } catch {} } }, 200);
test("comes back", () => {});
TS
file g_never.test.ts <<'TS'
test("is not run", () => {});
await new Promise(() => {});
TS
file h_nothing.test.ts <<'TS'
test("waits for nothing", async () => { await new Promise(() => {}); }, 0);
test("is next", () => {});
TS
file i_prints.test.ts <<'TS'
test("prints a lot", () => { const line = "x".repeat(999); for (let i = 0; i < 20_000; i++) console.log(line); });
TS
file j_late.test.ts <<'TS'
test("leaves a rejection", () => { setTimeout(() => Promise.reject(new Error("late")), 1); });
test("is blamed", async () => { await Bun.sleep(30); });
TS
file z_good.test.ts <<'TS'
test("good too", () => {});
TS
"$BAO" test >"$work/out" 2>"$work/err"
echo "exit code $?"
grep -av '^bao test v' "$work/out" | wc -c | tr -d ' '
# The words of the engine are not what this is about.
mask "$work/err" | sed -E 's/^(error|[A-Z][A-Za-z]*Error): (Cannot find|Unexpected).*/\1: .../'
