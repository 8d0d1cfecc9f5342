#!/bin/sh
# usage: BAO=path [FILES=100000] [ROUNDS=3] [PROJECTS="app large next angular expo"] [FEATURES=swc] [MINUTES=120] sh bench/archives/run.sh FOLDER
#   The whole study: installs the dependencies of projects.json in FOLDER, writes the corpus, measures reading, lexing, parsing, what a
#   program sees and starts of programs, and writes FOLDER/report.md and FOLDER/plots/*.svg. What has no time or room left is named in
#   the report. FEATURES: "" measures without parsers and builds fast, "parse" adds oxc's parser, "lexers" its lexer, "swc" swc and,
#   where Go is, esbuild. Cold readings need root. A run with FILES=100000 takes 9 GB, one with FILES=5000 PROJECTS=app 2 GB.
set -eu
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
: "${BAO:?set BAO to the executable}"
mkdir -p "${1:?usage: BAO=path sh bench/archives/run.sh FOLDER}/plots"
# Installs run in other directories.
folder=$(CDPATH= cd -- "$1" && pwd)
case $BAO in /*) ;; */*) BAO=$PWD/$BAO ;; esac
export BAO
target=${CARGO_TARGET_DIR:-$folder/target}
features=${FEATURES-swc}
rounds=${ROUNDS:-3}
files=${FILES:-100000}
end=$(($(date +%s) + ${MINUTES:-120} * 60))
report=$folder/report.md
bench=$target/release/bench-archives
has_feature() { [ "$features" = swc ] || [ "$features" = lexers ] || [ "$features" = "$1" ]; }

room=$(df -Pk "$folder" | awk 'NR == 2 { print $4 }')
wanted=$((3000000 + files * 60))
if [ "$room" -lt "$wanted" ]; then
  echo "run.sh: $folder has $((room / 1024)) MB, and a run with FILES=$files takes $((wanted / 1024)) MB; choose a smaller FILES" >&2
  exit 1
fi
cold=--cold
[ -w /proc/sys/vm/drop_caches ] || cold=

say() { printf '%s\n' "$@" | tee -a "$report"; }
# part TITLE COMMAND…: a part of the report; it ends with the time that is left.
part() {
  title=$1
  shift
  say "" "## $title" ""
  left=$((end - $(date +%s)))
  if [ $left -le 0 ]; then say "Not measured: MINUTES are over."; return 0; fi
  timeout "$left" "$@" > "$folder/part.txt" 2> "$folder/part.err" && ended=0 || ended=$?
  tee -a "$report" < "$folder/part.txt"
  if [ $ended = 124 ]; then say "" "Not finished: MINUTES are over."; return 0; fi
  if [ $ended != 0 ]; then say "" "Failed with exit code $ended: $(tail -n 1 "$folder/part.err")"; return 0; fi
}
: > "$report"
say "# Reading many small files" ""
say "$(date -u '+%Y-%m-%d %H:%M') UTC, $(nproc) cores ($(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1)), Linux $(uname -r), load $(cut -d ' ' -f 1-3 /proc/loadavg), $("$BAO" --version 2> /dev/null | head -n 1)."
say "" "    FILES=$files ROUNDS=$rounds PROJECTS=\"${PROJECTS:-all}\" FEATURES=\"$features\" MINUTES=${MINUTES:-120} sh bench/archives/run.sh FOLDER"

cargo build --release -q --locked -j "${JOBS:-2}" --no-default-features --features "$features" --manifest-path "$here/Cargo.toml" --target-dir "$target"
if [ ! -e "$folder/corpus/packages.txt" ]; then
  # Each project by itself: their versions may not fit together.
  for name in ${PROJECTS:-$(python3 -c 'import json,sys; print(*json.load(open(sys.argv[1])))' "$here/projects.json")}; do
    mkdir -p "$folder/projects/$name"
    python3 -c 'import json,sys; json.dump({"name": sys.argv[2], "dependencies": json.load(open(sys.argv[1]))[sys.argv[2]]}, sys.stdout)' \
      "$here/projects.json" "$name" > "$folder/projects/$name/package.json"
    (cd "$folder/projects/$name" && "$BAO" install --linker=store --ignore-scripts --no-progress --cache-dir "$folder/cache") < /dev/null
  done
  "$bench" make "$folder/corpus" "$folder/cache/.bao-archives-1" --files "$files"
