# expected: written by hand. The format of archives and indexes is what docs/store.md says: a reader of one page in another language
# (support/read_archive.py) lists and reads them.
T=$(mktemp -d)
HERE=$(cd "$(dirname "$0")" && pwd)
cat > "$T/packages.json" <<'JSON'
{"a":{"1.0.0":{"main":"lib/index.js","bin":{"aye":"cli.js"},"dependencies":{"b":"1.0.0"},
   "files":{"lib/index.js":"exports.b = require('b');\n","lib/deep/er/x.txt":"deep\n","lib.js":"beside a folder\n","cli.js":"#!/usr/bin/env node\n","empty":""}}},
 "b":{"1.0.0":{"main":"b.js","files":{"b.js":"module.exports = 'b';\n"}}}}
JSON
. "$HERE/support/made-up.sh"
mkdir "$T/app"; cd "$T/app" || exit 1
echo '{"dependencies":{"a":"1.0.0"}}' > package.json
"$BAO" install --linker=store > "$T/out" 2>&1 || cat "$T/out"
reader() { python3 "$HERE/support/read_archive.py" "$@" 2>&1 | sed "s,$T,T,; s/localhost_[0-9]*/localhost_PORT/; s/-[0-9a-f]*\.bao/-DIGEST.bao/"; }
ARCHIVE=$(ls "$T"/cache/.bao-archives-1/a@*.bao)
echo "== archive"; reader "$ARCHIVE" | grep -v package.json
for name in lib/index.js lib/deep/er/x.txt lib.js empty; do reader "$ARCHIVE" $name; done
reader "$ARCHIVE" lib/none | tail -n 1
echo "== index"; reader node_modules/.bao-store | cut -d ' ' -f 1,3
reader node_modules/.bao-store a; echo; reader node_modules/.bao-store .bun/a@1.0.0/node_modules/a; echo
