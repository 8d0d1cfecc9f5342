//! The parent's ends of pipes, as sources of the thread's poller: what arrives is handed to JavaScript right after
//! epoll_wait, without a task or a thread in between.
//!
//! Registration is edge-triggered, so a pipe remembers that it may be readable until a read says otherwise. At most one
//! piece is delivered per turn, because the microtasks of one piece run before the next, as in Node.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsRawFd, IntoRawFd, OwnedFd, RawFd};
use std::rc::Rc;

use engine::{IntoJs, JsResult, Local, PinnedBytes, Scope};
use poll::{Key, Poller, Ready, Source};

use crate::callback::Callback;
use crate::channel;
use crate::stdio::{End, PIPE_SIZE, enlarge_pipe, read_some, write_some};

/// Most bytes of one piece for JavaScript.
const CHUNK: usize = PIPE_SIZE;
/// Most bytes that are collected in one turn, so that one process cannot keep the loop from the others.
const COLLECT_PER_TURN: usize = 4 << 20;

/// Messages that wait are joined up to that many bytes.
const MOST_JOINED: usize = 256 << 10;

/// What a pipe does with what it reads.
enum Reader {
    /// Nobody asks.
    None,
    /// `callback(errno, bytes, descriptors)` for each piece; bytes are undefined at the end.
    Pieces(Callback),
    /// `callback(errno, bytes)` once, at the end. Without a callback, bytes are only kept for whoever asks later.
    All(Option<Callback>),
}

/// Bytes that wait to be written: the program's, or a copy.
enum Payload {
    Pinned(PinnedBytes),
    Owned(Vec<u8>),
}

impl Payload {
    fn as_slice(&self) -> &[u8] {
        match self {
            Payload::Pinned(bytes) => bytes.as_slice(),
            Payload::Owned(bytes) => bytes,
        }
    }
}

struct Write {
    bytes: Payload,
    offset: usize,
    /// A descriptor to send along with the first byte, open until then.
    passed: Option<OwnedFd>,
    /// How many messages these are.
    messages: u32,
    done: Callback,
}

/// A pipe or socket.
pub(crate) struct Pipe {
    poller: Rc<Poller>,
    /// `None` once it is closed.
    end: RefCell<Option<End>>,
    key: Cell<Option<Key>>,
    reader: RefCell<Reader>,
    reading: Cell<bool>,
    /// What has been read and not yet delivered.
    buffered: RefCell<Vec<u8>>,
    /// The end, with 0 or the negative errno that caused it; nothing can be read any more.
    finished: Cell<Option<i32>>,
    /// Bytes that may be read in all, and what to call when there are more: the function is called once.
    limit: RefCell<Option<(u64, Callback)>>,
    total: Cell<u64>,
    /// There may be something to read that no event will tell of any more.
    ready: Cell<bool>,
    /// The other side is gone: read to the end.
    ended: Cell<bool>,
    writes: RefCell<VecDeque<Write>>,
    /// Writes that are done and whose callbacks wait: 0 or a negative errno, and the number of messages.
    written: RefCell<VecDeque<(Callback, i32, u32)>>,
    /// Much goes through it: it was enlarged.
    large: Cell<bool>,
    referenced: Cell<bool>,
    /// Whether it is counted among what keeps the loop alive.
    counted: Cell<bool>,
}

fn negative(error: &io::Error) -> i32 {
    -crate::errno_of(error)
}

impl Pipe {
    /// `end` has to be non-blocking.
    pub(crate) fn new(poller: Rc<Poller>, end: End) -> Rc<Self> {
        Rc::new(Pipe {
            poller,
            end: RefCell::new(Some(end)),
            key: Cell::new(None),
            reader: RefCell::new(Reader::None),
            reading: Cell::new(false),
            buffered: RefCell::default(),
            finished: Cell::new(None),
            limit: RefCell::default(),
            total: Cell::new(0),
            ready: Cell::new(false),
            ended: Cell::new(false),
            writes: RefCell::default(),
            written: RefCell::default(),
            large: Cell::new(false),
            referenced: Cell::new(true),
            counted: Cell::new(false),
        })
    }

