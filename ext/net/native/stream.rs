//! Connections: TCP and unix sockets, and other descriptors that are read and written like them.
//!
//! Reads go into one buffer per thread; what arrives is handed on as one call. Writes are tried at once; only what the
//! kernel does not take is kept. Registration is edge-triggered: `readable` remembers an edge whose bytes have not
//! been read to the end.

mod secure;

use std::cell::{Cell, RefCell, RefMut};
use std::os::fd::{AsRawFd, RawFd};
use std::rc::Rc;

use engine::{JsResult, Scope};
use poll::{Key, Ready, Source};

use crate::addr::Address;
use crate::h2::H2;
use crate::http::Messages;
use crate::http::frames::Frames;
use crate::net::{Callback, Net, Resource, UV_EOF, copied, last_errno};
use crate::tls::Session;

/// What reads a connection in place of JavaScript: the client of another family, to which bytes go from the buffer that was read.
pub trait Reader {
    /// Takes what has come. The end of the connection is told to JavaScript, as for every other.
    fn feed(self: Rc<Self>, scope: &mut Scope<'_>, bytes: &[u8]) -> JsResult<()>;
}

/// A connection. Its number is valid until JavaScript is told that it is closed.
pub struct Stream {
    net: Rc<Net>,
    pub id: u32,
    fd: Cell<RawFd>,
    key: Cell<Option<Key>>,
    socket: bool,
    connecting: Cell<bool>,
    reading: Cell<bool>,
    readable: Cell<bool>,
    ended: Cell<bool>,
    again: Cell<bool>,
    refed: Cell<bool>,
    counted: Cell<bool>,
    closing: Cell<bool>,
    shutdown: Cell<bool>,
    /// Nothing more will come.
    over: Cell<bool>,
    /// What the kernel has not taken yet; `None` if it has always taken all at once, as of most connections.
    pending: RefCell<Option<Box<Pending>>>,
    input: RefCell<Input>,
    /// What is written waits for more.
    corked: Cell<bool>,
    /// The write event is to tell when there is room, though nothing is kept.
    hungry: Cell<bool>,
    /// More follows at once: a packet that is not full waits for it.
    more: Cell<bool>,
    tls: RefCell<Option<Box<Session>>>,
    pub bytes_read: Cell<u64>,
    pub bytes_written: Cell<u64>,
}

/// Who gets the bytes that come.
#[derive(Clone)]
enum Input {
    JavaScript,
    Messages(Rc<Messages>),
    Frames(Rc<Frames>),
    H2(Rc<H2>),
    Reader(Rc<AnyReader>),
}

/// A pointer to any kind of reader takes twice the room of one to this, and most connections have none.
struct AnyReader(Rc<dyn Reader>);

/// What waits for the kernel.
#[derive(Default)]
struct Pending {
    /// Bytes, from `from` on.
    bytes: Vec<u8>,
    from: usize,
    /// A part of a file that goes out behind them.
    file: Option<FilePart>,
}

/// Bytes of a file that the kernel takes from there by itself.
struct FilePart {
    file: std::fs::File,
    at: i64,
    left: u64,
}

/// Bytes of a file that are sent before other connections get their turn.
const FILE_TURN: usize = 2 << 20;

/// Bytes that are encrypted at once where what the kernel does not take is not to be kept.
const PIECE: usize = 64 << 10;

/// How a write went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Written {
    /// The kernel has everything.
    All,
    /// [`Callback::Write`] will tell.
    Later,
    /// A negative errno.
    Failed(i32),
}

