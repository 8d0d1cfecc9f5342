# expected: written by hand
# --cpu-prof and its parts.
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
script=$PWD/fixtures/cpu_profile/hot.ts
cd "$dir" || exit 1

cat >look.mjs <<'END'
import fs from "node:fs";
const profile = JSON.parse(fs.readFileSync(process.argv[2], "utf8"));
const self = new Map();
for (const { callFrame, hitCount } of profile.nodes) {
  const key = `${callFrame.functionName} ${callFrame.url.replace(/.*\//, "")}:${callFrame.lineNumber + 1}`;
  self.set(key, (self.get(key) ?? 0) + hitCount);
}
const [[name, hits]] = [...self].sort((a, b) => b[1] - a[1]);
console.log(name, hits > profile.samples.length / 2);
const hot = profile.nodes.find((node) => node.callFrame.functionName === "hotLoop");
console.log(hot.positionTicks.every(({ line }) => line >= 10 && line <= 16));
const parents = new Map(profile.nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node])));
const path = [];
for (let node = hot; node !== undefined; node = parents.get(node.id)) path.push(node.callFrame.functionName);
console.log(path.slice(0, 2).join(" < "), path.at(-1));
END

"$BAO" --cpu-prof "$script"
ls | sed -E 's/[0-9]+/N/g'
"$BAO" look.mjs CPU.*.cpuprofile
rm CPU.*

echo "-- directory and name"
"$BAO" --cpu-prof --cpu-prof-dir=made/below --cpu-prof-name=mine --cpu-prof-interval 200 "$script"
ls made/below
"$BAO" look.mjs made/below/mine

echo "-- process.exit"
"$BAO" --cpu-prof --cpu-prof-name=exit.cpuprofile -e 'process.chdir("made"); process.exit(3)'
echo $?
ls exit.cpuprofile

echo "-- an error"
"$BAO" --cpu-prof --cpu-prof-name=error.cpuprofile -e 'throw 1' 2>/dev/null
echo $?
ls error.cpuprofile

echo "-- a worker has its own"
mkdir workers
"$BAO" --cpu-prof --cpu-prof-dir=workers -e 'new (require("node:worker_threads").Worker)("1", { eval: true })'
ls workers | sed -E 's/^CPU\.[0-9]+\.[0-9]+\.[0-9]+/CPU/'

echo "-- tables"
"$BAO" --cpu-prof-md --cpu-prof-name=table.md "$script"
grep -E '^## ' table.md
grep -cE '^\| [0-9.]+% \| [0-9.]+(us|ms|s) \| [0-9.]+% \| [0-9.]+(us|ms|s) \| `hotLoop` \| `.*hot.ts:10` \|$' table.md
"$BAO" --cpu-prof --cpu-prof-md --cpu-prof-name=both "$script"
ls both*

echo "-- waits and child processes"
"$BAO" --cpu-prof --cpu-prof-interval=100 --cpu-prof-name=waits -e '
Bun.sleepSync(60);
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60);
console.log(require("node:child_process").execFileSync("sleep", ["0.06"]).length);
console.log(require("node:child_process").spawnSync("sh", ["-c", "sleep 0.05; echo out"]).stdout.toString());
'

echo "-- mistakes"
for part in "--cpu-prof-name=a" "--cpu-prof-dir=a" "--cpu-prof-interval=100"; do
  "$BAO" $part -e 1
  echo $?
done
"$BAO" --cpu-prof --cpu-prof-dir=/proc/nothing -e 'console.log("ran")' 2>&1 | sed 's/CPU.*cpuprofile/CPU/'

echo "-- workers with options of their own"
"$BAO" -e 'new (require("node:worker_threads").Worker)("let n = 0; for (let i = 0; i < 1e6; i++) n += i", {
  eval: true, execArgv: ["--cpu-prof", "--cpu-prof-dir", "own"] })'
ls own | sed 's/CPU.*cpuprofile/CPU/'
"$BAO" --cpu-prof --cpu-prof-dir=parents -e 'new (require("node:worker_threads").Worker)("1", { eval: true, execArgv: [] })'
ls parents | sed 's/CPU.*cpuprofile/CPU/'
