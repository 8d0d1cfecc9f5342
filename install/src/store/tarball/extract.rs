//! Writing what a tarball holds below a directory.
//!
//! The directory is new and private to the caller, so nothing in it can be a link somebody else planted; links of the archive itself are
//! made after all files, so no entry can be written through one.

use std::ffi::{CStr, CString};
use std::io::Write;
use std::os::fd::{BorrowedFd, OwnedFd};

use rustc_hash::FxHashSet;
use rustix::fs::{AtFlags, Mode, OFlags};
use rustix::io::Errno;
use tar::{Inflater, Limits, Parser, Sink, Stream};

use crate::error::{Code, Error, Result};

/// A file may be executed by its owner.
pub const EXECUTABLE: u8 = 1;
/// A file begins with `#!` and that line ends in CR LF.
pub const CRLF_SHEBANG: u8 = 2;
/// Neither flag is known (the directory was found, not unpacked).
pub const UNKNOWN: u8 = 4;

/// Every directory and file of a package, in an order in which they can be made; names end in NUL, so that they can be given to the
/// system as they are.
#[derive(Clone, Default, Debug, PartialEq, Eq)]
pub struct Listing {
    /// Relative directory names, parents first.
    pub dirs: Vec<u8>,
    /// For each file a byte of flags and its relative name. The package.json of the package itself is not among them.
    pub files: Vec<u8>,
    pub file_count: u32,
    /// package.json is there; it is linked last, so that it marks a directory as whole.
    pub manifest: bool,
    /// Symbolic links are in the package: they are not listed, the directory has to be read.
    pub links: bool,
}

impl Listing {
    pub fn push_dir(&mut self, path: &[u8]) {
        self.dirs.extend_from_slice(path);
        self.dirs.push(0);
    }

    pub fn push_file(&mut self, flags: u8, path: &[u8]) {
        if path == b"package.json" {
            self.manifest = true;
            return;
        }
        self.files.push(flags | 0x40);
        self.files.extend_from_slice(path);
        self.files.push(0);
        self.file_count += 1;
    }

    /// Puts files of one directory side by side (archives may mix them), so that a linker opens each directory once.
    pub fn group_files(&mut self) {
        let mut entries: Vec<(&[u8], &[u8])> =
            self.files.split_inclusive(|&byte| byte == 0).map(|entry| (parent(&entry[1..]), entry)).collect();
        if entries.is_sorted_by_key(|(dir, _)| *dir) {
            return;
        }
        entries.sort_by_key(|(dir, _)| *dir);
        self.files = entries.iter().flat_map(|(_, entry)| entry.iter().copied()).collect();
    }
}

/// The directory part of a relative name; empty for a name without one.
pub fn parent(name: &[u8]) -> &[u8] {
    &name[..memchr::memrchr(b'/', name).unwrap_or(0)]
}

/// The directories of a listing.
pub fn dirs(list: &[u8]) -> impl Iterator<Item = &CStr> + Clone {
    let mut rest = list;
    std::iter::from_fn(move || {
        let name = CStr::from_bytes_until_nul(rest).ok()?;
        rest = &rest[name.count_bytes() + 1..];
        Some(name)
    })
}

/// The files of a listing with their flags.
pub fn files(list: &[u8]) -> impl Iterator<Item = (u8, &CStr)> + Clone {
    let mut rest = list;
    std::iter::from_fn(move || {
        let (&flags, names) = rest.split_first()?;
        let name = CStr::from_bytes_until_nul(names).ok()?;
        rest = &names[name.count_bytes() + 1..];
        Some((flags & !0x40, name))
    })
}

/// What was unpacked.
#[derive(Default)]
pub struct Extracted {
    pub listing: Listing,
    pub package_json: Option<Vec<u8>>,
    pub files: u32,
    pub bytes: u64,
}

/// Unpacks `tarball` into the empty directory `root`. The first component of every name (`package/`) is dropped, as npm does.
///
/// # Errors
/// [`Code::Tarball`] for what is damaged or must not be unpacked, [`Code::Io`] from the file system. The directory may then hold a part
/// and has to be removed.
pub fn extract(
    inflater: &mut Inflater,
    tarball: &[u8],
    root: BorrowedFd<'_>,
    limits: Limits,
    keep_package_json: bool,
) -> Result<Extracted> {
    let mut writer = Writer::new(root, keep_package_json);
    writer.links = limits.links;
    let mut parser = Parser::new(limits);
    inflater.inflate(tarball, limits.bytes, &mut |piece| parser.feed(piece, &mut writer))?;
    parser.finish()?;
    writer.finish()
}

