# expected: written by hand. What a program with packages in archives starts as `node` or `npx` is bao, which alone reads archives: by name, by
# a shell, in scripts of the project. Elsewhere the search path decides.
T=$(mktemp -d)
HERE=$(cd "$(dirname "$0")" && pwd)
cat > "$T/packages.json" <<'JSON'
{"a":{"1.0.0":{"main":"i.js","bin":{"aye":"cli.js"},"files":{"i.js":"module.exports = 'a from an archive';\n","cli.js":"#!/usr/bin/env node\nconsole.log('aye', require('./i.js'), process.argv[2] ?? '');\n"}}}}
JSON
. "$HERE/support/made-up.sh"
export TMPDIR="$T"
mkdir -p "$T/app/packages/m" "$T/plain" "$T/path"; cd "$T/app" || exit 1
for name in node npx; do printf '#!/bin/sh\necho another %s\n' $name > "$T/path/$name"; chmod 755 "$T/path/$name"; done
PATH="$T/path:/usr/bin:/bin"
printf '[install]\nlinker = "store"\n' > bunfig.toml
cat > package.json <<'JSON'
{"name":"app","workspaces":["packages/*"],"dependencies":{"a":"1.0.0"},"scripts":{"prepare":"node show.cjs > prepared","show":"node show.cjs; npx --yes aye script"}}
JSON
cat > packages/m/package.json <<'JSON'
{"name":"m","version":"1.0.0","dependencies":{"a":"1.0.0"},"scripts":{"show":"node ../../show.cjs"}}
JSON
echo 'console.log(require("a"), process.argv0.split("/").pop());' > show.cjs
"$BAO" install > "$T/out" 2>&1 || cat "$T/out"
echo "== lifecycle"; cat prepared
cat > main.cjs <<'JS'
const { execFileSync, execSync, spawnSync } = require("child_process");
console.log(require("a"));
const text = (bytes) => bytes.toString().trim();
console.log(text(execFileSync("node", ["show.cjs"])), "|", text(execFileSync("npx", ["aye", "npx"])), "|", text(execSync("node show.cjs; npx aye shell")).replaceAll("\n", " | "));
console.log(text(execSync("node show.cjs", { env: { PATH: process.env.PATH, HOME: process.env.HOME } })), "|", text(spawnSync("node", ["show.cjs"], { env: { PATH: "/none" } }).stdout));
console.log(text(Bun.spawnSync(["node", "show.cjs"]).stdout), "|", text(execFileSync("sh", ["-c", "sh -c 'node show.cjs'"])));
// Their own children, too, and the path does not grow.
console.log(text(execFileSync("node", ["-e", "require('a'); console.log(require('child_process').execSync('node show.cjs; echo $PATH').toString())"])).replace(/.*\n/, (line) => line.trim() + " ").split(":").filter((part) => part.includes("bao-shims")).length);
console.log(process.env.PATH.includes("bao-shims"));
JS
echo "== children"; "$BAO" main.cjs 2>&1
echo "== scripts"; "$BAO" run show 2>/dev/null; (cd packages/m && "$BAO" run show 2>/dev/null); "$BAO" run --filter m show 2>/dev/null | sed 's/^m show[^:]*: //'
echo "== a program that has met none"; cd "$T/plain" || exit 1
echo 'console.log(require("child_process").execFileSync("node", []).toString().trim())' > plain.cjs; "$BAO" plain.cjs
echo '{"scripts":{"show":"node; npx"}}' > package.json; "$BAO" run show 2>/dev/null
