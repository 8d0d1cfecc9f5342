# Writes the .out files of a group from Node, or of those programs of it that are named:
# sh support/record.sh GROUP [NAME...], in tests/programs
set -eu
. support/lib.sh
group=$1
shift
wanted=" $* "
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT INT TERM
stage "$group" "$dir"
unset FORCE_COLOR NODE_OPTIONS 2>/dev/null || true
record() {
  case $wanted in "  " | *" $1 "*) ;; *) return ;; esac
  (cd "$dir" && NO_COLOR=1 LC_ALL=C.UTF-8 TZ=UTC node "$2" >"$dir/actual" 2>&1 </dev/null || echo "exit code $?" >>"$dir/actual")
  if grep -q '^Node.js v' "$dir/actual"; then
    echo "$1: Node ends with an error, not recorded"
    tail -15 "$dir/actual"
    return
  fi
  cp "$dir/actual" "$group/$1.out"
  echo "$1: $(wc -l <"$group/$1.out") lines"
}
each "$group" record