/// The same for a tarball of `length` bytes that comes in pieces. `next` gives them, and nothing at the end.
///
/// # Errors
/// As [`extract`], and those of `next`.
pub fn extract_pieces(
    root: BorrowedFd<'_>,
    limits: Limits,
    keep_package_json: bool,
    next: &mut dyn FnMut() -> Result<Option<Vec<u8>>>,
) -> Result<Extracted> {
    let mut writer = Writer::new(root, keep_package_json);
    writer.links = limits.links;
    let mut parser = Parser::new(limits);
    let mut stream = Stream::new(limits.bytes);
    while let Some(piece) = next()? {
        stream.feed(&piece, &mut |piece| parser.feed(piece, &mut writer))?;
    }
    stream.end(&mut |piece| parser.feed(piece, &mut writer))?;
    parser.finish()?;
    writer.finish()
}

struct Writer<'a> {
    root: BorrowedFd<'a>,
    out: Extracted,
    keep_package_json: bool,
    /// Symbolic links are made.
    links: bool,
    made: FxHashSet<Box<[u8]>>,
    last_dir: Vec<u8>,
    /// The entry being written: relative name with NUL, descriptor, flags.
    name: Vec<u8>,
    file: Option<OwnedFd>,
    flags: u8,
    first_piece: bool,
    /// The entry replaces an earlier one with its name.
    replaced: bool,
    /// The entry is not written.
    skipped: bool,
    symlinks: Vec<(Vec<u8>, Vec<u8>)>,
    hardlinks: Vec<(Vec<u8>, Vec<u8>)>,
}

fn io(what: &str, path: &[u8], error: Errno) -> Error {
    let error =
        Error::new(Code::Io, format!("{what} \"{}\" of the package", path.escape_ascii())).cause(error_text(error));
    with_hint(error)
}

pub(super) fn refused(what: &str, path: &[u8]) -> Error {
    tar::refused(what, path).into()
}

fn error_text(error: Errno) -> std::io::Error {
    std::io::Error::from(error)
}

fn with_hint(error: Error) -> Error {
    let full = error.cause.as_deref().is_some_and(|cause| cause.contains("No space left") || cause.contains("quota"));
    if full {
        error.hint("free some space, or choose another cache with --cache-dir or BUN_INSTALL_CACHE_DIR")
    } else {
        error
    }
}

/// Cleans a name of the archive: the first component is dropped, `.` and empty components too.
///
/// # Errors
/// An absolute name, a `..` or a NUL.
pub(super) fn clean(path: &[u8], out: &mut Vec<u8>) -> Result<()> {
    out.clear();
    if path.first() == Some(&b'/') {
        return Err(refused("an absolute path", path));
    }
    if path.contains(&0) {
        return Err(refused("a path with a NUL", path));
    }
    let mut first = true;
    for part in path.split(|&byte| byte == b'/') {
        match part {
            b"" | b"." => {}
            b".." => return Err(refused("a path that leaves the package", path)),
            _ if first => first = false,
            _ => {
                if !out.is_empty() {
                    out.push(b'/');
                }
                out.extend_from_slice(part);
            }
        }
    }
    if out.len() > 3800 {
        return Err(refused("a path that is too long", &path[..64]));
    }
    Ok(())
}

