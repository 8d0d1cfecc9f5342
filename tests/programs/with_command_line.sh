# Packages with a command line, started by their files in node_modules/.bin. The .out was recorded with BAO=node. Runs after the
# other tests of this folder, which have then installed the packages.
. support/lib.sh
dir=$(mktemp -d)
dir=$(readlink -f "$dir")
trap 'rm -rf "$dir" "$dir.out"' EXIT INT TERM
tools=$(packages tools) && web=$(packages web) && text=$(packages text) && data=$(packages data) && system=$(packages system) || exit 1
cd "$dir" || exit 1
# run PACKAGES NAME ARGUMENTS...: prints both streams and the exit code.
run() {
  bin=$1/node_modules/.bin/$2
  shift
  echo "--- $*"
  shift
  "$BAO" "$bin" "$@" >"$dir.out" 2>&1 </dev/null || echo "exit code $?" >>"$dir.out"
  sed "s|$dir|DIR|g" "$dir.out"
}

mkdir -p project/src
echo '{ "compilerOptions": { "target": "es2020", "module": "commonjs", "outDir": "out", "declaration": true, "strict": true, "types": [] }, "include": ["src"] }' >project/tsconfig.json
echo 'import { twice } from "./lib"; export const answer: number = twice(21); console.log(answer);' >project/src/main.ts
echo 'export const twice = (x: number): number => x * 2; export enum Colour { Red = "r" }' >project/src/lib.ts
run "$tools" tsc --version
run "$tools" tsc -p project --listEmittedFiles --pretty false
cat project/out/main.js project/out/lib.d.ts
"$BAO" project/out/main.js
echo 'const wrong: string = 5;' >project/src/wrong.ts
run "$tools" tsc -p project --noEmit --pretty false
run "$tools" prettier --version
printf 'const a = {b:1,\n"c":2}\n' >ugly.js
run "$tools" prettier ugly.js
run "$tools" prettier --check ugly.js project
run "$tools" terser ugly.js -c -m --toplevel --source-map url=inline
run "$tools" acorn --ecma2020 --compact ugly.js
run "$tools" marked -s '# Title *x*'
echo '{{#each list}}<{{this}}>{{/each}}' >list.handlebars
run "$tools" handlebars --minify=false list.handlebars
run "$tools" semver 1.2.3 -i minor
run "$data" semver -r '>=1.5' 1.2.0 1.6.1 2.0.0
run "$data" uuid v5 example.com DNS
run "$data" js-yaml ugly.js
run "$text" lessc --version
echo '.a { .b { width: (1px + 2) * 3 } }' >style.less
run "$text" lessc style.less
echo '.a { .b { width: math.div(9px, 3) } }' >style.scss
run "$text" sass --no-source-map style.scss
echo '@use "sass:math"; .a { .b { width: math.div(9px, 3) } }' >style.scss
run "$text" sass --no-source-map style.scss
run "$text" markdown-it list.handlebars
run "$text" svgo --version
run "$text" ejs list.handlebars
echo 'export default [{ rules: { "no-unused-vars": "error", semi: "warn" } }];' >eslint.config.mjs
run "$web" eslint ugly.js
run "$web" eslint --version
run "$web" esparse --version
run "$web" uglifyjs ugly.js -b
run "$system" rimraf style.css
ls
