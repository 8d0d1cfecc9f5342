# expected: written by hand. Commands of the package manager, the bundler, and records on packages that are in archives.
T=$(mktemp -d)
HERE=$(dirname "$0")
cat > "$T/packages.json" <<'JSON'
{"tool":{"1.0.0":{"bin":{"other-name":"bin.js"},"license":"MIT","dependencies":{"lib":"^1.0.0"},
   "files":{"bin.js":"#!/usr/bin/env node\nconsole.log('other-name', require('lib'), process.argv[2] ?? '');\n"}}},
 "lib":{"1.0.0":{"main":"m.js","module":"m.mjs","license":"ISC","sideEffects":["*.css"],"browser":{"./node.js":false},
   "files":{"m.js":"exports.name = 'cjs'; exports.node = require('./node.js');\n",
     "m.mjs":"import './effect.mjs';\nimport * as node from './node.js';\nexport const name = 'esm', keys = Object.keys(node).length;\nexport { unused } from './unused.mjs';\n",
     "node.js":"exports.only = 'node';\n","effect.mjs":"globalThis.effect = 'dropped';\n","unused.mjs":"export const unused = 'unused text';\n",
     "style.css":".lib { background: url(./dot.svg) }\n","dot.svg":"<svg xmlns='http://www.w3.org/2000/svg'/>\n"}}},
 "kept":{"1.0.0":{"type":"module","main":"i.js","files":{"i.js":"import data from './data.json' with { type: 'json' };\nexport default data.n;\n","data.json":"{\"n\":42}\n"}}},
 "devonly":{"1.0.0":{"main":"i.js","dependencies":{"devdep":"1.0.0"},"files":{"i.js":"module.exports = require('devdep');\n"}}},
 "devdep":{"1.0.0":{"main":"i.js","files":{"i.js":"module.exports = 'for development';\n"}}},
 "scripted":{"1.0.0":{"hasInstallScript":true,"scripts":{"postinstall":"echo built > built.txt"},"main":"i.js","files":{"i.js":"module.exports = require('fs').existsSync(__dirname + '/built.txt');\n"}}}}
JSON
. "$HERE/support/made-up.sh"
export BAO_CACHE="$T/code" NO_COLOR=1
mkdir -p "$T/app"; cd "$T/app" || exit 1
PATH="$(dirname "$BAO"):$PATH"
mask() { sed -e "s#$T#TMP#g" -e 's/ *\[[0-9.]*m*s\]//' -e 's/^bao \(.*\) v[0-9].*/bao \1/' -e 's/localhost_[0-9]*/localhost_PORT/g' -e 's/-[0-9a-f]\{16\}$/-DIGEST/' -e 's/([0-9.]* [kKMB]*)/(SIZE)/'; }
printf '[install]\nlinker = "store"\n' > bunfig.toml
echo '{"name":"app","dependencies":{"tool":"1.0.0","kept":"1.0.0","scripted":"1.0.0"},"devDependencies":{"lib":"1.0.0","devonly":"1.0.0"}}' > package.json
"$BAO" install > "$T/out" 2>&1 || cat "$T/out"
find node_modules -name '*.js'
echo "== licenses"; "$BAO" pm licenses 2>&1 | mask
echo "== ls, why"; "$BAO" pm ls 2>&1 | mask; "$BAO" why lib 2>&1 | mask
echo "== x"; "$BAO" x tool by-x; "$BAO" x other-name again; node_modules/.bin/other-name by-hand
echo "== untrusted, trust"; "$BAO" pm untrusted 2>&1 | mask; "$BAO" -p 'require("scripted")'; "$BAO" pm trust scripted 2>&1 | mask; "$BAO" -p 'require("scripted")'; find node_modules/.bun -name '*.js' | sort
echo "== patch"; "$BAO" patch kept 2>&1 | mask | grep -v '^$'
sed -i 's/42/43/' node_modules/.bun/kept@1.0.0/node_modules/kept/data.json
"$BAO" patch --commit node_modules/.bun/kept@1.0.0/node_modules/kept > "$T/out" 2>&1 || cat "$T/out"
grep '^[-+]{' patches/*; "$BAO" -e 'import n from "kept"; console.log(n)'
rm -rf node_modules; "$BAO" install > "$T/out" 2>&1 || cat "$T/out"; "$BAO" -e 'import n from "kept"; console.log(n)'
echo "== build"
echo 'import { name, keys } from "lib"; import n from "kept"; import "lib/style.css"; console.log(name, keys, n, globalThis.effect);' > entry.js
for target in bun browser; do
  "$BAO" build entry.js --target $target --outdir out-$target > "$T/out" 2>&1 || cat "$T/out"
  "$BAO" out-$target/entry.js; grep -c 'unused text' out-$target/entry.js; cat out-$target/entry.css | tr -d ' \n' | sed 's/dot-[a-z0-9]*/dot-HASH/'; echo; ls out-$target | sed 's/-[a-z0-9]*\./-HASH./'
