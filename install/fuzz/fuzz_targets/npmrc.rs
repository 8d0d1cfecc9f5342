//! cargo-fuzz target: `cargo +nightly fuzz run npmrc`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| install::fuzz::npmrc(bytes));
