#!/bin/sh
# Benchmarks of bao beside bun, node and deno: BAO=path sh bench/run.sh [startup|cpu|core|all|await|kernels|data|ffi|shell|tests|http CASE…|backend CASE…|install OPTIONS…]
#
# `install` measures package managers (bench/install/README.md).
# A peer is taken from BUN, NODE, DENO (paths), from PATH, or from $PEERS_DIR/node_modules (`npm i bun deno`); what is
# not found is left out. RUNS and CPU_RUNS change the number of runs (30 and 5), CASE picks cases whose name contains it.
set -eu
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
: "${BAO:?set BAO to the executable to measure, or use ./x bench}"
command -v python3 >/dev/null || { echo "bench: python3 is needed" >&2; exit 1; }
case ${1:-all} in
  install)
    shift
    if [ -z "${REGISTRY:-}" ]; then
      target=${CARGO_TARGET_DIR:-$here/../target}
      (cd "$here/.." && cargo build --release -q -p bao-install --example registry)
      REGISTRY=$target/release/examples/registry
      export REGISTRY
    fi
    exec python3 -B "$here/install/bench.py" "$@"
    ;;
  tests)
    shift
    if [ -z "${BUN:-}" ] && [ -n "${PEERS_DIR:-}" ]; then
      BUN=$PEERS_DIR/node_modules/.bin/bun
      export BUN
    fi
    exec python3 -B "$here/test-runner/bench.py" "$@"
    ;;
  await | kernels) exec python3 -B "$here/steps.py" "$@" ;;
  http)
    shift
    exec python3 -B "$here/http/bench.py" "$@"
    ;;
  backend)
    shift
    # The back end with its database, then what else a back end answers with.
    python3 -B "$here/backend/bench.py" "$@"
    if [ $# -eq 0 ]; then exec python3 -B "$here/http/bench.py" hello post node-express5 node-express5-text; fi
    ;;
  data) exec "$BAO" "$here/data/run.mjs" ;;
  shell) exec sh "$here/shell/run.sh" ;;
  ffi) exec python3 -B "$here/ffi/bench.py" ;;
  startup | cpu | core) exec python3 -B "$here/compare.py" "$1" ;;
  all)
    python3 -B "$here/compare.py" startup
    python3 -B "$here/compare.py" cpu
    exec python3 -B "$here/compare.py" core
    ;;
  *) echo "usage: BAO=path sh bench/run.sh [startup|cpu|core|all|await|kernels|data|ffi|shell|tests|http …|backend …|install …]" >&2; exit 1 ;;
esac
