//! Copying a file: by reference where the file system can, in the kernel where it cannot, by hand as the last way.

use std::os::fd::{AsFd, AsRawFd, BorrowedFd};

use base::permission::Area;
use rustix::fs::{CWD, FileType, Mode, OFlags};
use rustix::io::{Errno, retry_on_intr};

use super::error::{FsError, FsResult, permitted};
use super::file;
use super::path::FsPath;

/// Fails with EEXIST when the destination exists (COPYFILE_EXCL).
pub(crate) const EXCL: u32 = 1;
/// Shares the blocks when the file system can (COPYFILE_FICLONE).
pub(crate) const FICLONE: u32 = 2;
/// Shares the blocks or fails (COPYFILE_FICLONE_FORCE).
pub(crate) const FICLONE_FORCE: u32 = 4;

/// Copies the contents and the permission bits of `source` to `dest`, which is created or overwritten. A destination
/// that could not be written to the end is removed.
pub(crate) fn copy_file(source: &FsPath, dest: &FsPath, mode: u32) -> FsResult<()> {
    permitted(Area::Read, source)?;
    permitted(Area::Write, dest)?;
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
pub(crate) fn copy_contents(from: BorrowedFd<'_>, to: BorrowedFd<'_>) -> Result<(), Errno> {
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

/// Moves at most `most` bytes from `from` (from `start` on, or from where it stands) to where `to` stands, and says how many those
/// were. The system does it without bringing them here where it can: between files by reference or in the kernel
/// (copy_file_range), from a file to a socket or pipe by sendfile, from and to pipes by splice.
pub(crate) fn transfer(from: BorrowedFd<'_>, start: Option<u64>, to: BorrowedFd<'_>, most: u64) -> Result<u64, Errno> {
    const PIECE: u64 = 1 << 30;
    let kind = |fd: BorrowedFd<'_>| rustix::fs::fstat(fd).map(|status| FileType::from_raw_mode(status.st_mode));
    let (source, sink) = (kind(from)?, kind(to)?);
    if source == FileType::Directory {
        return Err(Errno::ISDIR);
    }
    // Only files have places.
    let mut at = start.filter(|_| source == FileType::RegularFile);
    let mut moved = 0;
    while moved < most {
        let wanted = (most - moved).min(PIECE) as usize;
        let step = retry_on_intr(|| {
            if source == FileType::RegularFile && sink == FileType::RegularFile {
                rustix::fs::copy_file_range(from, at.as_mut(), to, None, wanted)
            } else if source == FileType::RegularFile {
                rustix::fs::sendfile(to, from, at.as_mut(), wanted)
            } else if source == FileType::Fifo || sink == FileType::Fifo {
                splice(from, to, wanted.min(1 << 20))
            } else {
                Err(Errno::INVAL)
            }
        });
        match step {
            // Files of /proc and /sys claim to be empty: only read() gives their contents.
            Ok(0) if moved == 0 && source == FileType::RegularFile => return piecewise(from, at, to, most),
            Ok(0) => break,
            Ok(count) => moved += count as u64,
            Err(
                Errno::XDEV | Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP | Errno::PERM | Errno::BADF | Errno::AGAIN,
            ) => {
                return piecewise(from, at, to, most - moved).map(|rest| moved + rest);
            }
            Err(errno) => return Err(errno),
        }
    }
    Ok(moved)
}

fn splice(from: BorrowedFd<'_>, to: BorrowedFd<'_>, wanted: usize) -> Result<usize, Errno> {
    // SAFETY: a system call on descriptors that are borrowed for its length, without offsets.
    let count = unsafe {
        libc::splice(from.as_raw_fd(), std::ptr::null_mut(), to.as_raw_fd(), std::ptr::null_mut(), wanted, 0)
    };
    usize::try_from(count).map_err(|_| Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::IO))
}

/// The same through a buffer.
fn piecewise(from: BorrowedFd<'_>, start: Option<u64>, to: BorrowedFd<'_>, most: u64) -> Result<u64, Errno> {
    let mut buffer = vec![0; 128 * 1024];
    let mut moved = 0;
    while moved < most {
        let room = (most - moved).min(buffer.len() as u64) as usize;
        let got = match start {
            Some(start) => retry_on_intr(|| rustix::io::pread(from, &mut buffer[..room], start + moved))?,
            None => match retry_on_intr(|| rustix::io::read(from, &mut buffer[..room])) {
                Err(Errno::AGAIN) => {
                    wait_for(from, libc::POLLIN);
                    continue;
                }
                other => other?,
            },
        };
        if got == 0 {
            break;
        }
        let mut rest = &buffer[..got];
        while !rest.is_empty() {
            match retry_on_intr(|| rustix::io::write(to, rest)) {
                Ok(count) => rest = &rest[count..],
                Err(Errno::AGAIN) => wait_for(to, libc::POLLOUT),
                Err(errno) => return Err(errno),
            }
        }
        moved += got as u64;
    }
    Ok(moved)
}

/// Waits until a descriptor that does not block is ready.
fn wait_for(fd: BorrowedFd<'_>, events: i16) {
    let mut entry = libc::pollfd { fd: fd.as_raw_fd(), events, revents: 0 };
    // SAFETY: one entry, which outlives the call.
    unsafe { libc::poll(&raw mut entry, 1, -1) };
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
    fn transfers() {
        let dir = TempDir::new();
        let data: Vec<u8> = (0..200_000u32).map(|i| i as u8).collect();
        std::fs::write(dir.text("a"), &data).unwrap();
        let from = std::fs::File::open(dir.text("a")).unwrap();
        let to = std::fs::File::create(dir.text("b")).unwrap();
        assert_eq!(transfer(from.as_fd(), Some(1000), to.as_fd(), 5000), Ok(5000));
        assert_eq!(transfer(from.as_fd(), Some(199_000), to.as_fd(), u64::MAX), Ok(1000));
        let mut wanted = data[1000..6000].to_vec();
        wanted.extend_from_slice(&data[199_000..]);
        assert_eq!(std::fs::read(dir.text("b")).unwrap(), wanted);
        let (read, write) = std::io::pipe().unwrap();
        assert_eq!(transfer(from.as_fd(), Some(0), write.as_fd(), 10_000), Ok(10_000));
        drop(write);
        let to = std::fs::File::create(dir.text("c")).unwrap();
        assert_eq!(transfer(read.as_fd(), None, to.as_fd(), u64::MAX), Ok(10_000));
        assert_eq!(std::fs::read(dir.text("c")).unwrap(), data[..10_000]);
        let proc = std::fs::File::open("/proc/self/status").unwrap();
        assert!(transfer(proc.as_fd(), Some(0), to.as_fd(), u64::MAX).unwrap() > 100);
        let folder = std::fs::File::open(&dir.0).unwrap();
        assert_eq!(transfer(folder.as_fd(), None, to.as_fd(), 1), Err(Errno::ISDIR));
    }

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
