# Large tarballs, which are unpacked while they arrive, and HTTP/2. By hand.
T=$(mktemp -d)
HOME=$T/home
export HOME
mkdir -p "$HOME" "$T/app"
unset NPM_CONFIG_REGISTRY BUN_CONFIG_REGISTRY HTTP_PROXY HTTPS_PROXY http_proxy https_proxy NPM_CONFIG_USERCONFIG
SUPPORT=$(cd "$(dirname "$0")/support" && pwd)
export CI=1 BUN_INSTALL_CACHE_DIR="$T/cache" BUN_CONFIG_HTTP_RETRY_BACKOFF=1 NODE_EXTRA_CA_CERTS="$SUPPORT/tls/ca.pem"
node "$SUPPORT/large.mjs" "$T/port" "$T/log" &
REGISTRY_PID=$!
trap 'kill $REGISTRY_PID 2>/dev/null; rm -rf "$T"' EXIT
while [ ! -s "$T/port" ]; do sleep 0.05; done
read -r PLAIN SECURE < "$T/port"
cd "$T/app" || exit 1
fresh() { rm -rf node_modules bun.lock "$T/cache"; : > "$T/log"; echo "$1" > package.json; }
install() {
  timeout 60 "$BAO" install --registry "$1" 2>&1 | grep -E '^error|hint|installed|^ ' |
    sed -e "s/$PLAIN/PORT/g" -e "s/$SECURE/PORT/g" -e 's/ \[[0-9.]*m*s\]//' -e "s#$T#TMP#g" -e "s/sha512-[A-Za-z0-9+/=]*/sha512-X/g" -e "s/is damaged: .*/is damaged/"
}
# Whether the large file is whole, and what is in the cache.
state() {
  [ ! -e node_modules/big ] || cksum < node_modules/big/noise.bin
  ls "$T/cache" | grep -c '^big@'
  ls "$T/cache/.tmp" 2>/dev/null | wc -l
}
for scheme in http https; do
  port=$PLAIN; [ $scheme = http ] || port=$SECURE
  for mode in plain cut busy wrong damaged; do
    echo "== $scheme $mode"
    fresh '{"dependencies":{"tiny":"1.0.0"}}'
    install $scheme://localhost:$port/$mode/
    state
  done
done
echo "== forty packages share few connections"
deps=$(for n in $(seq 0 39); do printf '"p%s":"1.0.0",' "$n"; done)
fresh "{\"dependencies\":{$deps\"big\":\"1.0.0\"}}"
install https://localhost:$SECURE/plain/ >/dev/null; ls node_modules | wc -l
cut -d' ' -f1 "$T/log" | sort | uniq -c | sed 's/^ *//'
awk 'NR == 1 { least = $2 } $2 > most { most = $2 } END { print (most - least < 4 ? "at most 4 connections" : "more than 4") }' "$T/log"
echo "== without HTTP/2 no connection can be made to a server that has nothing else"
fresh '{"dependencies":{"p1":"1.0.0"}}'
BUN_CONFIG_HTTP_RETRY_COUNT=0 BAO_CONFIG_HTTP2=0 install https://localhost:$SECURE/plain/ | grep -q '^error' && echo it fails
