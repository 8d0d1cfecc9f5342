//! Datagram sockets.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::os::fd::RawFd;
use std::rc::Rc;

use engine::{JsResult, Scope};
use poll::{Key, Ready, Source};

use crate::addr::Address;
use crate::net::{Callback, Net, Resource, copied, last_errno};

/// A datagram socket.
pub struct Udp {
    net: Rc<Net>,
    pub id: u32,
    fd: Cell<RawFd>,
    key: Cell<Option<Key>>,
    receiving: Cell<bool>,
    refed: Cell<bool>,
    counted: Cell<bool>,
    queue: RefCell<VecDeque<(Vec<u8>, Option<Address>)>>,
    queued: Cell<usize>,
    /// The write event is to tell when there is room.
    hungry: Cell<bool>,
}

/// Datagrams handled before other sources get their turn.
const BATCH: usize = 32;
/// Most datagrams of one system call, as the kernel has it.
const MANY: usize = 1024;

impl Udp {
    /// Takes over a non-blocking datagram socket.
    pub fn adopt(net: &Rc<Net>, fd: RawFd) -> Rc<Udp> {
        let mut made = None;
        net.insert(|id| {
            let udp = Rc::new(Udp {
                net: net.clone(),
                id,
                fd: Cell::new(fd),
                key: Cell::new(None),
                receiving: Cell::new(false),
                refed: Cell::new(true),
                counted: Cell::new(false),
                queue: RefCell::default(),
                queued: Cell::new(0),
                hungry: Cell::new(false),
            });
            made = Some(udp.clone());
            Resource::Udp(udp)
        });
        made.expect("made by the call above")
    }

    /// Whether datagrams are asked for.
    pub fn is_receiving(&self) -> bool {
        self.receiving.get()
    }

    /// The descriptor, -1 when closed.
    pub fn fd(&self) -> RawFd {
        self.fd.get()
    }

    fn account(&self) {
        let wanted = self.refed.get()
            && self.fd.get() >= 0
            && (self.receiving.get() || self.queued.get() > 0 || self.hungry.get());
        if wanted != self.counted.replace(wanted) {
            self.net.poller.count_refs(if wanted { 1 } else { -1 });
        }
    }

    /// Whether the loop waits for it.
    pub fn set_ref(&self, on: bool) {
        self.refed.set(on);
        self.account();
    }

    /// See [`Udp::set_ref`].
    pub fn has_ref(&self) -> bool {
        self.refed.get()
    }

    /// Bytes and number of datagrams that wait for the kernel.
    pub fn queued(&self) -> (usize, usize) {
        (self.queued.get(), self.queue.borrow().len())
    }

    /// Begins or stops to receive: 0 or a negative errno.
    pub fn receive(self: &Rc<Self>, on: bool) -> i32 {
        self.receiving.set(on);
        let errno = self.watch();
        self.account();
        errno
    }

    fn watch(self: &Rc<Self>) -> i32 {
        let fd = self.fd.get();
        let result = match self.key.get() {
            None => self.net.poller.add_readable(fd, self.clone()).map(|key| self.key.set(Some(key))),
            Some(_) => Ok(()),
        };
        let result = result.and_then(|()| match self.key.get() {
            Some(key) => self.net.poller.modify(
                key,
                fd,
                self.receiving.get(),
                self.hungry.get() || !self.queue.borrow().is_empty(),
            ),
            None => Ok(()),
        });
        result.err().map_or(0, |error| crate::net::negative(&error))
    }

    /// Sends a datagram: its length, 0 where it is sent later ([`Callback::Write`] tells of each in turn), or a negative
    /// errno.
    pub fn send(self: &Rc<Self>, bytes: &[u8], to: Option<&Address>) -> Result<bool, i32> {
        if self.queue.borrow().is_empty() {
            match self.send_now(bytes, to) {
                Ok(()) => return Ok(true),
                Err(libc::EAGAIN) => {}
                Err(errno) => return Err(-errno),
            }
        }
        self.queue.borrow_mut().push_back((bytes.to_vec(), to.copied()));
        self.queued.set(self.queued.get() + bytes.len());
        let errno = self.watch();
        self.account();
        if errno < 0 { Err(errno) } else { Ok(false) }
    }

