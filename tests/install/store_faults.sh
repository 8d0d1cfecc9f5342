# expected: written by hand. Faults around archives: a cache on another file system, a full disk, kill -9 at 50 moments, names that differ by
# normal form only, a package of many files, writing into an archive. By hand. Needs root, to mount a small disk.
T=$(mktemp -d)
HERE=$(cd "$(dirname "$0")" && pwd)
if [ "$(id -u)" != 0 ] || ! mkdir "$T/disk" || ! mount -t tmpfs -o size=64m tmpfs "$T/disk" 2>/dev/null; then
  echo "root is needed, and the right to mount" >&2; exit 77
fi
trap 'kill $SERVER; umount -l "$T/disk"; rm -rf "$T"' EXIT
"$BAO" - "$T/packages.json" <<'JS'
const large = "x".repeat(400_000), many = {};
for (let i = 0; i < 99_999; i++) many[`d${i % 500}/f${i}.js`] = `module.exports = ${i};\n`;
const packages = {
  forms: { "1.0.0": { main: "i.js", files: { "i.js": "exports.all = ['e\u0301.js', '\u00e9.js'].map((name) => require('./' + name)).join();\n", "e\u0301.js": "module.exports = 'apart';\n", "\u00e9.js": "module.exports = 'one';\n" } } },
  large: { "1.0.0": { main: "i.js", dependencies: { forms: "1.0.0" }, files: { "i.js": "module.exports = require('fs').readFileSync(__dirname + '/large.txt', 'utf8').length;\n", "large.txt": large } } },
  many: { "1.0.0": { main: "i.js", files: { "i.js": "module.exports = require('./d457/f4957.js') + require('./d498/f99998.js') + require('fs').readdirSync(__dirname, { recursive: true }).length;\n", ...many } } },
};
for (let i = 0; i < 12; i++) packages[`p${i}`] = { "1.0.0": { main: "i.js", dependencies: { large: "1.0.0" }, files: { "i.js": `module.exports = ${i};\n` } } };
require("fs").writeFileSync(process.argv[2], JSON.stringify(packages));
JS
"$BAO" "$HERE/support/made-up.mjs" "$T/packages.json" "$T/port" &
SERVER=$!
while [ ! -s "$T/port" ]; do sleep 0.02; done
export NPM_CONFIG_REGISTRY="http://localhost:$(cat "$T/port")/" HOME="$T" CI=1 NO_COLOR=1 BAO_CACHE="$T/code"
mkdir "$T/app"; cd "$T/app" || exit 1
printf '[install]\nlinker = "store"\n' > bunfig.toml
echo '{"dependencies":{"forms":"*","large":"*","p0":"*","p1":"*","p2":"*","p3":"*","p4":"*","p5":"*","p6":"*","p7":"*","p8":"*","p9":"*","p10":"*","p11":"*"}}' > package.json
echo 'console.log(require("forms").all, require("large"), [0, 5, 11].map((i) => require(`p${i}`)).join());' > main.cjs
left() { find "$1" -name '.tmp-*' | wc -l; }
echo "== the cache on another file system"
"$BAO" install --cache-dir "$T/disk/cache" > "$T/out" 2>&1 || cat "$T/out"; "$BAO" main.cjs; find node_modules -name '*.js'
"$BAO" pm materialize p0 --cache-dir "$T/disk/cache" > "$T/out" 2>&1 || cat "$T/out"; find node_modules/.bun/p0@1.0.0 -name '*.js'; "$BAO" main.cjs
echo "== a full disk"
rm -rf node_modules "$T/disk/cache"; mount -o remount,size=300k "$T/disk"
"$BAO" install --cache-dir "$T/disk/cache" > "$T/out" 2>&1; echo "exit $?"; grep -o 'No space left on device' "$T/out" | sort -u; left "$T/disk"
[ ! -e node_modules/.bao-store ] && echo "no index"
mount -o remount,size=64m "$T/disk"; "$BAO" install --cache-dir "$T/disk/cache" > "$T/out" 2>&1 || cat "$T/out"; "$BAO" main.cjs
echo "== no room for the index"
rm -rf node_modules; mkdir "$T/disk/app"; cp package.json bun.lock bunfig.toml main.cjs "$T/disk/app"; cd "$T/disk/app" || exit 1
dd if=/dev/zero of="$T/disk/filler" bs=1k 2> /dev/null
"$BAO" install --cache-dir "$T/disk/cache" > "$T/out" 2>&1; echo "exit $?"; grep -o 'No space left on device' "$T/out" | sort -u
rm "$T/disk/filler"; "$BAO" install --cache-dir "$T/disk/cache" > "$T/out" 2>&1 || cat "$T/out"; "$BAO" main.cjs
echo "== killed at 50 moments"
cd "$T/app" || exit 1
export BUN_INSTALL_CACHE_DIR="$T/cache"
right=0
for moment in $(seq 1 50); do
  [ $((moment % 10)) = 0 ] && rm -rf "$T/cache"
  rm -rf node_modules
  "$BAO" install > /dev/null 2>&1 & PID=$!
  sleep "0.0$(printf %02d $((moment * 2 % 100)))"; kill -9 $PID 2> /dev/null; wait $PID 2> /dev/null
  timeout 60 "$BAO" install > "$T/out" 2>&1 || cat "$T/out"
  [ "$("$BAO" main.cjs 2>&1)" = "apart,one 400000 0,5,11" ] && right=$((right + 1))
done
echo "$right of 50"
echo "== many installs at once"
rm -rf node_modules "$T/cache"
for i in 1 2 3 4; do timeout 60 "$BAO" install > "$T/out$i" 2>&1 & PIDS="$PIDS $!"; done
for pid in $PIDS; do wait "$pid" || echo "failed"; done
"$BAO" main.cjs
echo "== a package of many files"
echo '{"dependencies":{"many":"*"}}' > package.json; rm -rf node_modules bun.lock
"$BAO" install > "$T/out" 2>&1 || cat "$T/out"; "$BAO" -p 'require("many")'; find node_modules -type f | grep -vc '\.bin/'
echo "== writing"
"$BAO" -e 'const fs = require("fs"); for (const path of ["node_modules/many/i.js", "node_modules/many/new.js"]) try { fs.writeFileSync(path, "") } catch (error) { console.log(error.code, error.syscall, error.path) }' 2>&1 | sed "s#$T#T#g"
