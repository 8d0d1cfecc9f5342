# --watch: a new run after a change of a loaded file, of an import, of .env; after an error; the end by a signal.
. support/lib.sh
echo 'export const text = "first";' >dep.mjs
file main.mjs <<'JS'
import { text } from "./dep.mjs";
console.log(text, process.env.A);
process.on("SIGTERM", () => process.exit(0));
setInterval(() => {}, 1000);
JS
echo A=1 >.env
"$BAO" --watch main.mjs >>out 2>&1 &
pid=$!
until_in out 'first 1'
echo 'export const text = "second";' >dep.mjs
until_in out 'second 1'
# As editors do it.
echo 'export const text = "third";' >dep.tmp && mv dep.tmp dep.mjs
until_in out 'third 1'
echo A=2 >.env
until_in out 'third 2'
echo 'export const text = ;' >dep.mjs
until_in out 'SyntaxError'
echo 'export const text = "repaired";' >dep.mjs
until_in out 'repaired 2'
echo 'console.log("ends by itself");' >main.mjs
until_in out 'ends by itself'
sleep 0.1
echo 'console.log("once more"); setInterval(() => {}, 1000);' >main.mjs
until_in out 'once more'
kill -TERM $pid
ended
grep -E '^(first|second|third|repaired|ends|once)' out
bao --watch missing.mjs
bao --watch --watch-kill-signal=SIGNOPE main.mjs
