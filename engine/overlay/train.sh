#!/usr/bin/env bash
# Makes engine.profdata.gz: builds an executable that counts, runs programs with it, and merges what it counted. Takes about 15
# minutes on 2 cores, and leaves the counting executable in the target folder. Run it after a change of a patch or of src/, or
# for a new version of the engine:
#
#     engine/overlay/train.sh
#
# The programs are those of bench/ that spend their time in the engine, the start, and a server with its client in one process.
# Functions whose code changes lose their counts, and are compiled as without a profile.
set -eu
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
root=$here/../..
: "${CARGO_TARGET_DIR:=${XDG_CACHE_HOME:-$HOME/.cache}/bao-build/target}"
export CARGO_TARGET_DIR
counts=$(mktemp -d)
trap 'rm -rf "$counts"' EXIT

cd "$root"
# The build runs the engine as well, to compile the built-in modules: what it counts there is thrown away.
LLVM_PROFILE_FILE=/dev/null BAO_ENGINE_OVERLAY=generate cargo build --release --locked -p bao
bao=$CARGO_TARGET_DIR/release/bao

export LLVM_PROFILE_FILE="$counts/%p-%m.profraw"
for program in bench/await/await.mjs bench/kernels/kernels.mjs bench/cpu/*.js engine/overlay/train/*.mjs \
  bench/core/{buffer,deep_equals,events,inspect,json,path,streams,url}.js bench/core/web_streams.mjs; do
  echo "$program"
  timeout 300 "$bao" "$program" >/dev/null || echo "  exit code $?"
done
for _ in 1 2 3 4 5; do "$bao" bench/startup/hello.js >/dev/null; done

llvm-profdata-19 merge -o "$counts/engine.profdata" "$counts"/*.profraw
gzip -9nc "$counts/engine.profdata" >"$here/engine.profdata.gz"
ls -l "$here/engine.profdata.gz"