    /// The number of the descriptor, -1 where it is closed.
    pub(crate) fn fd(&self) -> RawFd {
        self.end.borrow().as_ref().map_or(-1, |end| end.fd.as_raw_fd())
    }

    fn with_end<T>(&self, action: impl FnOnce(&End) -> io::Result<T>) -> io::Result<T> {
        match &*self.end.borrow() {
            Some(end) => action(end),
            None => Err(io::Error::from_raw_os_error(libc::ECANCELED)),
        }
    }

    /// A whole pipeful was read, or did not fit.
    fn enlarge(&self) {
        if !self.large.replace(true) {
            let _ = self.with_end(|end| {
                if !end.socket {
                    enlarge_pipe(end.fd.as_raw_fd());
                }
                Ok(())
            });
        }
    }

    /// Whether it may keep the loop alive.
    pub(crate) fn set_referenced(&self, on: bool) {
        self.referenced.set(on);
        self.count();
    }

    /// Reads keep the loop alive as long as the pipe is referenced, unfinished writes do in any case (as in libuv).
    fn count(&self) {
        let asked = self.reading.get() && !matches!(*self.reader.borrow(), Reader::None | Reader::All(None));
        let wanted = asked && self.referenced.get() || !self.writes.borrow().is_empty();
        if wanted != self.counted.replace(wanted) {
            self.poller.count_refs(if wanted { 1 } else { -1 });
        }
    }

    fn register(self: &Rc<Self>) -> io::Result<Key> {
        if let Some(key) = self.key.get() {
            return Ok(key);
        }
        let key = self.poller.add(self.fd(), self.clone())?;
        self.key.set(Some(key));
        Ok(key)
    }

    fn start(self: &Rc<Self>) -> io::Result<()> {
        let known = self.key.get().is_some();
        let key = self.register()?;
        self.reading.set(true);
        if known && (self.ready.get() || !self.buffered.borrow().is_empty() || self.finished.get().is_some()) {
            self.poller.again(key);
        }
        self.count();
        Ok(())
    }

    /// Calls `callback(errno, bytes, descriptors)` for each piece that arrives, until the end (no bytes), an error
    /// (negative errno) or [`Pipe::stop`].
    pub(crate) fn read(self: &Rc<Self>, callback: Callback) -> io::Result<()> {
        *self.reader.borrow_mut() = Reader::Pieces(callback);
        self.start()
    }

    /// Goes on after [`Pipe::stop`].
    pub(crate) fn resume(self: &Rc<Self>) -> io::Result<()> {
        if self.reading.get() { Ok(()) } else { self.start() }
    }

    /// Reads to the end and calls `callback(errno, bytes)` once. Without a callback, reads ahead for one of the other
    /// calls to come, and does not keep the loop alive.
    pub(crate) fn read_all(self: &Rc<Self>, callback: Option<Callback>) -> io::Result<()> {
        *self.reader.borrow_mut() = Reader::All(callback);
        self.start()
    }

    /// All that was read ahead, where the end has come without an error and nobody has asked for it.
    pub(crate) fn take_all(&self) -> Option<Vec<u8>> {
        let ahead = matches!(*self.reader.borrow(), Reader::All(None)) && self.finished.get() == Some(0);
        ahead.then(|| self.buffered.take())
    }

    /// Calls `exceeded()` once when more than `bytes` have been read in all.
    pub(crate) fn set_limit(&self, bytes: u64, exceeded: Callback) {
        *self.limit.borrow_mut() = Some((bytes, exceeded));
    }

    /// Takes the descriptor out: it belongs to the caller, -1 where the pipe is closed.
    pub(crate) fn detach(self: &Rc<Self>) -> RawFd {
        let fd = self.end.take().map_or(-1, |end| end.fd.into_raw_fd());
        if let Some(key) = self.key.take() {
            self.poller.remove(key, fd);
        }
        self.reading.set(false);
        self.count();
        fd
    }

    /// No more reads for now; nothing is lost.
    pub(crate) fn stop(&self) {
        self.reading.set(false);
        self.count();
    }

