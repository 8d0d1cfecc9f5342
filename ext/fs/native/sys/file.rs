//! Opening, reading and writing files.

use std::ffi::CStr;
use std::io::{IoSlice, IoSliceMut};
use std::os::fd::{AsFd, BorrowedFd, IntoRawFd, OwnedFd, RawFd};

use rustix::fs::{CWD, Mode, OFlags};
use rustix::io::{Errno, retry_on_intr};

use super::error::{Context, FsError, FsResult, permitted_open};
use super::path::FsPath;
use super::virt::{self, Seen};

/// The largest file that one whole-file read into a buffer takes, as in Node.
pub(crate) const MAX_WHOLE_READ: u64 = (1 << 31) - 1;

/// How much a whole-file read asks for when the size is not known (pipes, /proc).
const CHUNK: usize = 64 * 1024;

/// Borrows a descriptor that a program named by its number. The number may be wrong: then the calls fail with EBADF.
pub(crate) fn borrow(fd: RawFd) -> FsResult<BorrowedFd<'static>> {
    if fd < 0 {
        return Err(FsError::new(Errno::BADF, "fd"));
    }
    // SAFETY: the descriptor is used for the duration of one call only, and is not -1. As in Node, the program is the
    // owner; when it closes the number during the call the kernel answers EBADF or works on the file of that number,
    // without any effect on memory.
    Ok(unsafe { BorrowedFd::borrow_raw(fd) })
}

