//! Native half of `node:buffer`, `TextEncoder`, `TextDecoder`, `atob` and `btoa` (family "encoding").
//!
//! The modules are plain functions over slices, tested without the engine; [`ops`] gives them to JavaScript, where
//! arguments are checked (ext/buffer/node/buffer.ts, ext/buffer/, ext/buffer/web/encoding.ts, ext/buffer/web/base64.ts).

mod base64;
mod hex;
mod legacy;
mod ops;
mod search;
mod simd;
mod text;
mod transcode;
mod units;
mod utf8;
#[cfg(target_arch = "x86_64")]
mod wide;

pub use ops::family;