    /// Writes all of `bytes`, along with a descriptor if there is one. `Ok(true)`: done; `Ok(false)`: `done(errno)`
    /// will be called.
    pub(crate) fn write(
        self: &Rc<Self>,
        scope: &mut Scope<'_>,
        data: Local<'_>,
        passed: Option<OwnedFd>,
        done: Local<'_>,
    ) -> io::Result<bool> {
        let mut offset = 0;
        let mut passed = passed;
        if self.writes.borrow().is_empty() {
            let bytes = scope.bytes(data).unwrap_or(&[]);
            match self.with_end(|end| write_piece(end, bytes, &mut passed)) {
                Ok(count) if count == bytes.len() => return Ok(true),
                Ok(count) => offset = count,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(error),
            }
        }
        self.register()?;
        let bytes = scope.pin_bytes(data).ok_or_else(|| io::Error::from_raw_os_error(libc::EINVAL))?;
        self.queue(scope, Payload::Pinned(bytes), offset, passed, done);
        Ok(false)
    }

    fn queue(&self, scope: &mut Scope<'_>, bytes: Payload, offset: usize, passed: Option<OwnedFd>, done: Local<'_>) {
        if bytes.as_slice().len() > PIPE_SIZE {
            self.enlarge();
        }
        let done = Callback::new(scope, done);
        self.writes.borrow_mut().push_back(Write { bytes, offset, passed, messages: 1, done });
        self.count();
    }

    /// [`Pipe::write`] for one of many messages, as text or bytes: what has to wait is copied and joined, and
    /// `done(errno, messages)` tells of several at once.
    pub(crate) fn send(
        self: &Rc<Self>,
        scope: &mut Scope<'_>,
        data: Local<'_>,
        done: Local<'_>,
    ) -> JsResult<io::Result<bool>> {
        if let Some(last) = self.writes.borrow_mut().back_mut()
            && last.passed.is_none()
            && let Payload::Owned(bytes) = &mut last.bytes
            && bytes.len() < MOST_JOINED
        {
            append(scope, data, bytes)?;
            last.messages += 1;
            return Ok(Ok(false));
        }
        let mut bytes = std::mem::take(&mut scope.state().get_or_default::<SendBuffer>().0);
        bytes.clear();
        append(scope, data, &mut bytes)?;
        let mut offset = 0;
        if self.writes.borrow().is_empty() {
            match self.with_end(|end| write_piece(end, &bytes, &mut None)) {
                Ok(count) if count == bytes.len() => {
                    // Kept for the next one, unless it is large.
                    if bytes.capacity() <= CHUNK {
                        scope.state().get_or_default::<SendBuffer>().0 = bytes;
                    }
                    return Ok(Ok(true));
                }
                Ok(count) => offset = count,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Ok(Err(error)),
            }
        }
        if let Err(error) = self.register() {
            return Ok(Err(error));
        }
        self.queue(scope, Payload::Owned(bytes), offset, None, done);
        Ok(Ok(false))
    }

    /// Writes what fits now; callbacks of what is done are left in `written`.
    fn flush(&self) {
        let mut writes = self.writes.borrow_mut();
        while let Some(write) = writes.front_mut() {
            let rest = &write.bytes.as_slice()[write.offset..];
            let outcome = match self.with_end(|end| write_piece(end, rest, &mut write.passed)) {
                Ok(count) if count == rest.len() => 0,
                Ok(count) => {
                    write.offset += count;
                    continue;
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) => negative(&error),
            };
            if let Some(write) = writes.pop_front() {
                self.written.borrow_mut().push_back((write.done, outcome, write.messages));
            }
        }
        drop(writes);
        self.count();
    }

    /// Ends the writing side of a socket: the peer reads to the end.
    pub(crate) fn shutdown(&self) -> io::Result<()> {
        self.with_end(|end| {
            // SAFETY: a plain system call on an open descriptor.
            let result = unsafe { libc::shutdown(end.fd.as_raw_fd(), libc::SHUT_WR) };
            if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
        })
    }

    /// Closes the descriptor. Unfinished writes end with ECANCELED at the end of the turn.
    pub(crate) fn close(self: &Rc<Self>) {
        self.reading.set(false);
        *self.reader.borrow_mut() = Reader::None;
        self.limit.take();
        let unfinished = std::mem::take(&mut *self.writes.borrow_mut());
        if !unfinished.is_empty() {
            let canceled = unfinished.into_iter().map(|write| (write.done, -libc::ECANCELED, write.messages));
            self.written.borrow_mut().extend(canceled);
            self.poller.close_later(self.clone());
        }
        self.count();
        if let Some(key) = self.key.take() {
            // Where a child still has the descriptor, the kernel goes on to tell of it; such events find no source.
            self.poller.remove(key, -1);
        }
        *self.end.borrow_mut() = None;
    }

