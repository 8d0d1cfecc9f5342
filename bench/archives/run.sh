#!/bin/sh
# usage: BAO=path [FEATURES=swc] [ROUNDS=3] sh bench/archives/run.sh FOLDER
#   Installs projects.json's dependencies in FOLDER, writes the corpus, measures, and draws the plots. FEATURES: "" measures reading alone
#   and builds fast, "parse" adds oxc's parser, "lexers" its lexer, "swc" (default) swc and, where Go is, esbuild.
set -eu
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
: "${BAO:?set BAO to the executable}"
mkdir -p "${1:?usage: BAO=path sh bench/archives/run.sh FOLDER}/plots"
# Installs run in other directories.
folder=$(CDPATH= cd -- "$1" && pwd)
case $BAO in /*) ;; */*) BAO=$PWD/$BAO ;; esac
target=${CARGO_TARGET_DIR:-$folder/target}
features=${FEATURES-swc}
rounds=${ROUNDS:-3}
cargo build --release -q --locked -j "${JOBS:-2}" --no-default-features --features "$features" --manifest-path "$here/Cargo.toml" --target-dir "$target"
bench=$target/release/bench-archives
if [ ! -e "$folder/corpus/packages.txt" ]; then
  # Each project by itself: their versions may not fit together.
  python3 -c 'import json,sys; [print(name) for name in json.load(open(sys.argv[1]))]' "$here/projects.json" | while read -r name; do
    mkdir -p "$folder/projects/$name"
    python3 -c 'import json,sys; json.dump({"name": sys.argv[2], "dependencies": json.load(open(sys.argv[1]))[sys.argv[2]]}, sys.stdout)' \
      "$here/projects.json" "$name" > "$folder/projects/$name/package.json"
    (cd "$folder/projects/$name" && "$BAO" install --linker=store --ignore-scripts --no-progress --cache-dir "$folder/cache") < /dev/null
  done
  "$bench" make "$folder/corpus" "$folder/cache/.bao-archives-1" --files 100000
fi
measure() { # NAME OPTIONS…
  name=$1
  shift
  "$bench" read "$folder/corpus" --rounds "$rounds" "$@" --svg "$folder/plots/$name.svg"
  echo
}
measure warm
if [ -w /proc/sys/vm/drop_caches ]; then measure cold --cold; else echo "cold: the page cache cannot be dropped here"; fi
[ -n "$features" ] || exit 0
measure parsed --parse
if [ -w /proc/sys/vm/drop_caches ]; then measure cold-parsed --cold --parse; fi
[ "$features" != parse ] || exit 0
rows=
if [ "$features" = swc ] && command -v go > /dev/null; then
  "$bench" cleaned "$folder/corpus" "$folder/cleaned.bin"
  # esbuild's lexer is an internal package: it is compiled inside of a copy of its module.
  if [ ! -e "$folder/esbuild/go.mod" ]; then
    source=$(go mod download -json github.com/evanw/esbuild@v0.28.2 | python3 -c 'import json,sys; print(json.load(sys.stdin)["Dir"])')
    cp -r "$source" "$folder/esbuild"
    chmod -R u+w "$folder/esbuild"
  fi
  mkdir -p "$folder/esbuild/cmd/lexbench"
  cp "$here/esbuild/main.go" "$folder/esbuild/cmd/lexbench/"
  (cd "$folder/esbuild" && GOFLAGS=-mod=mod go build -o ../lexbench ./cmd/lexbench)
  GOMAXPROCS=1 "$folder/lexbench" "$folder/cleaned.bin" 3 > "$folder/esbuild.txt"
  cat "$folder/esbuild.txt"
  lexer=$(sed -n 's/esbuild lexer: \([0-9]*\) .*/\1/p' "$folder/esbuild.txt")
  parser=$(sed -n 's/esbuild parser: \([0-9]*\) .*/\1/p' "$folder/esbuild.txt")
  rows="--row esbuild_lexer=$lexer --row esbuild_parser=$parser"
fi
# shellcheck disable=SC2086
"$bench" lex "$folder/corpus" --rounds 3 $rows --svg "$folder/plots/lexers.svg"
