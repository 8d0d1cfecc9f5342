# The program's own package.json is broken: it is named, nothing runs. A broken bunfig.toml and .env likewise.
. support/lib.sh
echo 'console.log("not printed");' >"$dir/main.js"
echo 'console.log("not printed" as string);' >"$dir/main.ts"
echo '{ "name": ' >"$dir/package.json"
run main.js
run main.ts
echo '[]' >"$dir/package.json"
run main.js
echo '{ "imports": { "#a": "./a.mjs", "bad": "./a.mjs", "#out": "../x.mjs", "#none": "./none.mjs" }, "exports": { ".": "./a.mjs", "x": "./x" } }' >"$dir/package.json"
echo 'export default "a";' >"$dir/a.mjs"
cat >"$dir/imports.mjs" <<'JS'
for (const name of ["#a", "#b", "#out", "#none", "#"]) {
  await import(name).then((module) => console.log(name, module.default), (error) => console.log(name, error.name, error.code));
}
JS
run imports.mjs
rm "$dir/package.json"
printf 'preload = [\n' >"$dir/bunfig.toml"
run main.js
printf 'preload = 5\n' >"$dir/bunfig.toml"
run main.js
printf 'preload = ["./gone.js"]\n' >"$dir/bunfig.toml"
run main.js | grep -e Error -e 'exit code'
