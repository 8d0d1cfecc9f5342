//! cargo-fuzz target: a tarball of any bytes gives an error or a result. `cargo +nightly fuzz run tar`.
#![no_main]

use install::fuzz::tarball;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tarball(bytes));
