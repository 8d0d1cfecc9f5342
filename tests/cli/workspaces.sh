# --filter and --workspaces: which packages, in which order, how their output looks.
. support/lib.sh
file package.json <<'JSON'
{ "name": "root", "workspaces": ["packages/*", "apps/*", "!packages/left-out"], "scripts": { "build": "echo root" } }
JSON
file packages/a/package.json <<'JSON'
{ "name": "@x/a", "scripts": { "prebuild": "echo pre", "build": "sleep 0.1; echo build a; echo err a >&2",
  "postbuild": "echo post", "fail": "sleep 0.1; exit 2" } }
JSON
file packages/b/package.json <<'JSON'
{ "name": "@x/b", "dependencies": { "@x/a": "workspace:*" }, "scripts": { "build": "echo build b", "fail": "echo b; exit 5" } }
JSON
file packages/c/package.json <<'JSON'
{ "name": "c", "devDependencies": { "@x/b": "1" }, "scripts": { "build": "printf 'no newline'", "fail": "echo c" } }
JSON
file packages/left-out/package.json <<'JSON'
{ "name": "left-out", "scripts": { "build": "echo not reached" } }
JSON
file apps/web/package.json <<'JSON'
{ "scripts": { "build": "echo build web", "args": "printf '<%s>\\n'" } }
JSON
mkdir -p packages/node_modules/dep other
echo '{ "name": "dep", "scripts": { "build": "echo not reached" } }' >packages/node_modules/dep/package.json
bao --filter '*' build
bao run --filter '@x/*' build
bao -F '!@x/a' build
bao -F '*' -F '!c' build
bao -F './packages/{a,c}' build
bao -F './apps/*' build
bao -F '@x/b...' build
bao -F '...^@x/a' build
bao -F root build
bao -F './apps/*' args 'a b' -- c
bao -F '*' fail
bao run --workspaces --if-present fail
bao run --workspaces prebuild
bao run --sequential -F '*' build
bao -F nothing build
bao -F '*' biuld
bao -F @x/a biuld
cd packages/a || exit 1
bao -F ../b build
bao -F . build
cd ../../other || exit 1
bao -F c build
mkdir "$dir/packages/broken"
echo nonsense >"$dir/packages/broken/package.json"
bao -F c build
echo "--- lines that are left out, on a terminal and where colours are forced"
long=$(mktemp -d)
cd "$long" || exit 1
echo '{ "name": "long", "scripts": { "count": "seq 5; echo six >&2" } }' >package.json
for lines in 2 0 9; do FORCE_COLOR=1 "$BAO" -F long --elide-lines $lines count | "$sed" 's/\x1b\[[0-9]*m//g'; done
"$BAO" -F long --elide-lines 2 count
cd "$dir" || exit 1
rm -r "$long"
echo "--- packages that no package.json lists"
lone=$(mktemp -d)
mkdir -p "$lone/one" "$lone/group/two" "$lone/group/node_modules/three" "$lone/.hidden"
for package in one group/two group/node_modules/three .hidden; do
  echo "{ \"name\": \"${package##*/}\", \"scripts\": { \"say\": \"echo said\" } }" >"$lone/$package/package.json"
done
cd "$lone" || exit 1
bao -F '*' say | sort
rm -rf "$lone"
