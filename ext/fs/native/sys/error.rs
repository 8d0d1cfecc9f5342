//! The error of a file-system call, in the terms of Node's system errors.

use base::permission::{self, Area, Denied};
use rustix::io::Errno;

use crate::sys::path::FsPath;

/// What failed: errno, the name Node gives the operation (`open`, `scandir`, `copyfile`, ...), and the paths that the
/// message and the `path`/`dest` properties show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FsError {
    pub errno: Errno,
    pub syscall: &'static str,
    pub path: Option<Vec<u8>>,
    pub dest: Option<Vec<u8>>,
    /// Set for the one error that is not of the system: a file too large for one buffer, with its size.
    pub too_large: Option<u64>,
    /// Set for a path that the process may not use (`--permission`); then nothing else counts.
    pub denied: Option<Box<Denied>>,
}

pub(crate) type FsResult<T> = Result<T, FsError>;

impl FsError {
    /// An error of a call on a descriptor: no paths.
    pub fn new(errno: Errno, syscall: &'static str) -> Self {
        FsError { errno, syscall, path: None, dest: None, too_large: None, denied: None }
    }

    /// Adds the path that the message shows.
    pub fn path(mut self, path: &[u8]) -> Self {
        self.path = Some(path.to_vec());
        self
    }

    /// Adds the second path (`-> 'dest'`).
    pub fn dest(mut self, dest: &[u8]) -> Self {
        self.dest = Some(dest.to_vec());
        self
    }

    /// ERR_FS_FILE_TOO_LARGE: `size` bytes do not fit in one read.
    pub fn too_large(size: u64) -> Self {
        FsError { too_large: Some(size), ..FsError::new(Errno::FBIG, "read") }
    }
}

impl From<Denied> for FsError {
    fn from(denied: Denied) -> Self {
        FsError { denied: Some(Box::new(denied)), ..FsError::new(Errno::ACCESS, "access") }
    }
}

/// Whether the permission model lets the process read or write a path. Every function of this folder that takes a path of the
/// program's asks first.
#[inline]
pub(crate) fn permitted(area: Area, path: &FsPath) -> FsResult<()> {
    Ok(permission::check(area, path.bytes())?)
}

/// The same for opening with O_* bits.
#[inline]
pub(crate) fn permitted_open(path: &FsPath, flags: i32) -> FsResult<()> {
    if !permission::is_on() {
        return Ok(());
    }
    let access = flags & libc::O_ACCMODE;
    if access != libc::O_WRONLY {
        permitted(Area::Read, path)?;
    }
    if access != libc::O_RDONLY || flags & (libc::O_APPEND | libc::O_CREAT | libc::O_TRUNC) != 0 {
        permitted(Area::Write, path)?;
    }
    Ok(())
}

/// Whether the process may read and write everything: what symbolic links need, which can lead anywhere.
pub(crate) fn permitted_links(path: &FsPath) -> FsResult<()> {
    permission::check_all(Area::Read, path.bytes())?;
    Ok(permission::check_all(Area::Write, path.bytes())?)
}

/// Attaches the operation's name, and paths, to the errno of a failed call.
pub(crate) trait Context<T> {
    fn during(self, syscall: &'static str) -> FsResult<T>;
    fn on(self, syscall: &'static str, path: &[u8]) -> FsResult<T>;
    fn between(self, syscall: &'static str, path: &[u8], dest: &[u8]) -> FsResult<T>;
}

impl<T> Context<T> for Result<T, Errno> {
    fn during(self, syscall: &'static str) -> FsResult<T> {
        self.map_err(|errno| FsError::new(errno, syscall))
    }

    fn on(self, syscall: &'static str, path: &[u8]) -> FsResult<T> {
        self.map_err(|errno| FsError::new(errno, syscall).path(path))
    }

    fn between(self, syscall: &'static str, path: &[u8], dest: &[u8]) -> FsResult<T> {
        self.map_err(|errno| FsError::new(errno, syscall).path(path).dest(dest))
    }
}
