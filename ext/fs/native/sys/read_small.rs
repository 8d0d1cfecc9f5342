//! Small files, read whole into a buffer of the thread: no size is asked for and nothing is allocated.
//!
//! A read that comes back short of its buffer has reached the end only where that is known of the file: a pipe or a file
//! of /proc may have more. `RWF_NOWAIT` tells: the kernel refuses it (EOPNOTSUPP) for files that are not in the page
//! cache, and a read of one that is ends early at the end of the file or at a page that is not in memory, which is a
//! multiple of the page size. So `open`, `preadv2` and `close` are enough for nearly all small files.
//!
//! The same flag, and `RESOLVE_CACHED` for the path, make an attempt that never waits for a device ([`try_now`]): the
//! thread of the loop may do that itself, because a trip to another thread and back takes longer. File systems whose
//! `open` asks somebody are left out ([`mounts`]).

use std::cell::Cell;
use std::io::IoSliceMut;
use std::os::fd::{AsFd, BorrowedFd, IntoRawFd, OwnedFd};

use base::permission::Area;
use rustix::fs::{CWD, Mode, OFlags, SeekFrom};
use rustix::io::{Errno, ReadWriteFlags, retry_on_intr};

use super::error::{Context, FsError, FsResult, permitted, permitted_open};
use super::path::FsPath;
use super::virt::{self, Seen};
use super::{file, mounts};

/// Files of fewer bytes are small.
pub(crate) const ROOM: usize = 64 * 1024;
/// Page caches hold pages of this size, or multiples of it.
const PAGE: usize = 4096;
/// After a refusal so many files are read without asking again.
const PAUSE: u32 = 200;

thread_local! {
    static BUFFER: Cell<Option<Box<[u8]>>> = const { Cell::new(None) };
    /// Files to come that are read without `RWF_NOWAIT`: it was refused.
    static PAUSED: Cell<u32> = const { Cell::new(0) };
}

/// Runs `f` with the thread's buffer.
pub(crate) fn with_buffer<R>(f: impl FnOnce(&mut [u8]) -> R) -> R {
    let mut buffer = BUFFER.take().unwrap_or_else(|| vec![0; ROOM].into_boxed_slice());
    let result = f(&mut buffer);
    BUFFER.set(Some(buffer));
    result
}

/// Whether the kernel may be asked for what it refused lately.
fn ask() -> bool {
    let left = PAUSED.get();
    if left > 0 {
        PAUSED.set(left - 1);
    }
    left == 0
}

/// Closes a file that was only read. (`OwnedFd` would go through libc, where closing is a point of cancellation.)
fn close(fd: OwnedFd) {
    // SAFETY: the descriptor is owned and not used again.
    unsafe { rustix::io::close(fd.into_raw_fd()) };
}

fn read_cached(file: BorrowedFd<'_>, buffer: &mut [u8]) -> Result<usize, Errno> {
    rustix::io::preadv2(file, &mut [IoSliceMut::new(buffer)], 0, ReadWriteFlags::NOWAIT)
}

/// What came of reading a file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Content {
    /// So many bytes, in the buffer.
    Small(usize),
    /// More than fits.
    Large(Vec<u8>),
}

/// The whole of a file, waiting where need be.
pub(crate) fn read(path: &FsPath, flags: i32, limit: u64, buffer: &mut [u8]) -> FsResult<Content> {
    permitted_open(path, flags)?;
    if !virt::writes(flags)
        && let Ok(Seen::Node(node)) = virt::see(path.bytes(), true)
        && !node.shared
    {
        if node.is_dir() {
            return Err(FsError::new(Errno::ISDIR, "read"));
        }
        let content = node.content().during("read")?;
        return match buffer.get_mut(..content.len()) {
            Some(place) => {
                place.copy_from_slice(content);
                Ok(Content::Small(content.len()))
            }
            None if content.len() as u64 > limit => Err(FsError::too_large(content.len() as u64)),
            None => Ok(Content::Large(content.to_vec())),
        };
    }
    let fd = file::open(path.c_str(), flags, 0o666).on("open", path.bytes())?;
    let content = read_open(fd.as_fd(), flags == 0 && ask(), limit, buffer);
    close(fd);
    content
}

