//! Removing files and whole trees.

use std::ffi::CStr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

use base::permission::Area;
use rustix::fs::{AtFlags, CWD, Mode, OFlags};
use rustix::io::{Errno, retry_on_intr};

use super::dir::{self, dirent};
use super::error::{FsError, FsResult, permitted};
use super::path::{FsPath, join};
use super::stat;

/// How many directories on the way down stay open. Deeper ones are opened again through "..", so that depth costs
/// memory, not descriptors.
const MAX_OPEN: usize = 64;

/// What `fs.rm` may be told.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Options {
    /// A missing path is no error.
    pub force: bool,
    /// Directories are removed with what is in them.
    pub recursive: bool,
    /// How often to try again when something is busy.
    pub retries: u32,
    /// Milliseconds before the first new attempt; each later one waits that much longer.
    pub retry_delay: u32,
}

/// What became of the path.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Removed,
    /// It is a directory, and `recursive` was not set: nothing was done.
    IsDirectory,
}

/// Removes `path`. Errors carry the operation and the path that failed.
pub(crate) fn remove(path: &FsPath, options: Options) -> FsResult<Outcome> {
    permitted(Area::Write, path)?;
    if let Err(errno) = super::virt::refuse(path.bytes()) {
        return Err(FsError::new(errno, "rm").path(path.bytes()));
    }
    if !(options.force && options.recursive) {
        match stat::lstat(path.c_str()) {
            Ok(status) if status.is_dir() && !options.recursive => return Ok(Outcome::IsDirectory),
            Ok(_) => {}
            Err(Errno::NOENT) if options.force => return Ok(Outcome::Removed),
            Err(errno) => return Err(FsError::new(errno, "lstat").path(path.bytes())),
        }
    }
    let mut attempt = 0;
    loop {
        let error = match remove_at(path) {
            Ok(()) => return Ok(Outcome::Removed),
            Err(error) => error,
        };
        // Gone by the hand of another: what was wanted.
        if error.errno == Errno::NOENT {
            return Ok(Outcome::Removed);
        }
        let passing = matches!(
            error.errno,
            Errno::BUSY | Errno::MFILE | Errno::NFILE | Errno::NOTEMPTY | Errno::EXIST | Errno::PERM
        );
        if !passing || attempt >= options.retries {
            return Err(error);
        }
        attempt += 1;
        std::thread::sleep(Duration::from_millis(u64::from(options.retry_delay) * u64::from(attempt)));
    }
}

fn remove_at(path: &FsPath) -> FsResult<()> {
    match unlink(CWD, path.c_str()) {
        Ok(()) => Ok(()),
        Err(errno) if may_be_dir(errno) => {
            let failed = |errno, syscall| FsError::new(errno, syscall).path(path.bytes());
            let root = match open_dir(CWD, path.c_str()) {
                Ok(root) => root,
                // Not a directory after all: the first error counts.
                Err(Errno::NOTDIR | Errno::LOOP) => return Err(failed(errno, "unlink")),
                // An empty directory can go without being read.
                Err(why) => return rmdir(CWD, path.c_str()).map_err(|_| failed(why, "scandir")),
            };
            Walk::new(root, path.bytes())?.run()?;
            rmdir(CWD, path.c_str()).map_err(|errno| failed(errno, "rmdir"))
        }
        Err(errno) => Err(FsError::new(errno, "unlink").path(path.bytes())),
    }
}

fn unlink(at: BorrowedFd<'_>, name: &CStr) -> Result<(), Errno> {
    rustix::fs::unlinkat(at, name, AtFlags::empty())
}

fn rmdir(at: BorrowedFd<'_>, name: &CStr) -> Result<(), Errno> {
    rustix::fs::unlinkat(at, name, AtFlags::REMOVEDIR)
}

/// What unlink says of a directory: EISDIR on Linux, EPERM by POSIX.
fn may_be_dir(errno: Errno) -> bool {
    matches!(errno, Errno::ISDIR | Errno::PERM)
}

/// Opens a directory that is about to be emptied; a link is not followed, so nothing outside the tree is touched.
fn open_dir(at: BorrowedFd<'_>, name: &CStr) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    retry_on_intr(|| rustix::fs::openat(at, name, flags, Mode::empty()))
}

