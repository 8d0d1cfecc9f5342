//! bun.lock, as Bun 1.4 writes it.

pub(crate) mod migrate;

pub(crate) mod binary;
mod hash;
pub(crate) mod merge;
mod read;
mod write;
pub(crate) mod yarn;

pub(crate) use hash::{meta_hash, meta_string, wyhash, wyhash11};
pub use read::read;
pub(crate) use read::{Loaded, LoadedDep, LoadedMember};
pub(crate) use write::write;

#[cfg(test)]
mod roundtrip_tests;
