# pm version and pm pkg: the versions, commits, tags and values are those that Bun 1.4.5 gives for the same calls; package.json keeps its bytes.
T=$(mktemp -d)
trap 'rm -rf "$T"' EXIT
export HOME="$T/home" CI=1 GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b GIT_CONFIG_NOSYSTEM=1
mkdir -p "$HOME" "$T/v" "$T/k"
bao() { timeout 60 "$BAO" "$@" 2>&1 | sed -e "s#$T#TMP#g" -e 's/^\(bao [a-z ]*\) v[0-9.]*$/\1/'; }
cd "$T/v" || exit 1
git init -q .
printf '{\n\t"name":"v", "version":"1.2.3", // here\n\t"scripts": {"preversion":"echo PRE $npm_old_version $npm_new_version $npm_package_version","version":"echo VER $npm_package_version","postversion":"echo POST"}\n}\n' > package.json
git add . && git commit -qm init
bao pm version
bao pm version patch
cat package.json
for a in minor major prepatch "prerelease --preid beta" prerelease "premajor --preid rc" 3.0.0 "3.0.0" "3.0.0 --allow-same-version" v4.0.0 "patch -m rel-%s" bogus 1.0 "patch --dry-run" "patch --no-git-tag-version" patch "patch -f"; do
  echo "== $a"
  bao pm version $a --ignore-scripts
done
git log --format=%s
git tag -n1
echo '== from-git'; git commit -q --allow-empty -am more; git tag -a v9.1.0 -m x; bao pm version from-git --no-git-tag-version --ignore-scripts
echo '== scripts that fail'
echo '{"name":"v","version":"1.0.0","scripts":{"preversion":"exit 3"}}' > package.json
timeout 60 "$BAO" pm version patch --no-git-tag-version; echo "code $?"; cat package.json
echo '{"name":"v"}' > package.json; bao pm version patch --no-git-tag-version; bao pm version 1.0.0 --no-git-tag-version; cat package.json
cd "$T/k" || exit 1
cat > package.json <<'J'
{
    "name": "k", "version": "1.0.0",
    "scripts": { "a": "echo a", "b.c": "x" },
    "arr": [ {"x": 1}, {"x": 2} ],
    "n": 5, "t": true, "z": null,
    "contributors": [{"name":"A","email":"e"}]
}
J
for a in "get name" "get name version" "get scripts" "get scripts.a" "get arr[1].x" "get arr.0.x" "get scripts[b.c]" "get scripts['b.c']" "get n t z" "get nope" "get name nope" "get contributors[0].name" \
  "set" "set x" "set x=1" "set a.b.c=hello d[0]=q n=7" 'set j={"q":[1,2]} --json' "set bad={ --json" "set b1=true" "set b3=true --json" "set arr[]=5" "set arr[5]=z" "set arr.q=z" "set name.first=z" "set scripts.new=foo" "set e[3]=1" \
  "delete n" "delete arr[0] scripts.a" "delete nope" "delete" "bogus"; do
  echo "== $a"
  bao pm pkg $a
done
cat package.json
bao pm pkg get
echo '{"name":" My-Pkg ","version":" =1.2.3 ","bin":{"a":"./no.js"},"repository":"github:a/b"}' > package.json; bao pm pkg fix; cat package.json
cd "$HOME" && bao pm pkg get name
