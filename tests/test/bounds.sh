# What tests leave behind or wait for: a process that spawnSync waits for, a signal's timer, a time limit of concurrent tests; and
# words of the command line that are wrong.
. support/lib.sh
file wait.test.ts <<'TS'
import { spawnSync } from "node:child_process";
test("waits", () => { spawnSync("sleep", ["30"]); console.log("never"); }, 300);
test("has a limit of its own", () => { console.log(spawnSync("sleep", ["30"], { timeout: 20 }).signal); }, 5000);
test("goes on", () => { console.log(spawnSync("echo", ["hello"], { encoding: "utf8" }).stdout); });
TS
t wait
file one.test.ts <<'TS'
test("starts", () => { AbortSignal.timeout(150).onabort = () => console.log("too late"); globalThis.kept = AbortSignal.timeout(150); kept.onabort = () => console.log("kept"); });
TS
file two.test.ts <<'TS'
test("waits", () => Bun.sleep(400));
TS
t --isolate one two
t --detect-open-handles one | grep -c leaves
echo 'let running = 0, most = 0; for (let i = 0; i < 30; i++) test.concurrent(`${i}`, async () => { most = Math.max(most, ++running); await Bun.sleep(20); running--; }); afterAll(() => console.log(most));' >many.test.ts
for n in 0 1 7; do "$BAO" test --max-concurrency=$n many 2>/dev/null | tail -n 1; done
for word in --bail=foo --bail=-1 --bail=0 --shard=1 --shard=a/3 --shard=1/ --shard=/3 --shard=0/3 --shard=1/0; do "$BAO" test $word 2>&1; done
echo 'test.each([[{ a: 1 }]])("%o", () => {});' >each.test.ts
t each
mkdir -p conf/src
echo 'import { x } from "@x/y"; test("x", () => expect(x).toBe(1));' >conf/src/x.test.ts
echo 'export const x = 1;' >conf/src/y.ts
echo '{"compilerOptions":{"baseUrl":"..","paths":{"@x/*":["conf/src/*"]}}}' >conf/other.json
t --tsconfig-override ./conf/other.json ./conf/src/x.test.ts
t ./conf/src/x.test.ts
for text in 'coveragePathIgnorePatterns = 123' 'pathIgnorePatterns = ["a", 1]'; do
  printf '[test]\n%s\n' "$text" >bunfig.toml
  "$BAO" test each 2>&1 | grep -a bunfig
done
