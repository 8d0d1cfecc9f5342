//! Native half of `node:buffer`, `TextEncoder`, `TextDecoder`, `atob` and `btoa` (family "encoding").
//!
//! The modules are plain functions over slices, tested without the engine; [`ops`] gives them to JavaScript, where
//! arguments are checked (ext/buffer/node/buffer.ts, ext/buffer/, ext/buffer/web/encoding.ts, ext/buffer/web/base64.ts).

#[cfg(target_arch = "x86_64")]
mod avx512;
mod base64;
mod fixed_width;
mod hex;
mod js_strings;
mod ops;
mod search;
mod simd;
mod text_decoder;
mod transcode;
mod utf8;

pub use ops::family;
