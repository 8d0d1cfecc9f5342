#!/usr/bin/env bash
# Makes sqlite.profdata.gz: compiles SQLite with counters, as build.rs compiles it otherwise, and runs train/train.c with it, in memory and
# with a file. Takes about a minute. Run it for a new version of SQLite or after a change of the options in build.rs:
#
#     libs/sqlite-sys/train.sh
set -eu
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
package=$(sed -n 's/^const PACKAGE: &str = "\(.*\)";/\1/p' "$here/build.rs")
for sources in "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*/"$package"/sqlite3; do break; done
[ -f "$sources/sqlite3.c" ] || { echo "train.sh: no sources of $package (cargo fetch brings them)" >&2; exit 1; }
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
# The amalgamation as build.rs changes it.
cat >"$out/grammar_main.rs" <<MAIN
#[path = "$here/grammar.rs"]
mod grammar;
fn main() {
    let names: Vec<String> = std::env::args().collect();
    let source = std::fs::read_to_string(&names[1]).expect("sources");
    std::fs::write(&names[2], grammar::with_limit_clauses(&source).expect("parser")).expect("output");
}
MAIN
rustc --edition 2024 -O "$out/grammar_main.rs" -o "$out/grammar"
"$out/grammar" "$sources/sqlite3.c" "$out/sqlite3.c"
options=$(sed -n '/^const OPTIONS/,/^];/s/^ *"\(.*\)",/-D\1/p' "$here/build.rs")
names=$(sed -n '/^const STATIC_NAMES/s/.*\["\(.*\)", "\(.*\)"\];/\1 \2/p' "$here/build.rs")
clang-19 -O2 -w -fPIC $options $names -I"$sources" -fprofile-generate "$out/sqlite3.c" "$here/train/train.c" -o "$out/train" -lm
LLVM_PROFILE_FILE="$out/1.profraw" "$out/train"
LLVM_PROFILE_FILE="$out/2.profraw" "$out/train" "$out/file.db"
llvm-profdata-19 merge -sparse -o "$out/sqlite.profdata" "$out"/*.profraw
gzip -9nc "$out/sqlite.profdata" >"$here/sqlite.profdata.gz"
ls -l "$here/sqlite.profdata.gz"
