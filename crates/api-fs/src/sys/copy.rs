//! Copying a file: by reference where the file system can, in the kernel where it cannot, by hand as the last way.

use std::os::fd::{AsFd, BorrowedFd};

use rustix::fs::{CWD, FileType, Mode, OFlags};
use rustix::io::{Errno, retry_on_intr};

use super::error::{FsError, FsResult};
use super::file;
use super::path::FsPath;

/// Fails with EEXIST when the destination exists (COPYFILE_EXCL).
pub const EXCL: u32 = 1;
/// Shares the blocks when the file system can (COPYFILE_FICLONE).
pub const FICLONE: u32 = 2;
/// Shares the blocks or fails (COPYFILE_FICLONE_FORCE).
pub const FICLONE_FORCE: u32 = 4;

/// Copies the contents and the permission bits of `source` to `dest`, which is created or overwritten. A destination
/// that could not be written to the end is removed.
pub fn copy_file(source: &FsPath, dest: &FsPath, mode: u32) -> FsResult<()> {
    let failed = |errno| FsError::new(errno, "copyfile").path(source.bytes()).dest(dest.bytes());
    let from = file::open(source.c_str(), libc::O_RDONLY, 0).map_err(failed)?;
    let status = rustix::fs::fstat(&from).map_err(failed)?;
    if FileType::from_raw_mode(status.st_mode) == FileType::Directory {
        return Err(failed(Errno::ISDIR));
    }
    let permissions = Mode::from_raw_mode(status.st_mode) & Mode::from_raw_mode(0o7777);
    let mut flags = OFlags::WRONLY | OFlags::CREATE | OFlags::CLOEXEC;
    if mode & EXCL != 0 {
        flags |= OFlags::EXCL;
    }
    let to = retry_on_intr(|| rustix::fs::openat(CWD, dest.c_str(), flags, permissions)).map_err(failed)?;
    let copied = (|| {
        let old = rustix::fs::fstat(&to)?;
        if (old.st_dev, old.st_ino) == (status.st_dev, status.st_ino) {
            return Ok(());
        }
        // Only now: truncating first would empty a file that is copied onto itself.
        if old.st_size > 0 {
            retry_on_intr(|| rustix::fs::ftruncate(&to, 0))?;
        }
        if Mode::from_raw_mode(old.st_mode) & Mode::from_raw_mode(0o7777) != permissions {
            match rustix::fs::fchmod(&to, permissions) {
                // File systems without permissions (CIFS, FAT) refuse; the contents count.
                Ok(()) | Err(Errno::PERM | Errno::NOTSUP) => {}
                Err(errno) => return Err(errno),
            }
        }
        if mode & (FICLONE | FICLONE_FORCE) != 0 {
            match rustix::fs::ioctl_ficlone(&to, &from) {
                Ok(()) => return Ok(()),
                // The system has not got it.
                Err(Errno::NOTTY | Errno::INVAL) if mode & FICLONE_FORCE != 0 => return Err(Errno::NOTSUP),
                Err(errno) if mode & FICLONE_FORCE != 0 => return Err(errno),
                Err(_) => {}
            }
        }
        copy_contents(from.as_fd(), to.as_fd())
    })();
    if let Err(errno) = copied {
        let _ = rustix::fs::unlinkat(CWD, dest.c_str(), rustix::fs::AtFlags::empty());
        return Err(failed(errno));
    }
    use std::os::fd::IntoRawFd;
    file::close(to.into_raw_fd()).map_err(|error| failed(error.errno))
}

/// Copies everything from `from`'s position to `to`'s.
pub fn copy_contents(from: BorrowedFd<'_>, to: BorrowedFd<'_>) -> Result<(), Errno> {
    const PIECE: usize = 1 << 30;
    let mut any = false;
    loop {
        match retry_on_intr(|| rustix::fs::copy_file_range(from, None, to, None, PIECE)) {
            // Files of /proc and /sys claim to be empty: only read() gives their contents.
            Ok(0) if !any => return by_hand(from, to),
            Ok(0) => return Ok(()),
            Ok(_) => any = true,
            // Across file systems of old kernels, special files, O_APPEND, sandboxes. The positions stand where the
            // last piece ended, so the rest can go by hand.
            Err(Errno::XDEV | Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP | Errno::PERM | Errno::BADF) => {
                return by_hand(from, to);
            }
            Err(errno) => return Err(errno),
        }
    }
}

fn by_hand(from: BorrowedFd<'_>, to: BorrowedFd<'_>) -> Result<(), Errno> {
    let mut buffer = vec![0; 128 * 1024];
    loop {
        let got = retry_on_intr(|| rustix::io::read(from, &mut buffer[..]))?;
        if got == 0 {
            return Ok(());
        }
        file::write_all(to, &buffer[..got]).map_err(|error| error.errno)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::testing::TempDir;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn copies() {
        let dir = TempDir::new();
        let data = vec![7; 300_000];
        std::fs::write(dir.text("a"), &data).unwrap();
        std::fs::set_permissions(dir.text("a"), std::fs::Permissions::from_mode(0o640)).unwrap();
        copy_file(&dir.path("a"), &dir.path("b"), 0).unwrap();
        assert_eq!(std::fs::read(dir.text("b")).unwrap(), data);
        assert_eq!(std::fs::metadata(dir.text("b")).unwrap().permissions().mode() & 0o7777, 0o640);
        assert_eq!(copy_file(&dir.path("a"), &dir.path("b"), EXCL).unwrap_err().errno, Errno::EXIST);
        assert!(dir.0.join("b").exists());
        copy_file(&dir.path("a"), &dir.path("a"), 0).unwrap();
        assert_eq!(std::fs::read(dir.text("a")).unwrap(), data);
        std::fs::write(dir.text("short"), "s").unwrap();
        copy_file(&dir.path("short"), &dir.path("b"), FICLONE).unwrap();
        assert_eq!(std::fs::read(dir.text("b")).unwrap(), b"s");
        let proc = FsPath::from_bytes(b"/proc/self/status").unwrap();
        copy_file(&proc, &dir.path("p"), 0).unwrap();
        assert!(std::fs::metadata(dir.text("p")).unwrap().len() > 100);
        assert_eq!(copy_file(&dir.path(""), &dir.path("x"), 0).unwrap_err().errno, Errno::ISDIR);
        assert!(!dir.0.join("x").exists());
    }
}
