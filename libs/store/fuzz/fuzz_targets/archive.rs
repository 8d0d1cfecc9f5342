//! cargo-fuzz target: an archive of any bytes gives errors or files. `cargo +nightly fuzz run archive`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| store::exercise(bytes));
