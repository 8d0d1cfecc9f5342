//! The entry for fuzzers: any bytes through the gzip and tar layers, with the checks that must hold.

use tar::{Inflater, Limits, Parser, Sink};

use crate::error::{Error, Result};

/// What the sink saw, for comparing two ways of feeding.
#[derive(Default, PartialEq, Eq, Debug)]
struct Seen {
    entries: u32,
    bytes: u64,
    hash: u64,
    open: Option<u64>,
}

impl Seen {
    fn add(&mut self, bytes: &[u8]) {
        self.hash = self.hash.rotate_left(5) ^ xxhash_rust::xxh3::xxh3_64(bytes);
    }
}

impl Sink for Seen {
    type Error = Error;

    fn directory(&mut self, path: &[u8]) -> Result<()> {
        self.entries += 1;
        self.add(path);
        Ok(())
    }

    fn file(&mut self, path: &[u8], _mode: u32, size: u64) -> Result<()> {
        assert!(self.open.is_none(), "a file begins inside of another");
        self.entries += 1;
        self.add(path);
        self.open = Some(size);
        Ok(())
    }

    fn data(&mut self, bytes: &[u8]) -> Result<()> {
        let left = self.open.expect("content without a file");
        self.open = Some(left.checked_sub(bytes.len() as u64).expect("more content than announced"));
        self.bytes += bytes.len() as u64;
        Ok(())
    }

    fn end(&mut self) -> Result<()> {
        assert_eq!(self.open.take(), Some(0), "less content than announced");
        Ok(())
    }

    fn symlink(&mut self, path: &[u8], target: &[u8]) -> Result<()> {
        self.entries += 1;
        self.add(path);
        self.add(target);
        Ok(())
    }

    fn hardlink(&mut self, path: &[u8], target: &[u8]) -> Result<()> {
        self.symlink(path, target)
    }
}

/// Parses `bytes` as a tarball, whole and as an archive fed in small pieces.
///
/// # Panics
/// A property does not hold: the layers disagree with themselves.
pub fn tarball(bytes: &[u8]) {
    let limits = Limits { bytes: 16 << 20, entries: 10_000, links: true };
    let mut seen = Seen::default();
    let mut parser = Parser::new(limits);
    let mut total = 0;
    let _ = Inflater::new().inflate(bytes, limits.bytes, &mut |piece| {
        total += piece.len() as u64;
        parser.feed(piece, &mut seen)
    });
    assert!(total <= limits.bytes.max(bytes.len() as u64) && seen.entries <= limits.entries);
    let run = |size: usize| {
        let (mut seen, mut parser) = (Seen::default(), Parser::new(limits));
        let fed = bytes.chunks(size.max(1)).try_for_each(|piece| parser.feed(piece, &mut seen));
        let result = fed.and_then(|()| Ok(parser.finish()?));
        (seen, result.is_ok())
    };
    assert_eq!(run(bytes.len()), run(1 + bytes.first().map_or(6, |&byte| usize::from(byte))));
}
