#!/bin/sh
# The shells beside each other: BAO=path [BUN=path] [NODE=path] [ZX=folder with node_modules/zx] sh bench/shell/run.sh
# Microseconds per call, the best of some rounds; dash and bash run the same scripts, started by bao.
set -eu
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
: "${BAO:?set BAO to the executable to measure}"
for shell in dash bash; do
  command -v $shell >/dev/null || continue
  echo "== bao, and $shell"
  "$BAO" "$here/bench.mjs" $shell
done
if [ -n "${BUN:-}" ]; then
  echo "== bun"
  "$BUN" "$here/bench.mjs"
fi
if [ -n "${ZX:-}" ]; then
  echo "== zx (by ${NODE:-node}, with bash)"
  ZX=$ZX "${NODE:-node}" "$here/bench.mjs"
fi