fi

corpus=$folder/corpus
part "Warm" "$bench" read "$corpus" --rounds "$rounds" --svg "$folder/plots/warm.svg"
part "Warm: what limits" "$bench" read "$corpus" --rounds "$rounds" --limits --svg "$folder/plots/warm-limits.svg"
if [ "$cold" ]; then
  part "Cold" "$bench" read "$corpus" --rounds "$rounds" --cold --svg "$folder/plots/cold.svg"
  part "Cold: what limits" "$bench" read "$corpus" --rounds "$rounds" --cold --limits --svg "$folder/plots/cold-limits.svg"
fi
if has_feature parse; then
  part "Read and parsed, warm" "$bench" read "$corpus" --rounds "$rounds" --parse --svg "$folder/plots/parsed.svg"
  [ ! "$cold" ] || part "Read and parsed, cold" "$bench" read "$corpus" --rounds "$rounds" --cold --parse --svg "$folder/plots/cold-parsed.svg"
fi
rows=
if [ "$features" = swc ] && command -v go > /dev/null; then
  "$bench" cleaned "$corpus" "$folder/cleaned.bin"
  # esbuild's lexer is an internal package: it is compiled inside of a copy of its module.
  if [ ! -e "$folder/esbuild/go.mod" ]; then
    source=$(go mod download -json github.com/evanw/esbuild@v0.28.2 | python3 -c 'import json,sys; print(json.load(sys.stdin)["Dir"])')
    cp -r "$source" "$folder/esbuild"
    chmod -R u+w "$folder/esbuild"
  fi
  mkdir -p "$folder/esbuild/cmd/lexbench"
  cp "$here/esbuild/main.go" "$folder/esbuild/cmd/lexbench/"
  left=$((end - $(date +%s)))
  if [ $left -gt 0 ] && (cd "$folder/esbuild" && GOFLAGS=-mod=mod timeout "$left" go build -o ../lexbench ./cmd/lexbench); then
    GOMAXPROCS=1 "$folder/lexbench" "$folder/cleaned.bin" "$rounds" > "$folder/esbuild.txt"
    lexer=$(sed -n 's/esbuild lexer: \([0-9]*\) .*/\1/p' "$folder/esbuild.txt")
    parser=$(sed -n 's/esbuild parser: \([0-9]*\) .*/\1/p' "$folder/esbuild.txt")
    rows="--row esbuild_lexer=$lexer --row esbuild_parser=$parser"
  else
    say "" "esbuild's lexer was not built: MINUTES are over, or its source is not there."
  fi
fi
if has_feature lexers; then
  # shellcheck disable=SC2086
  part "Lexers and parsers, in memory" "$bench" lex "$corpus" --rounds "$rounds" $rows --svg "$folder/plots/lexers.svg"
fi
program_files=$((files < 30000 ? files : 30000))
part "What a program on bao sees, warm" "$BAO" "$here/program.mjs" "$folder/cache/.bao-archives-1" "$folder/program" $program_files "$rounds"
[ ! "$cold" ] || part "What a program on bao sees, cold" "$BAO" "$here/program.mjs" "$folder/cache/.bao-archives-1" "$folder/program" $program_files "$rounds" --cold
part "Starts of programs, from files and from archives" python3 -B "$here/start.py" "$folder/start" --rounds "$rounds" --rows "$folder/starts.txt"
if [ -s "$folder/starts.txt" ]; then
  set --
  while read -r row; do set -- "$@" --row "$row"; done < "$folder/starts.txt"
  "$bench" plot "Cold starts" ms "$@" --svg "$folder/plots/starts.svg"
fi
say "" "## Plots" ""
for plot in "$folder"/plots/*.svg; do
  [ ! -e "$plot" ] || say "![$(basename "$plot" .svg)](plots/$(basename "$plot"))"
done
rm -f "$folder/part.txt" "$folder/part.err"
