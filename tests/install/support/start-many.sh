# Sourced by the tests: as start.sh, with the registry of many packages. install ARGUMENTS… runs the package manager against it.
T=$(mktemp -d)
HOME=$T/home
export HOME
mkdir -p "$HOME" "$T/app"
unset NPM_CONFIG_REGISTRY BUN_CONFIG_REGISTRY HTTP_PROXY HTTPS_PROXY http_proxy https_proxy NPM_CONFIG_USERCONFIG
export CI=1 BUN_INSTALL_CACHE_DIR="$T/cache" BUN_CONFIG_HTTP_RETRY_BACKOFF=1
node "$(dirname "$0")/support/many.mjs" "$T/port" &
REGISTRY_PID=$!
trap 'kill $REGISTRY_PID 2>/dev/null; rm -rf "$T"' EXIT
while [ ! -s "$T/port" ]; do sleep 0.05; done
export BUN_CONFIG_REGISTRY="http://localhost:$(cat "$T/port")/"
cd "$T/app" || exit 1
install() {
  timeout 60 "$BAO" install "$@"
}
# The whole tree with types, targets and contents, for comparing: links as they are, files by checksum.
tree() {
  (cd "$1" && find . -name .bun-cache -prune -o \( -type l -printf '%p -> %l\n' \) -o \( -type f -not -name '.bao*' -printf '%p ' -exec md5sum {} \; \) -o -printf '%p %y\n' | sort)
}
