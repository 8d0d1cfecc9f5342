# prune in both layouts: what bun.lock does not have, development dependencies, filters; nothing behind a link is touched. The words
# are those of Bun 1.4.5.
. "$(dirname "$0")/support/start.sh"
prune() {
  echo "\$ prune $*"
  timeout 60 "$PM" prune "$@" > "$T/out" 2>&1
  code=$?
  sed -e 's/ \[[0-9.]*m*s\]//' -e "s/^bao prune v.*/bao prune/" -e "s,$T,TMP," "$T/out"
  [ $code = 0 ] || echo "exit $code"
}
extra() { mkdir -p "$1" && echo "{\"name\":\"x\",\"version\":\"$2\"}" > "$1/package.json"; }
prune
echo '{"name":"app","dependencies":{"a":"^1.0.0","c":"*"},"devDependencies":{"e":"1.0.0","@s/d":"1.0.0"}}' > package.json
pm plain install > /dev/null
extra node_modules/junk 3.0.0
extra node_modules/@x/y 0.1.0
extra node_modules/c/node_modules/nested 1.0.0
mkdir -p node_modules/.cache node_modules/bare "$T/precious"
touch node_modules/file "$T/precious/file"
ln -s "$T/precious" node_modules/link
ln -s ../junk/x node_modules/.bin/junk
prune --check
prune --dry-run -p
prune
prune
ls -A node_modules node_modules/.bin; ls "$T/precious"
prune -p
ls node_modules
pm plain install
ls node_modules node_modules/@s
prune -p --json
prune this

mkdir -p "$T/ws/packages/p" "$T/ws/packages/q"
cd "$T/ws" || exit 1
echo '{"name":"ws","workspaces":["packages/*"],"devDependencies":{"a":"1.0.0"}}' > package.json
echo '{"name":"p","dependencies":{"c":"*","q":"workspace:*"}}' > packages/p/package.json
echo '{"name":"q","dependencies":{"b":"2.0.0"},"devDependencies":{"e":"1.0.0","@s/d":"1.0.0"}}' > packages/q/package.json
pm plain install > /dev/null
ls node_modules/.bun
cp -r node_modules/.bun/b@2.0.0 node_modules/.bun/b@9.9.9
mkdir node_modules/junk
ln -s ../../.. packages/p/node_modules/up
prune --check
prune -p --filter q --dry-run
prune --filter nobody
prune
prune --omit dev
ls node_modules node_modules/.bun packages/q/node_modules
prune
pm plain install
ls packages/q/node_modules
