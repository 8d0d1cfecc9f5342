# Snapshot files and inline snapshots: as Bun 1.4.5 writes them (recorded from it), and what becomes of both with -u, in CI, when
# they are damaged or read-only, and when two runs write at once.
. ./support/api.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp api/snapshots.test.js api/inline.test.ts "$work"
cd "$work" || exit 1
run snapshots.test.js
cat __snapshots__/snapshots.test.js.snap
run inline.test.ts
cat inline.test.ts
