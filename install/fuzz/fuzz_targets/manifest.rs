//! cargo-fuzz target: `cargo +nightly fuzz run manifest`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| install::fuzz::manifest(bytes));