impl Stream {
    /// Takes over a non-blocking descriptor.
    pub fn adopt(net: &Rc<Net>, fd: RawFd, socket: bool) -> Rc<Stream> {
        let mut made = None;
        net.insert(|id| {
            let stream = Rc::new(Stream {
                net: net.clone(),
                id,
                fd: Cell::new(fd),
                key: Cell::new(None),
                socket,
                connecting: Cell::new(false),
                reading: Cell::new(false),
                readable: Cell::new(false),
                ended: Cell::new(false),
                again: Cell::new(false),
                refed: Cell::new(true),
                counted: Cell::new(false),
                closing: Cell::new(false),
                shutdown: Cell::new(false),
                over: Cell::new(false),
                pending: RefCell::default(),
                input: RefCell::new(Input::JavaScript),
                corked: Cell::new(false),
                hungry: Cell::new(false),
                more: Cell::new(false),
                tls: RefCell::default(),
                bytes_read: Cell::new(0),
                bytes_written: Cell::new(0),
            });
            made = Some(stream.clone());
            Resource::Stream(stream)
        });
        made.expect("made by the call above")
    }

    /// The descriptor, -1 when closed.
    pub fn fd(&self) -> RawFd {
        self.fd.get()
    }

    /// The thread's sockets.
    pub fn net(&self) -> &Rc<Net> {
        &self.net
    }

    /// Registers with the poller where that has not happened.
    pub fn register(self: &Rc<Self>) -> Result<(), i32> {
        if self.key.get().is_some() || self.closing.get() {
            return Ok(());
        }
        match self.net.poller.add(self.fd.get(), self.clone()) {
            Ok(key) => {
                self.key.set(Some(key));
                Ok(())
            }
            Err(error) => Err(crate::net::negative(&error)),
        }
    }

    /// Begins to connect: 0 or a negative errno; the outcome comes as [`Callback::Connect`].
    pub fn connect(self: &Rc<Self>, address: &Address) -> i32 {
        // SAFETY: a valid address of that length.
        let result = unsafe { libc::connect(self.fd.get(), address.as_ptr(), address.len()) };
        if result < 0 {
            match last_errno() {
                libc::EINPROGRESS | libc::EINTR => {}
                // A unix socket whose backlog is full; reported like any failure.
                errno => return -errno,
            }
        }
        self.connecting.set(true);
        if let Err(errno) = self.register() {
            self.connecting.set(false);
            return errno;
        }
        self.account();
        0
    }

    fn account(&self) {
        let active = self.reading.get() || self.connecting.get() || self.is_writing() || self.hungry.get();
        let wanted = self.refed.get() && active && !self.closing.get();
        if wanted != self.counted.replace(wanted) {
            self.net.poller.count_refs(if wanted { 1 } else { -1 });
        }
    }

    /// Whether the loop waits for it while it is active.
    pub fn set_ref(&self, on: bool) {
        self.refed.set(on);
        self.account();
    }

    /// See [`Stream::set_ref`].
    pub fn has_ref(&self) -> bool {
        self.refed.get()
    }

    /// Begins to read: 0 or a negative errno.
    pub fn read_start(self: &Rc<Self>) -> i32 {
        if self.closing.get() {
            return -libc::EBADF;
        }
        if let Err(errno) = self.register() {
            return errno;
        }
        self.reading.set(true);
        self.account();
        if self.readable.get() || self.has_stashed() {
            self.call_again();
        }
        0
    }

    fn has_stashed(&self) -> bool {
        matches!(&*self.input.borrow(), Input::Messages(messages) if messages.has_stashed())
    }

    fn call_again(&self) {
        if let Some(key) = self.key.get()
            && !self.again.replace(true)
        {
            self.net.poller.again(key);
        }
    }

    /// Stops reading; the kernel keeps what arrives.
    pub fn read_stop(&self) {
        self.reading.set(false);
        self.account();
    }

    /// Whether bytes are wanted.
    pub fn is_reading(&self) -> bool {
        self.reading.get()
    }

    /// Whether it is closed or about to be.
    pub fn is_closing(&self) -> bool {
        self.closing.get()
    }

    /// Has `messages` read from now on; `None` gives the connection back if messages read it.
    pub fn consume(&self, messages: Option<Rc<Messages>>) {
        self.set_input(messages.map(Input::Messages), |now| matches!(now, Input::Messages(_)));
    }

