# expected: written by hand. An executable of a package that is machine code, as bundlers in other languages are, reads packages by itself: all of them
# are put on the disk when a program, a script or `bao x` starts it. Other programs change nothing.
T=$(mktemp -d)
HERE=$(cd "$(dirname "$0")" && pwd)
command -v cc > /dev/null || { echo "no C compiler" >&2; exit 77; }
cat > "$T/packages.json" <<'JSON'
{"a":{"1.0.0":{"main":"a.js","dependencies":{"b":"1.0.0"},"bin":{"script":"s.js"},"files":{"a.js":"exports.b = require('b');\n","s.js":"#!/usr/bin/env node\nconsole.log('script', require('b'));\n"}}},
 "b":{"1.0.0":{"main":"b.js","files":{"b.js":"module.exports = 'b';\n"}}},
 "c":{"1.0.0":{"main":"c.js","files":{"c.js":"module.exports = 'c';\n"}}}}
JSON
. "$HERE/support/made-up.sh"
export NO_COLOR=1
mkdir -p "$T/app/tool" "$T/app/packages/m"; cd "$T/app" || exit 1
printf '[install]\nlinker = "store"\n' > bunfig.toml
cat > tool.c <<'C'
#include <stdio.h>
int main(int count, char **words) {
  for (int i = 1; i < count; i++) {
    char line[64] = "";
    FILE *file = fopen(words[i], "r");
    if (!file || !fgets(line, sizeof line, file)) printf("no %s\n", words[i]); else printf("%s", line);
  }
}
C
cc -O1 -o tool/tool tool.c || exit 77
echo '{"name":"tool","version":"1.0.0","bin":"tool"}' > tool/package.json
cat > package.json <<'JSON'
{"name":"app","workspaces":["packages/*"],"dependencies":{"a":"1.0.0","tool":"file:./tool"},"scripts":{"tool":"echo by script && tool node_modules/a/a.js node_modules/.bun/a@1.0.0/node_modules/b/b.js","script":"script"}}
JSON
echo '{"name":"m","version":"1.0.0","dependencies":{"c":"1.0.0"}}' > packages/m/package.json
files() { find node_modules packages/m/node_modules -name '[abc].js' | wc -l; }
fresh() { rm -rf node_modules packages/m/node_modules; "$BAO" install > "$T/out" 2>&1 || cat "$T/out"; }
fresh; files
echo "== a script of JavaScript"; "$BAO" run script 2>&1; "$BAO" x script; files
echo "== in a script"; "$BAO" run tool 2>&1 | sed "s,$T,T,; s,/tool@[^/]*,/tool@VERSION,"; files
echo "== again"; "$BAO" run tool 2> /dev/null
echo "== kept by installs"; "$BAO" install > "$T/out" 2>&1 || cat "$T/out"; "$BAO" run tool 2> /dev/null; files
echo "== taken out"; "$BAO" remove a > "$T/out" 2>&1 || cat "$T/out"; ls node_modules; "$BAO" -p 'try { require("a") } catch (error) { error.code }'
"$BAO" add a@1.0.0 > "$T/out" 2>&1 || cat "$T/out"
echo "== by a program"; fresh
cat > main.cjs <<'JS'
const { execFileSync, spawnSync } = require("child_process");
console.log(require("a").b, spawnSync("/bin/ls", ["node_modules"]).stdout.toString().trim().replaceAll("\n", " "));
console.log(execFileSync("node_modules/.bin/tool", ["node_modules/a/a.js"]).toString().trim(), spawnSync("ls", ["node_modules"]).stdout.toString().trim().replaceAll("\n", " "));
JS
"$BAO" main.cjs 2> /dev/null
echo "== by x"; fresh; "$BAO" x tool node_modules/a/a.js 2> /dev/null
echo "== of two projects"; fresh
mkdir "$T/other"; cp -R package.json bunfig.toml tool packages "$T/other"; cd "$T/other" || exit 1; fresh; cd "$T/app" || exit 1
cat > main.cjs <<'JS'
const { execFileSync } = require("child_process");
for (const project of [".", "../other"]) console.log(execFileSync(`${project}/node_modules/.bin/tool`, [`${project}/node_modules/a/a.js`]).toString().trim());
JS
"$BAO" main.cjs 2> /dev/null
