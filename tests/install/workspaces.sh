# workspace: specifiers and members whose names registry packages have, too. Recorded from Bun 1.4.5 (BAO=bun gives the same).
T=$(mktemp -d)
echo '{"a":{"1.0.0":{"dependencies":{"b":"^1.0.0"}}},"b":{"1.0.0":{},"1.1.0":{},"2.0.0":{}},"m":{"1.0.0":{},"1.5.0":{},"9.0.0":{}}}' > "$T/packages.json"
node "$(dirname "$0")/support/made-up.mjs" "$T/packages.json" "$T/port" &
SERVER=$!
trap 'kill $SERVER; rm -rf "$T"' EXIT
while [ ! -s "$T/port" ]; do sleep 0.02; done
export NPM_CONFIG_REGISTRY="http://localhost:$(cat "$T/port")/" HOME="$T" BUN_INSTALL_CACHE_DIR="$T/cache" CI=1
mkdir -p "$T/app/packages/m" "$T/app/packages/n"; cd "$T/app" || exit 1
try() {
  rm -rf node_modules packages/*/node_modules bun.lock
  echo "{\"name\":\"app\",\"workspaces\":[\"packages/*\"],\"dependencies\":{$1}}" > package.json
  echo "{\"name\":\"m\",\"version\":\"1.5.0\",\"dependencies\":{\"b\":\"2.0.0\"}}" > packages/m/package.json
  echo "{\"name\":\"n\",\"version\":\"1.0.0\",\"dependencies\":{$2}}" > packages/n/package.json
  timeout 60 "$BAO" install --linker hoisted > "$T/out" 2>&1 || { echo "$1 | $2 | $(grep -m1 '^error' "$T/out")"; return; }
  echo "$1 | $2 | $(sed -n '/"packages": {/,$s/^ *"\([^"]*\)": \["\([^"]*\)".*/\1=\2/p' bun.lock | xargs) | $(find . -path '*/node_modules/*' \( -type l -o -name package.json \) ! -path '*/.bin/*' | sort | xargs)"
  timeout 60 "$BAO" install --frozen-lockfile --linker hoisted > "$T/out" 2>&1 || cat "$T/out"
}
for spec in 'workspace:*' 'workspace:^' 'workspace:~' workspace: workspace:1.5.0 'workspace:^1.0.0' 'workspace:^2.0.0' workspace:packages/m workspace:./packages/m workspace:../m 'workspace:m@*' workspace:nothere '^1.0.0' 1.0.0 '^9.0.0' latest '' npm:m@1.0.0 file:../m; do
  try '"a":"1"' "\"m\":\"$spec\""
done
for spec in 'workspace:*' '^1.0.0' 1.0.0 latest '' workspace:packages/m; do
  try "\"m\":\"$spec\",\"b\":\"2.0.0\"" '"b":"^1.0.0"'
  try "\"m\":\"$spec\"" '"m":"^1.2.0"'
done
echo "paths with backslashes, and the way there and back"
rm -rf node_modules packages/*/node_modules bun.lock
cat > package.json <<'END'
{"name":"app","workspaces":["packages\\m",".\\packages/../packages\\n"]}
END
echo '{"name":"n","dependencies":{"m":"workspace:*","b":"file:///../other"}}' > packages/n/package.json
mkdir packages/other; echo '{"name":"b","version":"7.0.0"}' > packages/other/package.json
timeout 60 "$BAO" install --linker hoisted > "$T/out" 2>&1 || cat "$T/out"
ls node_modules; sed -n '/"packages": {/,$s/^ *"\([^"]*\)": \["\([^"]*\)".*/\1=\2/p' bun.lock
(cd packages/m && timeout 60 "$BAO" remove b --linker hoisted > "$T/out" 2>&1 || cat "$T/out"); ls node_modules
