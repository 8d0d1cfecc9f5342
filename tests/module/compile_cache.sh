# NODE_COMPILE_CACHE and module.enableCompileCache(): what is noted, written, taken and refused, as NODE_DEBUG_NATIVE tells.
# The program's part prints what Node 25.8.1 prints; Node tells more of how it writes, and keeps two entries of TypeScript.
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
echo 'console.log("one"); require("./b.mjs")' >a.js
echo 'export const x: number = 1; console.log("two")' >b.mts
echo 'import "./b.mts"; console.log("three")' >b.mjs
run() {
  NODE_DEBUG_NATIVE=COMPILE_CACHE NODE_COMPILE_CACHE="$dir/cache" "$BAO" "$@" 2>&1 |
    sed -e 's/from .* for/from FILE for/; s/ in .*\.\.\. / ... /; s/size=.*/size/; s/: expected.*//' -e "s|$dir/||g"
}
echo "-- first"; run a.js
echo "-- second"; run a.js
echo 'console.log("changed")' >b.mjs
echo "-- changed"; run a.js
for file in cache/*/*; do printf damaged >"$file"; done
echo "-- damaged"; run a.js
ls cache | wc -l
ls cache/* | wc -l
cat >program.cjs <<'X'
const m = require("module");
const { ENABLED, ALREADY_ENABLED, DISABLED, FAILED } = m.constants.compileCacheStatus;
const names = { [ENABLED]: "enabled", [ALREADY_ENABLED]: "already", [DISABLED]: "disabled", [FAILED]: "failed" };
console.log(m.getCompileCacheDir());
for (const dir of [process.argv[2], "elsewhere"]) {
  const { status, directory, message } = m.enableCompileCache(dir);
  console.log(names[status], directory === undefined, message);
}
console.log(m.getCompileCacheDir()?.startsWith(require("fs").realpathSync(".")), m.flushCompileCache());
for (const wrong of [1, null, Symbol("x"), { directory: 2 }]) {
  try { m.enableCompileCache(wrong); } catch (error) { console.log(error.name, error.code, error.message); }
}
X
echo "-- program"; "$BAO" program.cjs own
echo "-- disabled"; NODE_DISABLE_COMPILE_CACHE=1 "$BAO" program.cjs own
