# Differences in messages; recorded from Bun 1.4.5.
. ./support/api.sh
cd api
run diffs.test.js
