# expected: written by hand. A directory in an archive as the working directory of children, of the process itself and of a command: it is put
# on the disk where its path says, and the next install puts what the package depends on beside it.
T=$(mktemp -d)
HERE=$(cd "$(dirname "$0")" && pwd)
cat > "$T/packages.json" <<'JSON'
{"a":{"1.0.0":{"main":"lib/index.js","dependencies":{"b":"1.0.0"},"files":{"lib/index.js":"exports.b = require('b');\n","lib/data.txt":"data of a\n","run.sh":"#!/bin/sh\ncat lib/data.txt\n"}}},
 "b":{"1.0.0":{"main":"b.js","files":{"b.js":"module.exports = 'b';\n"}}},
 "@s/c":{"1.0.0":{"main":"c.js","files":{"c.js":"module.exports = 'c';\n"}}}}
JSON
. "$HERE/support/made-up.sh"
export NO_COLOR=1 TMPDIR="$T"
mkdir -p "$T/app/packages/m"; cd "$T/app" || exit 1
PATH="$(dirname "$BAO"):/usr/bin:/bin"
printf '[install]\nlinker = "store"\n' > bunfig.toml
echo '{"name":"app","workspaces":["packages/*"],"dependencies":{"a":"1.0.0","@s/c":"1.0.0"}}' > package.json
echo '{"name":"m","version":"1.0.0","dependencies":{"b":"1.0.0"}}' > packages/m/package.json
install() { "$BAO" install > "$T/out" 2>&1 || cat "$T/out"; }
install
mask() { sed "s,$T,T,g"; }
cat > main.cjs <<'JS'
const { execFileSync, execSync, spawn, spawnSync } = require("child_process");
const show = "console.log(process.cwd(), require('.').b, require('fs').readdirSync('.').join())";
// Nothing was asked for in an archive yet, and `node` is bao all the same.
console.log(execFileSync("node", ["-e", show], { cwd: "node_modules/a" }).toString().trim());
console.log(execSync("cat data.txt; pwd", { cwd: `${__dirname}/node_modules/a/lib` }).toString().trim());
console.log(Bun.spawnSync(["sh", "run.sh"], { cwd: "node_modules/a/" }).stdout.toString().trim());
console.log(spawnSync("ls", { cwd: "node_modules/@s/c" }).stdout.toString().trim());
console.log(spawnSync("ls", { cwd: "node_modules/a/none" }).error.code, spawnSync("ls", { cwd: "node_modules/a/lib/index.js" }).error.code);
spawn("pwd", { cwd: "packages/m/node_modules/b" }).stdout.on("data", (text) => {
  console.log(String(text).trim());
  process.chdir("node_modules/a/lib");
  console.log(process.cwd(), require("fs").readFileSync("data.txt", "utf8").trim(), require("fs").existsSync("../../b/b.js"));
  // It is read-only as before.
  try { require("fs").writeFileSync("data.txt", ""); } catch (error) { console.log(error.code); }
  try { process.chdir("none"); } catch (error) { console.log(error.code, error.syscall); }
});
JS
"$BAO" main.cjs 2> /dev/null | mask
sort node_modules/.bao-writes; find node_modules/.bun -name '.tmp-*' | wc -l
echo "== again"; "$BAO" main.cjs 2> /dev/null | mask | head -n 3
echo "== a command"; (cd packages/m && "$BAO" --cwd=../../node_modules/@s/c -p 'process.cwd() + require("./c.js")') | mask
echo "== installed"; install; find node_modules/.bun node_modules/a/ -name '*.js' | sort -u; "$BAO" main.cjs 2> /dev/null | mask | head -n 2
echo "== may not write"; rm -rf node_modules packages/m/node_modules; install
"$BAO" --permission --allow-fs-read='*' --allow-child-process -e 'const { spawnSync } = require("child_process"); console.log(spawnSync("ls", { cwd: "node_modules/a" }).error.code); try { process.chdir("node_modules/a"); } catch (error) { console.log(error.code); }' 2> /dev/null
find node_modules -name '*.js'
echo "== bundled"; rm -rf node_modules packages/m/node_modules main.cjs
echo '{"name":"app","version":"1.0.0","workspaces":["packages/*"],"dependencies":{"a":"1.0.0","@s/c":"1.0.0"},"bundledDependencies":["a"]}' > package.json; install
"$BAO" pm pack --destination "$T" > "$T/out" 2>&1 || cat "$T/out"; tar -tzf "$T/app-1.0.0.tgz" | sort
