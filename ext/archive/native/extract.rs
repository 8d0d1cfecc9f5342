//! Writing the entries of an archive below a directory, which may hold files already.
//!
//! Names are cleaned first ([`crate::names`]). Every directory on the way to an entry is opened without following links, so neither a
//! link of the archive nor one that lies there leads out. Symbolic links of the archive are made after everything else. A file that is in
//! the way is unlinked, not written into: it may be a link to something else.

use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{AtFlags, CWD, Mode, OFlags};
use rustix::io::Errno;
use tar::Sink;

use crate::Failure;
use crate::names::{Filter, components, stays_below};

pub(crate) struct Writer {
    root: OwnedFd,
    root_name: String,
    filter: Filter,
    mode: u32,
    file: Option<OwnedFd>,
    /// Name of the file being written, for errors.
    name: Vec<u8>,
    /// The directory of the last entry: most entries have the same as the one before.
    parent: Option<(Vec<u8>, OwnedFd)>,
    symlinks: Vec<(Vec<u8>, Vec<u8>)>,
    /// Directories whose permissions are not those that writing into them needs.
    permissions: Vec<(Vec<u8>, u32)>,
    count: u32,
}

const DIRECTORY: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
const NEW_FILE: OFlags =
    OFlags::WRONLY.union(OFlags::CREATE).union(OFlags::EXCL).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
/// Permissions of a directory that the archive does not say.
const DEFAULT_DIRECTORY: u32 = 0o755;
/// What writing into a directory needs.
const OWNER: u32 = 0o700;

impl Writer {
    pub(crate) fn new(directory: String, filter: Filter) -> Result<Self, Failure> {
        let made = std::fs::create_dir_all(&directory);
        let opened = made.and_then(|()| Ok(rustix::fs::openat(CWD, &directory, DIRECTORY, Mode::empty())?));
        match opened {
            Ok(root) => Ok(Self {
                root,
                root_name: directory,
                filter,
                mode: 0,
                file: None,
                name: Vec::new(),
                parent: None,
                symlinks: Vec::new(),
                permissions: Vec::new(),
                count: 0,
            }),
            Err(error) => Err(Failure::Io(error, "mkdir", directory)),
        }
    }

    /// Makes the links, and gives the number of entries written.
    pub(crate) fn finish(mut self) -> Result<u32, Failure> {
        for (name, target) in std::mem::take(&mut self.symlinks) {
            let Some(parts) = components(&name) else { continue };
            let Some((last, above)) = parts.split_last() else { continue };
            let parent = self.open_parent(above)?;
            let make = || rustix::fs::symlinkat(target.as_slice(), parent.as_fd(), *last);
            let made = match make() {
                Err(Errno::EXIST) => {
                    // What is there and no directory makes room; a directory with that name stays, as it came later.
                    match rustix::fs::unlinkat(parent.as_fd(), *last, AtFlags::empty()) {
                        Ok(()) => make(),
                        Err(Errno::ISDIR) => continue,
                        Err(error) => Err(error),
                    }
                }
                made => made,
            };
            made.map_err(|error| self.io(error, "symlink", &name))?;
            self.count += 1;
        }
        for (name, mode) in std::mem::take(&mut self.permissions) {
            let Some(parts) = components(&name) else { continue };
            let directory = self.open_parent(&parts)?;
            let mode = Mode::from_raw_mode(mode);
            rustix::fs::fchmod(directory.as_fd(), mode).map_err(|error| self.io(error, "fchmod", &name))?;
        }
        Ok(self.count)
    }

    fn io(&self, error: Errno, call: &'static str, name: &[u8]) -> Failure {
        let path = format!("{}/{}", self.root_name.trim_end_matches('/'), String::from_utf8_lossy(name));
        Failure::Io(error.into(), call, path)
    }

    /// A descriptor of the directory with these components, which is made if it is not there.
    fn open_parent(&mut self, above: &[&[u8]]) -> Result<OwnedFd, Failure> {
        let name = above.join(&b'/');
        if let Some((last, directory)) = &self.parent
            && *last == name
        {
            return directory.try_clone().map_err(|error| Failure::Io(error, "dup", self.root_name.clone()));
        }
        let mut directory = self.root.try_clone().map_err(|error| Failure::Io(error, "dup", self.root_name.clone()))?;
        for (depth, part) in above.iter().enumerate() {
            let open = |from: &OwnedFd| rustix::fs::openat(from, *part, DIRECTORY | OFlags::NOFOLLOW, Mode::empty());
            let opened = match open(&directory) {
                Err(Errno::NOENT) => {
                    match rustix::fs::mkdirat(&directory, *part, Mode::from_raw_mode(DEFAULT_DIRECTORY)) {
                        Ok(()) | Err(Errno::EXIST) => open(&directory),
                        Err(error) => Err(error),
                    }
                }
                opened => opened,
            };
            directory = opened.map_err(|error| self.io(error, "open", &above[..=depth].join(&b'/')))?;
        }
        let kept = directory.try_clone().map_err(|error| Failure::Io(error, "dup", self.root_name.clone()))?;
        self.parent = Some((name, kept));
        Ok(directory)
    }
}

