# publish and pm whoami against a registry on loopback, which checks the digests and describes what it got. Words and order as Bun 1.4.5 has
# them where it has them; the errors are our own.
here=$(cd "$(dirname "$0")" && pwd)
T=$(mktemp -d)
node "$here/support/publish-registry.mjs" "$T/port" "$T/log" &
REGISTRY_PID=$!
trap 'kill $REGISTRY_PID 2>/dev/null; rm -rf "$T"' EXIT
while [ ! -s "$T/port" ]; do sleep 0.05; done
PORT=$(cat "$T/port")
unset NPM_CONFIG_REGISTRY BUN_CONFIG_REGISTRY NPM_CONFIG_TOKEN BUN_CONFIG_TOKEN HTTP_PROXY HTTPS_PROXY http_proxy https_proxy NPM_CONFIG_USERCONFIG
export HOME="$T/home" CI=1
mkdir -p "$HOME" "$T/p"
for mode in plain has otp web taken bad; do echo "//localhost:$PORT/$mode/:_authToken=secret"; done > "$HOME/.npmrc"
clean() { sed -e "s#$T#TMP#g" -e "s/$PORT/PORT/g" -e 's/^\(bao [a-z]*\) v.*/\1/' -e 's/^Shasum: .*/Shasum: X/' -e 's/sha512-[^"]*/sha512-X/' -e 's/^Packed size: .*/Packed size: X/' -e 's/^|-*|$/|---|/'; }
# pub MODE ARGUMENTS…
pub() { m=$1; shift; timeout 60 "$BAO" publish --registry "http://localhost:$PORT/$m/" "$@" 2>&1 | clean; clean < "$T/log"; : > "$T/log"; }
end() { tail -${1:-4}; }
cd "$T/p" || exit 1
cat > package.json <<'J'
{ "name": "@s/p", "version": "1.0.0", "bin": "./cli.js", "n": 1.50, // kept
  "scripts": { "prepublishOnly": "echo 1 $npm_command", "prepack": "echo 2", "prepare": "echo 3", "postpack": "echo 4", "publish": "echo 5", "postpublish": "echo 6" } }
J
echo '# "hello"' > readme.md; echo 1 > cli.js
: > "$T/log"
pub plain
echo == dry run; pub plain --dry-run --ignore-scripts
echo == flags; pub plain --ignore-scripts --silent --tag next --access public --otp 99 --auth-type legacy
echo == passwords; echo 123456 | pub otp --ignore-scripts --silent
pub otp --ignore-scripts --silent < /dev/null
pub otp --ignore-scripts --silent --otp 1
pub web --ignore-scripts --silent < /dev/null
echo == errors; pub taken --ignore-scripts | end 9
pub taken --ignore-scripts --tolerate-republish --silent | grep warn
pub bad --ignore-scripts --silent | head -4
timeout 60 "$BAO" publish --registry "http://localhost:$PORT/none/" --ignore-scripts --silent 2>&1 | clean
for a in --provenance '--provenance-file=x' '--access foo' '--tag 1.2.3' '--auth-type x' '--gzip-level 10' './nope.tgz' --tolerate-republis; do echo "-- $a"; timeout 60 "$BAO" publish --silent --ignore-scripts $a 2>&1 | clean; done
sed -i 's/"1.0.0"/"1.0.0-beta.1"/' package.json; pub plain --ignore-scripts --silent
echo '{"name":"p","version":"1.0.0","private":true}' > package.json; pub plain
echo '{"name":"p","version":"1.0.0","publishConfig":{"access":"restricted"}}' > package.json; pub plain
echo '{"name":"p","version":"x"}' > package.json; pub plain --silent
echo '{"name":"p","version":"1.0.0","publishConfig":{"provenance":true}}' > package.json; pub plain --silent; pub plain --silent --no-provenance --dry-run
echo '{"name":"p","version":"1.0.0"}' > package.json; NPM_CONFIG_PROVENANCE=true pub plain --silent; echo provenance=true > .npmrc; pub plain --silent; rm .npmrc
echo == publishConfig
echo "{\"name\":\"@s/p\",\"version\":\"2.0.0-rc.1\",\"directories\":{\"bin\":\"b\"},\"publishConfig\":{\"tag\":\"rc\",\"access\":\"public\",\"registry\":\"http://localhost:$PORT/bad/\",\"@s:registry\":\"http://localhost:$PORT/plain/\"}}" > package.json
mkdir b; echo x > b/one; echo x > b/two
timeout 60 "$BAO" publish 2>&1 | clean; clean < "$T/log"; : > "$T/log"
echo == tarball; "$BAO" pm pack --quiet; mv s-p-2.0.0-rc.1.tgz ..; pub plain --tag beta ../s-p-2.0.0-rc.1.tgz
echo == workspace; mkdir -p "$T/ws/p/a" "$T/ws/p/b" "$T/ws/p/c" "$T/ws/p/d"; cd "$T/ws" || exit 1
echo '{"name":"ws","private":true,"workspaces":["p/*"]}' > package.json
echo '{"name":"a","version":"1.0.0","dependencies":{"c":"workspace:^"}}' > p/a/package.json
echo '{"name":"b","version":"1.0.0"}' > p/b/package.json
echo '{"name":"c","version":"1.2.0"}' > p/c/package.json
echo '{"name":"d","version":"1.0.0","private":true}' > p/d/package.json
pub has -r
pub has -F c -F ./p/d --silent
pub has -F zz
timeout 60 "$BAO" pm whoami --registry "http://localhost:$PORT/plain/"
timeout 60 "$BAO" pm whoami --registry "http://localhost:$PORT/none/" 2>&1 | clean
