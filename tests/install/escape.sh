# Names, versions, bins, archives and lockfiles that try to leave node_modules: an error (or the bin left out), and nothing
# outside. By hand.
T=$(mktemp -d)
HOME=$T/home
export HOME
mkdir -p "$HOME" "$T/app"
unset NPM_CONFIG_REGISTRY BUN_CONFIG_REGISTRY HTTP_PROXY HTTPS_PROXY http_proxy https_proxy NPM_CONFIG_USERCONFIG
export CI=1 BUN_INSTALL_CACHE_DIR="$T/cache" BUN_CONFIG_HTTP_RETRY_COUNT=1
node "$(dirname "$0")/support/evil.mjs" "$T/port" &
REGISTRY_PID=$!
trap 'kill $REGISTRY_PID 2>/dev/null; rm -rf "$T"' EXIT
while [ ! -s "$T/port" ]; do sleep 0.05; done
PORT=$(cat "$T/port")
export BUN_CONFIG_REGISTRY="http://localhost:$PORT/"
cd "$T/app" || exit 1
show() {
  timeout 60 "$BAO" install >"$T/log" 2>&1
  code=$?
  grep -v -e '^bao install' -e '^$' -e '^Saved lockfile' -e 'installed$' -e 'hint:' -e '^+ ' -e '^  url:' "$T/log" |
    sed -e "s#$T#TMP#g" -e "s/$PORT/PORT/g" -e 's/ \[[0-9.]*m*s\]//'
  echo "exit $code"
  # Whatever was made is in these.
  ls -A "$T" | grep -v -x -e app -e cache -e home -e log -e port
  ls -A "$T/app" | grep -v -x -e package.json -e bun.lock -e node_modules
  ls -A "$T/app/node_modules" 2>/dev/null | grep -e escaped
  ls -A "$T/cache" | grep -e escaped
  ls /tmp | grep escaped-bao
  find "$T/app/node_modules" -type l -exec readlink -f {} \; 2>/dev/null | grep -v "^$T/app/node_modules"
  grep -rlE '^root:' node_modules 2>/dev/null
}
for name in file-up file-absolute link-out link-absolute hard-link device bomb not-gzip empty version-up version-name bin-name bin-file \
  bin-absolute bin-dir dep-up dep-absolute dep-nul dep-file dep-modules dep-dots; do
  rm -rf node_modules bun.lock
  echo "== $name"; echo "{\"dependencies\":{\"$name\":\"*\"}}" > package.json
  show
done
echo "== the project's own dependencies"
for line in '"../up":"1.0.0"' '"/tmp/escaped-bao":"1.0.0"' '"a\u0000b":"1.0.0"' '"a/../../b":"1.0.0"' '"@s/../../x":"1.0.0"' '".bin":"1.0.0"' '"x":"npm:../../y@1"'; do
  rm -rf node_modules bun.lock
  echo "-- $line"; echo "{\"dependencies\":{$line}}" > package.json
  show
done
echo "== lockfiles"
lock() {
  rm -rf node_modules
  echo "-- $1: $2"
  echo "{\"dependencies\":{\"$3\":\"*\"}}" > package.json
  printf '{\n  "lockfileVersion": 2,\n  "configVersion": 1,\n  "workspaces": {\n    "": {\n      "dependencies": {\n        "%s": "*",\n      },\n    },\n  },\n  "packages": {\n    "%s": %s,\n  }\n}\n' "$3" "$1" "$2" > bun.lock
  rm -rf "$T/cache"; timeout 60 "$BAO" install --frozen-lockfile >"$T/log" 2>&1
  code=$?
  grep '^error' "$T/log" | sed -e "s#$T#TMP#g" -e "s/$PORT/PORT/g"
  echo "exit $code"
  ls -A "$T" | grep -v -x -e app -e cache -e home -e log -e port
  ls -A "$T/app" | grep -v -x -e package.json -e bun.lock -e node_modules
  ls -A node_modules 2>/dev/null | grep -v -x -e .bin -e .cache
  ls /tmp | grep escaped-bao
}
lock ../escaped '["../escaped@1.0.0", "", {}, ""]' ../escaped
lock x '["../../escaped@1.0.0", "", {}, ""]' x
lock x/../../escaped '["x@1.0.0", "", {}, ""]' x
lock x '["x@1.0.0/../../../escaped", "", {}, ""]' x
lock x '["x@../../../escaped", "", {}, ""]' x
lock x '["x@1.0.0", "file:///etc/passwd", {}, ""]' x
lock x '["x@1.0.0", "", { "bin": { "../../../escaped": "a.js" } }, ""]' x
lock /tmp/escaped-bao '["/tmp/escaped-bao@1.0.0", "", {}, ""]' /tmp/escaped-bao
lock x '["x@github:a/b#../../../escaped", {}, "../../../escaped"]' x
lock x '["x@git+https://localhost/r.git#--upload-pack=touch", {}, "--upload-pack=touch"]' x
lock 'a\u0000b' '["a\u0000b@1.0.0", "", {}, ""]' 'a\u0000b'
exit 0
