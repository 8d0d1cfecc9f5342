//! The parent's ends of pipes: read and written by futures on the thread's loop, no thread waits for them.

use std::cell::{Cell, OnceCell, RefCell};
use std::future::poll_fn;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::task::{Context, Poll, Waker, ready};

use tokio::io::unix::AsyncFd;

use crate::stdio::{End, read_some, write_some};

/// Most bytes of one read: what a pipe holds.
const CHUNK: usize = 64 << 10;

/// A pipe or socket. At most one read and one write wait at any time, which the JavaScript side sees to.
pub struct Pipe {
    raw: RawFd,
    socket: bool,
    /// The descriptor until the loop's reactor knows it.
    idle: RefCell<Option<OwnedFd>>,
    registered: OnceCell<AsyncFd<OwnedFd>>,
    closed: Cell<bool>,
    /// The read under way is to end.
    canceled: Cell<bool>,
    reader: RefCell<Option<Waker>>,
    writer: RefCell<Option<Waker>>,
}

impl Pipe {
    /// `end` has to be non-blocking.
    pub fn new(end: End) -> Self {
        Pipe {
            raw: end.fd.as_raw_fd(),
            socket: end.socket,
            idle: RefCell::new(Some(end.fd)),
            registered: OnceCell::new(),
            closed: Cell::new(false),
            canceled: Cell::new(false),
            reader: RefCell::default(),
            writer: RefCell::default(),
        }
    }

    /// The number of the descriptor, valid while `self` is.
    pub fn fd(&self) -> RawFd {
        self.raw
    }

    /// Wakes what waits; the descriptor is closed with the last reference to `self`.
    pub fn close(&self) {
        self.closed.set(true);
        for waker in [self.reader.take(), self.writer.take()].into_iter().flatten() {
            waker.wake();
        }
    }

    /// Ends the read under way (there has to be one) with ECANCELED; nothing is lost.
    pub fn cancel_read(&self) {
        self.canceled.set(true);
        if let Some(waker) = self.reader.take() {
            waker.wake();
        }
    }

    /// One write, as much as fits now.
    pub fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
        write_some(self.raw, self.socket, bytes)
    }

    /// Ends the writing side: the peer reads to the end. Only for sockets; a pipe is closed.
    pub fn shutdown(&self) -> io::Result<()> {
        // SAFETY: a plain system call on an open descriptor.
        if unsafe { libc::shutdown(self.raw, libc::SHUT_WR) } == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }

    /// The descriptor in the reactor of the thread, inside of which this has to be called.
    fn registered(&self) -> io::Result<&AsyncFd<OwnedFd>> {
        if let Some(registered) = self.registered.get() {
            return Ok(registered);
        }
        let fd = self.idle.take().ok_or_else(canceled)?;
        let registered = AsyncFd::new(fd)?;
        Ok(self.registered.get_or_init(|| registered))
    }

    fn poll_read(&self, cx: &mut Context<'_>) -> Poll<io::Result<Option<Vec<u8>>>> {
        if self.canceled.take() || self.closed.get() {
            return Poll::Ready(Err(canceled()));
        }
        *self.reader.borrow_mut() = Some(cx.waker().clone());
        let registered = self.registered()?;
        loop {
            let mut guard = ready!(registered.poll_read_ready(cx))?;
            let mut buffer = Vec::new();
            match guard.try_io(|fd| read_some(fd.as_raw_fd(), &mut buffer, CHUNK)) {
                Ok(Ok(0)) => return Poll::Ready(Ok(None)),
                Ok(Ok(count)) => {
                    // Small messages do not keep a large buffer alive.
                    return Poll::Ready(Ok(Some(if count < CHUNK / 4 { buffer.as_slice().to_vec() } else { buffer })));
                }
                // The peer closed its socket with data of ours unread.
                Ok(Err(error)) if error.kind() == io::ErrorKind::ConnectionReset && self.socket => {
                    return Poll::Ready(Ok(None));
                }
                Ok(Err(error)) => return Poll::Ready(Err(error)),
                Err(_would_block) => {}
            }
        }
    }

    /// Forgets a [`Pipe::cancel_read`] that came when the read was done already; to be called before each read.
    pub fn begin_read(&self) {
        self.canceled.set(false);
    }

    /// Waits for data and gives it; `None` at the end. ECANCELED where the pipe is closed meanwhile.
    pub async fn read(&self) -> io::Result<Option<Vec<u8>>> {
        poll_fn(|cx| self.poll_read(cx)).await
    }

    fn poll_write(&self, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        if self.closed.get() {
            return Poll::Ready(Err(canceled()));
        }
        *self.writer.borrow_mut() = Some(cx.waker().clone());
        let registered = self.registered()?;
        loop {
            let mut guard = ready!(registered.poll_write_ready(cx))?;
            match guard.try_io(|fd| write_some(fd.as_raw_fd(), self.socket, bytes)) {
                Ok(result) => return Poll::Ready(result),
                Err(_would_block) => {}
            }
        }
    }

    /// Writes all of `bytes`. ECANCELED where the pipe is closed meanwhile.
    pub async fn write_all(&self, bytes: &[u8]) -> io::Result<()> {
        let mut rest = bytes;
        while !rest.is_empty() {
            let count = poll_fn(|cx| self.poll_write(cx, rest)).await?;
            rest = &rest[count..];
        }
        Ok(())
    }
}

fn canceled() -> io::Error {
    io::Error::from_raw_os_error(libc::ECANCELED)
}