    /// The parser that reads and has the number of this connection.
    pub fn own_messages(&self) -> Option<Rc<Messages>> {
        match &*self.input.borrow() {
            Input::Messages(messages) if messages.is_part() => Some(messages.clone()),
            _ => None,
        }
    }

    /// Has a session of HTTP/2 read from now on; `None` gives the connection back if one reads it.
    pub fn read_h2(&self, h2: Option<Rc<H2>>) {
        self.set_input(h2.map(Input::H2), |now| matches!(now, Input::H2(_)));
    }

    /// Has `reader` read from now on; `None` gives the connection back if a reader reads it.
    pub fn read_by(&self, reader: Option<Rc<dyn Reader>>) {
        self.set_input(reader.map(|reader| Input::Reader(Rc::new(AnyReader(reader)))), |now| {
            matches!(now, Input::Reader(_))
        });
    }

    /// Has `frames` read from now on.
    pub fn read_frames(&self, frames: Frames) {
        self.set_input(Some(Input::Frames(Rc::new(frames))), |_| true);
    }

    /// Changes who gets the bytes. What was there is dropped last: that may ask the connection for something.
    fn set_input(&self, input: Option<Input>, is_own: impl FnOnce(&Input) -> bool) {
        if input.is_some() || is_own(&self.input.borrow()) {
            let before = self.input.replace(input.unwrap_or(Input::JavaScript));
            drop(before);
        }
    }

    /// Gives bytes that came by another way to what reads the frames.
    pub fn feed_frames(self: &Rc<Self>, scope: &mut Scope<'_>, bytes: &[u8]) -> JsResult<()> {
        let input = self.input.borrow().clone();
        match input {
            Input::Frames(frames) => frames.feed(scope, self, bytes),
            _ => Ok(()),
        }
    }

    /// Keeps what is written until that is switched off: 0, 1 where the write event will tell, or a negative errno.
    pub fn set_cork(self: &Rc<Self>, on: bool) -> i32 {
        self.corked.set(on);
        if on || !self.is_writing() || self.connecting.get() {
            return 0;
        }
        match self.flush() {
            Some(errno) => errno,
            None => {
                if let Err(errno) = self.register() {
                    return errno;
                }
                self.account();
                1
            }
        }
    }

    /// Whether what is written is kept, see [`Stream::set_cork`].
    pub fn is_corked(&self) -> bool {
        self.corked.get()
    }

    /// Whether bytes wait for the kernel.
    pub fn is_writing(&self) -> bool {
        self.pending
            .borrow()
            .as_ref()
            .is_some_and(|pending| pending.from < pending.bytes.len() || pending.file.is_some())
    }

