# What is chosen and where it goes: shared and collapsed versions, peers, overrides, packageExtensions, members that keep their
# packages, directories by peers; the same lockfile whatever order the network answers in. Recorded from Bun 1.4.5 where it prints
# the same (lockfiles and trees); the errors are ours.
T=$(mktemp -d)
HOME=$T/home
export HOME CI=1 BUN_INSTALL_CACHE_DIR="$T/cache"
unset NPM_CONFIG_REGISTRY BUN_CONFIG_REGISTRY HTTP_PROXY HTTPS_PROXY http_proxy https_proxy NPM_CONFIG_USERCONFIG
SUPPORT=$(cd "$(dirname "$0")/support" && pwd)
mkdir -p "$HOME"
cat > "$T/packages.json" <<'JSON'
{ "b": { "1.0.0": {}, "1.1.0": {}, "1.5.0": {}, "2.0.0": {}, "3.0.0": {} },
  "any": { "1.0.0": { "dependencies": { "b": "*" } } },
  "one": { "1.0.0": { "dependencies": { "b": "^1.0.0" } } },
  "three": { "1.0.0": { "dependencies": { "b": "3.0.0" } } },
  "peer": { "1.0.0": { "peerDependencies": { "b": "*" } } },
  "deep": { "1.0.0": { "dependencies": { "peer": "1" } } },
  "old": { "1.0.0": {}, "1.1.0": { "deprecated": "no longer kept" } },
  "tools": { "1.0.0": { "directories": { "bin": "./commands" }, "files": { "commands/saw": "#!/bin/sh\necho saw\n" } } },
  "uses": { "1.0.0": { "dependencies": { "tools": "1" } } },
  "late": { "1.0.0": { "peerDependencies": { "b": ">=2" } } },
  "loose": { "1.0.0": { "peerDependencies": { "b": "1" } } } }
JSON
serve() {
  rm -f "$T/port"
  node "$SUPPORT/made-up.mjs" "$T/packages.json" "$T/port" $1 &
  PID=$!
  while [ ! -s "$T/port" ]; do sleep 0.05; done
  PORT=$(cat "$T/port")
}
trap 'kill $PID 2>/dev/null; rm -rf "$T"' EXIT
# app JSON: an empty project with this package.json (without braces).
app() {
  cd "$T" && rm -rf app && mkdir app && cd app && echo "{\"name\":\"app\",$1}" > package.json
}
pm() {
  timeout 60 "$BAO" "$@" --registry "http://localhost:$PORT/" > "$T/out" 2>&1 || { grep -v '^$' "$T/out"; echo "exit 1"; }
}
# Keys and packages of bun.lock, and the sections between workspaces and packages.
lock() {
  sed -n '/^  }/,/^  "packages"/p' bun.lock | grep -v "^  }\|^}\|\"packages\""
  sed -n 's/^    \("[^"]*"\): \["\([^"]*\)".*/\1 \2/p' bun.lock
}
serve
echo "a version of the project's own is taken where it is in the range"
app '"dependencies":{"b":"~1.0.0","any":"1","one":"1","three":"1"}'
pm install --lockfile-only; lock
echo "what is left goes to as few versions as will do"
app '"dependencies":{"any":"1","three":"1","one":"1"}'
pm install --lockfile-only; lock
echo "a deprecated version is chosen only where there is no other"
app '"dependencies":{"old":"^1.0.0"}'
pm install --lockfile-only; lock
echo "overrides"
app '"dependencies":{"any":"1","one":"1"},"overrides":{"one>b":"1.0.0","any":{"b":"2.0.0"},"b@^3":"1.1.0","x":"-"}'
pm install --lockfile-only; head -2 "$T/out" | grep warn; grep lockfileVersion bun.lock; lock
echo "packageExtensions come and go"
app '"dependencies":{"loose":"1"},"packageExtensions":{"loose@1":{"dependencies":{"any":"1"},"peerDependenciesMeta":{"b":{"optional":true}}}}'
pm install --lockfile-only; lock
echo '{"name":"app","dependencies":{"loose":"1"}}' > package.json
pm install --frozen-lockfile
pm install --lockfile-only; lock
echo "members"
app '"workspaces":["m/*"],"dependencies":{"one":"1"}'
mkdir -p m/x m/y
echo '{"name":"x","dependencies":{"b":"1.0.0","deep":"1"}}' > m/x/package.json
echo '{"name":"y","dependencies":{"b":"2.0.0","deep":"1"},"installConfig":{"hoistingLimits":"workspaces"}}' > m/y/package.json
pm install --linker hoisted; lock
find . -path '*node_modules*' \( -type l -o -name package.json \) | sort
echo "isolated: a directory for every set of peers"
rm -rf node_modules m/*/node_modules
pm install --linker isolated
ls node_modules/.bun
for link in m/*/node_modules/deep node_modules/.bun/peer*/node_modules/b; do echo "$link $(readlink "$link")"; done
echo "the order of answers does not matter"
for seed in 1 2 3 4; do
  kill $PID
  wait $PID 2>/dev/null
  serve $seed
  rm -rf "$T/cache" bun.lock
  pm install --lockfile-only
  sed "s/$PORT/PORT/" bun.lock > "$T/lock.$seed"
  cmp "$T/lock.1" "$T/lock.$seed" && echo same
done
echo "a peer out of its range: what would be right (Bun says nothing)"
app '"dependencies":{"loose":"1","b":"3.0.0"}'
pm install --lockfile-only; grep "warn\|hint" "$T/out"
app '"dependencies":{"loose":"1","b":"3.0.0","late":"1"}'
pm install --lockfile-only; grep "warn\|hint" "$T/out"
echo "commands of a directory, of a package that is still to be downloaded when the links beside another are made"
for linker in isolated hoisted; do
  app '"dependencies":{"uses":"1"}'
  rm -rf "$T/cache"
  pm install --linker=$linker
  find node_modules/.bin node_modules/.bun/*/node_modules/.bin -mindepth 1 2>/dev/null | sort
done
true