impl Sink for Writer {
    type Error = Failure;

    fn wants(&mut self, path: &[u8]) -> bool {
        components(path).is_some_and(|parts| self.filter.lets_through(&parts.join(&b'/')))
    }

    fn attributes(&mut self, mode: u32, _modified: f64) {
        self.mode = mode;
    }

    fn directory(&mut self, path: &[u8]) -> Result<(), Failure> {
        let Some(parts) = components(path) else { return Ok(()) };
        let name = parts.join(&b'/');
        if !self.filter.lets_through(&name) {
            return Ok(());
        }
        self.open_parent(&parts)?;
        if self.mode != DEFAULT_DIRECTORY {
            self.permissions.push((name, self.mode | OWNER));
        }
        self.count += 1;
        Ok(())
    }

    fn file(&mut self, path: &[u8], _mode: u32, _size: u64) -> Result<(), Failure> {
        self.file = None;
        let Some(parts) = components(path) else { return Ok(()) };
        let Some((last, above)) = parts.split_last() else { return Ok(()) };
        let name = parts.join(&b'/');
        if !self.filter.lets_through(&name) {
            return Ok(());
        }
        let parent = self.open_parent(above)?;
        let open = || rustix::fs::openat(&parent, *last, NEW_FILE, Mode::from_raw_mode(self.mode));
        let opened = match open() {
            Err(Errno::EXIST) => {
                rustix::fs::unlinkat(&parent, *last, AtFlags::empty())
                    .map_err(|error| self.io(error, "open", &name))?;
                open()
            }
            opened => opened,
        };
        self.file = Some(opened.map_err(|error| self.io(error, "open", &name))?);
        self.name = name;
        self.count += 1;
        Ok(())
    }

    fn data(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        let Some(file) = &self.file else { return Ok(()) };
        let mut left = bytes;
        while !left.is_empty() {
            match rustix::io::write(file, left) {
                Ok(0) => return Err(self.io(Errno::NOSPC, "write", &self.name)),
                Ok(count) => left = &left[count..],
                Err(Errno::INTR) => {}
                Err(error) => return Err(self.io(error, "write", &self.name)),
            }
        }
        Ok(())
    }

    fn end(&mut self) -> Result<(), Failure> {
        self.file = None;
        Ok(())
    }

    fn symlink(&mut self, path: &[u8], target: &[u8]) -> Result<(), Failure> {
        let Some(parts) = components(path) else { return Ok(()) };
        let name = parts.join(&b'/');
        // A link that leaves the directory is left out, as in Bun.
        if self.filter.lets_through(&name) && stays_below(&parts, target) {
            self.symlinks.push((name, target.to_vec()));
        }
        Ok(())
    }

    fn hardlink(&mut self, path: &[u8], target: &[u8]) -> Result<(), Failure> {
        let (Some(parts), Some(source)) = (components(path), components(target)) else { return Ok(()) };
        let name = parts.join(&b'/');
        let leaves = target.first() == Some(&b'/') || target.split(|&byte| byte == b'/').any(|part| part == b"..");
        if leaves || name == source.join(&b'/') || !self.filter.lets_through(&name) {
            return Ok(());
        }
        let (Some((from, from_above)), Some((last, above))) = (source.split_last(), parts.split_last()) else {
            return Ok(());
        };
        let from_parent = self.open_parent(from_above)?;
        let parent = self.open_parent(above)?;
        // Without following: a link to a link stays one.
        let make = || rustix::fs::linkat(&from_parent, *from, &parent, *last, AtFlags::empty());
        let made = match make() {
            Err(Errno::EXIST) => {
                rustix::fs::unlinkat(&parent, *last, AtFlags::empty())
                    .map_err(|error| self.io(error, "link", &name))?;
                make()
            }
            made => made,
        };
        match made {
            Ok(()) => self.count += 1,
            // What it leads to is not among what is unpacked.
            Err(Errno::NOENT) => {}
            Err(error) => return Err(self.io(error, "link", &name)),
        }
        Ok(())
    }

    fn device(&mut self, _path: &[u8]) -> Result<(), Failure> {
        Ok(())
    }
}
