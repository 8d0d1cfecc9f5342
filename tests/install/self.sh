# A package that depends on itself, and folders that depend on each other: links to the project, and an end. By hand; the first
# lockfile is Bun's.
T=$(mktemp -d)
HOME=$T/home
export HOME
mkdir -p "$HOME" "$T/app" "$T/a" "$T/b" "$T/two"
trap 'rm -rf "$T"' EXIT
unset NPM_CONFIG_REGISTRY BUN_CONFIG_REGISTRY NPM_CONFIG_USERCONFIG
export CI=1 BUN_INSTALL_CACHE_DIR="$T/cache"
install() { timeout 60 "$BAO" install "$@" >"$T/log" 2>&1; echo "exit $?"; grep -e '^error' "$T/log" || :; }
tree() { find node_modules -mindepth 1 ! -name '.bao-state' -printf '%p %y %l\n' | LC_ALL=C sort; }
cd "$T/app" || exit 1
for spec in file:. file:./ file:../app .; do
  rm -rf node_modules bun.lock
  echo "{\"name\":\"self\",\"version\":\"1.0.0\",\"devDependencies\":{\"self\":\"$spec\"}}" > package.json
  echo "## $spec"; install; tree; cat bun.lock; install --frozen-lockfile
done
echo "## isolated"; rm -rf node_modules; install --linker isolated; tree
echo "## through a folder"
echo '{"name":"self","version":"1.0.0","dependencies":{"a":"file:../a"}}' > package.json
echo '{"name":"a","version":"1.0.0","dependencies":{"app":"file:../app"}}' > "$T/a/package.json"
rm -rf node_modules bun.lock; install; tree
echo "## folders in a circle"
cd "$T/two" || exit 1
echo '{"name":"two","dependencies":{"a":"file:../a"}}' > package.json
echo '{"name":"a","version":"1.0.0","dependencies":{"b":"file:../b"}}' > "$T/a/package.json"
echo '{"name":"b","version":"1.0.0","dependencies":{"a":"file:../a","again":"file:../b"}}' > "$T/b/package.json"
install; tree; install --frozen-lockfile
rm -rf node_modules; install --linker isolated; find node_modules | wc -l
echo "## twelve folders that all depend on each other"
mkdir "$T/many"; cd "$T/many" || exit 1
names="a b c d e f g h i j k l"
for one in $names; do
  mkdir "$one"
  for other in $names; do [ "$one" = "$other" ] || echo "\"$other\":\"file:../$other\""; done |
    paste -sd, | sed -e "s/^/{\"name\":\"$one\",\"dependencies\":{/" -e 's/$/}}/' > "$one/package.json"
done
echo '{"name":"many","dependencies":{"a":"file:./a"}}' > package.json
install --lockfile-only
