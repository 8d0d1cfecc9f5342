# Sourced by the tests: a temporary directory, a registry in it, and helpers. $PM is the package manager.
T=$(mktemp -d)
HOME=$T/home
export HOME
mkdir -p "$HOME" "$T/app"
unset NPM_CONFIG_REGISTRY BUN_CONFIG_REGISTRY HTTP_PROXY HTTPS_PROXY http_proxy https_proxy NPM_CONFIG_USERCONFIG
export CI=1 BUN_INSTALL_CACHE_DIR="$T/cache" BUN_CONFIG_HTTP_RETRY_BACKOFF=1
PM=$BAO
node "$(dirname "$0")/support/registry.mjs" "$T/port" "$T/log" &
REGISTRY_PID=$!
trap 'kill $REGISTRY_PID 2>/dev/null; rm -rf "$T"' EXIT
while [ ! -s "$T/port" ]; do sleep 0.05; done
PORT=$(cat "$T/port")
cd "$T/app" || exit 1
# pm MODE ARGUMENTS…: runs the package manager against a behaviour of the registry; ports, times and the version are masked.
pm() {
  mode=$1
  shift
  timeout 60 "$PM" "$@" --registry "http://localhost:$PORT/$mode/" 2>&1 |
    sed -e "s/$PORT/PORT/g" -e 's/ \[[0-9.]*m*s\]//' -e 's/^\[[0-9.]*m*s\] done/done/' -e 's/^bao \([a-z]*\) v.*/bao \1/' -e "s#$T#TMP#g" -e "s/sha512-[A-Za-z0-9+/=]*/sha512-X/g" -e "s/ended [0-9]* bytes/ended N bytes/"
}