/// `borrow`, with the failing operation's name in the error.
pub(crate) fn borrow_for(fd: RawFd, syscall: &'static str) -> FsResult<BorrowedFd<'static>> {
    borrow(fd).map_err(|error| FsError { syscall, ..error })
}

/// Opens `path`. `flags` are the system's O_* bits (O_CLOEXEC is added), `mode` the permission bits of a new file.
pub(crate) fn open(path: &CStr, flags: i32, mode: u32) -> Result<OwnedFd, Errno> {
    let redirected;
    let mut path = path;
    match virt::see(path.to_bytes(), flags & libc::O_NOFOLLOW == 0) {
        Ok(Seen::Os) => {}
        // A directory that is on the disk, too.
        Ok(Seen::Node(node)) if node.shared => {}
        Ok(Seen::Node(node)) => return virt::open(&node, flags),
        Ok(Seen::At(to)) => {
            redirected = to;
            path = redirected.c_str();
        }
        Err(errno) => return Err(virt::cannot_open(path.to_bytes(), errno, flags)),
    }
    let asked = OFlags::from_bits_retain(flags as u32) | OFlags::CLOEXEC;
    let file = retry_on_intr(|| rustix::fs::openat(CWD, path, asked, Mode::from_raw_mode(mode)))?;
    if !virt::writes(flags) && flags & libc::O_DIRECTORY == 0 {
        store::record::read_file(path.to_bytes());
    }
    Ok(file)
}

/// Opens a file for a program, if that may.
pub(crate) fn open_for_program(path: &FsPath, flags: i32, mode: u32) -> FsResult<OwnedFd> {
    permitted_open(path, flags)?;
    open(path.c_str(), flags, mode).on("open", path.bytes())
}

/// Closes a descriptor that the program owns.
pub(crate) fn close(fd: RawFd) -> FsResult<()> {
    if fd < 0 {
        return Err(FsError::new(Errno::BADF, "close"));
    }
    // SAFETY: the program owns the number and asks to close it; an unknown number gives EBADF. libc is used because
    // rustix offers no close that reports errors.
    if unsafe { libc::close(fd) } == 0 {
        return Ok(());
    }
    match Errno::from_io_error(&std::io::Error::last_os_error()) {
        // Linux has released the number in these cases.
        Some(Errno::INTR | Errno::INPROGRESS) => Ok(()),
        errno => Err(FsError::new(errno.unwrap_or(Errno::IO), "close")),
    }
}

/// Reads at `position`, or at the file's own position when it is negative. Returns how many bytes were read.
pub(crate) fn read(fd: RawFd, buffer: &mut [u8], position: i64) -> FsResult<usize> {
    let file = borrow_for(fd, "read")?;
    let got = match position {
        0.. => retry_on_intr(|| rustix::io::pread(file, &mut *buffer, position as u64)),
        _ => retry_on_intr(|| rustix::io::read(file, &mut *buffer)),
    };
    got.during("read")
}

/// Writes at `position`, or at the file's own position when it is negative. Returns how many bytes were written.
pub(crate) fn write(fd: RawFd, bytes: &[u8], position: i64) -> FsResult<usize> {
    if fd <= 2 {
        base::stderr::release();
    }
    let file = borrow_for(fd, "write")?;
    let put = match position {
        0.. => retry_on_intr(|| rustix::io::pwrite(file, bytes, position as u64)),
        _ => retry_on_intr(|| rustix::io::write(file, bytes)),
    };
    put.during("write")
}

/// The kernel takes at most this many parts in one call (IOV_MAX).
const MAX_PARTS: usize = 1024;

/// Fills `parts` one after the other by one read; returns how many bytes were read.
pub(crate) fn read_vectored(fd: RawFd, parts: &mut [&mut [u8]], position: i64) -> FsResult<usize> {
    let file = borrow_for(fd, "read")?;
    if parts.is_empty() {
        return Err(FsError::new(Errno::INVAL, "read"));
    }
    let count = parts.len().min(MAX_PARTS);
    let mut slices: Vec<IoSliceMut<'_>> = parts[..count].iter_mut().map(|part| IoSliceMut::new(part)).collect();
    let got = match position {
        0.. => retry_on_intr(|| rustix::io::preadv(file, &mut slices, position as u64)),
        _ => retry_on_intr(|| rustix::io::readv(file, &mut slices)),
    };
    got.during("read")
}

/// Writes `parts` one after the other; returns how many bytes were written. More parts than the kernel takes at once
/// go in several calls, which end with the first that writes less than it was given.
pub(crate) fn write_vectored(fd: RawFd, parts: &[&[u8]], mut position: i64) -> FsResult<usize> {
    if fd <= 2 {
        base::stderr::release();
    }
    let file = borrow_for(fd, "write")?;
    let mut total = 0;
    let mut chunks = parts.chunks(MAX_PARTS);
    let mut chunk = chunks.next().unwrap_or(&[]);
    loop {
        let slices: Vec<IoSlice<'_>> = chunk.iter().map(|part| IoSlice::new(part)).collect();
        let put = match position {
            0.. => retry_on_intr(|| rustix::io::pwritev(file, &slices, position as u64)),
            _ => retry_on_intr(|| rustix::io::writev(file, &slices)),
        };
        let put = match put {
            Err(_) if total > 0 => return Ok(total),
            other => other.during("write")?,
        };
        total += put;
        if position >= 0 {
            position += put as i64;
        }
        match chunks.next() {
            Some(next) if put == slices.iter().map(|slice| slice.len()).sum::<usize>() => chunk = next,
            _ => return Ok(total),
        }
    }
}

/// Writes everything to a file that the program has opened, and syncs it if asked.
pub(crate) fn write_all_fd(fd: RawFd, bytes: &[u8], flush: bool) -> FsResult<()> {
    write_all(borrow_for(fd, "write")?, bytes)?;
    if flush { fsync(fd) } else { Ok(()) }
}

/// Writes all of `bytes`, in as many calls as it takes.
pub(crate) fn write_all(file: BorrowedFd<'_>, mut bytes: &[u8]) -> FsResult<()> {
    while !bytes.is_empty() {
        let put = retry_on_intr(|| rustix::io::write(file, bytes)).during("write")?;
        bytes = &bytes[put..];
    }
    Ok(())
}

/// Reads the rest of an open file. A regular file is read up to the size that it has at the start, so that reading a
/// file which grows ends; others up to their end. `limit` is the size above which a regular file is refused.
pub(crate) fn read_to_end(file: BorrowedFd<'_>, limit: u64) -> FsResult<Vec<u8>> {
    read_rest(file, &[], limit)
}

/// The same for a file of which `head` has been read already; that and the rest.
pub(crate) fn read_rest(file: BorrowedFd<'_>, head: &[u8], limit: u64) -> FsResult<Vec<u8>> {
    let status = rustix::fs::fstat(file).during("fstat")?;
    let regular = status.st_mode as u32 & libc::S_IFMT == libc::S_IFREG;
    let size = if regular { status.st_size as u64 } else { 0 };
    if size > limit {
        return Err(FsError::too_large(size));
    }
    let mut bytes = Vec::new();
    if size > 0 {
        let size = (size as usize).max(head.len());
        bytes.try_reserve_exact(size).map_err(|_| FsError::new(Errno::NOMEM, "read"))?;
        bytes.extend_from_slice(head);
        while bytes.len() < size {
            let room = size - bytes.len();
            if read_into(file, &mut bytes, room)? == 0 {
                break;
            }
        }
        return Ok(bytes);
    }
    bytes.extend_from_slice(head);
    loop {
        if bytes.capacity() - bytes.len() < CHUNK / 2 {
            let more = bytes.len().max(CHUNK);
            bytes.try_reserve(more).map_err(|_| FsError::new(Errno::NOMEM, "read"))?;
        }
        let room = bytes.capacity() - bytes.len();
        if read_into(file, &mut bytes, room)? == 0 {
            break;
        }
    }
    // Small reads of special files must not pin a whole chunk.
    bytes.shrink_to_fit();
    Ok(bytes)
}

/// Appends one read of at most `room` bytes, for which the vector has capacity.
fn read_into(file: BorrowedFd<'_>, bytes: &mut Vec<u8>, room: usize) -> FsResult<usize> {
    let got = retry_on_intr(|| {
        let spare = &mut bytes.spare_capacity_mut()[..room];
        rustix::io::read(file, spare).map(|(filled, _)| filled.len())
    })
    .during("read")?;
    // SAFETY: the kernel has initialised `got` bytes after the vector's end, within its capacity.
    unsafe { bytes.set_len(bytes.len() + got) };
    Ok(got)
}

/// open, fstat, read, close: the whole of a file.
pub(crate) fn read_file(path: &FsPath, flags: i32, limit: u64) -> FsResult<Vec<u8>> {
    permitted_open(path, flags)?;
    let file = open(path.c_str(), flags, 0o666).on("open", path.bytes())?;
    read_to_end(file.as_fd(), limit)
}

/// The same for a file that the program has opened, from its present position.
pub(crate) fn read_file_fd(fd: RawFd, limit: u64) -> FsResult<Vec<u8>> {
    read_to_end(borrow_for(fd, "fstat")?, limit)
}

/// open, write everything, (fsync,) close.
///
/// A file that is to be truncated is overwritten in place first and cut to its new length then: truncating to nothing
/// makes ext4 write the new contents to the device when the file is closed, which takes twenty times as long.
pub(crate) fn write_file(path: &FsPath, bytes: &[u8], flags: i32, mode: u32, flush: bool) -> FsResult<()> {
    permitted_open(path, flags)?;
    let in_place =
        flags & (libc::O_TRUNC | libc::O_APPEND) == libc::O_TRUNC && flags & libc::O_ACCMODE != libc::O_RDONLY;
    let flags = if in_place { flags & !libc::O_TRUNC } else { flags };
    let file = open(path.c_str(), flags, mode).on("open", path.bytes())?;
    if in_place {
        let status = rustix::fs::fstat(&file).during("fstat")?;
        let regular = status.st_mode as u32 & libc::S_IFMT == libc::S_IFREG;
        let written = write_all(file.as_fd(), bytes);
        // Nothing of the old contents may follow what was written, even when writing failed. An empty file is cut as
        // well, so that its time of change tells.
        if regular && (status.st_size as u64 > bytes.len() as u64 || bytes.is_empty() || written.is_err()) {
            let end = match written {
                Ok(()) => bytes.len() as u64,
                Err(_) => rustix::fs::tell(&file).unwrap_or(0),
            };
            let cut = retry_on_intr(|| rustix::fs::ftruncate(&file, end)).during("ftruncate");
            written.and(cut)?;
        } else {
            written?;
        }
    } else {
        write_all(file.as_fd(), bytes)?;
    }
    if flush {
        retry_on_intr(|| rustix::fs::fsync(&file)).during("fsync")?;
    }
    // A failing close can be the only notice of a failed write (NFS, quotas).
    close(file.into_raw_fd())
}

/// Sets the length of an open file, in bytes.
pub(crate) fn ftruncate(fd: RawFd, len: u64) -> FsResult<()> {
    let file = borrow_for(fd, "ftruncate")?;
    retry_on_intr(|| rustix::fs::ftruncate(file, len)).during("ftruncate")
}

/// open for writing, ftruncate, close.
pub(crate) fn truncate(path: &FsPath, len: u64) -> FsResult<()> {
    permitted_open(path, libc::O_RDWR)?;
    let file = open(path.c_str(), libc::O_RDWR, 0o666).on("open", path.bytes())?;
    retry_on_intr(|| rustix::fs::ftruncate(&file, len)).during("ftruncate")
}

/// Waits until data and metadata are on the device.
pub(crate) fn fsync(fd: RawFd) -> FsResult<()> {
    let file = borrow_for(fd, "fsync")?;
    retry_on_intr(|| rustix::fs::fsync(file)).during("fsync")
}

/// Waits until the data, and what is needed to find it, are on the device.
pub(crate) fn fdatasync(fd: RawFd) -> FsResult<()> {
    let file = borrow_for(fd, "fdatasync")?;
    retry_on_intr(|| rustix::fs::fdatasync(file)).during("fdatasync")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::testing::TempDir;

    #[test]
    fn whole_files() {
        let dir = TempDir::new();
        let path = dir.path("f");
        let create = libc::O_WRONLY | libc::O_CREAT | libc::O_TRUNC;
        for size in [0, 1, 4096, 300_000] {
            let data: Vec<u8> = (0..size).map(|i| i as u8).collect();
            write_file(&path, &data, create, 0o644, true).unwrap();
            assert_eq!(read_file(&path, 0, MAX_WHOLE_READ).unwrap(), data);
        }
        assert_eq!(read_file(&path, 0, 10).unwrap_err().too_large, Some(300_000));
        for data in [&b"shorter"[..], b"", b"longer again"] {
            write_file(&path, data, create, 0o644, false).unwrap();
            assert_eq!(read_file(&path, 0, MAX_WHOLE_READ).unwrap(), data);
        }
        write_file(&path, b" and more", libc::O_WRONLY | libc::O_APPEND, 0, false).unwrap();
        assert_eq!(read_file(&path, 0, MAX_WHOLE_READ).unwrap(), b"longer again and more");
        write_file(&FsPath::from_bytes(b"/dev/null").unwrap(), b"x", create, 0o644, false).unwrap();
        let proc = FsPath::from_bytes(b"/proc/self/status").unwrap();
        assert!(read_file(&proc, 0, MAX_WHOLE_READ).unwrap().len() > 100);
        let missing = read_file(&dir.path("none"), 0, MAX_WHOLE_READ).unwrap_err();
        assert_eq!((missing.errno, missing.syscall), (Errno::NOENT, "open"));
        let on_dir = read_file(&dir.path(""), 0, MAX_WHOLE_READ).unwrap_err();
        assert_eq!((on_dir.errno, on_dir.syscall, on_dir.path), (Errno::ISDIR, "read", None));
    }

    #[test]
    fn positions() {
        let dir = TempDir::new();
        let fd = open_for_program(&dir.path("f"), libc::O_RDWR | libc::O_CREAT, 0o600).unwrap().into_raw_fd();
        assert_eq!(write(fd, b"hello world", -1).unwrap(), 11);
        assert_eq!(write(fd, b"W", 6).unwrap(), 1);
        let mut buffer = [0; 5];
        assert_eq!(read(fd, &mut buffer, 6).unwrap(), 5);
        assert_eq!(&buffer, b"World");
        ftruncate(fd, 3).unwrap();
        assert_eq!(read(fd, &mut buffer, 0).unwrap(), 3);
        let parts: Vec<&[u8]> = vec![b"ab"; 2000];
        assert_eq!(write_vectored(fd, &parts, 1).unwrap(), 4000);
        let (mut one, mut two) = ([0; 2], [0; 3]);
        assert_eq!(read_vectored(fd, &mut [&mut one, &mut two], 0).unwrap(), 5);
        assert_eq!((&one, &two), (b"ha", b"bab"));
        assert_eq!(read_file_fd(fd, 10_000).unwrap().len(), 4001 - 11);
        write_all_fd(fd, b"end", true).unwrap();
        fsync(fd).unwrap();
        fdatasync(fd).unwrap();
        close(fd).unwrap();
        assert_eq!(close(fd).unwrap_err().errno, Errno::BADF);
        assert_eq!(close(-1).unwrap_err().errno, Errno::BADF);
        assert_eq!(read(-1, &mut buffer, -1).unwrap_err().syscall, "read");
    }
}
