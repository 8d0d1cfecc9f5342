# What a word on the command line means, and what bao says when it means nothing.
. support/lib.sh
file package.json <<'JSON'
{ "scripts": { "build": "echo script build", "dual": "echo script dual", "both.js": "echo script both.js",
  "test": "echo script test", "check": "echo script check", "printenv": "echo script printenv" } }
JSON
echo 'console.log("file both.js", process.argv.slice(2).join());' >both.js
echo 'console.log("file dual.js");' >dual.js
echo 'console.log("file index.ts" as string);' >index.ts
mkdir -p src node_modules/.bin
echo 'console.log("file src/index.js");' >src/index.js
printf '#!/bin/sh\necho binary "$@"\n' >node_modules/.bin/binary
chmod +x node_modules/.bin/binary
bao both.js -a --silent
bao run both.js
bao run ./both.js
bao dual
bao run dual
bao ./dual
bao run ./dual
bao src
bao .
bao -- both.js a
bao both.js -- a -- b
bao binary a
bao run binary b
bao run printf 'system %s\n' program
bao printenv
bao check
bao run test
bao build
bao biuld
bao binry
bao instal
bao indx
bao both.ts
bao ./src/indx.js
bao nothing-like-it
bao run nothing-like-it
bao run ./nothing
bao run --if-present nothing-like-it
bao --if-present ./nothing
bao script.sh
echo 'echo' >script.sh
bao script.sh
bao --wacth both.js
bao --smol=1 both.js
bao --preload
bao --watch-path both.js
bao --check both.js
bao --check test
bao test --check
bao run --check printenv
bao run --check --parallel printenv
bao --unhandled-rejections=loud both.js
bao --define DEBUG both.js
bao --cwd nowhere both.js
bao --smol
bao exec ls
bao upgrade --help
mkdir bad none
echo '{ "scripts": { "a": "echo a" "b": "" } }' >bad/package.json
bao --cwd bad run a
echo '{ "scripts": { "a": 5 } }' >bad/package.json
bao --cwd bad run a
echo 'console.log("file", import.meta.file);' >made.ts
bao made.js
bao ./made.js
echo '{}' >data.json
echo '' >page.css
bao data.json
bao ./page.css
echo '{}' >binary.json
bao binary one
bao run binary two
# The version is that of the name: programs compare `bun --version` with what they work with.
mkdir called
for name in bao bun node; do ln -s "$bao_path" called/$name; done
[ "$(called/bun --version)" = "$(called/bao -p Bun.version)" ] && echo "bun: Bun's"
[ "$(called/node --version)" = "$(called/bao -p process.version)" ] && echo "node: Node's"
[ "$(called/bao --version)" = "$(called/bao -p process.versions.bao)" ] && echo "bao: bao's"
# So is the name in what the package manager and `bun test` print.
mkdir empty
echo '{ "name": "empty" }' >empty/package.json
bun_version=$(called/bao -p Bun.version_with_sha)
for name in bao bun; do
  (cd empty && ../called/$name pm pkg) | sed -n "s/ v[0-9.]* (.*)//;s/ v[0-9.]*$//;1p;/get name/p"
  called/$name --cwd empty pm pkg set x
  called/$name --cwd empty test 2>&1 | sed -n "s/ v[0-9.]* (.*)//;s/ v[0-9.]*$//;1p"
done
[ "$(called/bun --cwd empty pm pkg | head -1)" = "bun pm pkg $bun_version" ] && echo "bun: Bun's"
called/node --tls-min-v1.3 --tls-max-v1.2 -p 1
echo $?
