//! Putting one file of the store into a project: a hard link, else a reflink, else a copy inside the kernel, else a copy by hand.
//!
//! The first method that works between the two file systems is kept for the rest of the run; a file that cannot have one more link
//! (EMLINK) is copied on its own.

use std::ffi::CStr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicU8, Ordering};

use rustix::fs::{AtFlags, Mode, OFlags};
use rustix::io::Errno;

use crate::store::tarball::extract;

/// What `--backend` chooses. macOS's names mean a copy on write here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Backend {
    #[default]
    Hardlink,
    Clonefile,
    Copyfile,
    Symlink,
}

/// A directory of at least this many files is opened on both sides. Each name of a path is a look-up in the system's cache of names,
/// which is most of what a link costs besides the journal.
const MANY_FILES: usize = 16;
const HARDLINK: u8 = 0;
const REFLINK: u8 = 1;
const COPY_RANGE: u8 = 2;
const SENDFILE: u8 = 3;
const READ_WRITE: u8 = 4;
const SYMLINK: u8 = 5;

/// The method in use between two file systems.
pub(crate) struct Method(AtomicU8);

impl Method {
    pub(crate) fn new(backend: Backend) -> Self {
        Self(AtomicU8::new(match backend {
            Backend::Hardlink => HARDLINK,
            Backend::Clonefile => REFLINK,
            Backend::Copyfile => COPY_RANGE,
            Backend::Symlink => SYMLINK,
        }))
    }

    fn now(&self) -> u8 {
        self.0.load(Ordering::Relaxed)
    }

    /// True where every file is to be a symbolic link to the store.
    pub(crate) fn symlinks(&self) -> bool {
        self.now() == SYMLINK
    }

    /// Links the files of a listing, those of one directory from descriptor to descriptor where there are several.
    pub(crate) fn files(&self, from: BorrowedFd<'_>, to: BorrowedFd<'_>, files: &[u8]) -> Result<(), Errno> {
        let mut rest = extract::files(files).map(|(_, name)| name);
        while let Some(first) = rest.clone().next() {
            let dir = extract::parent(first.to_bytes());
            let beside = |name: &&CStr| extract::parent(name.to_bytes()) == dir;
            let count = rest.clone().take_while(beside).count();
            let same = rest.by_ref().take(count);
            if dir.is_empty() || count < MANY_FILES {
                for name in same {
                    self.file(from, name, to, name)?;
                }
                continue;
            }
            let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
            let from = rustix::fs::openat(from, dir, flags, Mode::empty())?;
            let to = rustix::fs::openat(to, dir, flags, Mode::empty())?;
            for name in same {
                let last =
                    CStr::from_bytes_with_nul(&name.to_bytes_with_nul()[dir.len() + 1..]).map_err(|_| Errno::INVAL)?;
                self.file(from.as_fd(), last, to.as_fd(), last)?;
            }
        }
        Ok(())
    }

    /// Gives the file `name` of `from` the name `new` below `to`.
    ///
    /// # Errors
    /// What the system says after every method was tried; `EXIST` where the name is taken.
    pub(crate) fn file(&self, from: BorrowedFd<'_>, name: &CStr, to: BorrowedFd<'_>, new: &CStr) -> Result<(), Errno> {
        let method = self.now();
        if method == HARDLINK {
            match rustix::fs::linkat(from, name, to, new, AtFlags::empty()) {
                Err(Errno::MLINK) => return copy(from, name, to, new, REFLINK).map(|_| ()),
                // Another file system, one without links, or a file that may not be linked (fs.protected_hardlinks).
                Err(Errno::XDEV | Errno::PERM | Errno::OPNOTSUPP | Errno::ACCESS | Errno::NOSYS) => {
                    self.0.store(REFLINK, Ordering::Relaxed);
                }
                result => return result,
            }
        }
        let method = self.now();
        let worked = copy(from, name, to, new, method.max(REFLINK))?;
        if worked > method {
            self.0.store(worked, Ordering::Relaxed);
        }
        Ok(())
    }
}

/// Copies a file with the first method from `method` on that works, and says which that was.
fn copy(from: BorrowedFd<'_>, name: &CStr, to: BorrowedFd<'_>, new: &CStr, mut method: u8) -> Result<u8, Errno> {
    let source = rustix::fs::openat(from, name, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?;
    let stat = rustix::fs::fstat(&source)?;
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    let target = rustix::fs::openat(to, new, flags, Mode::from_raw_mode(stat.st_mode & 0o777))?;
    loop {
        let result = match method {
            REFLINK => rustix::fs::ioctl_ficlone(&target, &source),
            COPY_RANGE => copy_range(&source, &target, stat.st_size as u64),
            SENDFILE => send_file(&source, &target, stat.st_size as u64),
            _ => read_write(&source, &target),
        };
        match result {
            Ok(()) => return Ok(method),
            Err(error) if method >= READ_WRITE || matches!(error, Errno::NOSPC | Errno::DQUOT | Errno::IO) => {
                let _ = rustix::fs::unlinkat(to, new, AtFlags::empty());
                return Err(error);
            }
            Err(_) => {
                // A method may have written a part.
                rustix::fs::seek(&source, rustix::fs::SeekFrom::Start(0))?;
                rustix::fs::seek(&target, rustix::fs::SeekFrom::Start(0))?;
                rustix::fs::ftruncate(&target, 0)?;
                method += 1;
            }
        }
    }
}

fn copy_range(source: &OwnedFd, target: &OwnedFd, size: u64) -> Result<(), Errno> {
    let mut left = size;
    while left > 0 {
        match rustix::fs::copy_file_range(source, None, target, None, usize::try_from(left).unwrap_or(1 << 30)) {
            // Some file systems report success without having copied.
            Ok(0) => return Err(Errno::OPNOTSUPP),
            Ok(count) => left -= count as u64,
            Err(Errno::INTR) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn send_file(source: &OwnedFd, target: &OwnedFd, size: u64) -> Result<(), Errno> {
    let mut left = size;
    while left > 0 {
        match rustix::fs::sendfile(target, source, None, usize::try_from(left).unwrap_or(1 << 30)) {
            Ok(0) => return Err(Errno::OPNOTSUPP),
            Ok(count) => left -= count as u64,
            Err(Errno::INTR) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn read_write(source: &OwnedFd, target: &OwnedFd) -> Result<(), Errno> {
    let mut buffer = vec![0; 128 << 10];
    loop {
        let count = match rustix::io::read(source, &mut buffer) {
            Ok(0) => return Ok(()),
            Ok(count) => count,
            Err(Errno::INTR) => continue,
            Err(error) => return Err(error),
        };
        let mut left = &buffer[..count];
        while !left.is_empty() {
            match rustix::io::write(target.as_fd(), left) {
                Ok(count) => left = &left[count..],
                Err(Errno::INTR) => {}
                Err(error) => return Err(error),
            }
        }
    }
}
