# The security scanner: what it sees, fatal and warning advisories, answers that are none, a scanner that the same install brings.
# node runs it here, in the product bao itself. Words are those of Bun 1.4.5.
. "$(dirname "$0")/support/start.sh"
BAO_EXE=$(command -v node)
export BAO_EXE SCAN_LOG="$T/scan.log" ADVISORIES='[]'
run() {
  echo "\$ $*"
  timeout 60 "$PM" "$@" --registry "http://localhost:$PORT/plain/" < /dev/null > "$T/out" 2> "$T/err"
  code=$?
  sed -e "s,$T,TMP,g" -e 's/ \[[0-9.]*m*s\]//' -e 's/^\[[0-9.]*m*s\] done/done/' -e 's/^\(bao [a-z ]*\) v.*/\1/' "$T/out"
  sed -e "s,$T,TMP,g" -e 's/^\(bao [a-z ]*\) v.*/\1/' -e 's/^/err: /' "$T/err"
  [ $code = 0 ] || echo "exit $code"
}
seen() { sed "s/$PORT/PORT/g" "$SCAN_LOG"; : > "$SCAN_LOG"; }
echo '{"name":"app","dependencies":{"c":"*"}}' > package.json
run pm scan
printf '[install.security]\nscanner = "./scan.mjs"\n' > bunfig.toml
run pm scan
run install
ls
cat > scan.mjs <<'END'
import { appendFileSync } from "node:fs";
export const scanner = {
  version: "1",
  async scan({ packages }) {
    appendFileSync(process.env.SCAN_LOG, packages.map((one) => JSON.stringify(one) + "\n").join(""));
    console.log("hello from the scanner");
    return JSON.parse(process.env.ADVISORIES);
  },
};
END
run install
seen
run pm scan
seen
run add e
seen
ADVISORIES='[{"level":"warn","package":"b","url":"https://x/y","description":"Careful \u001b[31m"}]'
run pm scan
rm -rf node_modules
run install
ADVISORIES='[{"level":"fatal","package":"a","url":"https://x/z","description":"Bad\nthing"},{"level":"warn","package":"c","url":null}]'
cp package.json bun.lock ..
run remove e
run add @s/d
run install
cmp package.json ../package.json && cmp bun.lock ../bun.lock && ls
run install --dry-run
for ADVISORIES in '{}' 'null' '[1]' '[{"level":"fatal"}]' '[{"level":"x","package":"a"}]' '[{"level":"warn","package":"a","url":5}]'; do
  run pm scan
done
for text in 'export const scanner = { version: "2", scan() {} };' 'export const x = 1;' 'export const scanner = { version: "1" };' \
  'export const scanner = { version: "1", scan() { throw new Error("boom"); } };' \
  'export const scanner = { version: "1", scan() { process.exit(7); } };' \
  'export const scanner = { version: "1", scan() { process.kill(process.pid, "SIGKILL"); return new Promise(() => setInterval(() => {}, 1000)); } };'; do
  echo "$text" > scan.mjs
  run pm scan
done
find "$T/app" -name '.bao-scan*'
rm -rf "$T/app/node_modules"

# A package of the registry: its index.js has no scanner, which shows that it was installed for the scan, and where.
printf '[install.security]\nscanner = "a"\n' > bunfig.toml
run install
echo '{"name":"app","dependencies":{"c":"*","a":"1.0.0"}}' > package.json
run install
ls
