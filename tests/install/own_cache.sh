# expected: written by hand. A cache of the project's own (`cache.disable`), settings that are told of, package.json files of the wrong
# shape, paths and names of `add` and `update`, bun for scripts.
T=$(mktemp -d)
HERE=$(dirname "$0")
cat > "$T/packages.json" <<'JSON'
{"a":{"1.0.0":{"main":"i.js","files":{"i.js":"module.exports = 'a';\n"}},
      "2.0.0":{"main":"i.js","files":{"i.js":"module.exports = 'a2';\n"}}},
 "@s/b":{"1.0.0":{"main":"i.js","files":{"i.js":"module.exports = 'b';\n"}}}}
JSON
"$BAO" "$HERE/support/made-up.mjs" "$T/packages.json" "$T/port" &
SERVER=$!
trap 'kill $SERVER; rm -rf "$T"' EXIT
while [ ! -s "$T/port" ]; do sleep 0.02; done
REGISTRY="http://localhost:$(cat "$T/port")/"
export HOME="$T" BUN_INSTALL="$T/.bun" CI=1
clean() { sed "s#$T#TMP#g; s# \[[0-9.]*m\{0,1\}s\]##; s#^\[[0-9.]*m\{0,1\}s\] ##; s# v0\.1\.0##; s#$REGISTRY#REGISTRY/#g"; }
bao() { "$BAO" "$@" 2>&1 | clean; }
mkdir "$T/app" && cd "$T/app" || exit 1

echo "== cache.disable"
printf '[install]\nregistry = "%s"\ncache.disable = true\n' "$REGISTRY" > bunfig.toml
echo '{"name":"app","dependencies":{"a":"1.0.0"}}' > package.json
bao install
ls -A node_modules; ls -A "$T/.bun" 2>/dev/null
bao install
rm -rf node_modules; bao install; ls -A node_modules

echo "== saveTextLockfile = false"
printf '[install]\nregistry = "%s"\nsaveTextLockfile = false\n' "$REGISTRY" > bunfig.toml
rm -rf node_modules bun.lock; bao install; ls -A

rm -f bun.lockb
echo "== a scope without a url"
printf '[install]\nregistry = "%s"\n[install.scopes]\ns = { token = "t" }\n' "$REGISTRY" > bunfig.toml
bao add @s/b

echo "== update of what is not there"
bao update nosuch
bao update a@2; cat package.json

echo "== shapes"
try() { printf '%s' "$1" > package.json; bao install; }
rm -rf node_modules bun.lock
try '{"name":"app","dependencies":[]}'
try '{
  "name":"app", "devDependencies":{"a":5}}'
try '{"workspaces":{"packages":{"a":true}}}'
try '{"workspaces":"a"}'
try '["a"]'
try '{"name":"app", a}'
try '{"name":"app"}'

echo "== add"
mkdir ../there && echo '{"name":"there","version":"1.2.3"}' > ../there/package.json
printf '{"name":"app"}' > package.json
bao add "$T/there"; clean < package.json; echo "|"; grep '"there": \[' bun.lock
bao add fileblah://x
bao add file:../nowhere
bao install --network-concurrency=many

echo "== scripts find bun, without a directory for temporary files"
printf '{"name":"app","scripts":{"postinstall":"bun -e \\"console.log(1 + 1)\\" && bunx --version >/dev/null && echo found"}}' > package.json
TMPDIR="$T/not/there" PATH=/usr/bin:/bin bao install
