#!/bin/sh
# All tests: Rust units, then the black-box programs of tests/ and examples/, run by `bao test` (tests/programs.test.ts).
# Usage: BAO=path sh tests/run.sh [AREA]
set -u
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
cd "$here/.."
area=${1:-}
passed=0
failed=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT INT TERM

if [ -z "$area" ]; then
  if cargo test --release --locked --workspace --quiet >"$scratch/units" 2>&1; then
    units=$(sed -n 's/^test result: ok\. \([0-9]*\) passed.*/\1/p' "$scratch/units" | awk '{n += $1} END {print n + 0}')
    passed=$((passed + units))
    echo "unit tests: $units passed"
  else
    cat "$scratch/units"
    echo "FAIL unit tests"
    failed=$((failed + 1))
  fi
fi

case $area in
  '' | programs) sh tests/programs/support/install.sh ;;
esac

# What there is to run, counted without bao.
if [ -z "$area" ]; then set -- tests/*/*.out examples/*.out; else set -- tests/"$area"/*.out; fi
[ "$area" = examples ] && set -- examples/*.out
if [ ! -f "$1" ]; then
  echo "FAIL there are no tests in the area '$area'"
  exit 1
fi
expected=$#

export BAO BAO_NOT_RUN="$scratch/not_run"
: >"$BAO_NOT_RUN"
CI=false "$BAO" test --reporter=default --reporter=junit --reporter-outfile="$scratch/junit.xml" \
  ${area:+-t "^$area "} ./tests/programs.test.ts 2>&1
code=$?

# The numbers of the report, and whether all was run.
number() { sed -n "s/.*<testsuites[^>]* $1=\"\([0-9]*\)\".*/\1/p" "$scratch/junit.xml" 2>/dev/null | head -1; }
run=$(grep -c '<testcase ' "$scratch/junit.xml" 2>/dev/null)
skipped=$(number skipped)
bad=$(number failures)
run=$((${run:-0} - ${skipped:-0}))
if [ "$run" != "$expected" ]; then
  echo "FAIL there are $expected programs, and $run were run"
  failed=$((failed + 1))
fi
if [ "$code" != 0 ] && [ "${bad:-0}" = 0 ]; then
  echo "FAIL bao test ended with $code"
  failed=$((failed + 1))
fi
failed=$((failed + ${bad:-0}))
# Programs that this machine cannot run: they told so, and were counted as run.
missing=$(wc -l <"$BAO_NOT_RUN")
passed=$((passed + run - ${bad:-0} - missing))
if [ "$missing" -gt 0 ]; then echo "$passed passed, $failed failed, $missing skipped"; else echo "$passed passed, $failed failed"; fi
[ "$failed" = 0 ]
