# An alias of the project's own package.json files stands for its name everywhere: what others want of that name is the same package if its
# lowest version is in their range. Recorded from Bun 1.4.5 (BAO=bun gives the same).
T0=$(mktemp -d)
cat > "$T0/packages.json" <<'END'
{
  "other": { "1.0.0": {}, "1.2.0": {}, "1.9.0": {}, "3.0.0": {} },
  "tagged": { "1.0.0": { "dependencies": { "b": "latest" } } },
  "peer": { "1.0.0": { "peerDependencies": { "b": "^1.0.0" } } },
  "aliasing": { "1.0.0": { "dependencies": { "b": "npm:b@^1.0.0" } } }
}
END
export PACKAGES="$T0/packages.json"
. "$(dirname "$0")/support/start.sh"
trap 'kill $REGISTRY_PID 2>/dev/null; rm -rf "$T" "$T0"' EXIT
# try TITLE DEPENDENCIES [FIELDS]: what the lockfile has then, and that it stays.
try() {
  rm -rf node_modules bun.lock packages/*/node_modules
  echo "{\"name\":\"app\",\"dependencies\":{$2}$3}" > package.json
  pm plain install --linker hoisted > "$T/out" 2>&1 || cat "$T/out"
  echo "$1: $(sed -n '/"packages": {/,$s/^ *"\([^"]*\)": \["\([^"]*\)".*/\1=\2/p' bun.lock | xargs)"
  cp bun.lock "$T/lock"; pm plain install --linker hoisted --frozen-lockfile > "$T/out" 2>&1; cmp bun.lock "$T/lock" || cat "$T/out"
}
try "in the range" '"a":"1.0.0","b":"npm:other@1.2.0"'
try "a range that begins in it" '"a":"1.0.0","b":"npm:other@^1.2.0"'
try "one that only ends in it" '"a":"1.0.0","b":"npm:other@>=0.5.0 <1.5.0"'
try "not in the range" '"a":"1.0.0","b":"npm:other@3.0.0"'
try "a tag" '"a":"1.0.0","b":"npm:other@latest"'
try "any version" '"a":"1.0.0","b":"npm:other@*"'
try "a tag is wanted" '"tagged":"1.0.0","b":"npm:other@1.2.0"'
try "a peer" '"peer":"1.0.0","b":"npm:other@1.2.0"'
try "a peer out of the range" '"peer":"1.0.0","b":"npm:other@3.0.0"'
try "two that want it differently" '"a":"1.0.0","c":"1.0.0","b":"npm:other@1.2.0"'
mkdir -p packages/m
echo '{"name":"m","version":"1.0.0","dependencies":{"b":"npm:other@1.9.0"}}' > packages/m/package.json
try "the alias of a member" '"a":"1.0.0"' ',"workspaces":["packages/*"]'
echo '{"name":"m","version":"1.0.0","dependencies":{"b":"^1.0.0"}}' > packages/m/package.json
try "for a member" '"b":"npm:other@1.9.0"' ',"workspaces":["packages/*"]'