/// Where the target of a link at `path` leads, relative to the package; nothing where that is outside.
pub(super) fn resolve_link(path: &[u8], target: &[u8]) -> Option<Vec<u8>> {
    if target.is_empty() || target[0] == b'/' || target.contains(&0) {
        return None;
    }
    let mut parts: Vec<&[u8]> = path.split(|&byte| byte == b'/').collect();
    parts.pop();
    for part in target.split(|&byte| byte == b'/') {
        match part {
            b"" | b"." => {}
            b".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join(&b'/'))
}

fn c_string(path: &[u8]) -> Result<CString> {
    CString::new(path).map_err(|_| refused("a path with a NUL", path))
}

impl<'a> Writer<'a> {
    fn new(root: BorrowedFd<'a>, keep_package_json: bool) -> Self {
        Self {
            root,
            out: Extracted::default(),
            keep_package_json,
            links: true,
            made: FxHashSet::default(),
            last_dir: Vec::new(),
            name: Vec::with_capacity(256),
            file: None,
            flags: 0,
            first_piece: false,
            replaced: false,
            skipped: false,
            symlinks: Vec::new(),
            hardlinks: Vec::new(),
        }
    }

    /// Makes a directory and those above it, once.
    fn make_dirs(&mut self, dir: &[u8]) -> Result<()> {
        if dir.is_empty() || dir == self.last_dir || self.made.contains(dir) {
            return Ok(());
        }
        for (end, _) in dir.iter().enumerate().filter(|&(_, &byte)| byte == b'/').chain([(dir.len(), &b'/')]) {
            let dir = &dir[..end];
            if self.made.contains(dir) {
                continue;
            }
            rustix::fs::mkdirat(self.root, c_string(dir)?.as_c_str(), Mode::from_raw_mode(0o755))
                .map_err(|error| io("Could not make the directory", dir, error))?;
            self.made.insert(dir.into());
            self.out.listing.push_dir(dir);
        }
        self.last_dir.clear();
        self.last_dir.extend_from_slice(dir);
        Ok(())
    }

    fn make_parent(&mut self, path: &[u8]) -> Result<()> {
        match path.iter().rposition(|&byte| byte == b'/') {
            Some(end) => self.make_dirs(&path[..end]),
            None => Ok(()),
        }
    }

    fn finish(mut self) -> Result<Extracted> {
        for (path, target) in std::mem::take(&mut self.hardlinks) {
            self.make_parent(&path)?;
            let (path, target) = (c_string(&path)?, c_string(&target)?);
            rustix::fs::linkat(self.root, target.as_c_str(), self.root, path.as_c_str(), AtFlags::empty())
                .map_err(|error| io("Could not link", path.as_bytes(), error))?;
            self.out.listing.push_file(UNKNOWN, path.as_bytes());
            self.out.files += 1;
        }
        for (path, target) in std::mem::take(&mut self.symlinks) {
            self.make_parent(&path)?;
            let (path, target) = (c_string(&path)?, c_string(&target)?);
            rustix::fs::symlinkat(target.as_c_str(), self.root, path.as_c_str())
                .map_err(|error| io("Could not make the link", path.as_bytes(), error))?;
            self.out.listing.links = true;
        }
        self.out.listing.group_files();
        Ok(self.out)
    }
}

impl Sink for Writer<'_> {
    type Error = Error;

    fn directory(&mut self, path: &[u8]) -> Result<()> {
        let mut name = std::mem::take(&mut self.name);
        clean(path, &mut name)?;
        let result = self.make_dirs(&name);
        self.name = name;
        result
    }

    fn file(&mut self, path: &[u8], mode: u32, _size: u64) -> Result<()> {
        let mut name = std::mem::take(&mut self.name);
        clean(path, &mut name)?;
        // A file outside of the top directory is dropped with the first component, as npm does.
        self.skipped = name.is_empty();
        if self.skipped {
            self.name = name;
            return Ok(());
        }
        self.make_parent(&name)?;
        name.push(0);
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        // npm's rule: what the archive says and at least rw for all, the umask taken off by the system.
        let mode = Mode::from_raw_mode((mode & 0o777) | 0o666);
        self.replaced = false;
        let result = {
            let name = c_name(&name)?;
            match rustix::fs::openat(self.root, name, flags, mode) {
                // The last one of several entries with one name counts.
                Err(Errno::EXIST) => {
                    self.replaced = true;
                    rustix::fs::unlinkat(self.root, name, AtFlags::empty())
                        .and_then(|()| rustix::fs::openat(self.root, name, flags, mode))
                }
                result => result,
            }
        };
        self.file = Some(result.map_err(|error| io("Could not write the file", &name[..name.len() - 1], error))?);
        self.flags = if mode.contains(Mode::XUSR) { EXECUTABLE } else { 0 };
        self.first_piece = true;
        if self.keep_package_json && name == b"package.json\0" {
            self.out.package_json = Some(Vec::new());
        }
        self.name = name;
        Ok(())
    }

    fn data(&mut self, bytes: &[u8]) -> Result<()> {
        if self.skipped {
            return Ok(());
        }
        if self.first_piece {
            self.first_piece = false;
            if bytes.starts_with(b"#!")
                && let Some(end) = memchr::memchr(b'\n', &bytes[..bytes.len().min(1024)])
                && bytes[end - 1] == b'\r'
            {
                self.flags |= CRLF_SHEBANG;
            }
        }
        if self.name == b"package.json\0"
            && let Some(kept) = &mut self.out.package_json
        {
            kept.extend_from_slice(bytes);
        }
        self.out.bytes += bytes.len() as u64;
        let Some(file) = &self.file else {
            return Ok(());
        };
        let mut left = bytes;
        while !left.is_empty() {
            match rustix::io::write(file, left) {
                Ok(0) => {
                    return Err(io("Could not write the file", &self.name[..self.name.len() - 1], Errno::NOSPC));
                }
                Ok(count) => left = &left[count..],
                Err(Errno::INTR) => {}
                Err(error) => {
                    return Err(io("Could not write the file", &self.name[..self.name.len() - 1], error));
                }
            }
        }
        Ok(())
    }

    fn end(&mut self) -> Result<()> {
        if self.skipped {
            return Ok(());
        }
        self.file = None;
        let name = &self.name[..self.name.len() - 1];
        if self.replaced {
            // It is listed already, with other flags: the directory is to be read instead.
            self.out.listing.links = true;
        } else {
            self.out.files += 1;
            self.out.listing.push_file(self.flags, name);
        }
        Ok(())
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

fn c_name(name: &[u8]) -> Result<&CStr> {
    CStr::from_bytes_with_nul(name).map_err(|_| refused("a path with a NUL", name))
}

/// Writes all of `bytes`.
pub(crate) fn write_all(file: impl std::os::fd::AsFd, bytes: &[u8]) -> std::io::Result<()> {
    struct Fd<F>(F);
    impl<F: std::os::fd::AsFd> Write for Fd<F> {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            Ok(rustix::io::write(&self.0, bytes)?)
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    Fd(file).write_all(bytes)
}
