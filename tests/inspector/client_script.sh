# `bao inspect` is a script of package.json where there is one of that name, as in Bun; `node inspect` is the debugger.
cd "$(mktemp -d)" || exit
echo '{ "scripts": { "inspect": "echo script" } }' > package.json
"$BAO" --silent inspect with words
ln -s "$BAO" node
./node inspect 2>&1
echo "code $?"

# What ended a program before it could be debugged is told first.
./node inspect --port=0 missing.js 2>&1
echo "code $?"
# The commands end while the program writes.
echo 'let a = 1; console.log(a); setInterval(() => console.log(a++), 1);' > writes.js
yes n | head -20 | ./node inspect --port=0 writes.js > out 2>&1
echo "code $?"
! grep CLOSE out
