#!/bin/sh
# SQLite in bao, Bun and Node (there also better-sqlite3, if $PEERS_DIR has it): microseconds per row of 100,000 rows, medians of ROUNDS (5) interleaved runs.
# insert: one row each in a transaction; key: one row by its key; objects, arrays, iterate: a scan.
here=$(cd "$(dirname "$0")" && pwd)
rounds=${ROUNDS:-5}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
run() {
  label=$1
  shift
  command -v "$1" >/dev/null || return
  "$@" 2>/dev/null | sed "s|^|$label |" >>"$out/all"
}
for round in $(seq "$rounds"); do
  run bao-bun "${BAO:-bao}" "$here/sqlite.mjs" bun
  run bun-bun "${BUN:-bun}" "$here/sqlite.mjs" bun
  run bao-node "${BAO:-bao}" "$here/sqlite.mjs" node
  run bun-node "${BUN:-bun}" "$here/sqlite.mjs" node
  run node-node "${NODE:-node}" "$here/sqlite.mjs" node
  run node-better "${NODE:-node}" "$here/sqlite.mjs" better
done
sort -k1,2 -k3n "$out/all" | awk '
  { key = $1 " " $2; if (key != last) { flush(); last = key; n = 0 } v[++n] = $3 }
  function flush() { if (n) printf "%-10s %-8s %8.3f us/row\n", substr(last, 1, index(last, " ") - 1), substr(last, index(last, " ") + 1), v[int((n + 1) / 2)] }
  END { flush() }' | sort -k2,2 -k3n
