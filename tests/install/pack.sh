# pm pack: what goes into the tarball, in which order, and what is printed. The lists and texts are those of Bun 1.4.5, but for readme.md
# and main.js, which npm packs too, and a workspace's members, which npm leaves out of the root.
T=$(mktemp -d)
trap 'rm -rf "$T"' EXIT
export HOME="$T/home" CI=1
mkdir -p "$HOME" "$T/a/lib" "$T/a/bin" "$T/a/node_modules/bd" "$T/ws/p/a" "$T/ws/p/b"
cd "$T/a" || exit 1
clean() { sed -e "s#$T#TMP#g" -e 's/^\(bao [a-z]*\) v.*/\1/' -e 's/^Shasum: .*/Shasum: X/' -e 's/sha512-.*/sha512-X/' -e 's/^Packed size: .*/Packed size: X/'; }
bao() { timeout 60 "$BAO" "$@" 2>&1 | clean; }
cat > package.json <<'J'
{
  "name": "@sc/t1", "version": "1.2.3", "main": "./main.js",
  "files": ["lib", "*.txt", "!lib/*.test.js"],
  "bin": { "t": "./bin/t.js" },
  "bundledDependencies": ["bd"],
  "scripts": { "prepack": "echo PRE $npm_lifecycle_event $npm_package_name", "prepare": "echo PREPARE", "postpack": "echo POST" }
}
J
echo 1 > main.js; echo 2 > other.js; echo a > lib/a.js; echo t > lib/a.test.js; echo '#!/usr/bin/env node' > bin/t.js
echo hi > readme.md; echo L > LICENSE; echo x > x.txt; echo s > .npmrc; echo y > bun.lock; chmod 600 x.txt
echo '{"name":"bd","version":"1.0.0"}' > node_modules/bd/package.json; echo 1 > node_modules/bd/i.js
bao pm pack
tar tvzf sc-t1-1.2.3.tgz | sed 's/  */ /g'
sha256sum < sc-t1-1.2.3.tgz > one
touch main.js; chmod 664 lib/a.js
"$BAO" pm pack --quiet --ignore-scripts
sha256sum < sc-t1-1.2.3.tgz | cmp - one && echo same tarball
bao pm pack --dry-run --quiet --ignore-scripts
bao pm pack --dry-run --ignore-scripts
bao pm pack --quiet --ignore-scripts --destination "$T/out" --gzip-level=0
bao pm pack --quiet --ignore-scripts --filename named.tgz
ls "$T/out"; ls named.tgz
bao pm pack --destination x --filename y
bao pm pack --gzip-level 12
cd "$T/ws" || exit 1
echo '{"name":"ws","version":"9.0.0","workspaces":{"packages":["p/*"],"catalog":{"react":"^19.0.0"},"catalogs":{"old":{"react":"17"}}}}' > package.json
printf '{\n\t"name": "a", "version": "1.5.0",\n\t"dependencies": { "b": "workspace:^", "react": "catalog:", "c": "workspace:b@*", "d": "workspace:1.x" },\n\t"peerDependencies": {"react":"catalog:old"}\n}\n' > p/a/package.json
echo '{"name":"b","version":"2.5.0"}' > p/b/package.json
bao pm pack --dry-run
cd p/a && bao pm pack --quiet
tar xOzf a-1.5.0.tgz package/package.json
echo '{"name":"a","version":"1.5.0","dependencies":{"zz":"workspace:^"}}' > package.json; bao pm pack
echo '{"name":"a","version":"1.5.0","dependencies":{"zz":"catalog:"}}' > package.json; bao pm pack
echo '{"name":"a"}' > package.json; bao pm pack
echo '{"name":"../a","version":"1"}' > package.json; bao pm pack
echo '{"name":"a","version":"1.0.0","files":"x"}' > package.json; bao pm pack
echo '{"name":"a","version":"1.0.0","scripts":{"prepack":"exit 7"}}' > package.json; "$BAO" pm pack --quiet; echo "code $?"
