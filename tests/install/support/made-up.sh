# Sourced by the tests, with $HERE, the folder of the test, and $T, its temporary directory, which is removed at the end: a registry of the
# packages in $T/packages.json (made-up.mjs), and a cache and a home in $T.
"$BAO" "$HERE/support/made-up.mjs" "$T/packages.json" "$T/port" &
SERVER=$!
trap 'kill $SERVER; rm -rf "$T"' EXIT
while [ ! -s "$T/port" ]; do sleep 0.02; done
export NPM_CONFIG_REGISTRY="http://localhost:$(cat "$T/port")/" HOME="$T" BUN_INSTALL_CACHE_DIR="$T/cache" CI=1
