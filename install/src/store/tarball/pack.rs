//! A tarball becomes an archive: the same rules as for a directory, in memory.

use packages::{Kind, Writer};
use tar::{Inflater, Limits, Parser, Sink};

use crate::error::{Error, Result};
use crate::store::tarball::extract::{clean, refused, resolve_link};

/// A package in memory.
pub(crate) struct Packed {
    pub writer: Writer,
    /// It has machine code, which only the system can open.
    pub native: bool,
    pub files: u32,
    pub bytes: u64,
}

/// Reads all of a tarball.
///
/// # Errors
/// As `extract` without those of the file system.
pub(crate) fn pack(inflater: &mut Inflater, tarball: &[u8], limits: Limits) -> Result<Packed> {
    let mut packer = Packer {
        out: Packed { writer: Writer::new(), native: false, files: 0, bytes: 0 },
        name: Vec::new(),
        content: Vec::new(),
        mode: 0,
        links: limits.links,
        symlinks: Vec::new(),
        hardlinks: Vec::new(),
    };
    let mut parser = Parser::new(limits);
    inflater.inflate(tarball, limits.bytes, &mut |piece| parser.feed(piece, &mut packer))?;
    parser.finish()?;
    packer.finish()
}

/// Whether a file can only be used as one of the system: an addon, a library, an executable.
pub(crate) fn is_native(name: &[u8], content: &[u8]) -> bool {
    name.ends_with(b".node") || content.starts_with(b"\x7fELF")
}

struct Packer {
    out: Packed,
    name: Vec<u8>,
    content: Vec<u8>,
    mode: u32,
    /// Symbolic links are kept.
    links: bool,
    symlinks: Vec<(Vec<u8>, Vec<u8>)>,
    hardlinks: Vec<(Vec<u8>, Vec<u8>)>,
}

impl Packer {
    fn add(&mut self, name: &[u8], kind: Kind, mode: u32, content: &[u8]) -> Result<()> {
        if self.out.writer.add(name, kind, mode, content) {
            Ok(())
        } else {
            Err(refused("a file where it has a directory", name))
        }
    }

    fn finish(mut self) -> Result<Packed> {
        for (name, target) in std::mem::take(&mut self.hardlinks) {
            let Some(content) = self.out.writer.content(&target).map(<[u8]>::to_vec) else {
                return Err(refused("a link to a file that it has not", &name));
            };
            self.add(&name, Kind::File, 0o644, &content)?;
        }
        for (name, target) in std::mem::take(&mut self.symlinks) {
            self.add(&name, Kind::Link, 0o777, &target)?;
        }
        Ok(self.out)
    }
}

impl Sink for Packer {
    type Error = Error;

    fn directory(&mut self, path: &[u8]) -> Result<()> {
        let mut name = Vec::new();
        clean(path, &mut name)?;
        if name.is_empty() { Ok(()) } else { self.add(&name, Kind::Dir, 0o755, b"") }
    }

    fn file(&mut self, path: &[u8], mode: u32, size: u64) -> Result<()> {
        let mut name = std::mem::take(&mut self.name);
        let cleaned = clean(path, &mut name);
        self.name = name;
        cleaned?;
        self.content.clear();
        // What the header says may be much more than what comes.
        self.content.reserve(usize::try_from(size).unwrap_or(0).min(1 << 20));
        self.mode = (mode & 0o777) | 0o644;
        Ok(())
    }

    fn data(&mut self, bytes: &[u8]) -> Result<()> {
        self.content.extend_from_slice(bytes);
        Ok(())
    }

    fn end(&mut self) -> Result<()> {
        // A file outside of the top directory is dropped with the first component, as npm does.
        if self.name.is_empty() {
            return Ok(());
        }
        let (name, content) = (std::mem::take(&mut self.name), std::mem::take(&mut self.content));
        self.out.native |= is_native(&name, &content);
        self.out.files += 1;
        self.out.bytes += content.len() as u64;
        let added = self.add(&name, Kind::File, self.mode, &content);
        (self.name, self.content) = (name, content);
        added
    }

    fn symlink(&mut self, path: &[u8], target: &[u8]) -> Result<()> {
        if !self.links {
            return Ok(());
        }
        let mut name = Vec::new();
        clean(path, &mut name)?;
        if name.is_empty() || resolve_link(&name, target).is_none() {
            return Err(refused("a link that leaves the package", path));
        }
        self.symlinks.push((name, target.to_vec()));
        Ok(())
    }

    fn hardlink(&mut self, path: &[u8], target: &[u8]) -> Result<()> {
        let (mut name, mut to) = (Vec::new(), Vec::new());
        clean(path, &mut name)?;
        clean(target, &mut to)?;
        if name.is_empty() || to.is_empty() {
            return Err(refused("a link that leaves the package", path));
        }
        self.hardlinks.push((name, to));
        Ok(())
    }
}
