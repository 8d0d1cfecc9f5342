# A program, an import and a require that are not there; a directory without an index.
. support/lib.sh
run gone.js
run ./gone.js
mkdir "$dir/empty"
run ./empty
echo 'import "./nowhere.mjs";' >"$dir/import.mjs"
run import.mjs
echo 'require("./nowhere");' >"$dir/require.cjs"
run require.cjs
echo 'require("not-installed");' >"$dir/package.cjs"
run package.cjs
cat >"$dir/caught.mjs" <<'JS'
try {
  await import("./nowhere.mjs");
} catch (error) {
  console.log(error.name, error.code);
}
try {
  await import("./empty");
} catch (error) {
  console.log(error.name, error.code);
}
JS
run caught.mjs
