# create: templates of this machine, from GitHub's archives and from npm. What ends in the directory is what Bun 1.4.5 makes of them.
here=$(cd "$(dirname "$0")" && pwd)
T=$(mktemp -d)
node "$here/support/exec-registry.mjs" "$T/port" "$T/log" &
REGISTRY_PID=$!
trap 'kill $REGISTRY_PID 2>/dev/null; rm -rf "$T"' EXIT
while [ ! -s "$T/port" ]; do sleep 0.05; done
PORT=$(cat "$T/port")
unset BUN_CONFIG_REGISTRY HTTP_PROXY HTTPS_PROXY http_proxy https_proxy NPM_CONFIG_USERCONFIG GITHUB_TOKEN GITHUB_ACCESS_TOKEN NPM_CLIENT BUN_CREATE_DIR
export HOME="$T/home" CI=1 TMPDIR="$T/tmp" BUN_INSTALL_CACHE_DIR="$T/cache" NPM_CONFIG_REGISTRY="http://localhost:$PORT/npm/" GITHUB_API_DOMAIN="http://localhost:$PORT"
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b GIT_CONFIG_NOSYSTEM=1
mkdir -p "$HOME/.bun-create/mine" "$TMPDIR" "$T/w/.bun-create/tpl/src" "$T/w/.bun-create/tpl/node_modules/x" "$T/other/theirs"
cd "$T/w" || exit 1
create() { echo "-- create $*" | sed "s#$T#TMP#g"; timeout 60 "$BAO" create "$@" 2>&1 | sed -e "s#$T#TMP#g" -e "s/$PORT/PORT/g" -e 's/ \[[0-9.]*m*s\]//' -e 's/^\(bao [a-z]*\) v[0-9.]*$/\1/'; }
files() { (cd "$1" && find . -path ./node_modules -prune -o -path ./.git -prune -o ! -type d -print | sort); }
printf '{\n  "name": "tpl", "version": "1.0.0",\n  "bun-create": {"preinstall":"echo before","postinstall":["echo one","echo two"],"start":"bao run it"},\n  "dependencies": {"library":"1.0.0"}\n}\n' > .bun-create/tpl/package.json
echo 1 > .bun-create/tpl/src/a.js; echo node_modules > .bun-create/tpl/gitignore; echo y > .bun-create/tpl/node_modules/x/y; ln -s a.js .bun-create/tpl/src/link.js
echo '{"name":"mine","scripts":{"dev":"x"}}' > "$HOME/.bun-create/mine/package.json"
echo hi > "$T/other/theirs/file"
create tpl My-Dest
files My-Dest; cat My-Dest/package.json; ls My-Dest/node_modules; git -C My-Dest log --format=%s; git -C My-Dest status --short
create tpl My-Dest
create tpl My-Dest --force --no-install --ignore-scripts
create --no-install --no-git mine
files mine
BUN_CREATE_DIR="$T/other" create theirs
BUN_CREATE_DIR="$T/other" create tpl --no-install --no-git "$T/elsewhere/x" && files "$T/elsewhere/x"
echo == GitHub; rm -f "$T/log"
GITHUB_TOKEN=tok create user/repo --no-git
files repo; cat repo/package.json
create https://github.com/user/repo deep/here --no-install --no-git
files deep/here
create user/missing
create user/repo@dev again --no-install --no-git
grep repos "$T/log"
echo == npm
create thing my-app --template vanilla
create thing@1.0.0 x
create @s/it y
create @s z
echo == errors
echo 'export default 1' > C.tsx
create C.tsx
create
create ../x
create nothing
ls -A
