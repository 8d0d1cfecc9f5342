# `bao inspect` is a script of package.json where there is one of that name, as in Bun; `node inspect` is the debugger.
cd "$(mktemp -d)" || exit
echo '{ "scripts": { "inspect": "echo script" } }' > package.json
"$BAO" --silent inspect with words
ln -s "$BAO" node
./node inspect 2>&1
