# -e, -p, standard input, process.argv and process.execArgv, options that programs see.
. support/lib.sh
show='console.log(process.argv.slice(1).join("|"), process.execArgv.join("|"))'
bao -p '[1, 2].map((x: number) => x + 1)'
bao -p '/** @jsxRuntime classic */ /** @jsx h */ const h = (tag: string, _: null, ...children: string[]) => `${tag}: ${children}`; <b>bold</b>'
bao -p 'const same = <T>(x: T) => x; same<number>(1)'
bao --print=2**10
bao -e "$show" a -b
bao -p 'process.argv.length' -- --x
bao -pe '40 + 2'
bao -e 'import { sep } from "node:path"; console.log(sep)'
bao -e 'throw new Error("x")' 2>&1 | grep -v '^    at'
echo "--- stdin"
echo "$show" | "$BAO" - a -b | tidy
echo "$show" | "$BAO" run --smol - a | tidy
echo 'console.log(typeof require, 1 as number)' | "$BAO" -
echo "$show" >show.js
bao show.js a --smol
bao --smol run --no-warnings show.js -- a --
BUN_OPTIONS="--smol --define 'A:\"b c\"'" bao show.js
mkdir sub
echo 'console.log(process.cwd())' >sub/cwd.js
bao --cwd sub cwd.js
bao --cwd=sub -p 'process.cwd()'
echo 'globalThis.loaded = (globalThis.loaded ?? "") + "1";' >one.cjs
echo 'globalThis.loaded = (globalThis.loaded ?? "") + "2";' >two.mjs
bao -r ./one.cjs --import ./two.mjs -p 'loaded'
bao --define DEBUG=true -d 'VERSION:"1.0"' -p '[DEBUG, VERSION]'
mkdir -p node_modules/cond
echo '{ "name": "cond", "exports": { "special": "./special.js", "default": "./default.js" } }' >node_modules/cond/package.json
echo 'module.exports = "special";' >node_modules/cond/special.js
echo 'module.exports = "default";' >node_modules/cond/default.js
bao -p 'require("cond")'
bao --conditions special -p 'require("cond")'
bao -C special -p 'require("cond")'
bao --no-warnings -e 'process.emitWarning("quiet"); console.log("done")'
bao --throw-deprecation -p 'process.throwDeprecation'
bao --stack-trace-limit=3 -p 'Error.stackTraceLimit'
bao --expose-gc -p 'typeof gc'
NODE_OPTIONS='--stack-trace-limit=4 --max-semi-space-size=16 --no-such-option' bao -p 'Error.stackTraceLimit'
NODE_OPTIONS='--stack-trace-limit=4' bao --stack-trace-limit=5 -p 'Error.stackTraceLimit'
bao --console-depth 1 -e 'console.log({ a: { b: { c: 1 } } })'
echo "--- as node"
ln -s "$BAO" node
./node -p '1 + 1'
echo 'console.log("from stdin")' | ./node
./node show.js -- a | tidy
./node --nope show.js 2>&1 || echo "exit code $?"
test "$(./node -v)" = "$(./node -p process.version)" && echo same version
test "$("$BAO" -v)" = "$("$BAO" -p 'process.versions.bao')" && echo same version
