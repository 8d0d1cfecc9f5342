//! Finding files below a directory that nobody gets out of: what a server does with the paths of its clients.

use std::os::fd::{AsFd, OwnedFd};

use base::permission::Area;
use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, Stat};
use rustix::io::Errno;

use crate::sys::error::{Context, FsError, FsResult, permitted};
use crate::sys::path::FsPath;

/// A file or directory below a root.
pub(crate) struct Found {
    pub status: Stat,
    /// Where it is, if symbolic links led there; else it is where its name says.
    pub target: Option<Vec<u8>>,
}

/// Looks for `path` as if `root` were the root directory: `..` and absolute links stay below it (openat2(2), `RESOLVE_IN_ROOT`).
pub(crate) fn find(root: &FsPath, path: &FsPath) -> FsResult<Found> {
    permitted(Area::Read, root)?;
    let flags = OFlags::PATH | OFlags::CLOEXEC;
    let root = rustix::fs::openat(CWD, root.c_str(), flags | OFlags::DIRECTORY, Mode::empty()).during("open")?;
    let open = |how: ResolveFlags| -> Result<OwnedFd, Errno> {
        let how = how | ResolveFlags::IN_ROOT | ResolveFlags::NO_MAGICLINKS;
        rustix::fs::openat2(root.as_fd(), path.c_str(), flags, Mode::empty(), how)
    };
    let (file, linked) = match open(ResolveFlags::NO_SYMLINKS) {
        Err(Errno::LOOP) => (open(ResolveFlags::empty()), true),
        other => (other, false),
    };
    let file = file.during("open")?;
    let status = rustix::fs::fstat(&file).during("fstat")?;
    let target = if linked { Some(place(file.as_fd())?) } else { None };
    Ok(Found { status, target })
}

/// The path of an open file.
fn place(file: std::os::fd::BorrowedFd<'_>) -> FsResult<Vec<u8>> {
    use std::os::fd::AsRawFd;

    let path = format!("/proc/self/fd/{}", file.as_raw_fd());
    let target = rustix::fs::readlinkat(CWD, path, Vec::new()).during("readlink")?.into_bytes();
    // Without /proc, or with a file that has been deleted meanwhile, there is no path.
    if target.starts_with(b"/") { Ok(target) } else { Err(FsError::new(Errno::NOENT, "readlink")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::testing::TempDir;
    use std::os::unix::fs::symlink;

    fn path(text: &str) -> FsPath {
        FsPath::from_bytes(text.as_bytes()).unwrap()
    }

    #[test]
    fn links_do_not_lead_out() {
        let dir = TempDir::new();
        let root = dir.0.join("root");
        std::fs::create_dir_all(root.join("sub")).unwrap();
        std::fs::write(dir.0.join("secret"), "outside").unwrap();
        std::fs::write(root.join("file"), "inside").unwrap();
        symlink("file", root.join("near")).unwrap();
        symlink("/file", root.join("absolute")).unwrap();
        symlink("../../secret", root.join("sub/up")).unwrap();
        symlink(dir.0.join("secret"), root.join("away")).unwrap();
        let inside = |name: &str| find(&path(root.to_str().unwrap()), &path(name));
        assert!(inside("file").unwrap().target.is_none());
        for name in ["near", "absolute"] {
            let found = inside(name).unwrap();
            assert_eq!(found.status.st_size, 6);
            assert_eq!(found.target.unwrap(), root.join("file").to_str().unwrap().as_bytes());
        }
        for name in ["sub/up", "away", "../secret", "sub/../../secret"] {
            assert_eq!(inside(name).err().map(|error| error.errno), Some(Errno::NOENT), "{name}");
        }
        assert_eq!(inside("file/x").err().map(|error| error.errno), Some(Errno::NOTDIR));
        assert_eq!(inside("sub").unwrap().status.st_mode & libc::S_IFMT, libc::S_IFDIR);
    }
}
