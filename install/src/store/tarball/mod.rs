//! Tarballs: their digest, the gzip layer, the tar layer and the writing of what they hold.
//!
//! The order is fixed: the digest of the compressed bytes is compared first ([`digest`]), then the bytes are inflated into one buffer
//! sized by the gzip trailer ([`gzip`]), that buffer is walked as a tar archive ([`tar`]), and every entry is written below a directory
//! that nobody else knows yet ([`extract`]).

pub mod digest;
pub mod extract;
pub(crate) mod fuzz;
pub(crate) mod gzip;
pub(crate) mod pack;
pub(crate) mod stream;
pub(crate) mod tar;

#[cfg(test)]
mod tests;

use crate::error::{Code, Error, Result};

/// Whether bytes begin a gzip member.
fn is_gzip(input: &[u8]) -> bool {
    input.starts_with(&[0x1f, 0x8b])
}

/// The error for an archive that is not what its format says.
fn damaged(why: &str) -> Error {
    Error::new(Code::Tarball, format!("The tarball is damaged: {why}")).hint("try again with --no-cache")
}

/// The error for an archive that is larger than allowed.
fn bomb(limit: u64) -> Error {
    Error::new(Code::Tarball, format!("The tarball was refused: it unpacks to more than {} MiB", limit >> 20))
        .hint("a small file that grows this much is made to fill disks; report it to the registry")
}

/// The first component of the names in an archive; nothing where the beginning is no archive.
pub(crate) fn top_directory(tarball: &[u8]) -> Option<String> {
    struct First(Option<Vec<u8>>);
    impl First {
        fn take(&mut self, path: &[u8]) -> Result<()> {
            self.0 = path.split(|byte| *byte == b'/').find(|part| !part.is_empty()).map(<[u8]>::to_vec);
            // Enough was seen.
            Err(Error::new(Code::Tarball, ""))
        }
    }
    impl tar::Sink for First {
        fn directory(&mut self, path: &[u8]) -> Result<()> {
            self.take(path)
        }
        fn file(&mut self, path: &[u8], _mode: u32, _size: u64) -> Result<()> {
            self.take(path)
        }
        fn data(&mut self, _bytes: &[u8]) -> Result<()> {
            Ok(())
        }
        fn end(&mut self) -> Result<()> {
            Ok(())
        }
        fn symlink(&mut self, path: &[u8], _target: &[u8]) -> Result<()> {
            self.take(path)
        }
        fn hardlink(&mut self, path: &[u8], _target: &[u8]) -> Result<()> {
            self.take(path)
        }
    }
    let mut first = First(None);
    let mut parser = tar::Parser::new(Limits::for_tarball(tarball.len()));
    let mut stream = stream::Stream::new(64 << 20);
    // Extended headers may come before the first name.
    for piece in tarball.chunks(4096).take(64) {
        if stream.feed(piece, &mut |piece| parser.feed(piece, &mut first)).is_err() {
            break;
        }
    }
    if first.0.is_none() {
        let _ = stream.end(&mut |piece| parser.feed(piece, &mut first));
    }
    first.0.and_then(|name| String::from_utf8(name).ok())
}

/// How much a tarball may unpack to. An archive that goes beyond is refused while it is being inflated, before memory or disk is full.
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
