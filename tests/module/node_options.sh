# Options of Node about modules. expected: recorded from node 25.9.0, but for the text of the warning and the version.
T=$(mktemp -d); trap 'rm -rf "$T"' EXIT; cd "$T" || exit 1
bao="${BAO:-node}"
run() { "$bao" "$@" 2>err; echo "exit $?"; grep -o 'Detected unsettled top-level await\|ERR_[A-Z_]*\|Error: Xyz' err | sort -u; }
for option in --experimental-require-module --no-experimental-require-module; do "$bao" $option -p process.features.require_module; done
"$bao" --no-experimental-strip-types -p process.features.typescript
echo "== a file is not an input"
echo 'console.log("module")' > a.mjs; echo 'console.log("script")' > b.cjs
run --input-type=module a.mjs; run --input-type=commonjs b.cjs; NODE_OPTIONS=--input-type=module run a.mjs
echo "== an await that is never settled"
echo 'process.on("exit", (code) => console.log("listener", code)); await new Promise(() => {})' > c.mjs; run c.mjs; run --no-warnings c.mjs
echo 'process.exitCode = 42; process.on("exit", (code) => console.log("listener", code)); await new Promise(() => {})' > d.mjs; run d.mjs
echo 'process.on("exit", () => { process.exitCode = 7; }); await new Promise(() => {})' > e.mjs; run e.mjs
echo 'process.exitCode = 42; await Promise.reject(new Error("Xyz"))' > f.mjs; run f.mjs
run --input-type=module -e 'await new Promise(() => {})'; run --input-type=module -e 'process.exitCode = 42; await new Promise(() => {})'