/// One directory that is being emptied.
struct Level {
    /// `None` while it is closed to save descriptors.
    dir: Option<OwnedFd>,
    /// Device and inode, to recognise it when it is opened again.
    identity: (u64, u64),
    /// Names still to be removed, each with NUL, one after the other; consumed from the end.
    names: Vec<u8>,
    kinds: Vec<u8>,
    /// The name of the directory in its parent's `names` (empty for the root).
    name: Vec<u8>,
}

struct Walk<'a> {
    root: &'a [u8],
    levels: Vec<Level>,
}

impl<'a> Walk<'a> {
    fn new(dir: OwnedFd, root: &'a [u8]) -> FsResult<Walk<'a>> {
        let mut walk = Walk { root, levels: Vec::new() };
        walk.enter(dir, Vec::new())?;
        Ok(walk)
    }

    /// The path of `name` in the innermost directory, for errors.
    fn path_of(&self, name: &[u8]) -> Vec<u8> {
        let mut path = self.root.to_vec();
        for level in self.levels.iter().skip(1) {
            path = join(&path, &level.name);
        }
        if name.is_empty() { path } else { join(&path, name) }
    }

    fn failed(&self, errno: Errno, syscall: &'static str, name: &[u8]) -> FsError {
        FsError::new(errno, syscall).path(&self.path_of(name))
    }

    fn enter(&mut self, dir: OwnedFd, name: Vec<u8>) -> FsResult<()> {
        let read = dir::read_entries(dir.as_fd(), false);
        let entries = read.map_err(|errno| self.failed(errno, "scandir", &name))?;
        let status = rustix::fs::fstat(&dir).map_err(|errno| self.failed(errno, "fstat", &name))?;
        let mut level = Level {
            dir: Some(dir),
            #[allow(clippy::unnecessary_cast, reason = "the types of these fields differ between architectures")]
            identity: (status.st_dev as u64, status.st_ino as u64),
            names: Vec::new(),
            kinds: Vec::new(),
            name,
        };
        for (name, kind) in entries.iter() {
            level.names.extend_from_slice(name);
            level.names.push(0);
            level.kinds.push(kind);
        }
        self.levels.push(level);
        if let Some(above) = self.levels.len().checked_sub(MAX_OPEN + 1) {
            self.levels[above].dir = None;
        }
        Ok(())
    }

    /// Empties the root.
    fn run(mut self) -> FsResult<()> {
        loop {
            let Some(level) = self.levels.last_mut() else { return Ok(()) };
            let Some(kind) = level.kinds.pop() else {
                if self.levels.len() == 1 {
                    return Ok(());
                }
                self.leave()?;
                continue;
            };
            let start = level.names[..level.names.len() - 1].iter().rposition(|&b| b == 0).map_or(0, |at| at + 1);
            let name = level.names.split_off(start);
            self.remove_entry(&name, kind)?;
        }
    }

    /// Removes one entry of the innermost directory, or goes into it. `name` ends with NUL.
    fn remove_entry(&mut self, name: &[u8], entry_kind: u8) -> FsResult<()> {
        let text = &name[..name.len() - 1];
        let Some(Level { dir: Some(dir), .. }) = self.levels.last() else {
            return Err(self.failed(Errno::BADF, "rm", text));
        };
        let Ok(c_name) = CStr::from_bytes_with_nul(name) else {
            return Err(self.failed(Errno::INVAL, "rm", text));
        };
        if entry_kind != dirent::DIR {
            match unlink(dir.as_fd(), c_name) {
                Ok(()) | Err(Errno::NOENT) => return Ok(()),
                Err(errno) if may_be_dir(errno) && matches!(entry_kind, dirent::UNKNOWN) => {}
                Err(errno) => return Err(self.failed(errno, "unlink", text)),
            }
        }
        match open_dir(dir.as_fd(), c_name) {
            Ok(child) => self.enter(child, text.to_vec()),
            Err(Errno::NOENT) => Ok(()),
            // It was replaced by something else meanwhile.
            Err(Errno::NOTDIR | Errno::LOOP) => match unlink(dir.as_fd(), c_name) {
                Ok(()) | Err(Errno::NOENT) => Ok(()),
                Err(errno) => Err(self.failed(errno, "unlink", text)),
            },
            // Unreadable, but it may be empty.
            Err(why) => match rmdir(dir.as_fd(), c_name) {
                Ok(()) | Err(Errno::NOENT) => Ok(()),
                Err(_) => Err(self.failed(why, "scandir", text)),
            },
        }
    }

    /// Back to the parent, and away with the emptied directory.
    fn leave(&mut self) -> FsResult<()> {
        let Some(emptied) = self.levels.pop() else { return Ok(()) };
        let parent_dir = match self.levels.last() {
            Some(Level { dir: None, identity, .. }) => {
                let above = emptied.dir.as_ref().ok_or(Errno::BADF).and_then(|dir| open_dir(dir.as_fd(), c".."));
                let above = above.map_err(|errno| self.failed(errno, "scandir", b""))?;
                let status = rustix::fs::fstat(&above).map_err(|errno| self.failed(errno, "fstat", b""))?;
                #[allow(clippy::unnecessary_cast, reason = "the types of these fields differ between architectures")]
                if (status.st_dev as u64, status.st_ino as u64) != *identity {
                    // The tree was moved while it was being removed; going on would remove something else.
                    return Err(self.failed(Errno::BUSY, "rm", b""));
                }
                Some(above)
            }
            _ => None,
        };
        let Some(parent) = self.levels.last_mut() else { return Ok(()) };
        if parent_dir.is_some() {
            parent.dir = parent_dir;
        }
        let mut name = emptied.name;
        name.push(0);
        let removed = match (&parent.dir, CStr::from_bytes_with_nul(&name)) {
            (Some(dir), Ok(c_name)) => rmdir(dir.as_fd(), c_name),
            _ => Err(Errno::BADF),
        };
        name.pop();
        match removed {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(errno) => Err(self.failed(errno, "rmdir", &name)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::testing::TempDir;

    const ALL: Options = Options { force: false, recursive: true, retries: 0, retry_delay: 0 };

    #[test]
    fn trees() {
        let dir = TempDir::new();
        std::fs::create_dir_all(dir.text("t/a/b/c")).unwrap();
        std::fs::create_dir_all(dir.text("keep")).unwrap();
        std::fs::write(dir.text("keep/file"), "x").unwrap();
        for name in ["t/f", "t/a/f", "t/a/b/f", "t/a/b/c/f", "t/a/b/c/g"] {
            std::fs::write(dir.text(name), "x").unwrap();
        }
        std::os::unix::fs::symlink("../keep", dir.text("t/link")).unwrap();
        std::os::unix::fs::symlink("nowhere", dir.text("t/a/dangling")).unwrap();
        assert_eq!(remove(&dir.path("t"), Options::default()).unwrap(), Outcome::IsDirectory);
        assert_eq!(remove(&dir.path("t"), ALL).unwrap(), Outcome::Removed);
        assert!(!dir.0.join("t").exists() && dir.0.join("keep/file").exists());
        let error = remove(&dir.path("t"), ALL).unwrap_err();
        assert_eq!((error.errno, error.syscall), (Errno::NOENT, "lstat"));
        remove(&dir.path("t"), Options { force: true, ..ALL }).unwrap();
        remove(&dir.path("t"), Options { force: true, ..Options::default() }).unwrap();
        remove(&dir.path("keep/file"), Options::default()).unwrap();
        assert!(!dir.0.join("keep/file").exists());
    }

    #[test]
    fn deeper_than_descriptors() {
        let dir = TempDir::new();
        let mut at = rustix::fs::open(dir.0.as_path(), OFlags::DIRECTORY | OFlags::RDONLY, Mode::empty()).unwrap();
        for _ in 0..3 * MAX_OPEN {
            rustix::fs::mkdirat(&at, c"deeper-than-the-limit-of-a-path", Mode::RWXU).unwrap();
            rustix::fs::openat(&at, c"file", OFlags::CREATE | OFlags::RDWR, Mode::RWXU).unwrap();
            at = rustix::fs::openat(&at, c"deeper-than-the-limit-of-a-path", OFlags::DIRECTORY, Mode::empty()).unwrap();
        }
        remove(&dir.path("deeper-than-the-limit-of-a-path"), ALL).unwrap();
        assert!(dir.0.join("file").exists());
        assert!(!dir.0.join("deeper-than-the-limit-of-a-path").exists());
    }
}
