# Which credentials go where: by path prefix, never to another host, not after a redirect; proxies, certificate authorities, offline.
# By hand.
T=$(mktemp -d)
here=$(cd "$(dirname "$0")" && pwd)
export HOME="$T/home" CI=1 BUN_CONFIG_HTTP_RETRY_COUNT=0 BUN_INSTALL_CACHE_DIR="$T/cache"
mkdir -p "$T/home" "$T/app" "$T/certs"
unset NPM_CONFIG_REGISTRY BUN_CONFIG_REGISTRY NPM_CONFIG_TOKEN BUN_CONFIG_TOKEN NPM_CONFIG_USERCONFIG NODE_TLS_REJECT_UNAUTHORIZED
unset HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR
cd "$T" || exit 1
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout ca.key -out ca.pem -days 2 -subj "/CN=test CA" \
  -addext basicConstraints=critical,CA:TRUE -addext keyUsage=keyCertSign > /dev/null 2>&1
openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout key.pem -out cert.csr -subj "/CN=localhost" > /dev/null 2>&1
printf 'subjectAltName=DNS:localhost,IP:127.0.0.1\nbasicConstraints=CA:FALSE\n' > ext
openssl x509 -req -in cert.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out cert.pem -days 2 -extfile ext > /dev/null 2>&1
cp ca.pem certs/
node "$here/support/credentials.mjs" "$T" &
PID=$!
trap 'kill $PID 2>/dev/null; rm -rf "$T"' EXIT
while [ ! -s ports ]; do sleep 0.05; done
. ./ports
cd app || exit 1
mask() { sed -e "s/$A/A/g" -e "s/$B/B/g" -e "s/$TLS/TLS/g" -e "s/$PROXY/PROXY/g" -e "s,$T,TMP,g"; }
# try TITLE PACKAGE [flags]: installs one package with an empty cache; what the servers saw, sorted.
try() {
  echo "== $1"
  package=$2
  shift 2
  rm -rf node_modules bun.lock ../cache ../log
  : > ../log
  echo "{\"dependencies\":{\"$package\":\"1.0.0\"}}" > package.json
  timeout 60 "$BAO" install --silent "$@" > ../out 2>&1 || { echo "exit $?"; mask < ../out; }
  mask < ../log | sort -u
}
cat > .npmrc <<END
registry=http://127.0.0.1:$A/x/deep/
//127.0.0.1:$A/:_authToken=top
//127.0.0.1:$A/x/:_authToken=x
//127.0.0.1:$A/x/de/:_authToken=wrong
END
try "the longest prefix" plain
echo "//127.0.0.1:$A/x/deep/plain/-/:_authToken=tarballs" >> .npmrc
try "a prefix of the tarballs alone" plain
try "another host's tarball" far
try "a tarball that redirects to another host" moved
try "a manifest that redirects to another host" hop
try "a redirect on the same host" near
echo "//127.0.0.1:$B/files/:_authToken=for-b" >> .npmrc
try "a host with its own" far
printf 'registry=http://127.0.0.1:%s/\n//127.0.0.1:%s/:_auth=%s\n' "$A" "$A" "$(printf 'me:pass' | base64)" > .npmrc
try "_auth" plain
printf 'registry=http://127.0.0.1:%s/\n//127.0.0.1:%s/:username=you\n//127.0.0.1:%s/:_password=%s\n//127.0.0.1:%s/:email=a@b\n' "$A" "$A" "$A" "$(printf 'p:w' | base64)" "$A" > .npmrc
try "username and _password" plain
printf '_authToken=bare\nregistry=http://127.0.0.1:%s/\n' "$A" > .npmrc
try "a token without a host, before its registry" plain
printf 'registry=http://127.0.0.1:%s/\n' "$B" > .npmrc
printf '_authToken=users\nregistry=http://127.0.0.1:%s/\n//127.0.0.1:%s/:_authToken=users\n' "$A" "$A" > ../home/.npmrc
try "a project's registry does not get the user's token" plain
try "nor does --registry" plain --registry "http://127.0.0.1:$B/y/"
rm ../home/.npmrc
# shellcheck disable=SC2016
printf 'registry=http://127.0.0.1:%s/\n//127.0.0.1:%s/:_authToken=${TOKEN}\n@s:registry=http://127.0.0.1:%s/s/\n//127.0.0.1:%s/s/:_authToken=${NONE?}x${UNSET}\n' "$A" "$A" "$B" "$B" > .npmrc
TOKEN='from the environment' try "variables" plain
try "a scope with its own registry" @s/x
TOKEN='a
b' try "a token with a line break" plain
printf '[install]\nregistry = { url = "http://127.0.0.1:%s/", username = "bun", password = "fig" }\n[install.scopes]\n"@s" = { url = "http://127.0.0.1:%s/s", token = "$TOKEN" }\n' "$A" "$B" > bunfig.toml
rm .npmrc
try "bunfig.toml" plain
TOKEN=scoped try "bunfig.toml, a scope" @s/x
rm bunfig.toml
try "in the URL" plain --registry "http://u%3a:p@127.0.0.1:$A/"

