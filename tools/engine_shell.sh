#!/bin/sh
# Builds the engine's own shell (SpiderMonkey's `js`) around the very library that bao links, for tools/test262.py --shell.
# Usage: tools/engine_shell.sh FOLDER      -> FOLDER/js-shell   (about two minutes; needs g++, python3 and a built bao)
#
# The crate mozjs_sys builds its library without the shell, but brings the shell's source. So the source tree is configured
# once more, only to generate headers, the seven files of the shell are compiled, and a small Rust program links them with the
# crate and its library.
set -eu
[ $# = 1 ] || { echo "usage: $0 FOLDER" >&2; exit 1; }
mkdir -p "$1/objects"
folder=$(CDPATH= cd -- "$1" && pwd)
: "${CARGO_TARGET_DIR:=${XDG_CACHE_HOME:-$HOME/.cache}/bao-build/target}"
deps=$CARGO_TARGET_DIR/release/deps
builds=$CARGO_TARGET_DIR/release/build
# The newest file or folder of those that match.
newest() { ls -td "$@" 2>/dev/null | head -1; }
crate=$(newest "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*/mozjs_sys-[0-9]*)
library=$(newest "$deps"/libmozjs_sys-*.rlib)
engine=$(newest "$builds"/mozjs_sys-*/out/build)
[ -n "$crate" ] && [ -n "$library" ] && [ -n "$engine" ] || { echo "$0: build bao first (./x build)" >&2; exit 1; }
if grep -q 'left to the overlay: ' "$engine/js/src/build/libjs_static.a"; then
  echo "$0: the engine was compiled without the overlay's units (engine/source/README.md): cargo clean --release -p mozjs_sys, then" \
    "BAO_ENGINE_OVERLAY=0 ./x build" >&2
  exit 1
fi
source=$crate/mozjs
zlib=$(dirname "$(newest "$builds"/libz-sys-*/out/lib/pkgconfig)")
includes="-I$(newest "$(dirname "$crate")"/encoding_c_mem-*/include) -I$(dirname "$zlib")/include"
for header in normalizer_glue.h unicode_bidi_ffi_generated.h properties_glue.h collator_glue.h locale_glue.h; do
  includes="$includes -I$(dirname "$(newest "$builds"/*/out/include/$header)")"
done

cd "$folder"
export MOZCONFIG= MOZBUILD_STATE_PATH="$folder/state" PYTHONDONTWRITEBYTECODE=1 NO_RUST_PANIC_HOOK=1
if [ ! -d dist/include/js ]; then
  CC=gcc CXX=g++ CPPFLAGS=$includes PKG_CONFIG_PATH=$zlib/pkgconfig "$source/js/src/configure" --disable-js-shell \
    --disable-jemalloc --disable-tests --disable-export-js --disable-shared-js --build-backends=RecursiveMake >configure.log 2>&1
  make -R export >export.log 2>&1
  make -R install-dist/include >>export.log 2>&1
fi
flags=$(sed -n 's/^COMPUTED_CXXFLAGS += //p' js/src/backend.mk)
for name in jsoptparse jsshell ModuleLoader OSObject ShellModuleObjectWrapper WasmTesting js; do
  [ -s "objects/$name.o" ] && continue
  echo "compiling $name.cpp" >&2
  # shellcheck disable=SC2086
  g++ -std=gnu++20 $flags -g0 -O1 -w -fno-rtti -fno-exceptions -Dmain=shell_main -I"$source/js/src/shell" \
    -c "$source/js/src/shell/$name.cpp" -o "objects/$name.new"
  mv "objects/$name.new" "objects/$name.o"
done
echo 'int shell_main(int, char**); extern "C" int shell_entry(int c, char** v) { return shell_main(c, v); }' >entry.cpp
g++ -c entry.cpp -o objects/entry.o
rm -f objects/libshell.a
ar rcs objects/libshell.a objects/*.o
cat >main.rs <<'RS'
extern crate mozjs_sys;
use std::{env, ffi::CString, os::raw::c_char, process, ptr};
unsafe extern "C" {
    fn shell_entry(count: i32, words: *mut *mut c_char) -> i32;
}
/// The shell's wasmTextToBinary needs a crate that mozjs_sys does not bring; it fails.
#[unsafe(no_mangle)]
pub extern "C" fn wasm_text_to_binary() -> bool {
    false
}
fn main() {
    // Keeps the crate, and the library with it, in the link.
    std::hint::black_box(mozjs_sys::jsapi::JS_ReadString as *const ());
    let words: Vec<CString> = env::args().map(|word| CString::new(word).unwrap()).collect();
    let mut pointers: Vec<*mut c_char> = words.iter().map(|word| word.as_ptr().cast_mut()).collect();
    pointers.push(ptr::null_mut());
    // SAFETY: a C argument vector, alive during the call.
    process::exit(unsafe { shell_entry(words.len() as i32, pointers.as_mut_ptr()) })
}
RS
rustc -O --edition 2024 main.rs -o js-shell --extern mozjs_sys="$library" -L dependency="$deps" -L native="$engine/js/src/build" \
  -L native="$engine" -L native="$zlib" -L native=objects -l static:+whole-archive=shell -l stdc++ -l static:-bundle=gcc_eh \
  -L native="$(dirname "$(gcc -print-file-name=libgcc_eh.a)")" -Clink-arg=-fuse-ld=lld
./js-shell -e 'print("built: " + typeof getBuildConfiguration)'
