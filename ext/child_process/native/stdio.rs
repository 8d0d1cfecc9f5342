//! The descriptors that a child starts with, and the parent's ends of them.

use engine::ts_constants;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

/// The kinds of entries of `stdio` in JavaScript, as [`Stdio`] has them.
#[ts_constants]
#[allow(clippy::module_inception, reason = "TypeScript knows the constants by the module's name")]
mod stdio {
    pub(super) const IGNORE: i32 = 0;
    pub(super) const FD: i32 = 1;
    pub(super) const INPUT: i32 = 2;
    pub(super) const OUTPUT: i32 = 3;
    pub(super) const DUPLEX: i32 = 4;
    pub(super) const CHANNEL: i32 = 5;
}

/// One entry of `stdio`. In JavaScript: two numbers, the kind and a descriptor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stdio {
    /// Nothing; /dev/null for the three standard descriptors.
    Ignore,
    /// A descriptor of this process.
    Fd(RawFd),
    /// A pipe that this process writes to.
    Input,
    /// A pipe that this process reads.
    Output,
    /// A pair of sockets: both sides read and write.
    Duplex,
    /// The same, for messages that may have descriptors with them.
    Channel,
}

impl Stdio {
    /// From pairs (kind, descriptor); `None` for an unknown kind.
    pub(crate) fn list(numbers: &[f64]) -> Option<Vec<Stdio>> {
        numbers
            .chunks(2)
            .map(|pair| match pair[0] as i32 {
                stdio::IGNORE => Some(Stdio::Ignore),
                stdio::FD => pair.get(1).map(|&fd| Stdio::Fd(fd as RawFd)),
                stdio::INPUT => Some(Stdio::Input),
                stdio::OUTPUT => Some(Stdio::Output),
                stdio::DUPLEX => Some(Stdio::Duplex),
                stdio::CHANNEL => Some(Stdio::Channel),
                _ => None,
            })
            .collect()
    }
}

/// The parent's end of a pipe.
pub(crate) struct End {
    pub fd: OwnedFd,
    pub socket: bool,
    /// Descriptors are passed through it.
    pub channel: bool,
}

/// Descriptors for a child that is about to be started.
pub(crate) struct Opened {
    /// For each number of the child a descriptor of this process, or -1.
    pub child: Vec<RawFd>,
    /// This process's ends, non-blocking.
    pub ours: Vec<Option<End>>,
    /// The child's ends, to be closed here once the child has them.
    theirs: Vec<OwnedFd>,
}

/// Opens what the entries ask for. All new descriptors are closed on exec.
pub(crate) fn open(entries: &[Stdio]) -> io::Result<Opened> {
    let mut opened = Opened { child: Vec::new(), ours: Vec::new(), theirs: Vec::new() };
    for entry in entries {
        let (child, ours) = match *entry {
            Stdio::Ignore => (-1, None),
            Stdio::Fd(fd) => (fd, None),
            Stdio::Input => {
                let (reader, writer) = pipe()?;
                (opened.keep(reader), Some(End { fd: writer, socket: false, channel: false }))
            }
            Stdio::Output => {
                let (reader, writer) = pipe()?;
                (opened.keep(writer), Some(End { fd: reader, socket: false, channel: false }))
            }
            Stdio::Duplex | Stdio::Channel => {
                let (mine, other) = socket_pair()?;
                let channel = *entry == Stdio::Channel;
                (opened.keep(other), Some(End { fd: mine, socket: true, channel }))
            }
        };
        if let Some(end) = &ours {
            set_new_nonblocking(end.fd.as_raw_fd())?;
        }
        opened.child.push(child);
        opened.ours.push(ours);
    }
    Ok(opened)
}

impl Opened {
    fn keep(&mut self, fd: OwnedFd) -> RawFd {
        let raw = fd.as_raw_fd();
        self.theirs.push(fd);
        raw
    }
}

/// A pipe whose ends wait and are closed on exec: reader and writer.
pub(crate) fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let mut fds = [-1; 2];
    // SAFETY: pipe2 writes two descriptors, which are then owned here.
    unsafe {
        if libc::pipe2(fds.as_mut_ptr(), libc::O_CLOEXEC) != 0 {
            return Err(io::Error::last_os_error());
        }
        Ok((OwnedFd::from_raw_fd(fds[0]), OwnedFd::from_raw_fd(fds[1])))
    }
}

fn socket_pair() -> io::Result<(OwnedFd, OwnedFd)> {
    let mut fds = [-1; 2];
    // SAFETY: socketpair writes two descriptors, which are then owned here.
    unsafe {
        if libc::socketpair(libc::AF_UNIX, libc::SOCK_STREAM | libc::SOCK_CLOEXEC, 0, fds.as_mut_ptr()) != 0 {
            return Err(io::Error::last_os_error());
        }
        Ok((OwnedFd::from_raw_fd(fds[0]), OwnedFd::from_raw_fd(fds[1])))
    }
}

/// [`set_nonblocking`] for a pipe or socket just made, which has no other flags that could be lost.
fn set_new_nonblocking(fd: RawFd) -> io::Result<()> {
    // SAFETY: a plain system call.
    if unsafe { libc::fcntl(fd, libc::F_SETFL, libc::O_NONBLOCK) } < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

/// Makes reads and writes of `fd` come back with EAGAIN instead of waiting.
pub(crate) fn set_nonblocking(fd: RawFd) -> io::Result<()> {
    // SAFETY: plain system calls.
    unsafe {
        let flags = libc::fcntl(fd, libc::F_GETFL);
        if flags < 0 || libc::fcntl(fd, libc::F_SETFL, flags | libc::O_NONBLOCK) < 0 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(())
}

/// What a pipe holds at first.
pub(crate) const PIPE_SIZE: usize = 64 << 10;

/// Lets a pipe hold as much as the system allows without privileges, which saves both sides many turns where much goes
/// through it. Refused where the user has many such pipes already; then it stays as it is.
pub(crate) fn enlarge_pipe(fd: RawFd) {
    // SAFETY: a plain system call.
    unsafe { libc::fcntl(fd, libc::F_SETPIPE_SZ, 1 << 20) };
}

/// One read into the spare room of `buffer`, which grows by up to `room` bytes. `Ok(0)` is the end.
pub(crate) fn read_some(fd: RawFd, buffer: &mut Vec<u8>, room: usize) -> io::Result<usize> {
    buffer.reserve(room);
    loop {
        let spare = buffer.spare_capacity_mut();
        // SAFETY: reads into spare capacity and counts what was written.
        let count = unsafe { libc::read(fd, spare.as_mut_ptr().cast(), spare.len()) };
        if count >= 0 {
            // SAFETY: the kernel has written that many bytes.
            unsafe { buffer.set_len(buffer.len() + count as usize) };
            return Ok(count as usize);
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}

/// One write, as much as fits.
pub(crate) fn write_some(fd: RawFd, socket: bool, bytes: &[u8]) -> io::Result<usize> {
    loop {
        // SAFETY: reads `bytes` only. SIGPIPE is ignored in this process; sockets would not need that.
        let count = unsafe {
            if socket {
                libc::send(fd, bytes.as_ptr().cast(), bytes.len(), libc::MSG_NOSIGNAL)
            } else {
                libc::write(fd, bytes.as_ptr().cast(), bytes.len())
            }
        };
        if count >= 0 {
            return Ok(count as usize);
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}
