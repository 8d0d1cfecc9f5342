# Paths that packages of a registry name are refused, folders keep their modes, and links that a checkout has in node_modules are not
# followed. By hand; Bun refuses such paths as well.
T=$(mktemp -d)
HOME=$T/home
export HOME
mkdir -p "$HOME" "$T/app" "$T/local" "$T/out"
unset NPM_CONFIG_REGISTRY BUN_CONFIG_REGISTRY HTTP_PROXY HTTPS_PROXY http_proxy https_proxy NPM_CONFIG_USERCONFIG
export CI=1 BUN_INSTALL_CACHE_DIR="$T/cache" BUN_CONFIG_HTTP_RETRY_COUNT=1
node "$(dirname "$0")/support/evil.mjs" "$T/port" &
REGISTRY_PID=$!
trap 'kill $REGISTRY_PID 2>/dev/null; rm -rf "$T"' EXIT
while [ ! -s "$T/port" ]; do sleep 0.05; done
PORT=$(cat "$T/port")
export BUN_CONFIG_REGISTRY="http://localhost:$PORT/"
cd "$T/app" || exit 1
install() {
  timeout 60 "$BAO" install "$@" >"$T/log" 2>&1
  code=$?
  grep -e '^error' -e 'hint:' "$T/log" | sed -e "s#$T#TMP#g" -e "s/$PORT/PORT/g"
  echo "exit $code"
}
tree() { find node_modules "$T/out" -mindepth 1 ! -name '.bao-state' -printf '%p %y %l\n' 2>/dev/null | sed "s#$T#TMP#" | sort; }
fresh() { rm -rf node_modules bun.lock; echo "$1" > package.json; }
local_files() { for file in "$T/local/secret" "$T/local/crlf"; do stat -c '%n %a' "$file" | sed "s#$T#TMP#"; od -c "$file" | head -1; done; }
echo '{"name":"x","version":"1.0.0","bin":{"xx":"secret","yy":"crlf"}}' > "$T/local/package.json"
echo "secret" > "$T/local/secret"; chmod 600 "$T/local/secret"; printf '#!/bin/sh\r\n' > "$T/local/crlf"; chmod 600 "$T/local/crlf"
mkdir inside; echo '{"name":"inside"}' > inside/package.json; tar -C "$T" -czf "$T/local.tgz" local
for name in dep-link dep-folder dep-inside dep-path dep-archive dep-optional dep-deep; do
  echo "== $name"; fresh "{\"dependencies\":{\"$name\":\"*\"}}"; install; ls node_modules 2>/dev/null
  local_files | grep secret
done
echo "== isolated"; fresh '{"dependencies":{"dep-link":"*"}}'; install --linker isolated
echo "== the project's own paths, and its overrides"
fresh '{"dependencies":{"x":"link:../local"}}'; install; readlink node_modules/x
fresh '{"dependencies":{"dep-link":"*"},"overrides":{"x":"file:../local"}}'; install; ls node_modules
fresh '{"dependencies":{"dep-link":"*","i":"file:inside"},"overrides":{"x":"file:inside"}}'; install; ls node_modules
echo "== a workspace"
mkdir -p members/member; echo '{"name":"member","version":"1.0.0"}' > members/member/package.json
fresh '{"workspaces":["members/*"],"dependencies":{"dep-member":"*"}}'; install
fresh '{"workspaces":["members/*"],"dependencies":{"dep-member":"*"},"overrides":{"member":"workspace:*"}}'; install; grep -c member@workspace bun.lock
rm -r members
echo "== a lockfile that binds a package of the registry to a path"
fresh '{"dependencies":{"dep-range":"*"}}'; install
sed -i -e 's#"@s/plain": \["@s/plain@1.0.0".*\],$#"@s/plain": ["@s/plain@link:../local"],#' bun.lock; grep -c 'link:../local' bun.lock
install --frozen-lockfile; ls node_modules/@s 2>/dev/null
rm -rf node_modules; install; readlink node_modules/@s/plain; grep -c 'link:../local' bun.lock
echo "== digests that cannot be checked"
for name in sum-unknown sum-md5 sum-malformed sum-older sum-none; do fresh "{\"dependencies\":{\"$name\":\"*\"}}"; echo "-- $name"; install; ls node_modules 2>/dev/null; done
fresh '{"dependencies":{"sum-md5":"*"}}'; install --no-verify; ls node_modules
echo "== a folder's commands are executable, the originals are not"
fresh '{"dependencies":{"x":"file:../local"}}'; install; stat -c '%n %a %h' node_modules/x/secret node_modules/x/crlf; od -c node_modules/x/crlf | head -1; ls node_modules/.bin; local_files
install; stat -c '%n %a %h' node_modules/x/secret
echo "== links in node_modules"
for linker in hoisted isolated; do
  echo "-- $linker"; fresh '{"dependencies":{"@s/plain":"*"}}'
  mkdir node_modules; echo mine > "$T/out/mine"; ln -s ../../out node_modules/.bin; ln -s ../../out node_modules/@s; [ $linker = isolated ] && ln -s ../../out node_modules/.bun
  install --linker $linker; tree
done
echo "-- node_modules itself may be one"; fresh '{"dependencies":{"@s/plain":"*"}}'; rm -rf node_modules; ln -s ../out node_modules; install; ls "$T/out"; readlink node_modules
