//! Tarballs: their digest, the gzip layer, the tar layer and the writing of what they hold.
//!
//! The order is fixed: the digest of the compressed bytes is compared first ([`digest`]), then the bytes are inflated into one buffer
//! sized by the gzip trailer, that buffer is walked as a tar archive (both by [`tar`]), and every entry is written below a directory
//! that nobody else knows yet ([`extract`]).

pub mod digest;
pub mod extract;
pub(crate) mod fuzz;
pub(crate) mod pack;

#[cfg(test)]
mod tests;

use tar::Limits;

use crate::error::{Code, Error, Result};

impl From<tar::Error> for Error {
    fn from(error: tar::Error) -> Self {
        let hint = match error.kind {
            tar::Kind::Damaged => Some("try again with --no-cache"),
            tar::Kind::Bomb => {
                Some("a small file that grows this much is made to fill disks; report it to the registry")
            }
            tar::Kind::Refused => Some("a package made by npm pack never has such an entry; report it to the registry"),
            tar::Kind::Entries => None,
        };
        let mut made = Error::new(Code::Tarball, error.message);
        if let Some(hint) = hint {
            made = made.hint(hint);
        }
        match error.cause {
            Some(cause) => made.cause(cause),
            None => made,
        }
    }
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
        type Error = Error;
        fn directory(&mut self, path: &[u8]) -> Result<()> {
            self.take(path)
        }
        fn file(&mut self, path: &[u8], _mode: u32, _size: u64) -> Result<()> {
            self.take(path)
        }
        fn data(&mut self, _bytes: &[u8]) -> Result<()> {
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
    let mut stream = tar::Stream::new(64 << 20);
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
