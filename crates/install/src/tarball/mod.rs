//! Tarballs: their digest, the gzip layer, the tar layer and the writing of what they hold.
//!
//! The order is fixed: the digest of the compressed bytes is compared first ([`digest`]), then the bytes are inflated into one buffer
//! sized by the gzip trailer ([`gzip`]), that buffer is walked as a tar archive ([`tar`]), and every entry is written below a directory
//! that nobody else knows yet ([`extract`]).

pub mod digest;
pub mod extract;
pub mod fuzz;
pub mod gzip;
pub mod tar;

#[cfg(test)]
mod tests;

/// How much a tarball may unpack to. An archive that goes beyond is refused while it is being inflated, before memory or disk is full.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes of the inflated archive, headers included.
    pub bytes: u64,
    /// Files, directories and links.
    pub entries: u32,
}

impl Limits {
    /// For a tarball of `compressed` bytes: 256 MiB, or a hundred times its size, and never more than 8 GiB. The largest packages of the
    /// registry (compilers with their libraries) inflate to about four times their size; DEFLATE can reach a thousand.
    pub fn for_tarball(compressed: usize) -> Self {
        let bytes = (compressed as u64).saturating_mul(100).clamp(256 << 20, 8 << 30);
        Self { bytes, entries: 300_000 }
    }
}
