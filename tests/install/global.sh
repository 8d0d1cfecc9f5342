# -g, and settings from .env files and the environment. As Bun 1.4.5, whose links in the folder of commands are relative.
SUPPORT=$(cd "$(dirname "$0")" && pwd)/support
PACKAGES=$SUPPORT/people.json
export PACKAGES
. "$SUPPORT/start.sh"
unset BUN_INSTALL
pm plain add -g withbin@1.0.0
"$HOME/.bun/bin/wb"
cat "$HOME/.bun/install/global/package.json"
pm plain pm bin -g
pm plain pm bin
pm plain pm ls -g
pm plain add -g tilde@1.2.0
pm plain outdated -g
pm plain update -g --latest
pm plain remove -g withbin
ls "$HOME/.bun/bin"
PATH=$HOME/.bun/bin:$PATH pm plain install -g withbin
printf '[install]\nglobalDir = "%s"\nglobalBinDir = "%s"\n' "$T/g" "$T/gb" > "$HOME/.bunfig.toml"
pm plain add -g withbin@1.0.0
ls "$T/gb"
rm "$HOME/.bunfig.toml"
echo "--- .env"
plain() {
  timeout 60 "$PM" "$@" 2>&1 | sed -e "s/$PORT/PORT/g" -e 's/ \[[0-9.]*m*s\]//' -e 's/ v0.*//' -e "s#$T#TMP#g"
}
echo '{"name":"app","dependencies":{"tilde":"1.2.0"}}' > package.json
printf 'WHERE=plain\n# a comment\nBUN_CONFIG_REGISTRY="http://localhost:%s/${WHERE}/"\n' "$PORT" > .env
plain install
rm -rf node_modules bun.lock
printf 'BUN_CONFIG_REGISTRY=http://localhost:%s/html/\n' "$PORT" > other.env
plain install --env-file other.env --no-cache
printf 'registry=http://localhost:%s/${WHERE}/\n' "$PORT" > .npmrc
sed -i /REGISTRY/d .env
plain install
rm .env .npmrc
echo "--- variables"
pm plain install
rm -rf node_modules
BUN_CONFIG_SKIP_INSTALL_PACKAGES=1 pm plain install
ls node_modules
echo "--- --no-verify"
rm -rf node_modules bun.lock "$T/cache"
pm wrong install
pm wrong install --no-verify
ls node_modules
