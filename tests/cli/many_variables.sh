# expected: recorded from bun 1.4.5
# Variables of .env files beside those of the process: those that the process has stay, many take no time, children get all.
. support/lib.sh
awk 'BEGIN { for (i = 0; i < 5000; i++) print "VARIABLE_" i "=value " i; print "HOME=of the file"; print "LAST=${VARIABLE_4999}, the last"; print "EMPTY=" }' >.env
file show.js <<'JS'
let wrong = 0;
for (let i = 0; i < 5000; i++) if (process.env[`VARIABLE_${i}`] !== `value ${i}`) wrong++;
console.log(wrong, process.env.HOME, process.env.LAST, JSON.stringify(process.env.EMPTY));
const { execFileSync } = require("node:child_process");
const text = execFileSync("/bin/sh", ["-c", 'env | grep -c "^VARIABLE_"; echo "$HOME, $LAST"'], { encoding: "utf8" });
process.stdout.write(text);
delete process.env.VARIABLE_5;
process.env.VARIABLE_6 = "another";
console.log(execFileSync("/bin/sh", ["-c", 'echo "$VARIABLE_5,$VARIABLE_6"'], { encoding: "utf8" }).trim());
JS
HOME=/home/own "$BAO" show.js
printf 'ONE=1\nTWO=2\n' >.env
HOME=/home/own "$BAO" -p 'process.env.ONE + process.env.TWO + process.env.HOME'
