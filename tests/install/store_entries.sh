# expected: written by hand. The bundler and packages in archives: entry points there (scripts, style sheets, pages, packages by name), paths of the
# disk that lead there, and packages with a `main` beside their ES module, which are one module however they are asked for.
T=$(mktemp -d)
HERE=$(cd "$(dirname "$0")" && pwd)
cat > "$T/packages.json" <<'JSON'
{"a":{"1.0.0":{"main":"lib/index.js","dependencies":{"b":"1.0.0"},"files":{"lib/index.js":"exports.text = 'a and ' + require('b');\n","cli.ts":"import b from 'b';\nconst text: string = b;\nconsole.log('cli', text);\n",
   "style.css":"@import './more.css';\n.a { color: red }\n","more.css":".more { color: blue }\n","page.html":"<!doctype html><script type=\"module\" src=\"./page.js\"></script><img src=\"./dot.svg\">\n","page.js":"import { text } from 'a';\nconsole.log(text);\n","dot.svg":"<svg xmlns=\"http://www.w3.org/2000/svg\"/>\n"}}},
 "b":{"1.0.0":{"main":"b.js","files":{"b.js":"module.exports = 'b';\n"}}},
 "dual":{"1.0.0":{"main":"./main.js","module":"./module.mjs","files":{"main.js":"module.exports = function dual() { return 'main'; };\n","module.mjs":"export default function dual() { return 'module'; }\n"}}}}
JSON
. "$HERE/support/made-up.sh"
export NO_COLOR=1
mkdir "$T/app"; cd "$T/app" || exit 1
echo '{"dependencies":{"a":"1.0.0","dual":"1.0.0"}}' > package.json
echo 'import { text } from "./node_modules/a/lib/index.js"; import sheet from "./node_modules/a/dot.svg"; console.log(text, typeof sheet);' > path.js
echo 'console.log(require("dual")());' > required.js
echo 'import dual from "dual"; console.log(dual());' > imported.js
echo 'import dual from "dual"; const other = require("dual"); console.log(dual === other, dual());' > both.js
for linker in isolated store; do
  rm -rf node_modules out; "$BAO" install --linker=$linker > "$T/out" 2>&1 || cat "$T/out"
  echo "== $linker"
  build() { "$BAO" build "$@" --outdir out > "$T/out" 2>&1 || cat "$T/out"; }
  build --target bun ./node_modules/a/cli.ts; "$BAO" out/cli.js
  build --target bun a; "$BAO" -e 'import a from "./out/a.js"; console.log(a.text)'
  build --target browser ./node_modules/a/style.css; tr -d ' \n' < out/style.css | sed 's#/\*[^*]*\*/##g'; echo
  build --target browser ./node_modules/a/page.html; ls out | grep -c 'page.*\.js$\|dot.*\.svg$\|page.html'; "$BAO" out/page-*.js
  for name in path required imported both; do build --target bun $name.js; "$BAO" out/$name.js; done
  "$BAO" build --compile ./node_modules/a/cli.ts --outfile tool > "$T/out" 2>&1 || cat "$T/out"; ./tool
done
