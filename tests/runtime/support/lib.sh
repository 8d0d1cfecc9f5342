# Shared by the tests of this folder: run the program in a throw-away directory that prints as DIR.
# `bao VERSION` in the last line of a report prints as `bao X`.
dir=$(mktemp -d)
dir=$(readlink -f "$dir")
trap 'rm -rf "$dir"' EXIT INT TERM
# The shell's own word about a signal ("Terminated") differs from shell to shell.
tidy() { sed -e "s|$dir|DIR|g" -e 's/^bao [0-9][^ ]* (.*)$/bao X/' -e '/^Terminated *$/d'; }

# run NAME ARGS...: prints what the program prints to both streams, and its exit code.
run() {
  echo "--- $*"
  (cd "$dir" && "$BAO" "$@"; echo "exit code $?") 2>&1 </dev/null | tidy
}