    /// Sends datagrams (where each one ends in `bytes`, and its address) as far as the kernel takes them now: their number, or
    /// a negative errno where the first one cannot be sent. Where that are not all, the write event tells when there is room.
    pub fn send_some(self: &Rc<Self>, bytes: &[u8], list: &[(usize, Option<Address>)]) -> Result<usize, i32> {
        let mut parts = Vec::with_capacity(list.len());
        let mut from = 0;
        for (end, _) in list {
            let part = &bytes[from..*end];
            parts.push(libc::iovec { iov_base: part.as_ptr().cast_mut().cast(), iov_len: part.len() });
            from = *end;
        }
        let mut messages: Vec<libc::mmsghdr> = Vec::with_capacity(list.len());
        for (part, (_, to)) in parts.iter_mut().zip(list) {
            // SAFETY: all zeros is a valid value of this plain struct.
            let mut message: libc::mmsghdr = unsafe { std::mem::zeroed() };
            message.msg_hdr.msg_iov = part;
            message.msg_hdr.msg_iovlen = 1;
            if let Some(to) = to {
                message.msg_hdr.msg_name = to.as_ptr().cast_mut().cast();
                message.msg_hdr.msg_namelen = to.len();
            }
            messages.push(message);
        }
        let mut sent = 0;
        while sent < messages.len() {
            let rest = &mut messages[sent..];
            let length = rest.len().min(MANY) as u32;
            // SAFETY: headers of slices and addresses that outlive the call; the descriptor is ours.
            let count = unsafe { libc::sendmmsg(self.fd.get(), rest.as_mut_ptr(), length, libc::MSG_NOSIGNAL) };
            if count > 0 {
                sent += count as usize;
                continue;
            }
            match last_errno() {
                libc::EINTR => {}
                libc::EAGAIN => {
                    self.hungry.set(true);
                    let errno = self.watch();
                    self.account();
                    return if errno < 0 { Err(errno) } else { Ok(sent) };
                }
                errno if sent == 0 => return Err(-errno),
                // What is wrong with this one is told when it is sent again.
                _ => break,
            }
        }
        Ok(sent)
    }

    fn send_now(&self, bytes: &[u8], to: Option<&Address>) -> Result<(), i32> {
        let (address, length) = to.map_or((std::ptr::null(), 0), |to| (to.as_ptr(), to.len()));
        loop {
            // SAFETY: a valid slice and a valid address, or none.
            let count = unsafe {
                libc::sendto(self.fd.get(), bytes.as_ptr().cast(), bytes.len(), libc::MSG_NOSIGNAL, address, length)
            };
            if count >= 0 {
                return Ok(());
            }
            match last_errno() {
                libc::EINTR => {}
                errno => return Err(errno),
            }
        }
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

    fn flush(self: &Rc<Self>, scope: &mut Scope<'_>) -> JsResult<()> {
        loop {
            let Some((bytes, to)) = self.queue.borrow_mut().pop_front() else { break };
            let errno = match self.send_now(&bytes, to.as_ref()) {
                Ok(()) => 0,
                Err(libc::EAGAIN) => {
                    self.queue.borrow_mut().push_front((bytes, to));
                    return Ok(());
                }
                Err(errno) => -errno,
            };
            self.queued.set(self.queued.get() - bytes.len());
            let args = [scope.int(self.id as i32), scope.int(errno)];
            self.net.call(scope, Callback::Write, &args)?;
            if self.fd.get() < 0 {
                return Ok(());
            }
        }
        self.watch();
        self.account();
        Ok(())
    }

    fn receive_one(self: &Rc<Self>, scope: &mut Scope<'_>) -> JsResult<bool> {
        let mut buffer = self.net.take_buffer();
        let mut from = Address::empty();
        // SAFETY: a valid slice and room for any address.
        let count = unsafe {
            libc::recvfrom(
                self.fd.get(),
                buffer.as_mut_ptr().cast(),
                buffer.len(),
                0,
                from.as_mut_ptr(),
                from.len_mut(),
            )
        };
        let id = scope.int(self.id as i32);
        if count < 0 {
            self.net.give_buffer(buffer);
            let errno = last_errno();
            if errno == libc::EAGAIN || errno == libc::EINTR {
                return Ok(errno == libc::EINTR);
            }
            let (nothing, errno) = (scope.undefined(), scope.int(-errno));
            self.net.call(scope, Callback::Datagram, &[id, nothing, errno])?;
            return Ok(false);
        }
        let bytes = copied(scope, &buffer[..count as usize]);
        self.net.give_buffer(buffer);
        let (address, port, family) = from.parts();
        let args = [
            id,
            bytes?,
            scope.int(0),
            scope.string(&address)?,
            scope.int(i32::from(port)),
            scope.int(i32::from(family)),
        ];
        self.net.call(scope, Callback::Datagram, &args)?;
        Ok(true)
    }
}

impl Source for Udp {
    fn ready(self: Rc<Self>, scope: &mut Scope<'_>, ready: Ready) -> JsResult<()> {
        if ready.writable() && !self.queue.borrow().is_empty() {
            self.flush(scope)?;
        }
        if ready.writable() && self.hungry.replace(false) {
            self.watch();
            self.account();
            let args = [scope.int(self.id as i32), scope.int(0)];
            self.net.call(scope, Callback::Write, &args)?;
        }
        if ready.readable() {
            for _ in 0..BATCH {
                if !self.receiving.get() || self.fd.get() < 0 {
                    break;
                }
                let go_on = scope.nested(|scope| self.receive_one(scope))?;
                if !go_on {
                    break;
                }
            }
        }
        Ok(())
    }

    fn closed(self: Rc<Self>, scope: &mut Scope<'_>) -> JsResult<()> {
        self.net.closed(scope, self.id)
    }
}
