//! Tar archives and their gzip layer.
//!
//! The bytes are inflated ([`gzip`] in one call where they are all there, [`stream`] in pieces) and walked as a tar archive ([`parser`]),
//! which calls a [`Sink`] for every entry. [`write`] makes the headers of an archive. The package manager unpacks with this, and so does
//! `Bun.Archive`; each checks the names of entries by its own rules.

pub mod gzip;
pub mod parser;
pub mod stream;
pub mod write;

use std::fmt;

pub use gzip::Inflater;
pub use parser::{Parser, Sink};
pub use stream::Stream;

/// Why an archive is not read on.
#[derive(Clone, Debug)]
pub struct Error {
    pub message: String,
    pub cause: Option<String>,
    pub kind: Kind,
}

/// What is wrong with an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It is not what its format says.
    Damaged,
    /// It is larger than allowed.
    Bomb,
    /// It holds more entries than allowed.
    Entries,
    /// It holds an entry that must not be unpacked.
    Refused,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

impl Error {
    fn new(kind: Kind, message: String) -> Self {
        Self { message, cause: None, kind }
    }
}

/// Whether bytes begin a gzip member.
pub fn is_gzip(input: &[u8]) -> bool {
    input.starts_with(&[0x1f, 0x8b])
}

/// The error for an archive that is not what its format says.
pub(crate) fn damaged(why: impl fmt::Display) -> Error {
    Error::new(Kind::Damaged, format!("The tarball is damaged: {why}"))
}

/// The error for an archive that is larger than allowed.
pub(crate) fn bomb(limit: u64) -> Error {
    Error::new(Kind::Bomb, format!("The tarball was refused: it unpacks to more than {} MiB", limit >> 20))
}

/// The error for an entry that must not be unpacked.
pub fn refused(what: &str, path: &[u8]) -> Error {
    Error::new(Kind::Refused, format!("The tarball was refused: it holds {what}, \"{}\"", path.escape_ascii()))
}

/// How much an archive may unpack to. One that goes beyond is refused while it is being inflated, before memory or disk is full.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes of the inflated archive, headers included.
    pub bytes: u64,
    /// Files, directories and links.
    pub entries: u32,
    /// Symbolic links are made; otherwise they are left out, wherever they lead (archives of repositories).
    pub links: bool,
}

impl Limits {
    /// For a tarball of `compressed` bytes: 256 MiB, or a hundred times its size, and never more than 8 GiB. The largest packages of the
    /// registry (compilers with their libraries) inflate to about four times their size; DEFLATE can reach a thousand.
    pub fn for_tarball(compressed: usize) -> Self {
        let bytes = (compressed as u64).saturating_mul(100).clamp(256 << 20, 8 << 30);
        Self { bytes, entries: 300_000, links: true }
    }
}
