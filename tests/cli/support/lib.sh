# Shared by the tests of this folder: a throw-away directory that prints as DIR, and `bao` in it.
dir=$(mktemp -d)
dir=$(readlink -f "$dir")
bao_path=$(readlink -f "$BAO")
trap 'rm -rf "$dir"' EXIT INT TERM
sed=$(command -v sed)
unset INIT_CWD BUN_ENV NODE 2>/dev/null
cd "$dir" || exit 1

# Times, this run's paths differ from run to run.
tidy() {
  "$sed" -E -e "s|$dir|DIR|g" -e "s|$bao_path|BAO|g" -e 's/ in [0-9.]+m?s$/ in TIME/'
}

# ended: the exit code of the program in the background; without the shell's own word about a signal.
ended() {
  { wait $pid; code=$?; } 2>/dev/null
  echo "exit code $code"
}

# until_in FILE TEXT: waits until the file has the text, ten seconds at most.
until_in() {
  tries=0
  while ! grep -qs "$2" "$1"; do
    sleep 0.05
    tries=$((tries + 1))
    [ $tries -lt 200 ] || { echo "gave up waiting for: $2"; cat "$1"; kill $pid; exit 1; }
  done
}

# file NAME <<TEXT: makes a file, with its directories.
file() {
  mkdir -p "$(dirname "$1")"
  cat >"$1"
}

# bao ARGS...: prints the call, what it prints to both streams, and its exit code if not 0.
bao() {
  echo "--- bao $*"
  { "$BAO" "$@" 2>&1 || echo "exit code $?"; } | tidy
}
