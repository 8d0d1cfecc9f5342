# A package whose tarball brings copies of what the plan nests in it: the plan's copies are there, nothing of the tarball's is left in
# them, what only the tarball has stays, in whatever order the packages come. By hand.
T=$(mktemp -d)
HOME=$T/home
export HOME CI=1 BUN_INSTALL_CACHE_DIR="$T/cache"
unset NPM_CONFIG_REGISTRY BUN_CONFIG_REGISTRY HTTP_PROXY HTTPS_PROXY http_proxy https_proxy NPM_CONFIG_USERCONFIG
SUPPORT=$(cd "$(dirname "$0")/support" && pwd)
mkdir -p "$HOME" "$T/app"
cat > "$T/packages.json" <<'JSON'
{ "glob": { "7.0.0": { "files": { "lib/new.js": "7" } }, "8.0.0": { "files": { "eight.js": "8" } } },
  "@s/glob": { "1.0.0": { "files": { "new.js": "1" } }, "2.0.0": {} },
  "other": { "1.0.0": {} },
  "tap": { "1.0.0": { "dependencies": { "glob": "7", "@s/glob": "1" },
    "files": { "tap.js": "tap", "node_modules/glob/package.json": "{\"name\":\"glob\",\"version\":\"7.9.9\"}", "node_modules/glob/lib/old.js": "old",
      "node_modules/@s/glob/old.js": "old", "node_modules/globs/index.js": "bundled", "node_modules/ink/index.js": "bundled" } } } }
JSON
node "$SUPPORT/made-up.mjs" "$T/packages.json" "$T/port" &
PID=$!
trap 'kill $PID 2>/dev/null; rm -rf "$T"' EXIT
while [ ! -s "$T/port" ]; do sleep 0.05; done
cd "$T/app" || exit 1
echo '{"name":"app","dependencies":{"glob":"8","@s/glob":"2","tap":"1","other":"1"}}' > package.json
for turn in 1 2 3 4 5 6 7 8 9 10 11 12; do
  rm -rf node_modules
  # With the cache and without: packages are put in place at once, or as they come.
  [ $((turn % 3)) -ne 0 ] || rm -rf "$T/cache"
  timeout 60 "$BAO" install --registry "http://localhost:$(cat "$T/port")/" > "$T/out" 2>&1 || grep -v '^$' "$T/out"
  find node_modules/tap -type f -exec grep -H -e '"version"' -e . {} + | sed 's/\.json:.*"version": *"\([^"]*\)".*/.json \1/' | sort > "$T/tree"
  if [ $turn = 1 ]; then cp "$T/tree" "$T/first"; cat "$T/tree"; else cmp "$T/first" "$T/tree" || diff "$T/first" "$T/tree"; fi
done
