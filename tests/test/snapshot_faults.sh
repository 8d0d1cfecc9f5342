# Snapshots: -u, obsolete ones, CI, a damaged file, a read-only one, two runs at once, and files of other runners.
. ./support/api.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
snap=__snapshots__/a.test.js.snap
cat >a.test.js <<'END'
import { expect, test } from "bun:test";
const attempt = (call) => { try { call(); } catch (error) { console.log(error.message.replaceAll(import.meta.dir, "DIR")); throw error; } };
for (const name of (process.env.NAMES ?? "one two").split(" ")) {
  test(name, () => attempt(() => expect({ value: process.env.VALUE ?? 1, name }).toMatchSnapshot()));
}
END
# Runs a.test.js with further arguments: what it prints, and how it ended.
go() {
  env -u CLAUDECODE -u AGENT -u REPL_ID "$@" >out 2>err
  code=$?
  grep -v '^bao test v' out
  sed -n 's/^ *\([0-9]* \(pass\|fail\)\)$/\1/p; s/^\(snapshots:.*\)/\1/p' err
  echo "ended with $code"
}
echo "--- written"
go env CI=false "$BAO" test ./a.test.js
cat $snap
echo "--- another value, then -u"
go env CI=false VALUE=2 NAMES=one "$BAO" test ./a.test.js
go env CI=false VALUE=2 NAMES=one "$BAO" test -u ./a.test.js
cat $snap
echo "--- new ones in CI"
go env CI=true VALUE=2 NAMES="one three" "$BAO" test ./a.test.js
grep -c exports $snap
echo "--- a damaged file is left alone"
echo 'exports[`one' >>$snap
cp $snap before
go env CI=false VALUE=2 NAMES=one "$BAO" test ./a.test.js
cmp before $snap && echo "as it was"
go env CI=false VALUE=2 NAMES=one "$BAO" test -u ./a.test.js
cat $snap
echo "--- a read-only one too"
chmod 444 $snap
cp -p $snap before
go env CI=false VALUE=2 NAMES="one four" "$BAO" test ./a.test.js
grep -o 'Failed to write snapshot file.*' err | sed "s|$work|DIR|g" | head -1
cmp before $snap && echo "as it was"
chmod 644 $snap
echo "--- two runs at once"
rm -rf __snapshots__
for name in a b c d; do env CI=false NAMES="$name both" "$BAO" test ./a.test.js >/dev/null 2>&1 & done
wait
for name in a b c d; do env CI=false NAMES="$name both" "$BAO" test ./a.test.js >/dev/null 2>&1; done
grep '^exports' $snap | sort
ls __snapshots__
echo "--- Jest's and vitest's files"
printf '// Jest Snapshot v1, https://goo.gl/fbAQLP\n\nexports[`one 1`] = `\nObject {\n  "name": "one",\n  "value": 1,\n}\n`;\n' >$snap
go env CI=true NAMES=one "$BAO" test ./a.test.js
cat >b.test.js <<'END'
import { describe, expect, it } from "bun:test";
describe("group", () => {
  it("case", () => {
    expect(/a.b/).toMatchSnapshot();
    expect(() => { throw new TypeError("no"); }).toThrowErrorMatchingSnapshot();
    expect([function named() {}, [, 1], new Map([["k", "two\nlines"]])]).toMatchSnapshot();
  });
});
END
cat >__snapshots__/b.test.js.snap <<'END'
// Vitest Snapshot v1, https://vitest.dev/guide/snapshot.html

exports[`group > case 1`] = `/a\\.b/`;

exports[`group > case 2`] = `[TypeError: no]`;

exports[`group > case 3`] = `
[
  [Function named],
  [
    ,
    1,
  ],
  Map {
    "k" => "two
lines",
  },
]
`;
END
go env CI=true "$BAO" test ./b.test.js
