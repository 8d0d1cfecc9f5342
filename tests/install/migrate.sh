# Lockfiles of npm, Yarn 1, Yarn 4, pnpm and old Bun at the first install, pm migrate, yarn.lock. The lockfiles are small ones by hand
# in the tools' formats; bun.lock was compared with Bun 1.4.5's for forty real projects, these with the registry's port masked.
. "$(dirname "$0")/support/start.sh"
U=http://localhost:$PORT/plain
integrity() { node -e 'fetch(process.argv[1]).then(r=>r.json()).then(m=>console.log(m.versions[process.argv[2]].dist.integrity))' "$U/$1" "$2"; }
A=$(integrity a 1.0.0); B=$(integrity b 1.0.0); B2=$(integrity b 2.0.0)
show() { sed -e "s/$PORT/PORT/g" -e "s/sha512-[A-Za-z0-9+\/=]*/sha512-X/g" "$1"; }
quiet() { "$@" | sed -e 's/^\[[0-9.]*m*s\] //'; }
fresh() { rm -rf ./* .yarnrc.yml "$T/cache"; : > "$T/log"; }

echo "== npm: pins stay, no manifest is fetched"
fresh
echo '{"name":"app","dependencies":{"a":"^1.0.0","x":"npm:b@2"},"workspaces":["p"]}' > package.json
mkdir p; echo '{"name":"p","version":"1.0.0","dependencies":{"a":"*"}}' > p/package.json
cat > package-lock.json <<L
{"name":"app","lockfileVersion":3,"packages":{
 "":{"name":"app","dependencies":{"a":"^1.0.0","x":"npm:b@2"},"workspaces":["p"]},
 "node_modules/a":{"version":"1.0.0","resolved":"$U/a/-/a-1.0.0.tgz","integrity":"$A","dependencies":{"b":"^1.0.0"}},
 "node_modules/b":{"version":"1.0.0","resolved":"$U/b/-/b-1.0.0.tgz","integrity":"$B","bin":{"bee":"bin.js"},"os":["!win32"]},
 "node_modules/x":{"name":"b","version":"2.0.0","resolved":"$U/b/-/b-2.0.0.tgz","integrity":"$B2"},
 "node_modules/p":{"resolved":"p","link":true},
 "p":{"version":"1.0.0","dependencies":{"a":"*"}}}}
L
quiet pm plain install
show bun.lock
node -p 'require("a") + " " + require("x")'
grep -c '\.tgz' "$T/log"; grep -vc '\.tgz' "$T/log"
echo "== a second install changes nothing"
cp bun.lock before; pm plain install; cmp bun.lock before && echo same

echo "== yarn 1"
fresh
echo '{"name":"app","dependencies":{"a":"^1.0.0"},"optionalDependencies":{"e":"1"}}' > package.json
cat > yarn.lock <<L
# yarn lockfile v1


a@^1.0.0:
  version "1.0.0"
  resolved "$U/a/-/a-1.0.0.tgz#0000000000000000000000000000000000000000"
  integrity $A
  dependencies:
    b "^1.0.0"

"b@^1.0.0", b@1:
  version "1.0.0"
  resolved "$U/b/-/b-1.0.0.tgz"
  integrity $B
L
quiet pm plain pm migrate --dry-run; ls
quiet pm plain pm migrate
grep -o '^    "[abe]": \["[abe]@[0-9.]*' bun.lock
pm plain pm migrate

echo "== yarn 4, with a catalog"
fresh
echo '{"name":"app","dependencies":{"a":"catalog:","b":"npm:^1.0.0"}}' > package.json
printf 'catalog:\n  a: ^1.0.0\n' > .yarnrc.yml
cat > yarn.lock <<'L'
__metadata:
  version: 8
  cacheKey: 10c0

"a@npm:^1.0.0":
  version: 1.0.0
  resolution: "a@npm:1.0.0"
  dependencies:
    b: "npm:^1.0.0"
  checksum: 10c0/00
  languageName: node
  linkType: hard

"app@workspace:.":
  version: 0.0.0-use.local
  resolution: "app@workspace:."
  dependencies:
    a: "catalog:"
    b: "npm:^1.0.0"
  languageName: unknown
  linkType: soft

"b@npm:^1.0.0":
  version: 1.0.0
  resolution: "b@npm:1.0.0"
  conditions: (os=linux | os=darwin) & cpu=x64
  checksum: 10c0/00
  languageName: node
  linkType: hard
L
quiet pm plain install --lockfile-only
show bun.lock; cat package.json

echo "== pnpm 9, with settings of its own"
fresh
cat > package.json <<'L'
{
  "name": "app",
  "dependencies": {
    "a": "^1.0.0"
  },
  "pnpm": { "overrides": { "b": "1.0.0" } }
}
L
mkdir -p pk/q; echo '{"name":"q","version":"1.0.0","dependencies":{"b":"catalog:"}}' > pk/q/package.json
printf 'packages:\n  - pk/*\ncatalog:\n  b: ^1.0.0\nonlyBuiltDependencies:\n  - b\n' > pnpm-workspace.yaml
cat > pnpm-lock.yaml <<L
lockfileVersion: '9.0'
catalogs:
  default:
    b:
      specifier: ^1.0.0
      version: 1.0.0
overrides:
  b: 1.0.0
importers:
  .:
    dependencies:
      a:
        specifier: ^1.0.0
        version: 1.0.0
  pk/q:
    dependencies:
      b:
        specifier: 1.0.0
        version: 1.0.0
packages:
  a@1.0.0:
    resolution: {integrity: $A}
  b@1.0.0:
    resolution: {integrity: $B}
    hasBin: true
snapshots:
  a@1.0.0:
    dependencies:
      b: 1.0.0
  b@1.0.0: {}
L
quiet pm plain install
show bun.lock; cat package.json
node -p 'require("a")'

echo "== what cannot be migrated"
for text in '{"lockfileVersion":3,"packages":{' '{"lockfileVersion":1}' '{"lockfileVersion":9,"packages":{"":{}}}' '{"lockfileVersion":3,"packages":{"":{"dependencies":{"b":"1.0.0"}},"node_modules/b":{"version":"1.0.0","dependencies":{"../x":"1"}},"node_modules/../x":{"name":"a","version":"1.0.0"}}}'; do
  fresh
  echo '{"name":"app","dependencies":{"b":"1.0.0"}}' > package.json
  echo "$text" > package-lock.json
  quiet pm plain install --lockfile-only | grep -v '^$\|Saved\|^bao'
  rm bun.lock
  quiet pm plain install --frozen-lockfile; ls
done
fresh
echo '{"name":"app","dependencies":{"b":"1.0.0"}}' > package.json
echo garbage > bun.lockb; quiet pm plain install --frozen-lockfile
pm plain pm migrate

echo "== yarn.lock is written"
fresh
echo '{"name":"app","dependencies":{"a":"^1.0.0","x":"npm:b@2"},"devDependencies":{"b":"1"}}' > package.json
pm plain install --yarn > /dev/null
show yarn.lock
