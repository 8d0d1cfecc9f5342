# audit and audit fix against a registry with advisories. The reports and files are Bun 1.4.5's, with two differences: only versions
# that an advisory covers are listed, and a version is audited before it is chosen (Bun takes steps 1.0.1, then says it is vulnerable).
T=$(mktemp -d)
export HOME="$T" BUN_INSTALL_CACHE_DIR="$T/cache" BUN_CONFIG_HTTP_RETRY_COUNT=0 CI=1
unset NPM_CONFIG_REGISTRY BUN_CONFIG_REGISTRY HTTP_PROXY HTTPS_PROXY http_proxy https_proxy NPM_CONFIG_USERCONFIG FORCE_COLOR
node "$(dirname "$0")/support/advisories.mjs" "$T/port" "$T/log" &
PID=$!
trap 'kill $PID 2>/dev/null; rm -rf "$T"' EXIT
while [ ! -s "$T/port" ]; do sleep 0.05; done
PORT=$(cat "$T/port")
mkdir -p "$T/app/packages/w" "$T/app/packages/v"
cd "$T/app" || exit 1
run() {
  mode=$1
  shift
  echo "\$ $* ($mode)"
  timeout 60 "$BAO" "$@" --registry "http://localhost:$PORT/$mode/" > ../out 2> ../err
  code=$?
  sed -e "s/$PORT/PORT/g" -e 's/\[[0-9.]*m*s\]/[T]/' -e 's/^\(b[a-z]* [a-z ]*\) v.*/\1/' ../out
  sed -e "s/$PORT/PORT/g" -e 's/^/err: /' ../err
  [ $code = 0 ] || echo "exit $code"
}
lock() { grep -o '^    "[^"]*": \["[^"]*"' bun.lock | tr -d ' ["' | tr '\n' ' '; echo; }

echo "== nothing to find"
echo '{"name":"app","dependencies":{"clean":"1.0.0"}}' > package.json
run none audit
timeout 60 "$BAO" install --lockfile-only --registry "http://localhost:$PORT/r/" > /dev/null 2>&1
run r audit
run r audit --json
run r audit fix --json
for mode in page list odd none gone down; do run $mode audit; done
run r audit --audit-level loud
run r audit now
run r audit fix leaf

echo "== a workspace"
cat > package.json <<'END'
{
  "name": "app",
  "workspaces": {
    "packages": [
      "packages/*"
    ],
    "catalog": {
      "major": "1.0.0"
    },
    "catalogs": {
      "x": {
        "steps": "1.0.0"
      }
    }
  },
  "dependencies": {
    "top": "^1.0.0",
    "leaf": "1.0.0",
    "ring": "*",
    "major": "catalog:",
    "steps": "catalog:x",
    "al": "npm:leaf@1.0.1",
    "back": "1.1.0"
  },
  "devDependencies": {
    "doomed": "^1.0.0"
  }
}
END
echo '{ "name": "w", "version": "1.0.0", "dependencies": { "v": "workspace:*", "major": "~1.0.0", "leaf": "^1.0.0" }, "devDependencies": { "@s/x": "1.0.0" } }' > packages/w/package.json
echo '{ "name": "v", "version": "1.0.0", "dependencies": { "mid": "1.0.0" }, "peerDependencies": { "leaf": "^1.0.0" } }' > packages/v/package.json
rm bun.lock
timeout 60 "$BAO" install --lockfile-only --registry "http://localhost:$PORT/r/" > /dev/null 2>&1
lock
: > ../log
run r audit
cut -d' ' -f4- ../log
run r audit --prod --audit-level high
run r audit --audit-level critical --ignore ghsa-0000-0000-0002
run r audit --json --ignore 1 | cut -c1-200
run r audit fix --dry-run
run r audit fix --dry-run --latest --json
cp -r . ../copy
run r audit fix
cat package.json packages/w/package.json
lock
run r install --frozen-lockfile
run r audit fix --latest --ignore GHSA-0000-0000-0002
lock
cd ../copy || exit 1

echo "== overrides"
cat > package.json <<'END'
{
  "dependencies": {
    "top": "1.0.0",
    "major": "1.0.0"
  },
  "overrides": {
    "leaf": {
      ".": "1.0.0"
    },
    "mid": {
      "leaf": "1.0.1"
    },
    "major": "1.0.0"
  }
}
END
rm -rf packages bun.lock
timeout 60 "$BAO" install --lockfile-only --registry "http://localhost:$PORT/r/" > /dev/null 2>&1
lock
run r audit fix
cat package.json
lock

echo "== a scope with a registry of its own"
printf '[install.scopes]\ns = { url = "http://localhost:%s/scoped/", token = "t" }\n' "$PORT" > bunfig.toml
echo '{"dependencies":{"@s/x":"1.0.0","leaf":"1.0.1"}}' > package.json
rm bun.lock
timeout 60 "$BAO" install --lockfile-only --registry "http://localhost:$PORT/r/" > /dev/null 2>&1
: > ../log
run r audit --json
cut -d' ' -f1,3-4 ../log
sed -i 's/scoped/gone/' bunfig.toml
run r audit fix --dry-run --json
