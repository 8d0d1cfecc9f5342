# x: where a command comes from, how long an installation is used, what is refused. Messages that Bun 1.4.5 has are Bun's.
here=$(cd "$(dirname "$0")" && pwd)
T=$(mktemp -d)
node "$here/support/exec-registry.mjs" "$T/port" "$T/log" &
REGISTRY_PID=$!
trap 'kill $REGISTRY_PID 2>/dev/null; rm -rf "$T"' EXIT
while [ ! -s "$T/port" ]; do sleep 0.05; done
PORT=$(cat "$T/port")
unset NPM_CONFIG_REGISTRY BUN_CONFIG_REGISTRY HTTP_PROXY HTTPS_PROXY http_proxy https_proxy NPM_CONFIG_USERCONFIG
export HOME="$T/home" CI=1 TMPDIR="$T/tmp" BUN_INSTALL_CACHE_DIR="$T/cache"
mkdir -p "$HOME" "$TMPDIR" "$T/app/node_modules/.bin" "$T/app/sub"
printf '#!/bin/sh\necho local "$@"\n' > "$T/app/node_modules/.bin/tool"; chmod +x "$T/app/node_modules/.bin/tool"
echo '{"name":"app"}' > "$T/app/package.json"
cd "$T" || exit 1
# x ARGUMENTS…: with the registry; then what was asked of it.
x() { echo "-- x $*" | sed "s#$T#TMP#g"; timeout 60 "$BAO" x --registry "http://localhost:$PORT/npm/" "$@" 2>&1 | sed -e "s#$T#TMP#g" -e "s/$PORT/PORT/g" -e "s/bunx-[0-9]*/bunx-UID/g"; sed 's/^/   /' "$T/log" 2>/dev/null; rm -f "$T/log"; }
x tool a --version -p
x tool again
x -p tool other 1
x --package=@s/named named
x @s/named 1
x @s/cli 2
x tool@1.1.0 exact
x tool@next
x tool@next
ls "$TMPDIR" | sed -n 's/^bunx-[0-9]*/bunx-UID/p'
echo == a day later
echo 1.1.0 > "$T/log.newest"; touch -d '2 days ago' "$TMPDIR"/bunx-*-tool@latest/package.json "$TMPDIR"/bunx-*-tool@1.1.0/package.json
rm -rf "$T/cache"
x tool
x tool@1.1.0
echo == local
cd "$T/app/sub" && x tool 1 && x --cwd "$T" tool 2 && cd "$T"
PATH="$T/app/node_modules/.bin:$PATH" x tool 3
echo == errors
x library
x nothing
x -p tool nobin
x --no-install nothing
x ../evil
x -p tool ../evil
x -p tool
echo == scripts
x scripted; ls "$TMPDIR"/bunx-*-scripted@latest/node_modules/scripted
rm -rf "$TMPDIR"/bunx-*-scripted@latest
x --trust scripted; cat "$TMPDIR"/bunx-*-scripted@latest/node_modules/scripted/ran
echo == a place that is not ours
rm -rf "$TMPDIR"/bunx-*-library@latest; mkdir "$TMPDIR/bunx-$(id -u)-library@latest"; chmod 777 "$TMPDIR/bunx-$(id -u)-library@latest"
x library
