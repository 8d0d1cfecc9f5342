# init: the files of each kind, and what it leaves alone. The set of files and package.json's fields are Bun 1.4.5's; texts are our own.
T=$(mktemp -d)
trap 'rm -rf "$T"' EXIT
export HOME="$T/home" CI=1
mkdir -p "$HOME" "$T/Blank Project"
init() { echo "-- init $*"; timeout 60 "$BAO" init --no-install "$@" < /dev/null 2>&1 | sed "s#$T#TMP#g"; }
cd "$T/Blank Project" || exit 1
init
cat package.json index.ts tsconfig.json README.md
init
cd "$T" || exit 1
init -m minimal; ls -A minimal; cat minimal/package.json
init -r react-app; (cd react-app; find . -type f | sort; cat package.json build.ts)
init --react=tailwind tw | tail -1; (cd tw; find . -type f | sort; cat bunfig.toml build.ts)
init --react=shadcn ui > out; (cd ui; find . -type f | sort; grep -h '"' package.json | head -40)
echo == existing; mkdir have; cd have || exit 1
printf '{\n\t"name": "have",\n\t"main": "lib/main.js",\n\t"scripts": {"typecheck":"mine"},\n\t"dependencies": {"typescript":"^5"}\n}\n' > package.json
mkdir lib; echo 1 > lib/main.js; echo mine > README.md; echo '{}' > jsconfig.json
init -y; cat package.json README.md; ls -A
echo == errors
init --react=vue
init a b
echo '{"name":"x","main":"../../out.js"}' > package.json; init -y
echo '[' > package.json; init -y
echo '[]' > package.json; init -y
