# expected: written by hand. hoistPattern and publicHoistPattern with the linker of archives, as with the isolated one.
T=$(mktemp -d)
HERE=$(cd "$(dirname "$0")" && pwd)
cat > "$T/packages.json" <<'JSON'
{"a":{"1.0.0":{"main":"i.js","dependencies":{"b":"1.0.0","@s/c":"1.0.0"},"files":{"i.js":"const has = (name) => { try { return require(name); } catch (error) { return error.code; } };\nmodule.exports = [has('b'), has('@s/c'), has('deep')];\n"}}},
 "b":{"1.0.0":{"main":"i.js","bin":{"bee":"cli.js"},"dependencies":{"deep":"1.0.0"},"files":{"i.js":"module.exports = 'b';\n","cli.js":"#!/usr/bin/env node\nconsole.log('bee');\n"}}},
 "deep":{"1.0.0":{"main":"i.js","files":{"i.js":"module.exports = 'deep';\n"}}},
 "@s/c":{"1.0.0":{"main":"i.js","files":{"i.js":"module.exports = 'c';\n"}}}}
JSON
. "$HERE/support/made-up.sh"
mkdir "$T/app"; cd "$T/app" || exit 1
echo '{"dependencies":{"a":"1.0.0"}}' > package.json
cat > main.cjs <<'JS'
const has = (name) => { try { return require(name); } catch (error) { return error.code; } };
const there = (dir) => { try { return require("fs").readdirSync(dir).filter((name) => !name.startsWith(".")).join(); } catch (error) { return error.code; } };
console.log(has("a").join(), "|", [has("b"), has("@s/c"), has("deep")].join(), "|", there("node_modules"), "|", there("node_modules/.bun/node_modules"), "|", require("fs").existsSync("node_modules/.bin/bee"));
JS
for linker in store isolated; do
  for lines in '' 'publicHoistPattern = ["b", "@s/*"]' 'publicHoistPattern = "*"' 'hoistPattern = "b"' 'hoistPattern = ["*", "!deep"]' 'hoist = false'; do
    rm -rf node_modules; printf '[install]\nlinker = "%s"\n%s\n' $linker "$lines" > bunfig.toml
    "$BAO" install > "$T/out" 2>&1 || cat "$T/out"
    echo "$linker $lines: $("$BAO" main.cjs 2>&1)"
  done
  printf '[install]\nlinker = "%s"\n' $linker > bunfig.toml; "$BAO" install > "$T/out" 2>&1 || cat "$T/out"
  echo "$linker, taken back: $("$BAO" main.cjs 2>&1)"
done