    /// What waits for the kernel, to add to it.
    fn pending(&self) -> RefMut<'_, Pending> {
        RefMut::map(self.pending.borrow_mut(), |pending| &mut **pending.get_or_insert_default())
    }

    /// Bytes that the program was given, and those it has written: of plaintext if the connection speaks TLS.
    pub fn program_bytes(&self) -> (u64, u64) {
        match &*self.tls.borrow() {
            Some(tls) => tls.counts(),
            None => (self.bytes_read.get(), self.bytes_written.get() + self.queued() as u64),
        }
    }

    /// Bytes that wait for the kernel.
    pub fn queued(&self) -> usize {
        self.pending.borrow().as_ref().map_or(0, |pending| pending.bytes.len() - pending.from)
    }

    fn write_now(&self, bytes: &[u8]) -> Result<usize, i32> {
        let fd = self.fd.get();
        let flags = libc::MSG_NOSIGNAL | if self.more.get() { libc::MSG_MORE } else { 0 };
        loop {
            // SAFETY: writes from a valid slice; the descriptor is ours.
            let count = unsafe {
                if self.socket {
                    libc::send(fd, bytes.as_ptr().cast(), bytes.len(), flags)
                } else {
                    libc::write(fd, bytes.as_ptr().cast(), bytes.len())
                }
            };
            if count >= 0 {
                self.bytes_written.set(self.bytes_written.get() + count as u64);
                return Ok(count as usize);
            }
            match last_errno() {
                libc::EINTR => {}
                libc::EAGAIN => return Ok(0),
                errno => return Err(-errno),
            }
        }
    }

    /// Writes all of `bytes`, now or later.
    pub fn write(self: &Rc<Self>, bytes: &[u8]) -> Written {
        if let Some(tls) = &mut *self.tls.borrow_mut() {
            tls.send(bytes);
            return self.write_tls(tls);
        }
        self.write_raw(bytes)
    }

    /// Writes as many of `bytes` as the kernel takes now and keeps none of the rest: their number, or a negative errno. Where
    /// that are not all, the write event tells when there is room. Over TLS a record that is encrypted is kept; before
    /// the handshake nothing is taken.
    pub fn write_some(self: &Rc<Self>, bytes: &[u8]) -> Result<usize, i32> {
        if self.closing.get() {
            return Err(-libc::EBADF);
        }
        let mut taken = 0;
        if self.connecting.get() || self.is_writing() {
            self.hungry.set(true);
            return Ok(taken);
        }
        if let Some(tls) = &mut *self.tls.borrow_mut() {
            if !tls.is_open() {
                self.hungry.set(true);
                return Ok(taken);
            }
            for piece in bytes.chunks(PIECE) {
                tls.send(piece);
                taken += piece.len();
                match self.write_tls(tls) {
                    Written::All => {}
                    Written::Later => break,
                    Written::Failed(errno) => return Err(errno),
                }
            }
            self.hungry.set(taken < bytes.len());
            return Ok(taken);
        }
        while taken < bytes.len() {
            match self.write_now(&bytes[taken..])? {
                0 => {
                    self.hungry.set(true);
                    self.register()?;
                    self.account();
                    break;
                }
                count => taken += count,
            }
        }
        Ok(taken)
    }

    /// Sends `left` bytes of a file from `at` on, behind what is queued, without reading them: 0 where the kernel has taken
    /// them all, 1 where the write event will tell, or a negative errno (EIO for a file that has become shorter).
    /// Nothing else may be written before that.
    pub fn send_file(self: &Rc<Self>, file: std::fs::File, at: i64, left: u64) -> i32 {
        if self.closing.get() {
            return -libc::EBADF;
        }
        self.pending().file = Some(FilePart { file, at, left });
        if !self.connecting.get()
            && let Some(errno) = self.flush()
        {
            return errno;
        }
        if let Err(errno) = self.register() {
            return errno;
        }
        self.account();
        1
    }

    /// As [`Stream::write`], for bytes that something follows at once.
    pub fn write_before(self: &Rc<Self>, bytes: &[u8]) -> Written {
        self.more.set(true);
        let written = self.write(bytes);
        self.more.set(false);
        written
    }

    /// Sends what is left of the file. `Some` where that is over, with 0 or a negative errno.
    fn flush_file(&self) -> Option<i32> {
        let mut pending = self.pending.borrow_mut();
        let slot = &mut pending.as_mut()?.file;
        let part = slot.as_mut()?;
        let mut turn = FILE_TURN;
        let outcome = loop {
            if part.left == 0 {
                break 0;
            }
            if turn == 0 {
                self.call_again();
                return None;
            }
            let wanted = turn.min(usize::try_from(part.left).unwrap_or(usize::MAX));
            // SAFETY: both descriptors are ours; the offset is a local number.
            let count = unsafe { libc::sendfile(self.fd.get(), part.file.as_raw_fd(), &raw mut part.at, wanted) };
            if count > 0 {
                part.left -= count as u64;
                turn -= (count as usize).min(turn);
                self.bytes_written.set(self.bytes_written.get() + count as u64);
                continue;
            }
            if count == 0 {
                break -libc::EIO;
            }
            match last_errno() {
                libc::EINTR => {}
                libc::EAGAIN => return None,
                errno => break -errno,
            }
        };
        *slot = None;
        Some(outcome)
    }

    /// Nobody waits for room any more.
    pub fn sated(&self) {
        self.hungry.set(false);
        self.account();
    }

    /// Whether TLS is spoken.
    pub fn is_secure(&self) -> bool {
        self.tls.borrow().is_some()
    }

    /// Writes a head and a body, in one system call where that is possible, without joining them.
    pub fn write_both(self: &Rc<Self>, head: &[u8], body: &[u8]) -> Written {
        let ready = self.socket
            && !self.corked.get()
            && self.tls.borrow().is_none()
            && !self.connecting.get()
            && !self.is_writing();
        if !ready || self.closing.get() {
            return match self.write(head) {
                Written::Failed(errno) => Written::Failed(errno),
                _ => self.write(body),
            };
        }
        let part = |bytes: &[u8]| libc::iovec { iov_base: bytes.as_ptr().cast_mut().cast(), iov_len: bytes.len() };
        let mut parts = [part(head), part(body)];
        // SAFETY: all zeros is a valid value of this plain struct.
        let mut message: libc::msghdr = unsafe { std::mem::zeroed() };
        message.msg_iov = parts.as_mut_ptr();
        message.msg_iovlen = parts.len() as _;
        let count = loop {
            // SAFETY: two valid slices, which outlive the call; the descriptor is ours.
            let count = unsafe { libc::sendmsg(self.fd.get(), &raw const message, libc::MSG_NOSIGNAL) };
            if count >= 0 {
                break count as usize;
            }
            match last_errno() {
                libc::EINTR => {}
                libc::EAGAIN => break 0,
                errno => return Written::Failed(-errno),
            }
        };
        self.bytes_written.set(self.bytes_written.get() + count as u64);
        if count >= head.len() {
            return if count == head.len() + body.len() {
                Written::All
            } else {
                self.write_raw(&body[count - head.len()..])
            };
        }
        match self.write_raw(&head[count..]) {
            Written::Failed(errno) => Written::Failed(errno),
            _ => self.write_raw(body),
        }
    }

    fn deliver(self: &Rc<Self>, scope: &mut Scope<'_>, bytes: &[u8]) -> JsResult<()> {
        let input = self.input.borrow().clone();
        match input {
            Input::Messages(messages) => messages.feed(scope, bytes).map(drop),
            Input::Frames(frames) => frames.feed(scope, self, bytes),
            Input::H2(h2) => h2.feed(scope, bytes, true),
            Input::Reader(reader) => Rc::clone(&reader.0).feed(scope, bytes),
            Input::JavaScript => {
                let args = [scope.int(self.id as i32), copied(scope, bytes)?, scope.int(0)];
                self.net.call(scope, Callback::Read, &args).map(drop)
            }
        }
    }

    fn write_raw(self: &Rc<Self>, bytes: &[u8]) -> Written {
        if self.closing.get() {
            return Written::Failed(-libc::EBADF);
        }
        let mut rest = bytes;
        if self.corked.get() && !self.connecting.get() {
            self.pending().bytes.extend_from_slice(rest);
            return Written::All;
        }
        if !self.connecting.get() && !self.is_writing() {
            while !rest.is_empty() {
                match self.write_now(rest) {
                    Ok(0) => break,
                    Ok(count) => rest = &rest[count..],
                    Err(errno) => return Written::Failed(errno),
                }
            }
            if rest.is_empty() {
                return Written::All;
            }
        }
        self.pending().bytes.extend_from_slice(rest);
        if !self.connecting.get()
            && let Err(errno) = self.register()
        {
            return Written::Failed(errno);
        }
        self.account();
        Written::Later
    }

    /// Ends the writing side once everything is written: true when that was now, an error as a negative errno.
    pub fn shut_down(self: &Rc<Self>) -> Result<bool, i32> {
        self.with_tls(Session::close);
        // Behind a handshake there is what was written meanwhile.
        if self.is_writing() || self.connecting.get() || self.is_shaking_hands() {
            self.shutdown.set(true);
            return Ok(false);
        }
        self.shut_down_now().map(|()| true)
    }

    /// Reads no more: what comes is thrown away by the kernel. 0 or a negative errno.
    pub fn shut_down_reading(&self) -> i32 {
        // SAFETY: a plain system call.
        if unsafe { libc::shutdown(self.fd.get(), libc::SHUT_RD) } < 0 { -last_errno() } else { 0 }
    }

    fn shut_down_now(&self) -> Result<(), i32> {
        self.shutdown.set(false);
        if !self.socket {
            return Ok(());
        }
        // SAFETY: a plain system call.
        if unsafe { libc::shutdown(self.fd.get(), libc::SHUT_WR) } < 0 { Err(-last_errno()) } else { Ok(()) }
    }

    /// Closes; JavaScript is told at the end of the turn.
    pub fn close(self: &Rc<Self>) {
        if self.closing.get() {
            return;
        }
        if self.corked.get() {
            self.set_cork(false);
        }
        self.closing.set(true);
        self.reading.set(false);
        if let Some(key) = self.key.take() {
            self.net.poller.remove(key, -1);
        }
        let fd = self.fd.replace(-1);
        if fd >= 0 {
            // SAFETY: ours, and forgotten.
            unsafe { libc::close(fd) };
        }
        *self.pending.borrow_mut() = None;
        self.hungry.set(false);
        self.connecting.set(false);
        self.set_input(None, |_| true);
        self.account();
        self.net.poller.close_later(self.clone());
    }

    fn tell(&self, scope: &mut Scope<'_>, callback: Callback, errno: i32) -> JsResult<()> {
        let (id, errno) = (scope.int(self.id as i32), scope.int(errno));
        self.net.call(scope, callback, &[id, errno]).map(drop)
    }

    fn connected(self: &Rc<Self>, scope: &mut Scope<'_>) -> JsResult<()> {
        let mut error = 0i32;
        let mut size = size_of::<i32>() as libc::socklen_t;
        // SAFETY: writes one integer.
        let result = unsafe {
            libc::getsockopt(self.fd.get(), libc::SOL_SOCKET, libc::SO_ERROR, (&raw mut error).cast(), &raw mut size)
        };
        if result < 0 {
            error = last_errno();
        }
        self.connecting.set(false);
        self.account();
        if error == 0 && (self.is_writing() || self.shutdown.get()) {
            self.call_again();
        }
        self.tell(scope, Callback::Connect, -error)
    }

    /// Writes what is queued. `Some` where that is over, with 0 or a negative errno.
    fn flush(&self) -> Option<i32> {
        let mut outcome = 0;
        if let Some(pending) = &mut *self.pending.borrow_mut() {
            loop {
                let rest = &pending.bytes[pending.from..];
                if rest.is_empty() {
                    break;
                }
                match self.write_now(rest) {
                    Ok(0) => return None,
                    Ok(count) => pending.from += count,
                    Err(errno) => {
                        outcome = errno;
                        break;
                    }
                }
            }
            pending.bytes.clear();
            // A connection that was slow once need not keep that much memory.
            pending.bytes.shrink_to(READ_BACK);
            pending.from = 0;
        }
        // What is queued is gone: a file is all that can be left.
        if outcome == 0 && self.is_writing() {
            outcome = self.flush_file()?;
        }
        self.hungry.set(false);
        self.account();
        if outcome == 0 && self.shutdown.get() && !self.is_shaking_hands() {
            return Some(self.shut_down_now().err().unwrap_or(0));
        }
        Some(outcome)
    }

    fn read(self: &Rc<Self>, scope: &mut Scope<'_>) -> JsResult<()> {
        let mut buffer = self.net.take_buffer();
        let count = loop {
            // SAFETY: reads into a valid slice; the descriptor is ours.
            let count = unsafe {
                if self.socket {
                    libc::recv(self.fd.get(), buffer.as_mut_ptr().cast(), buffer.len(), 0)
                } else {
                    libc::read(self.fd.get(), buffer.as_mut_ptr().cast(), buffer.len())
                }
            };
            if count >= 0 {
                break count as usize;
            }
            let errno = last_errno();
            if errno == libc::EINTR {
                continue;
            }
            self.net.give_buffer(buffer);
            self.readable.set(false);
            if errno == libc::EAGAIN {
                return Ok(());
            }
            return self.end(scope, -errno);
        };
        if count == 0 {
            self.net.give_buffer(buffer);
            self.readable.set(false);
            return self.end(scope, UV_EOF);
        }
        self.bytes_read.set(self.bytes_read.get() + count as u64);
        if count < buffer.len() && !self.ended.get() {
            self.readable.set(false);
        } else {
            self.call_again();
        }
        let decrypted = self.with_tls(|tls| tls.receive(&buffer[..count]));
        let result = match decrypted {
            Some(received) => self.received(scope, received),
            None => self.deliver(scope, &buffer[..count]),
        };
        self.net.give_buffer(buffer);
        result
    }

    fn end(self: &Rc<Self>, scope: &mut Scope<'_>, errno: i32) -> JsResult<()> {
        self.reading.set(false);
        self.over.set(true);
        if self.shutdown.get() {
            self.call_again();
        }
        self.account();
        let (id, nothing, errno) = (scope.int(self.id as i32), scope.undefined(), scope.int(errno));
        self.net.call(scope, Callback::Read, &[id, nothing, errno]).map(drop)
    }
}

