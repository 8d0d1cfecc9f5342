//! cargo-fuzz target: `cargo +nightly fuzz run semver`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| install::fuzz::semver(bytes));
