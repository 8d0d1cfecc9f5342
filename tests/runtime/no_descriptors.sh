# expected: written by hand
# The first calculation that needs the system's library of mathematics, which is loaded by then, in a process that can open no file.
. support/lib.sh
cat >"$dir/full.mjs" <<'JS'
import { openSync, writeSync } from "node:fs";
let code;
for (let count = 0; code === undefined && count < 200; count++) {
  try {
    openSync("/dev/null");
  } catch (error) {
    code = error.code;
  }
}
const sum = [0.5, 1.5, 2.5].reduce((sum, x) => sum + Math.pow(x, 1.3) + Math.sin(x) + Math.exp(x) + Math.log(x), 0);
writeSync(1, `${code} ${sum.toFixed(6)}\n`);
// Nobody has lost a descriptor.
try {
  openSync("/dev/null");
} catch (error) {
  writeSync(1, `${error.code}\n`);
}
JS
(ulimit -n 64 && "$BAO" "$dir/full.mjs")
