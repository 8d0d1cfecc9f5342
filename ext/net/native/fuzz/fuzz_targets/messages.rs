//! cargo-fuzz target: requests and responses of any bytes. `cargo +nightly fuzz run messages`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| bao_ext_net_fuzz::messages(bytes));
