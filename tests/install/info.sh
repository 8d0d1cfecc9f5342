# info: the page, properties, JSON, what is not there. Expected output recorded from Bun 1.4.5, except the answer that is no JSON.
T=$(mktemp -d)
export HOME="$T" BUN_INSTALL_CACHE_DIR="$T/cache" BUN_CONFIG_HTTP_RETRY_COUNT=0
unset NPM_CONFIG_REGISTRY BUN_CONFIG_REGISTRY HTTP_PROXY HTTPS_PROXY http_proxy https_proxy NPM_CONFIG_USERCONFIG FORCE_COLOR
node "$(dirname "$0")/support/metadata.mjs" "$T/port" &
PID=$!
trap 'kill $PID 2>/dev/null; rm -rf "$T"' EXIT
while [ ! -s "$T/port" ]; do sleep 0.05; done
PORT=$(cat "$T/port")
cd "$T" || exit 1
echo '{"name":"bare"}' > package.json
info() {
  echo "\$ $*"
  timeout 60 "$BAO" "$@" --registry "http://localhost:$PORT/" > out 2> err
  code=$?
  sed "s/$PORT/PORT/g" out
  sed "s/$PORT/PORT/g; s/^/err: /" err
  [ $code = 0 ] || echo "exit $code"
}
info info full
info info full@1.0.0
info info full@1.10.0
info info
info pm view full version
info info full@^1 version license.type
info info full@1.0.0 deprecated
info info full 'contributors.name'
info info full 'contributors[1].name' --json
info info full contributors nested --json
info info full nested
info info full versions
info info full 'versions[1]' dist-tags.beta 'time[1.0.0]' readme
info info full nosuch
info info full nosuch --json
info info full nosuch version
info info full@beta --json
info info full@9
info info full@9 --json
info info full@nope
info info full@nope --json
info info @s/gone
info info private
info info page
