# --hot: modules loaded anew in the same process, globals and timers kept, also after an error; CommonJS as well.
. support/lib.sh
echo 'export const text = "first";' >dep.mjs
file main.mjs <<'JS'
import { text } from "./dep.mjs";
globalThis.count = (globalThis.count ?? 0) + 1;
console.log(text, globalThis.count);
globalThis.timer ??= setInterval(() => {}, 1000);
JS
"$BAO" --hot main.mjs >>out 2>&1 &
pid=$!
until_in out 'first 1'
echo 'export const text = "second";' >dep.mjs
until_in out 'second 2'
# As editors do it.
echo 'export const text = "third";' >dep.tmp && mv dep.tmp dep.mjs
until_in out 'third 3'
echo 'export const text = ;' >dep.mjs
until_in out 'SyntaxError'
echo 'export const text = "repaired";' >dep.mjs
until_in out 'repaired 4'
echo 'throw new Error("at run time");' >>main.mjs
until_in out 'Error: at run time'
kill -TERM $pid
ended
grep -E '^(first|second|third|repaired)' out
echo 'module.exports = "one";' >dep.cjs
file main.cjs <<'JS'
const text = require("./dep.cjs");
console.log(text, process.pid === (globalThis.pid ??= process.pid));
JS
"$BAO" --hot main.cjs >>out2 2>&1 &
pid=$!
until_in out2 'one true'
echo 'module.exports = "two";' >dep.cjs
until_in out2 'two true'
kill -TERM $pid
ended
cat out2
