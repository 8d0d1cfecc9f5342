# --parallel: the first line, ids, a file that takes long is shown as it goes, order by a seed, what a signal ends.
. support/lib.sh
file a.test.ts <<'TS'
test("id", () => console.log(process.env.JEST_WORKER_ID, process.env.BUN_TEST_WORKER_ID));
TS
cp a.test.ts b.test.ts
for n in 1 2 7; do "$BAO" test --parallel=$n --parallel-delay=5000 a b 2>/dev/null | mask; done
"$BAO" test --parallel=7 a 2>/dev/null | mask
"$BAO" test --parallel=2 --reporter=tap a b 2>/dev/null | head -n 1
# The quick file is over while the slow one is shown.
mkdir slow && cd slow || exit 1
echo 'test("first", () => {}); test("slow", async () => { console.error("begins"); await Bun.sleep(2500); console.error("ends"); });' >a.test.ts
echo 'test("wait", () => Bun.sleep(1200));' >b.test.ts
"$BAO" test --parallel=2 --parallel-delay=0 2>&1 >/dev/null | mask | head -n 13
cd ..
# The order of tests is that of the seed, whichever process runs the file and whatever ran before it.
mkdir seed && cd seed || exit 1
for name in a b c; do
  for n in 1 2 3 4 5 6 7; do echo "test('$name$n', () => {});"; done >$name.test.ts
done
order() { "$BAO" test --seed=7 "$@" 2>&1 | grep -ao "$name[1-7]" | tr '\n' ' '; echo; }
for name in a b c; do
  first=$(order)
  for more in "--parallel=2 --parallel-delay=0" "--parallel=3 --parallel-delay=0" "$name" "--shard=1/1"; do
    [ "$(order $more)" = "$first" ] || echo "another order with $more"
  done
done
# Parts of the files do not depend on the seed.
for seed in 1 2 3 4; do "$BAO" test --shard=1/3 --seed=$seed 2>&1 | grep -a 'test.ts:'; done
cd ..
# What the tests have started ends with them.
mkdir ends && cd ends || exit 1
for name in a b; do
  file $name.test.ts <<'TS'
import { appendFileSync } from "node:fs";
test("t", async () => {
  const child = Bun.spawn(["sleep", "77"]);
  appendFileSync("pids", `${process.pid}\n${child.pid}\n`);
  await Bun.sleep(60000);
}, 60000);
TS
done
"$BAO" test --parallel=2 --parallel-delay=0 >/dev/null 2>&1 &
pid=$!
tries=0
while [ "$(cat pids 2>/dev/null | wc -l)" -lt 4 ] && [ $tries -lt 200 ]; do sleep 0.05; tries=$((tries + 1)); done
kill -TERM $pid
{ wait $pid; echo "exit code $?"; } 2>/dev/null
sleep 0.3
left=0
# One that has ended may wait for somebody to ask for its exit code.
while read -r one; do grep -q '^State:[[:space:]]*[A-WY]' "/proc/$one/status" 2>/dev/null && left=$((left + 1)); done <pids
echo "$left of $(wc -l <pids) left"