    fn tell_written(&self, scope: &mut Scope<'_>) -> JsResult<()> {
        loop {
            let Some((callback, errno, messages)) = self.written.borrow_mut().pop_front() else { return Ok(()) };
            let arguments = [scope.int(errno), scope.int(messages as i32)];
            callback.call(scope, &arguments)?;
        }
    }

    /// Counts what was read against the limit.
    fn counted(&self, scope: &mut Scope<'_>, count: usize) -> JsResult<()> {
        self.total.set(self.total.get() + count as u64);
        let exceeded = matches!(&*self.limit.borrow(), Some((limit, _)) if self.total.get() > *limit);
        if exceeded && let Some((_, callback)) = self.limit.take() {
            return callback.call(scope, &[]);
        }
        Ok(())
    }

    /// Nothing can be read any more. A pipe that was only for reading is closed: whoever may still ask for what is
    /// buffered needs no descriptor, and each descriptor costs a little at every start of a process.
    fn finish(&self, errno: i32) {
        self.finished.set(Some(errno));
        self.ready.set(false);
    }

    fn close_finished(&self) {
        if self.finished.get().is_some() && self.end.borrow().as_ref().is_some_and(|end| !end.socket) {
            self.end.take();
        }
    }

    /// One piece to [`Reader::Pieces`]: what was read ahead, or one read.
    fn deliver(&self, scope: &mut Scope<'_>) -> JsResult<()> {
        let mut received = Vec::new();
        let ahead = std::mem::take(&mut *self.buffered.borrow_mut());
        let mut bytes = None;
        if !ahead.is_empty() {
            bytes = Some(ahead);
        } else if self.finished.get().is_none() {
            let mut buffer = take_buffer(scope);
            let result = self.with_end(|end| {
                if end.channel {
                    channel::receive(end.fd.as_raw_fd(), &mut buffer, CHUNK, &mut received)
                } else {
                    read_some(end.fd.as_raw_fd(), &mut buffer, CHUNK)
                }
            });
            match result {
                Ok(0) => self.finish(0),
                Ok(count) => {
                    if count == CHUNK {
                        self.enlarge();
                    } else if !self.ended.get() && received.is_empty() {
                        self.ready.set(false);
                    }
                    bytes = Some(give(scope, buffer));
                    self.counted(scope, count)?;
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    self.ready.set(false);
                    put_back(scope, buffer);
                    return Ok(());
                }
                Err(error) => self.finish(end_of(&error)),
            }
        }
        let mut errno = 0;
        if bytes.is_none() {
            errno = self.finished.get().unwrap_or(0);
            self.reading.set(false);
            self.count();
        }
        self.close_finished();
        let callback = match &*self.reader.borrow() {
            Reader::Pieces(callback) => callback.clone(),
            _ => return Ok(()),
        };
        let errno = scope.int(errno);
        let bytes = bytes.into_js(scope)?;
        let received = if received.is_empty() { scope.undefined() } else { received.into_js(scope)? };
        callback.call(scope, &[errno, bytes, received])
    }