done
"$BAO" -e 'const built = await Bun.build({ entrypoints: ["entry.js"], target: "bun", plugins: [{ name: "p", setup(b) { b.onLoad({ filter: /m\.mjs$/ }, ({ path }) => ({ contents: `export const name = ${JSON.stringify(path.split("/node_modules/").pop())}, keys = 0` })) } }] }); console.log(built.success, (await built.outputs[0].text()).includes("lib/m.mjs"));'
echo "== record"
for i in 1 2 3 4 5 6; do echo "module.exports = '$i' + require('lib').name + '$(head -c 900 /dev/zero | tr '\0' x)';" > m$i.js; done
echo 'const all = [1, 2, 3, 4, 5, 6].map((i) => require(`./m${i}.js`)); console.log(all.length, require("tool/package.json").name, require("lib").node.only);' > many.cjs
export T
"$BAO" many.cjs; ls "$T/code/programs" | wc -l
"$BAO" -e 'import { open } from "bao:store"; import fs from "node:fs"; const dir = process.env.T + "/code/programs/"; const archive = await open(dir + fs.readdirSync(dir)[0]); const names = [...archive].map((entry) => entry.name); console.log(names.filter((name) => name.endsWith("/i")).length, names.filter((name) => /\/f\/\d+$/.test(name)).length > 3, names.filter((name) => name.startsWith("c/")).length >= 5, await archive.verify());'
mv "$T/cache/.bao-archives-1" "$T/aside"; "$BAO" many.cjs; mv "$T/aside" "$T/cache/.bao-archives-1"
"$BAO" -e 'const fs = require("fs"), dir = process.env.T + "/code/programs/", file = dir + fs.readdirSync(dir)[0]; const bytes = fs.readFileSync(file); for (let i = bytes.readUInt32LE(24); i < bytes.length; i += 97) bytes[i] ^= 4; fs.writeFileSync(file, bytes)'
"$BAO" many.cjs; : > "$T/code/programs/$(ls "$T/code/programs")"; "$BAO" many.cjs
echo "== prune"; "$BAO" prune --production --dry-run 2>&1 | mask; "$BAO" prune --production 2>&1 | mask; "$BAO" -p 'try { require.resolve("devonly"); "there" } catch (error) { error.code }'; "$BAO" x tool pruned
"$BAO" install > "$T/out" 2>&1 || cat "$T/out"; "$BAO" -p 'require("devonly")'
echo "== cache"
# An install notes which archives are in use, once a day.
touch -d '40 days ago' "$T"/cache/.bao-archives-1/*.bao; touch -d '2 days ago' node_modules/.bao-store
"$BAO" pm cache prune --dry-run 2>&1 | tail -n 2
"$BAO" install > "$T/out" 2>&1 || cat "$T/out"; "$BAO" pm cache prune --dry-run 2>&1 | mask
"$BAO" pm cache pack "$T/pack" 2>&1 | mask
"$BAO" pm cache prune --max-age 0 --dry-run 2>&1 | mask | sort; "$BAO" pm cache prune --max-age 0 2>&1 | mask; ls -A "$T/cache/.bao-archives-1" | wc -l
"$BAO" pm cache unpack "$T/pack" 2>&1 | mask; rm -rf node_modules
"$BAO" install --offline > "$T/out" 2>&1 || cat "$T/out"; "$BAO" node_modules/.bin/../tool/bin.js offline
