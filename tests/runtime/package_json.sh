# A package.json that cannot be read names itself and the importer.
. support/lib.sh
mkdir -p "$dir/node_modules/dep" "$dir/node_modules/odd"
echo '{ "name": "dep", "main": ' >"$dir/node_modules/dep/package.json"
echo 'module.exports = 1;' >"$dir/node_modules/dep/index.js"
echo 'require("dep");' >"$dir/r.cjs"
run r.cjs
echo 'import "dep";' >"$dir/i.mjs"
run i.mjs
# Well-formed, but with fields of the wrong type: they are ignored, as Node does.
echo '{ "name": 5, "main": ["x"], "type": {} }' >"$dir/node_modules/odd/package.json"
echo 'module.exports = "odd is here";' >"$dir/node_modules/odd/index.js"
echo 'console.log(require("odd"));' >"$dir/odd.cjs"
run odd.cjs
# Exports that name nothing.
mkdir "$dir/node_modules/shut"
echo '{ "name": "shut", "exports": { "./open": "./open.js", "./bad": "../bad.js" } }' >"$dir/node_modules/shut/package.json"
cat >"$dir/shut.cjs" <<'JS'
for (const id of ["shut", "shut/closed", "shut/open", "shut/bad"]) {
  try {
    require(id);
  } catch (error) {
    console.log(id, error.code);
  }
}
JS
run shut.cjs
