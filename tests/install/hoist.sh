# hoist, hoistPattern and publicHoistPattern of bunfig.toml and .npmrc with the isolated linker. Recorded from Bun 1.4.5 (BAO=bun
# gives the same).
T=$(mktemp -d)
cat > "$T/packages.json" <<'JSON'
{"a":{"1.0.0":{"dependencies":{"b":"^1.0.0","@s/c":"1.0.0","eslint-x":"1.0.0"}}},
 "b":{"1.0.0":{},"1.1.0":{"dependencies":{"@types/d":"1"}},"2.0.0":{}},
 "@s/c":{"1.0.0":{"dependencies":{"b":"1.0.0"}}},
 "eslint-x":{"1.0.0":{"dependencies":{"@types/d":"1","b":"2.0.0"}}},
 "@types/d":{"1.0.0":{"bin":{"dd":"package.json"}}},
 "z":{"1.0.0":{"dependencies":{"b":"1.0.0"}}}}
JSON
node "$(dirname "$0")/support/made-up.mjs" "$T/packages.json" "$T/port" &
SERVER=$!
trap 'kill $SERVER; rm -rf "$T"' EXIT
while [ ! -s "$T/port" ]; do sleep 0.02; done
export NPM_CONFIG_REGISTRY="http://localhost:$(cat "$T/port")/" HOME="$T" BUN_INSTALL_CACHE_DIR="$T/cache" CI=1
mkdir -p "$T/app/packages/m"; cd "$T/app" || exit 1
echo '{"name":"app","workspaces":["packages/*"],"dependencies":{"a":"1.0.0"},"devDependencies":{"z":"1.0.0"}}' > package.json
echo '{"name":"m","version":"1.0.0","dependencies":{"b":"2.0.0","eslint-x":"1.0.0"}}' > packages/m/package.json
names() { find "$1" -mindepth 1 -maxdepth 2 -type l ! -path '*/.bin/*' -printf '%P ' 2>/dev/null | tr ' ' '\n' | sort | xargs; }
try() {
  rm -rf node_modules packages/m/node_modules bunfig.toml .npmrc
  printf "$2\n" > "$1"
  timeout 60 "$BAO" install --linker isolated > "$T/out" 2>&1 || cat "$T/out"
  echo "$2 | $(names node_modules) | $(cd node_modules/.bun && names node_modules)" | tr '\n' ' '
  echo
}
toml() { try bunfig.toml "[install]\n$1"; }
toml ''
for list in '"*"' '[]' '""' '["!*"]' '["*", "!b"]' '["!b"]' '["!b", "@*"]' '["*", "!*", "z"]' '"e*t-*"'; do
  toml "hoistPattern = $list"
  toml "publicHoistPattern = $list"
done
toml 'hoist = false'
toml 'hoist = false\nhoistPattern = "b"\npublicHoistPattern = "z"'
for text in hoist=false hoist=true 'hoist=false\nhoist-pattern=b' 'hoist-pattern[]=b\nhoist-pattern[]=@types*' hoist-pattern= 'public-hoist-pattern=*types*'; do try .npmrc "$text"; done
echo "== turned off later"; toml ''; echo hoist=false > .npmrc; timeout 60 "$BAO" install --linker isolated > "$T/out" 2>&1; ls node_modules/.bun
