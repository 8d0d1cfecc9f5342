# expected: written by hand. `bao pm files`: packages of the store linker as files for programs that are not bao. Where the kernel gives no
# mount namespace or no FUSE it can only say what it would.
T=$(mktemp -d)
HERE=$(cd "$(dirname "$0")" && pwd)
cat > "$T/packages.json" <<'JSON'
{"a":{"1.0.0":{"main":"lib/index.js","bin":{"aye":"cli.js"},"dependencies":{"b":"1.0.0"},
   "files":{"lib/index.js":"exports.b = require('b');\n","lib/Case.js":"upper\n","lib/case.js":"lower\n","cli.js":"#!/usr/bin/env node\nconsole.log('aye', require('./lib').b);\n"}}},
 "b":{"1.0.0":{"main":"b.js","files":{"b.js":"module.exports = 'b';\n"}},"2.0.0":{"main":"b.js","files":{"b.js":"module.exports = 'b 2';\n"}}},
 "addon":{"1.0.0":{"main":"i.js","files":{"i.js":"module.exports = 1;\n","x.node":"no addon\n"}}}}
JSON
. "$HERE/support/made-up.sh"
export NO_COLOR=1
mkdir -p "$T/app/packages/m"; cd "$T/app" || exit 1
PATH="$(dirname "$BAO"):$PATH"
echo '{"name":"app","workspaces":["packages/*"],"dependencies":{"a":"1.0.0","b":"2.0.0","addon":"1.0.0"}}' > package.json
echo '{"name":"m","version":"1.0.0","dependencies":{"b":"1.0.0"}}' > packages/m/package.json
"$BAO" pm files -- true 2>&1 | grep -o 'node_modules was not made by the store linker'
"$BAO" install --linker=store > "$T/out" 2>&1 || cat "$T/out"
if ! "$BAO" pm files -- true 2> "$T/refused"; then
  grep -q 'packages cannot be shown as files here' "$T/refused" && tail -n +2 "$HERE/store_files.out"; exit
fi
mkdir -p node_modules/.cache; echo kept > node_modules/.cache/x
find node_modules -name '*.js' | sort
cat > look.sh <<'SH'
echo "== inside"
find node_modules packages/m/node_modules | grep -v bao-state | sort
ls -l node_modules/b node_modules/.bun/a@1.0.0/node_modules/b packages/m/node_modules/b | sed 's/.* node_modules/node_modules/; s/.* packages/packages/'
cat node_modules/a/lib/Case.js node_modules/a/lib/case.js node_modules/b/b.js packages/m/node_modules/b/b.js node_modules/.cache/x
stat -c '%A %s %F' node_modules/a/cli.js node_modules/a node_modules/a/lib/../package.json
cp -r node_modules/a/lib copied && ls copied; cmp node_modules/a/lib/case.js copied/case.js && echo same
(cd node_modules/a/lib && pwd -P | sed "s,.*/app,APP,"; cat ../../b/b.js)
for change in "rm node_modules/a/cli.js" "mkdir node_modules/new" "chmod 600 node_modules/a/cli.js" "ln -s x node_modules/y" "mv node_modules/b node_modules/c"; do
  $change 2>&1 | grep -o 'Read-only file system'
done
(echo x > node_modules/a/new) 2>&1 | grep -o 'Read-only file system'
cat node_modules/a/none node_modules/a/cli.js/x 2>&1 | sed 's/^cat: //'
aye; head -c 3000000 /dev/zero | tee big | wc -c
SH
"$BAO" pm files -- sh look.sh 2>&1
"$BAO" pm files -- sh -c 'exit 9'; echo "exit $?"; "$BAO" pm files -- no-such-command 2>&1 | grep -o 'cannot start'
echo "== outside"; find node_modules -name '*.js' | sort; grep -c "$T/app/node_modules" /proc/mounts || true
