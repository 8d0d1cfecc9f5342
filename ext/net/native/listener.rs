//! Sockets that accept connections.

use std::cell::Cell;
use std::os::fd::RawFd;
use std::rc::Rc;

use engine::{JsResult, Scope};
use poll::{Key, Ready, Source};

use crate::net::{Callback, Net, Resource, last_errno};
use crate::stream::Stream;

/// A bound socket that accepts connections once it listens.
pub struct Listener {
    net: Rc<Net>,
    pub id: u32,
    fd: Cell<RawFd>,
    key: Cell<Option<Key>>,
    refed: Cell<bool>,
    counted: Cell<bool>,
}

/// Connections accepted before other sources get their turn.
const BATCH: usize = 64;

impl Listener {
    /// Takes over a bound, non-blocking socket.
    pub fn adopt(net: &Rc<Net>, fd: RawFd) -> Rc<Listener> {
        let mut made = None;
        net.insert(|id| {
            let listener = Rc::new(Listener {
                net: net.clone(),
                id,
                fd: Cell::new(fd),
                key: Cell::new(None),
                refed: Cell::new(true),
                counted: Cell::new(false),
            });
            made = Some(listener.clone());
            Resource::Listener(listener)
        });
        made.expect("made by the call above")
    }

    /// The descriptor, -1 when closed.
    pub fn fd(&self) -> RawFd {
        self.fd.get()
    }

    /// Begins to listen: 0 or a negative errno.
    pub fn listen(self: &Rc<Self>, backlog: i32) -> i32 {
        // SAFETY: a plain system call.
        if unsafe { libc::listen(self.fd.get(), backlog) } < 0 {
            return -last_errno();
        }
        if self.key.get().is_none() {
            match self.net.poller.add_readable(self.fd.get(), self.clone()) {
                Ok(key) => self.key.set(Some(key)),
                Err(error) => return crate::net::negative(&error),
            }
        }
        if self.net.spare.get() < 0 {
            // Given up for a moment where there are no more descriptors: see `accept`.
            // SAFETY: a constant path; the descriptor is kept for the life of the thread.
            self.net.spare.set(unsafe { libc::open(c"/".as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC) });
        }
        self.account();
        0
    }

    fn account(&self) {
        let wanted = self.refed.get() && self.key.get().is_some();
        if wanted != self.counted.replace(wanted) {
            self.net.poller.count_refs(if wanted { 1 } else { -1 });
        }
    }

    /// Whether the loop waits for it.
    pub fn set_ref(&self, on: bool) {
        self.refed.set(on);
        self.account();
    }

    /// See [`Listener::set_ref`].
    pub fn has_ref(&self) -> bool {
        self.refed.get()
    }

    /// Closes; JavaScript is told at the end of the turn.
    pub fn close(self: &Rc<Self>) {
        let fd = self.fd.replace(-1);
        if fd < 0 {
            return;
        }
        if let Some(key) = self.key.take() {
            self.net.poller.remove(key, fd);
        }
        // SAFETY: ours, and forgotten.
        unsafe { libc::close(fd) };
        self.account();
        self.net.poller.close_later(self.clone());
    }

    fn accept(&self) -> Result<RawFd, i32> {
        let flags = libc::SOCK_NONBLOCK | libc::SOCK_CLOEXEC;
        loop {
            // SAFETY: the address is not asked for.
            let fd = unsafe { libc::accept4(self.fd.get(), std::ptr::null_mut(), std::ptr::null_mut(), flags) };
            if fd >= 0 {
                return Ok(fd);
            }
            match last_errno() {
                libc::EINTR | libc::ECONNABORTED => {}
                errno @ (libc::EMFILE | libc::ENFILE) => {
                    // A connection that cannot be accepted would make the listener ready for ever: the spare
                    // descriptor is given up to take it and hang up.
                    let spare = self.net.spare.replace(-1);
                    if spare < 0 {
                        return Err(errno);
                    }
                    // SAFETY: descriptors of ours.
                    unsafe {
                        libc::close(spare);
                        let fd = libc::accept4(self.fd.get(), std::ptr::null_mut(), std::ptr::null_mut(), flags);
                        if fd >= 0 {
                            libc::close(fd);
                        }
                        self.net.spare.set(libc::open(c"/".as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC));
                        if fd < 0 {
                            return Err(libc::EAGAIN);
                        }
                    }
                }
                errno => return Err(errno),
            }
        }
    }
}

impl Source for Listener {
    fn ready(self: Rc<Self>, scope: &mut Scope<'_>, _ready: Ready) -> JsResult<()> {
        for _ in 0..BATCH {
            let (errno, id) = match self.accept() {
                Ok(fd) => (0, Stream::adopt(&self.net, fd, true).id as i32),
                Err(libc::EAGAIN) => return Ok(()),
                Err(errno) => (-errno, -1),
            };
            let result = scope.nested(|scope| {
                let args = [scope.int(self.id as i32), scope.int(errno), scope.int(id)];
                self.net.call(scope, Callback::Connection, &args).map(drop)
            });
            result?;
            if errno != 0 || self.fd.get() < 0 {
                break;
            }
        }
        Ok(())
    }

    fn closed(self: Rc<Self>, scope: &mut Scope<'_>) -> JsResult<()> {
        self.net.closed(scope, self.id)
    }
}