fn read_open(file: BorrowedFd<'_>, ask: bool, limit: u64, buffer: &mut [u8]) -> FsResult<Content> {
    let mut length = 0;
    let mut positioned = false;
    if ask {
        match read_cached(file, buffer) {
            Ok(got) if got % PAGE != 0 => return Ok(Content::Small(got)),
            Ok(got) => (length, positioned) = (got, got > 0),
            Err(Errno::OPNOTSUPP | Errno::INVAL | Errno::NOSYS) => PAUSED.set(PAUSE),
            Err(_) => {}
        }
    }
    while length < buffer.len() {
        let room = &mut buffer[length..];
        let got = match positioned {
            true => retry_on_intr(|| rustix::io::pread(file, &mut *room, length as u64)),
            false => retry_on_intr(|| rustix::io::read(file, &mut *room)),
        };
        match got.during("read")? {
            0 => return Ok(Content::Small(length)),
            got => length += got,
        }
    }
    if positioned {
        rustix::fs::seek(file, SeekFrom::Start(length as u64)).during("read")?;
    }
    file::read_rest(file, buffer, limit).map(Content::Large)
}

/// What came of an attempt to read a file without waiting.
#[derive(Debug)]
pub(crate) enum Attempt {
    /// So many bytes, all of the file, are in the buffer.
    Done(usize),
    /// It was opened, for [`read_opened`] on another thread.
    Opened(OwnedFd),
    /// It takes another thread.
    Elsewhere,
}

/// Opens a file and reads all of it if neither takes waiting and it is small.
pub(crate) fn try_now(path: &FsPath, buffer: &mut [u8]) -> Attempt {
    if permitted(Area::Read, path).is_err() {
        return Attempt::Elsewhere;
    }
    match virt::see(path.bytes(), true) {
        Ok(Seen::Os) => {}
        Ok(Seen::Node(node)) if !node.is_dir() => {
            return match node.content().ok().and_then(|content| Some((content, buffer.get_mut(..content.len())?))) {
                Some((content, place)) => {
                    place.copy_from_slice(content);
                    Attempt::Done(content.len())
                }
                None => Attempt::Elsewhere,
            };
        }
        _ => return Attempt::Elsewhere,
    }
    if !ask() {
        return Attempt::Elsewhere;
    }
    let Some(restrictions) = mounts::restrictions(path.bytes()) else {
        return Attempt::Elsewhere;
    };
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let fd = match rustix::fs::openat2(CWD, path.c_str(), flags, Mode::empty(), restrictions) {
        Ok(fd) => fd,
        Err(error) => {
            if matches!(error, Errno::NOSYS | Errno::INVAL | Errno::PERM) {
                PAUSED.set(PAUSE);
            }
            return Attempt::Elsewhere;
        }
    };
    store::record::read_file(path.bytes());
    match read_cached(fd.as_fd(), buffer) {
        Ok(got) if got % PAGE != 0 => {
            close(fd);
            Attempt::Done(got)
        }
        Err(Errno::OPNOTSUPP | Errno::INVAL | Errno::NOSYS) => {
            PAUSED.set(PAUSE);
            Attempt::Opened(fd)
        }
        _ => Attempt::Opened(fd),
    }
}

