# bun.lockb: written where saveTextLockfile = false asks for a new lockfile, kept where there is one, made a text where that is asked
# for. What Bun 1.4.5 reads of these files was compared by hand: `bun bun.lockb`, `bun install --frozen-lockfile`.
. "$(dirname "$0")/support/start.sh"
masked() { sed -e "s/$PORT/PORT/g" -e "s/sha512-[A-Za-z0-9+\/=]*/sha512-X/g" "$1"; }
project() {
  rm -rf ./* "$T/cache"
  mkdir -p p
  cat > package.json <<'J'
{ "name": "app", "workspaces": ["p"], "trustedDependencies": ["s"], "overrides": { "c": "1.0.0" },
  "catalog": { "b": "^1.0.0" }, "catalogs": { "old": { "a": "1" } },
  "dependencies": { "a": "^1.0.0", "x": "npm:b@2", "local": "file:./local" }, "optionalDependencies": { "e": "1" }, "devDependencies": { "b": "catalog:" } }
J
  echo '{ "name": "p", "version": "1.2.3-beta.4+build", "dependencies": { "a": "*", "b": "2" } }' > p/package.json
  mkdir local && echo '{ "name": "local", "version": "1.0.0", "bin": { "one": "1.js", "two": "2.js" } }' > local/package.json
  touch local/1.js local/2.js
}

echo "== the text that one would have had"
project
pm plain install > /dev/null
cp bun.lock "$T/text"
project
printf '[install]\nsaveTextLockfile = false\n' > bunfig.toml
pm plain install | grep -i lockfile
ls
head -c 18 bun.lockb
echo
echo "== it says the same"
cp bun.lockb before
pm plain install --frozen-lockfile | tail -1
pm plain install | grep -c 'Saved lockfile'
cmp bun.lockb before && echo same
rm -rf node_modules
: > "$T/log"
pm plain install --frozen-lockfile > /dev/null
grep -vc '\.tgz' "$T/log"
echo "== a change"
pm plain add c@1.0.0 | grep -v '^$'
ls *.lock*
cmp -s bun.lockb before || echo changed
pm plain remove c > /dev/null
rm bunfig.toml
echo "== the project keeps its file"
pm plain install | grep -c 'Saved lockfile'
ls *.lock*
echo "== and gets a text where it asks for one"
pm plain install --save-text-lockfile | grep -i lockfile | sed "s#^[[][0-9.]*ms[]] ##"
ls *.lock*
cmp bun.lock "$T/text" && echo same
echo "== nothing is left of it without dependencies"
rm -rf ./*
echo '{ "name": "app", "dependencies": { "a": "1.0.0" } }' > package.json
printf '[install]\nsaveTextLockfile = false\n' > bunfig.toml
pm plain install > /dev/null
pm plain remove a | tail -3
ls
echo "== what reads and writes it besides installs"
rm -rf ./*
echo '{ "name": "app", "dependencies": { "a": "1.0.0" } }' > package.json
printf '[install]\nsaveTextLockfile = false\n' > bunfig.toml
pm plain install > /dev/null
pm plain why b
pm plain outdated | grep -c latest -i
pm plain dedupe
ls *.lock*
echo "== changed overrides and catalogs are seen"
rm -rf ./*
echo '{ "name": "app", "workspaces": ["m"], "catalog": { "c": "1.0.0" }, "dependencies": { "a": "1.0.0", "c": "catalog:" } }' > package.json
mkdir m && echo '{ "name": "m" }' > m/package.json
printf '[install]\nsaveTextLockfile = false\n' > bunfig.toml
pm plain install | tail -1
pm plain install --frozen-lockfile | tail -1
echo '{ "name": "app", "workspaces": ["m"], "catalog": { "c": "1.0.0" }, "overrides": { "b": "1.0.0" }, "dependencies": { "a": "1.0.0", "c": "catalog:" } }' > package.json
pm plain install --frozen-lockfile 2>&1 | grep frozen
pm plain install > /dev/null
pm plain install --frozen-lockfile | tail -1
echo '{ "name": "app", "workspaces": ["m"], "catalog": { "c": ">=1.0.0" }, "overrides": { "b": "1.0.0" }, "dependencies": { "a": "1.0.0", "c": "catalog:" } }' > package.json
pm plain install --frozen-lockfile 2>&1 | grep frozen
ls *.lock*
echo "== a text beside it counts, and is mended"
echo '{ garbage' > bun.lock
pm plain install 2>&1 | grep -i warn
head -c 1 bun.lock && pm plain install 2>&1 | grep -ci warn
echo "== a project without dependencies has none"
rm -rf ./* && echo '{ "name": "app", "dependencies": { "a": "1.0.0" } }' > package.json
printf '[install]\nsaveTextLockfile = false\n' > bunfig.toml
pm plain install > /dev/null
echo '{ "name": "app" }' > package.json
pm plain install --save-text-lockfile 2>&1 | grep -i empty
ls