    /// Reads what is there into the buffer; at the end the callback of [`Reader::All`].
    fn collect(&self, scope: &mut Scope<'_>) -> JsResult<()> {
        let mut bytes = self.buffered.borrow_mut();
        let begin = bytes.len();
        while self.finished.get().is_none() && bytes.len() - begin < COLLECT_PER_TURN {
            // Small outputs do not need much room; large ones are read in large pieces.
            let room = bytes.len().clamp(4096, 1 << 20);
            let free = (bytes.capacity() - bytes.len()).max(room);
            match self.with_end(|end| read_some(end.fd.as_raw_fd(), &mut bytes, room)) {
                Ok(0) => self.finish(0),
                Ok(count) => {
                    if count >= PIPE_SIZE {
                        self.enlarge();
                    } else if count < free && !self.ended.get() {
                        self.ready.set(false);
                        break;
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    self.ready.set(false);
                    break;
                }
                Err(error) => self.finish(end_of(&error)),
            }
        }
        let count = bytes.len() - begin;
        drop(bytes);
        self.counted(scope, count)?;
        let Some(errno) = self.finished.get() else { return Ok(()) };
        self.reading.set(false);
        self.count();
        self.close_finished();
        let callback = match &mut *self.reader.borrow_mut() {
            Reader::All(callback) => callback.take(),
            _ => None,
        };
        let Some(callback) = callback else { return Ok(()) };
        let mut bytes = self.buffered.take();
        bytes.shrink_to_fit();
        let errno = scope.int(errno);
        let bytes = bytes.into_js(scope)?;
        callback.call(scope, &[errno, bytes])
    }

    fn has_more(&self) -> bool {
        let reads = self.reading.get()
            && (self.ready.get() || self.finished.get().is_some() || !self.buffered.borrow().is_empty());
        reads && !matches!(*self.reader.borrow(), Reader::None)
    }
}

/// What an error of a read means: 0 where it is an end, as when the peer closed its socket with data of ours unread.
fn end_of(error: &io::Error) -> i32 {
    if error.kind() == io::ErrorKind::ConnectionReset { 0 } else { negative(error) }
}

impl Source for Pipe {
    fn ready(self: Rc<Self>, scope: &mut Scope<'_>, ready: Ready) -> JsResult<()> {
        if ready.readable() {
            self.ready.set(true);
        }
        if ready.ended() {
            self.ended.set(true);
        }
        if ready.writable() {
            self.flush();
        }
        let mut result = self.tell_written(scope);
        let all = matches!(*self.reader.borrow(), Reader::All(_));
        if result.is_ok() && self.has_more() {
            result = if all { self.collect(scope) } else { self.deliver(scope) };
        }
        // Of what is collected, the rest comes with the next event, unless this turn had its share.
        let more = if all { self.reading.get() && self.ready.get() } else { self.has_more() };
        if let (true, Some(key)) = (more || !self.written.borrow().is_empty(), self.key.get()) {
            self.poller.again(key);
        }
        result
    }

    fn closed(self: Rc<Self>, scope: &mut Scope<'_>) -> JsResult<()> {
        let result = self.tell_written(scope);
        if result.is_err() && !self.written.borrow().is_empty() {
            self.poller.close_later(self.clone());
        }
        result
    }
}

fn write_piece(end: &End, bytes: &[u8], passed: &mut Option<OwnedFd>) -> io::Result<usize> {
    let fd = end.fd.as_raw_fd();
    match passed {
        Some(descriptor) => {
            let count = channel::send(fd, bytes, descriptor.as_raw_fd())?;
            *passed = None;
            Ok(count)
        }
        None => write_some(fd, end.socket, bytes),
    }
}

/// Adds a string as UTF-8, or the bytes of a view.
fn append(scope: &mut Scope<'_>, data: Local<'_>, out: &mut Vec<u8>) -> JsResult<()> {
    if data.is_string() {
        scope.append_utf8(data, out)
    } else {
        out.extend_from_slice(scope.bytes(data).unwrap_or(&[]));
        Ok(())
    }
}

/// A message on its way out.
#[derive(Default)]
struct SendBuffer(Vec<u8>);

/// The read buffer of a thread: it leaves with large pieces and stays with small ones.
#[derive(Default)]
struct ReadBuffer(Vec<u8>);

fn take_buffer(scope: &mut Scope<'_>) -> Vec<u8> {
    let mut buffer = std::mem::take(&mut scope.state().get_or_default::<ReadBuffer>().0);
    buffer.clear();
    buffer
}

fn put_back(scope: &mut Scope<'_>, buffer: Vec<u8>) {
    scope.state().get_or_default::<ReadBuffer>().0 = buffer;
}

/// What was read, as bytes of its own.
fn give(scope: &mut Scope<'_>, buffer: Vec<u8>) -> Vec<u8> {
    if buffer.len() >= CHUNK / 2 {
        return buffer;
    }
    let piece = buffer.as_slice().to_vec();
    put_back(scope, buffer);
    piece
}
