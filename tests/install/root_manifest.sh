# expected: recorded from bun 1.4.5
# The root's package.json: a renamed project has the same lockfile, one without a name in it, too; a dependency in two groups is told.
. "$(dirname "$0")/support/start.sh"
told() { pm plain "$@" | grep -E 'frozen|Duplicate|^[0-9]+ package'; }
echo '{"name":"app","dependencies":{"b":"1.0.0"}}' > package.json
told install
echo "== renamed"; sed -i 's/"app"/"other"/' package.json; told install --frozen-lockfile; told install; grep '"name"' bun.lock
echo "== no name"; sed -i '/"name"/d' bun.lock; told install --frozen-lockfile; rm -rf node_modules; told install --frozen-lockfile
for groups in "dependencies devDependencies" "dependencies peerDependencies" "devDependencies peerDependencies" "dependencies optionalDependencies" "devDependencies optionalDependencies"; do
  echo "== $groups"; rm -rf node_modules bun.lock
  echo "{\"name\":\"app\",\"${groups% *}\":{\"b\":\"1.0.0\"},\"${groups#* }\":{\"b\":\"1.0.0\"}}" > package.json
  told install
done
