# Control characters of snapshots are escapes in the file, and half a surrogate pair is U+FFFD; both are read again. Recorded from
# Bun 1.4.5.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
cat >a.test.ts <<'TS'
import { expect, test } from "bun:test";
test("kept", () => {
  expect("\0 \x01 \x07 \b \t \v \f \x1b \u2028 \ud800x ` ${y} \\").toMatchSnapshot();
  expect("first\nsecond\0").toMatchSnapshot();
});
TS
for time in first second; do
  "$BAO" test ./a.test.ts >/dev/null 2>&1
  echo "the $time time: exit code $?"
done
cat __snapshots__/a.test.ts.snap
