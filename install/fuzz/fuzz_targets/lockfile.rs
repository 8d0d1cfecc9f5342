//! cargo-fuzz target: `cargo +nightly fuzz run lockfile`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| install::fuzz::lockfile(bytes));
