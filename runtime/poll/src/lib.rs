//! Readiness of descriptors, as a part of a JavaScript thread's event loop.
//!
//! One [`Poller`] per thread: an epoll instance that the loop itself sleeps in, with no task, waker or queue between
//! the kernel's event and the code that handles it. Sources are registered edge-triggered: a source remembers that it
//! is ready until a call says EAGAIN, and registration is one system call for the life of a descriptor.
//!
//! The poller exists from the start of a thread but opens its descriptors with the first source, so that programs
//! without sockets do not pay for it. Linux only so far.

use std::cell::{Cell, OnceCell, RefCell};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::time::Duration;

use engine::{JsResult, Scope};

/// What happened to a descriptor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ready(u32);

impl Ready {
    /// Nothing new: the source asked to be called again.
    pub const AGAIN: Ready = Ready(0);

    /// Bytes, a connection, or the end can be read.
    pub fn readable(self) -> bool {
        self.0 & (libc::EPOLLIN | libc::EPOLLRDHUP | libc::EPOLLHUP | libc::EPOLLERR) as u32 != 0
    }

    /// There is room to write, or a connection attempt has ended.
    pub fn writable(self) -> bool {
        self.0 & (libc::EPOLLOUT | libc::EPOLLHUP | libc::EPOLLERR) as u32 != 0
    }

    /// The other side has ended its half or the whole connection: a short read is not the last one.
    pub fn ended(self) -> bool {
        self.0 & (libc::EPOLLRDHUP | libc::EPOLLHUP | libc::EPOLLERR) as u32 != 0
    }
}

/// What waits for a descriptor.
pub trait Source {
    /// The descriptor became ready. May run JavaScript; afterwards the loop runs its microtasks.
    fn ready(self: Rc<Self>, scope: &mut Scope<'_>, ready: Ready) -> JsResult<()>;

    /// Called at the end of the turn in which [`Poller::close_later`] was called.
    fn closed(self: Rc<Self>, _scope: &mut Scope<'_>) -> JsResult<()> {
        Ok(())
    }
}

/// A registration. Keys are not reused: an event of a removed source is dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key {
    index: u32,
    generation: u32,
}

impl Key {
    fn bits(self) -> u64 {
        u64::from(self.generation) << 32 | u64::from(self.index)
    }
}

const WAKER: u64 = u64::MAX;
const BATCH: usize = 256;

#[derive(Default)]
struct Slot {
    generation: u32,
    source: Option<Rc<dyn Source>>,
    /// See [`Poller::add_last`].
    is_last: bool,
}

/// Wakes a sleeping poller from other threads.
#[derive(Debug)]
pub struct Waker {
    fd: AtomicI32,
    sleeping: AtomicBool,
}

impl Waker {
    /// Ends the sleep under way, if there is one.
    pub fn wake(&self) {
        if self.sleeping.swap(false, Ordering::SeqCst) {
            let fd = self.fd.load(Ordering::Acquire);
            let one = 1u64;
            // SAFETY: writes eight bytes to an eventfd that is open as long as this waker; a full counter means it is awake anyway.
            unsafe { libc::write(fd, (&raw const one).cast(), 8) };
        }
    }
}

impl Drop for Waker {
    fn drop(&mut self) {
        let fd = *self.fd.get_mut();
        if fd >= 0 {
            // SAFETY: ours; nobody else knows it any more.
            unsafe { libc::close(fd) };
        }
    }
}

/// How often in a turn a source that asks to be called again is called: as often as libuv reads from a socket.
const ROUNDS: u32 = 32;