/// Reads what [`try_now`] opened.
pub(crate) fn read_opened(fd: OwnedFd, limit: u64) -> FsResult<Vec<u8>> {
    let status = rustix::fs::fstat(&fd).during("fstat")?;
    if status.st_mode as u32 & libc::S_IFMT == libc::S_IFIFO {
        // Opening it did not wait for somebody who writes; this does, until there is something or they have gone.
        let mut ready = libc::pollfd { fd: std::os::fd::AsRawFd::as_raw_fd(&fd), events: libc::POLLIN, revents: 0 };
        // SAFETY: one entry on the stack, of a descriptor that is open.
        while unsafe { libc::poll(&mut ready, 1, -1) } < 0 {
            let errno = Errno::from_io_error(&std::io::Error::last_os_error());
            if errno != Some(Errno::INTR) {
                return Err(FsError::new(errno.unwrap_or(Errno::IO), "read"));
            }
        }
    }
    let flags = rustix::fs::fcntl_getfl(&fd).during("read")?;
    rustix::fs::fcntl_setfl(&fd, flags - OFlags::NONBLOCK).during("read")?;
    file::read_to_end(fd.as_fd(), limit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::testing::TempDir;

    fn read_now(path: &FsPath) -> Vec<u8> {
        with_buffer(|buffer| match try_now(path, buffer) {
            Attempt::Done(length) => buffer[..length].to_vec(),
            Attempt::Opened(fd) => read_opened(fd, u64::MAX).unwrap(),
            Attempt::Elsewhere => file::read_file(path, 0, u64::MAX).unwrap(),
        })
    }

    #[test]
    fn sizes() {
        let dir = TempDir::new();
        let path = dir.path("f");
        for size in [0, 1, 4095, 4096, 4097, 8192, ROOM - 1, ROOM, ROOM + 1, 3 * ROOM, 3 * ROOM + 5] {
            let data: Vec<u8> = (0..size).map(|i| (i * 7 / 3) as u8).collect();
            std::fs::write(dir.text("f"), &data).unwrap();
            for _ in 0..2 {
                let got = with_buffer(|buffer| match read(&path, 0, u64::MAX, buffer).unwrap() {
                    Content::Small(length) => buffer[..length].to_vec(),
                    Content::Large(bytes) => bytes,
                });
                assert!(got == data, "{size} bytes");
                assert!(read_now(&path) == data, "{size} bytes at once");
            }
        }
        let large = with_buffer(|buffer| read(&path, 0, 1000, buffer)).unwrap_err();
        assert_eq!(large.too_large, Some(3 * ROOM as u64 + 5));
        let missing = with_buffer(|buffer| read(&dir.path("none"), 0, u64::MAX, buffer)).unwrap_err();
        assert_eq!((missing.errno, missing.syscall), (Errno::NOENT, "open"));
        let on_dir = with_buffer(|buffer| read(&dir.path(""), 0, u64::MAX, buffer)).unwrap_err();
        assert_eq!((on_dir.errno, on_dir.syscall, on_dir.path), (Errno::ISDIR, "read", None));
    }

    #[test]
    fn special_files() {
        let path = FsPath::from_bytes(b"/proc/self/status").unwrap();
        assert!(read_now(&path).len() > 100);
        let got = with_buffer(|buffer| read(&path, 0, u64::MAX, buffer)).unwrap();
        assert!(matches!(got, Content::Small(length) if length > 100));
        PAUSED.set(0);
        let null = FsPath::from_bytes(b"/dev/null").unwrap();
        assert!(read_now(&null).is_empty());
    }

    #[test]
    fn pipes_by_name() {
        let dir = TempDir::new();
        let path = dir.path("p");
        rustix::fs::mkfifoat(CWD, path.c_str(), Mode::from_raw_mode(0o600)).unwrap();
        let name = dir.text("p");
        let writer = std::thread::spawn(move || {
            std::thread::sleep(std::time::Duration::from_millis(30));
            use std::io::Write;
            let mut pipe = std::fs::OpenOptions::new().write(true).open(name).unwrap();
            pipe.write_all(b"one ").unwrap();
            std::thread::sleep(std::time::Duration::from_millis(30));
            pipe.write_all(b"two").unwrap();
        });
        assert_eq!(read_now(&path), b"one two");
        writer.join().unwrap();
    }
}
