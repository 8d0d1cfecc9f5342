# expected: written by hand. Node's compile cache in a program with packages in archives: code comes from the record, and the folder of the
# cache has it all the same, also where somebody has emptied it.
T=$(mktemp -d)
HERE=$(cd "$(dirname "$0")" && pwd)
cat > "$T/packages.json" <<'JSON'
{"a":{"1.0.0":{"main":"i.js","files":{"i.js":"module.exports = [1, 2, 3, 4, 5, 6].map((n) => require('./m' + n)).join('');\n","m1.js":"module.exports = 1;\n","m2.js":"module.exports = 2;\n","m3.js":"module.exports = 3;\n","m4.js":"module.exports = 4;\n","m5.js":"module.exports = 5;\n","m6.js":"module.exports = 6;\n"}}}}
JSON
. "$HERE/support/made-up.sh"
export BAO_CACHE="$T/code"
mkdir "$T/app"; cd "$T/app" || exit 1
echo '{"dependencies":{"a":"1.0.0"}}' > package.json
"$BAO" install --linker=store > "$T/out" 2>&1 || cat "$T/out"
echo 'require("fs"); module.exports = "own";' > own.js
cat > main.cjs <<'JS'
const module_ = require("node:module");
console.log(module_.enableCompileCache(process.env.FOLDER).status === module_.constants.compileCacheStatus.ENABLED, require("a"), require("./own.js"));
JS
export FOLDER="$T/folder"
files() { find "$T/folder" -type f 2> /dev/null | wc -l; }
echo "== first"; "$BAO" main.cjs; files
echo "== from the record"; find "$T/folder" -type f -exec sh -c 'echo other > "$1"' - {} \;
"$BAO" main.cjs; grep -rl other "$T/folder" | wc -l
echo "== an empty folder is filled again"; rm -rf "$T/folder"; "$BAO" main.cjs; files
echo "== what is in it is used without a record"; rm -rf "$T/code"; NODE_DEBUG_NATIVE=COMPILE_CACHE "$BAO" main.cjs 2>&1 | grep -c 'was accepted'
echo "== a file alone is written again"; "$BAO" main.cjs; rm "$(find "$T/folder" -type f | sort | head -1)"; files; "$BAO" main.cjs; files
echo "== a changed file is compiled again"; echo 'module.exports = "changed";' > own.js; "$BAO" main.cjs; "$BAO" main.cjs
