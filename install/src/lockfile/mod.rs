//! bun.lock, as Bun 1.4 writes it.

pub mod migrate;

mod hash;
pub mod merge;
mod read;
mod write;
pub mod yarn;

pub use hash::{meta_hash, meta_string, wyhash, wyhash11};
pub use read::{Loaded, LoadedDep, LoadedMember, read};
pub use write::write;

#[cfg(test)]
mod roundtrip_tests;
