# Directories that cannot be run, imported or required: without an index file, with a "main" that is not there, empty.
. support/lib.sh
mkdir "$dir/empty" "$dir/main" "$dir/named" "$dir/fine"
echo '{ "main": "gone.js" }' >"$dir/main/package.json"
echo '{ "name": "named", "main": "../outside" }' >"$dir/named/package.json"
echo 'module.exports = "fine";' >"$dir/fine/index.cjs"
cat >"$dir/import.mjs" <<'JS'
for (const name of ["./empty", "./empty/", "./main", "./named"]) {
  await import(name).catch((error) => console.log(name, error.name, error.code));
}
JS
run import.mjs
cat >"$dir/require.cjs" <<'JS'
for (const name of ["./empty", "./empty/", "./main", "./named", ".", "./fine"]) {
  try {
    console.log(name, require(name));
  } catch (error) {
    console.log(name, error.name, error.code, error.message.split("\n")[0].replace(__dirname, "DIR"));
  }
}
JS
run require.cjs
# A directory that looks like a file, and a file that is used as a directory.
mkdir "$dir/folder.js"
run folder.js | grep -v "did you mean"
echo 'require("./require.cjs/x");' >"$dir/through.cjs"
run through.cjs
echo 'require("./folder.js");' >"$dir/named.cjs"
run named.cjs
