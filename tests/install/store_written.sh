# expected: written by hand. Packages in archives that programs watch (nothing changes) and write into (the next install puts them on the
# disk).
T=$(mktemp -d)
HERE=$(cd "$(dirname "$0")" && pwd)
cat > "$T/packages.json" <<'JSON'
{"a":{"1.0.0":{"main":"lib/index.js","dependencies":{"b":"1.0.0"},"files":{"lib/index.js":"exports.b = require('b');\n"}}},
 "b":{"1.0.0":{"main":"b.js","files":{"b.js":"module.exports = 'b';\n"}},"2.0.0":{"main":"b.js","files":{"b.js":"module.exports = 'b 2';\n"}}},
 "@s/self":{"1.0.0":{"main":"i.js","files":{"i.js":"exports.save = (text) => require('fs').writeFileSync(__dirname + '/saved.txt', text);\n"}}}}
JSON
. "$HERE/support/made-up.sh"
mkdir -p "$T/app/packages/m"; cd "$T/app" || exit 1
printf '[install]\nlinker = "store"\n' > bunfig.toml
echo '{"name":"app","workspaces":["packages/*"],"dependencies":{"a":"1.0.0","other":"npm:@s/self@1.0.0"}}' > package.json
echo '{"name":"m","version":"1.0.0","dependencies":{"b":"2.0.0"}}' > packages/m/package.json
install() { "$BAO" install "$@" > "$T/out" 2>&1 || cat "$T/out"; }
install
cat > watch.mjs <<'JS'
import fs from "node:fs";
const seen = [];
const note = (what) => (type, name) => seen.push(`${what} ${type} ${name}`);
const file = fs.watch("node_modules/a/lib/index.js", note("file"));
const dir = fs.watch("node_modules/a/lib", note("dir"));
const tree = fs.watch("node_modules/a", { recursive: true }, note("tree"));
const member = fs.watch("packages/m/node_modules/b", note("member"));
fs.watchFile("node_modules/.bun/b@1.0.0/node_modules/b/b.js", { interval: 5 }, () => seen.push("watchFile"));
fs.watchFile("node_modules/a/lib/index.js", { interval: 5 }, () => seen.push("watchFile"));
const stop = new AbortController();
const iterated = (async () => {
  for await (const event of fs.promises.watch("node_modules/a", { signal: stop.signal })) seen.push(`iterated ${event.eventType}`);
})().catch((error) => error.name);
const missing = (path) => { try { fs.watch(path); return "watched"; } catch (error) { return `${error.code} ${error.syscall} ${error.filename}`; } };
console.log(missing("node_modules/a/none"), missing("node_modules/a/lib/index.js/x"));
const same = (path) => { const [a, b] = [fs.statfsSync(path), fs.statfsSync("node_modules")]; return a.type === b.type && a.blocks === b.blocks; };
console.log(same("node_modules/a/lib/index.js"), same("packages/m/node_modules/b"), (await fs.promises.statfs("node_modules/a")).type === fs.statfsSync(".").type);
// One that ends leaves the others, and the disk is watched beside them.
file.close();
const disk = fs.watch("node_modules", (type, name) => {
  console.log("disk", type, name);
  disk.close(); dir.close(); tree.close(); member.close(); stop.abort();
  fs.unwatchFile("node_modules/.bun/b@1.0.0/node_modules/b/b.js"); fs.unwatchFile("node_modules/a/lib/index.js");
  iterated.then((end) => console.log(end, seen));
});
fs.readFileSync("node_modules/a/lib/index.js");
setTimeout(() => fs.writeFileSync("node_modules/.made", ""), 20);
JS
echo "== watched"; "$BAO" watch.mjs 2>&1; rm node_modules/.made
echo "== written"
"$BAO" -p 'try { require("other").save("x") } catch (error) { error.code }' 2>&1 | sed "s,$T,T,g"
cat node_modules/.bao-writes; find node_modules -name i.js
install; find node_modules -name i.js; ls node_modules/.bao-writes 2>&1 | grep -o 'No such file'
"$BAO" -p 'require("other").save("it is there"); require("fs").readFileSync("node_modules/other/saved.txt", "utf8")' 2>&1
echo "== by a member, through a link, once a process"
(cd packages/m && "$BAO" -e 'const fs = require("fs"); for (const path of ["node_modules/b/x", "node_modules/b/none/x", "../../node_modules/.bun/b@1.0.0/node_modules/b/x"]) try { fs.writeFileSync(path, "") } catch (error) { console.log(error.code) }' 2> /dev/null)
cat node_modules/.bao-writes
"$BAO" -e 'try { require("fs").writeFileSync("node_modules/a/lib/index.js", "") } catch {}' 2> /dev/null; cat node_modules/.bao-writes
# What was never in the lockfile is left out.
echo unknown >> node_modules/.bao-writes
install; find node_modules -name '*.js' | sort; install; grep -o 'no changes' "$T/out"
install --force; find node_modules -name '*.js' | sort; "$BAO" -p 'require("a").b'
rm -rf node_modules packages/m/node_modules; install; find node_modules -name '*.js'
echo "== nowhere to note it"; mkdir node_modules/.bao-writes
"$BAO" -e 'try { require("fs").writeFileSync("node_modules/a/x", "") } catch (error) { console.log(error.code) }' 2>&1
rmdir node_modules/.bao-writes; ln -s "$T/aside" node_modules/.bao-writes
"$BAO" -e 'try { require("fs").writeFileSync("node_modules/a/x", "") } catch (error) { console.log(error.code) }' 2>&1; ls "$T/aside" 2>&1 | grep -o 'No such file'
