# For the tests of this folder: a directory of its own, `file NAME` (text from standard input), and `t`, which runs `bao test` and
# prints both streams and the exit code, without times and versions. The .out files of those that say so were recorded with
# BAO=bun (1.4.5).
BAO=$(readlink -f "$BAO")
export BAO
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
cd "$work" || exit 1
work=$(pwd -P)
unset CI GITHUB_ACTIONS CLAUDECODE REPL_ID AGENT CI_JOB_ID BUILD_ID RUN_ID TZ 2>/dev/null

file() {
  mkdir -p "$(dirname "$1")"
  cat >"$1"
}

mask() {
  sed -E -e 's/ \[[0-9.]+m?s\]//' -e 's/^(bao|bun) test v[^ ]*( \([^)]*\))?/test/' -e "s#$work#DIR#g" -e 's/bun test (v|\.\/)/bao test \1/g' "$@"
}

t() {
  echo "\$ bao test $*"
  "$BAO" test "$@" >"$work/.stdout" 2>"$work/.stderr"
  code=$?
  mask "$work/.stdout"
  echo "--- stderr"
  mask "$work/.stderr"
  echo "--- exit code $code"
}