echo "registry=http://127.0.0.1:$A/" > .npmrc
export HTTP_PROXY="http://user:secret@127.0.0.1:$PROXY"
try "a proxy" plain
for NO_PROXY in "127.0.0.1" "127.0.0.0/8" "127.0.0.1:$A" "*"; do
  export NO_PROXY
  try "NO_PROXY=$(echo "$NO_PROXY" | mask)" plain
done
for NO_PROXY in "10.0.0.0/8" "127.0.0.1:1" "example.org"; do
  try "NO_PROXY=$NO_PROXY" plain
done
unset NO_PROXY HTTP_PROXY
echo "registry=https://localhost:$TLS/" > .npmrc
try "an authority that nobody knows" plain
try "--cafile" plain --cafile ../ca.pem
try "--ca" plain --ca "$(cat ../ca.pem)"
try "a cafile that is not there" plain --cafile ../gone.pem
printf 'registry=https://localhost:%s/\ncafile=%s/ca.pem\n//localhost:%s/:_authToken=t\n' "$TLS" "$T" "$TLS" > .npmrc
try "cafile in .npmrc" plain
HTTPS_PROXY="http://user:secret@127.0.0.1:$PROXY" try "a tunnel through a proxy" plain
printf 'registry=https://localhost:%s/\nca="%s"\n' "$TLS" "$(awk '{printf "%s\\n", $0}' ../ca.pem)" > .npmrc
try "ca in .npmrc" plain
echo "registry=https://localhost:$TLS/" > .npmrc
NODE_EXTRA_CA_CERTS="$T/ca.pem" try NODE_EXTRA_CA_CERTS plain
SSL_CERT_FILE="$T/ca.pem" try SSL_CERT_FILE plain
SSL_CERT_DIR="$T/home:$T/certs" try SSL_CERT_DIR plain
NODE_TLS_REJECT_UNAUTHORIZED=0 try NODE_TLS_REJECT_UNAUTHORIZED plain

echo "registry=http://127.0.0.1:$A/" > .npmrc
try "for later" plain
again() {
  echo "== $*"
  rm -rf node_modules bun.lock
  : > ../log
  timeout 60 "$BAO" install --silent "$@" > ../out 2>&1 || { echo "exit $?"; mask < ../out; }
  mask < ../log
  ls node_modules 2> /dev/null
}
again --offline
touch -d '2 days ago' ../cache/*.bao 2> /dev/null
again --prefer-offline
echo '{"dependencies":{"plain":"1.0.0","near":"1.0.0"}}' > package.json
again --prefer-offline
echo '{"dependencies":{"far":"1.0.0"}}' > package.json
again --offline

# A lockfile can come from anywhere: the URL in it decides where an archive is fetched, not who learns the registry's token.
printf 'registry=http://127.0.0.1:%s/\n//127.0.0.1:%s/:_authToken=top\n' "$A" "$A" > .npmrc
try "a lockfile that names another registry" plain
right=$(sed -n 's/.*"\(sha512-[^"]*\)".*/\1/p' bun.lock)
wrong=sha512-$(printf 'A%.0s' $(seq 86))==
# locked URL INTEGRITY: installs what the lockfile names, with an empty cache.
locked() {
  echo "== $1 ${2%%-*}" | mask
  rm -rf node_modules ../cache
  : > ../log
  printf '{"lockfileVersion":1,"workspaces":{"":{"dependencies":{"plain":"1.0.0"}}},"packages":{"plain":["plain@1.0.0","%s",{},"%s"]}}\n' "$1" "$2" > bun.lock
  timeout 60 "$BAO" install --silent --frozen-lockfile > ../out 2>&1 || { echo "exit $?"; mask < ../out; }
  mask < ../log
  ls node_modules 2> /dev/null
}
locked "http://127.0.0.1:$B/files/plain/-/plain-1.0.0.tgz" "$right"
locked "http://127.0.0.1:$A@127.0.0.1:$B/plain/-/plain-1.0.0.tgz" "$right"
locked "//127.0.0.1:$B/plain/-/plain-1.0.0.tgz" "$right"
locked "http://127.0.0.1:$B/plain/-/plain-1.0.0.tgz" "$wrong"
locked "http://127.0.0.1:$B/plain/-/plain-1.0.0.tgz" "md5-AAAAAAAAAAAAAAAAAAAAAA=="
locked "http://127.0.0.1:$B/plain/-/plain-1.0.0.tgz" ""
locked "file:///etc/passwd" "$right"
locked "ftp://127.0.0.1/plain-1.0.0.tgz" "$right"
locked "../../../etc/passwd" "$right"
exit 0