/// What is called after each source with its result; false stops.
type After<'a> = &'a mut dyn FnMut(&mut Scope<'_>, JsResult<()>) -> bool;

/// The descriptors that one JavaScript thread waits for.
pub struct Poller {
    epoll: OnceCell<OwnedFd>,
    waker: Arc<Waker>,
    slots: RefCell<Vec<Slot>>,
    free: RefCell<Vec<u32>>,
    again: RefCell<Vec<Key>>,
    closing: RefCell<Vec<Rc<dyn Source>>>,
    refs: Cell<usize>,
    events: RefCell<Vec<libc::epoll_event>>,
    /// Events of the last wait that are still to be dispatched.
    harvested: Cell<usize>,
    /// Sources of [`Poller::add_last`]: without any, their order costs nothing.
    last: Cell<usize>,
}

impl Default for Poller {
    fn default() -> Self {
        Poller {
            epoll: OnceCell::new(),
            waker: Arc::new(Waker { fd: AtomicI32::new(-1), sleeping: AtomicBool::new(false) }),
            slots: RefCell::default(),
            free: RefCell::default(),
            again: RefCell::default(),
            closing: RefCell::default(),
            refs: Cell::new(0),
            events: RefCell::default(),
            harvested: Cell::new(0),
            last: Cell::new(0),
        }
    }
}

fn check(result: i32) -> io::Result<i32> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

impl Poller {
    /// The poller of this thread.
    pub fn of(scope: &mut Scope<'_>) -> Rc<Poller> {
        scope.state().get_or_default::<Rc<Poller>>().clone()
    }

    fn epoll(&self) -> io::Result<RawFd> {
        if let Some(fd) = self.epoll.get() {
            return Ok(fd.as_raw_fd());
        }
        // SAFETY: plain system calls; the descriptors are owned from here on. The eventfd belongs to the waker, which other
        // threads may still hold when this one ends.
        unsafe {
            let epoll = OwnedFd::from_raw_fd(check(libc::epoll_create1(libc::EPOLL_CLOEXEC))?);
            let event = check(libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK))?;
            let mut interest = libc::epoll_event { events: (libc::EPOLLIN | libc::EPOLLET) as u32, u64: WAKER };
            check(libc::epoll_ctl(epoll.as_raw_fd(), libc::EPOLL_CTL_ADD, event, &mut interest))?;
            self.waker.fd.store(event, Ordering::Release);
            self.events.borrow_mut().resize(BATCH, libc::epoll_event { events: 0, u64: 0 });
            Ok(self.epoll.get_or_init(|| epoll).as_raw_fd())
        }
    }

    /// The epoll descriptor, once there is one.
    pub fn fd(&self) -> Option<RawFd> {
        self.epoll.get().map(AsRawFd::as_raw_fd)
    }

    /// Another descriptor of the same epoll instance, for a reactor that watches this poller.
    pub fn duplicate(&self) -> Option<OwnedFd> {
        self.epoll.get()?.try_clone().ok()
    }

    /// The way to wake this poller from other threads.
    pub fn waker(&self) -> Arc<Waker> {
        self.waker.clone()
    }

    /// Registers `source` for `fd`, edge-triggered for reading and writing. The caller keeps `fd` open until it has
    /// called [`Poller::remove`].
    pub fn add(&self, fd: RawFd, source: Rc<dyn Source>) -> io::Result<Key> {
        self.add_for(fd, source, libc::EPOLLIN | libc::EPOLLOUT | libc::EPOLLRDHUP | libc::EPOLLET)
    }

    /// Registers `source` for `fd`, level-triggered for reading only: for listening sockets and datagrams.
    pub fn add_readable(&self, fd: RawFd, source: Rc<dyn Source>) -> io::Result<Key> {
        self.add_for(fd, source, libc::EPOLLIN)
    }

    /// As [`Poller::add_readable`], for the end of a process: the source is called after all others that are ready in the same turn, and after
    /// what they have left to read, as libuv handles SIGCHLD last. What a process wrote before its end thus comes before its end.
    pub fn add_last(&self, fd: RawFd, source: Rc<dyn Source>) -> io::Result<Key> {
        let key = self.add_for(fd, source, libc::EPOLLIN)?;
        self.slots.borrow_mut()[key.index as usize].is_last = true;
        self.last.set(self.last.get() + 1);
        Ok(key)
    }

    fn add_for(&self, fd: RawFd, source: Rc<dyn Source>, events: i32) -> io::Result<Key> {
        let epoll = self.epoll()?;
        let mut slots = self.slots.borrow_mut();
        let index = self.free.borrow_mut().pop().unwrap_or_else(|| {
            slots.push(Slot::default());
            (slots.len() - 1) as u32
        });
        let slot = &mut slots[index as usize];
        let key = Key { index, generation: slot.generation };
        let mut interest = libc::epoll_event { events: events as u32, u64: key.bits() };
        let mut control = |operation| {
            // SAFETY: a valid event for the time of the call.
            check(unsafe { libc::epoll_ctl(epoll, operation, fd, &mut interest) })
        };
        let added = control(libc::EPOLL_CTL_ADD).or_else(|error| match error.raw_os_error() {
            // A descriptor that this process has had before, closed, and got again from another one: while the other
            // had it, the registration stayed.
            Some(libc::EEXIST) => control(libc::EPOLL_CTL_MOD),
            _ => Err(error),
        });
        if let Err(error) = added {
            self.free.borrow_mut().push(index);
            return Err(error);
        }
        slot.source = Some(source);
        Ok(key)
    }

    /// Changes what a level-triggered source waits for: reading, writing, both or neither.
    pub fn modify(&self, key: Key, fd: RawFd, read: bool, write: bool) -> io::Result<()> {
        let events = if read { libc::EPOLLIN } else { 0 } | if write { libc::EPOLLOUT } else { 0 };
        let mut interest = libc::epoll_event { events: events as u32, u64: key.bits() };
        // SAFETY: a valid event for the time of the call.
        check(unsafe { libc::epoll_ctl(self.epoll()?, libc::EPOLL_CTL_MOD, fd, &mut interest) }).map(drop)
    }

    /// Ends a registration. `fd` is still open, or -1 where closing it does the kernel's part.
    pub fn remove(&self, key: Key, fd: RawFd) {
        if fd >= 0
            && let Some(epoll) = self.fd()
        {
            // SAFETY: the event argument is not used; an error means that it is not registered.
            unsafe { libc::epoll_ctl(epoll, libc::EPOLL_CTL_DEL, fd, std::ptr::null_mut()) };
        }
        let mut slots = self.slots.borrow_mut();
        let slot = &mut slots[key.index as usize];
        if slot.generation == key.generation {
            slot.generation = slot.generation.wrapping_add(1);
            if std::mem::take(&mut slot.is_last) {
                self.last.set(self.last.get() - 1);
            }
            let source = slot.source.take();
            self.free.borrow_mut().push(key.index);
            drop(slots);
            drop(source);
        }
    }

    /// Forgets all sources at the end of the thread: they and this poller hold each other.
    pub fn clear(&self) {
        let sources: Vec<_> = self.slots.borrow_mut().iter_mut().filter_map(|slot| slot.source.take()).collect();
        let closing = std::mem::take(&mut *self.closing.borrow_mut());
        drop((sources, closing));
    }

    /// Has a source called once more after the sources of this turn, or in the next one, with [`Ready::AGAIN`].
    pub fn again(&self, key: Key) {
        self.again.borrow_mut().push(key);
    }

    /// Has [`Source::closed`] called at the end of this turn.
    pub fn close_later(&self, source: Rc<dyn Source>) {
        self.closing.borrow_mut().push(source);
    }

    /// Changes how many sources keep the loop alive.
    pub fn count_refs(&self, delta: isize) {
        self.refs.set(self.refs.get().saturating_add_signed(delta));
    }

    /// Whether something keeps the loop alive.
    pub fn is_alive(&self) -> bool {
        self.refs.get() > 0 || !self.closing.borrow().is_empty()
    }

    /// Whether there is work that needs no waiting.
    pub fn has_work(&self) -> bool {
        self.harvested.get() > 0 || !self.again.borrow().is_empty() || !self.closing.borrow().is_empty()
    }

    /// Sleeps until something is ready, at most `timeout`. `cancel` is asked after the point from which on
    /// [`Waker::wake`] has an effect: true means not to sleep.
    pub fn wait(&self, timeout: Option<Duration>, cancel: impl FnOnce() -> bool) {
        let Some(epoll) = self.fd() else { return };
        if self.harvested.get() > 0 {
            return;
        }
        let zero = timeout.is_some_and(|limit| limit.is_zero());
        let mut milliseconds = match timeout {
            None => -1,
            // Rounded up: a timer that is not due yet would only be waited for again.
            Some(limit) => limit.as_nanos().div_ceil(1_000_000).min(i32::MAX as u128) as i32,
        };
        if !zero {
            self.waker.sleeping.store(true, Ordering::SeqCst);
            if cancel() {
                milliseconds = 0;
            }
        }
        let mut events = self.events.borrow_mut();
        // SAFETY: the vector has BATCH elements.
        let count = unsafe { libc::epoll_wait(epoll, events.as_mut_ptr(), BATCH as i32, milliseconds) };
        if !zero {
            self.waker.sleeping.store(false, Ordering::SeqCst);
        }
        self.harvested.set(count.max(0) as usize);
    }

    fn source(&self, key: Key) -> Option<Rc<dyn Source>> {
        let slots = self.slots.borrow();
        let slot = slots.get(key.index as usize)?;
        if slot.generation == key.generation { slot.source.clone() } else { None }
    }

    /// Whether a source is one of [`Poller::add_last`].
    fn is_last(&self, key: Key) -> bool {
        self.last.get() > 0
            && self
                .slots
                .borrow()
                .get(key.index as usize)
                .is_some_and(|slot| slot.is_last && slot.generation == key.generation)
    }

    /// Calls a source, if it is still there; false stops.
    fn call(&self, key: Key, ready: Ready, scope: &mut Scope<'_>, after: After<'_>) -> bool {
        let Some(source) = self.source(key) else { return true };
        scope.nested(|scope| {
            let result = source.ready(scope, ready);
            after(scope, result)
        })
    }

    /// Calls the sources that asked to be called again; false stops.
    fn call_again(&self, scope: &mut Scope<'_>, after: After<'_>) -> bool {
        // A connection that brings more than one read takes has its turn several times, or whoever sends to it in this thread as
        // fast as it can is always ahead.
        for _ in 0..ROUNDS {
            let again = std::mem::take(&mut *self.again.borrow_mut());
            if again.is_empty() {
                break;
            }
            for key in again {
                if !self.call(key, Ready::AGAIN, scope, after) {
                    return false;
                }
            }
        }
        true
    }

    /// Handles what the last wait found, and sources that asked to be called again. `after` is called after each with
    /// its result; false stops.
    pub fn dispatch(&self, scope: &mut Scope<'_>, after: After<'_>) {
        if !self.call_again(scope, after) {
            return;
        }
        let count = self.harvested.replace(0);
        let mut last = Vec::new();
        for index in 0..count {
            let event = self.events.borrow()[index];
            let bits = event.u64;
            if bits == WAKER {
                self.drain_waker();
                continue;
            }
            let key = Key { index: bits as u32, generation: (bits >> 32) as u32 };
            let ready = Ready(event.events);
            if self.is_last(key) {
                last.push((key, ready));
            } else if !self.call(key, ready, scope, after) {
                return;
            }
        }
        if last.is_empty() || !self.call_again(scope, after) {
            return;
        }
        for (key, ready) in last {
            if !self.call(key, ready, scope, after) {
                return;
            }
        }
    }

    fn drain_waker(&self) {
        let mut count = 0u64;
        // SAFETY: reads eight bytes from a non-blocking eventfd.
        unsafe { libc::read(self.waker.fd.load(Ordering::Relaxed), (&raw mut count).cast(), 8) };
    }

    /// Tells the sources given to [`Poller::close_later`] that their turn has ended.
    pub fn dispatch_closed(&self, scope: &mut Scope<'_>, after: After<'_>) {
        let closing = std::mem::take(&mut *self.closing.borrow_mut());
        for source in closing {
            let go_on = scope.nested(|scope| {
                let result = source.closed(scope);
                after(scope, result)
            });
            if !go_on {
                return;
            }
        }
    }
}