/// Bytes of a write queue that are kept for the next time.
const READ_BACK: usize = 16 << 10;

impl Source for Stream {
    fn ready(self: Rc<Self>, scope: &mut Scope<'_>, ready: Ready) -> JsResult<()> {
        if ready == Ready::AGAIN {
            self.again.set(false);
        }
        if ready.readable() {
            self.readable.set(true);
        }
        if ready.ended() {
            self.ended.set(true);
        }
        if self.connecting.get() {
            return if ready.writable() { self.connected(scope) } else { Ok(()) };
        }
        if (ready.writable() || ready == Ready::AGAIN)
            && !self.corked.get()
            && (self.is_writing() || self.shutdown.get() && !self.is_shaking_hands())
            && let Some(errno) = self.flush()
        {
            if self.reading.get() && (self.readable.get() || self.has_stashed()) {
                // Reading gets a turn of its own, after the microtasks of this one.
                self.call_again();
            }
            let input = self.input.borrow().clone();
            if let Input::H2(h2) = input {
                h2.drained(scope)?;
            }
            return self.tell(scope, Callback::Write, errno);
        }
        if ready.writable() && self.hungry.get() && !self.is_writing() {
            self.hungry.set(false);
            self.account();
            if self.reading.get() && (self.readable.get() || self.has_stashed()) {
                self.call_again();
            }
            return self.tell(scope, Callback::Write, 0);
        }
        if self.reading.get() {
            if self.has_stashed() {
                let input = self.input.borrow().clone();
                if let Input::Messages(messages) = input {
                    if self.readable.get() {
                        self.call_again();
                    }
                    return messages.feed(scope, &[]).map(drop);
                }
            }
            if self.readable.get() {
                return self.read(scope);
            }
        }
        Ok(())
    }

    fn closed(self: Rc<Self>, scope: &mut Scope<'_>) -> JsResult<()> {
        self.net.closed(scope, self.id)
    }
}
