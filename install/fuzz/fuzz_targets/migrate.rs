//! cargo-fuzz target: `cargo +nightly fuzz run migrate`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| install::fuzz::migrate(bytes));
