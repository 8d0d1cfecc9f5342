//! cargo-fuzz target: WebSocket frames of any bytes. `cargo +nightly fuzz run frames`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| bao_ext_net_fuzz::frames(bytes));
