//! What the event loop of a JavaScript thread waits for and sleeps in; `turns` runs it.
//!
//! What waits comes in through one queue ([`Inbox`]), filled by the pool, by signals, by engine threads and by futures
//! of the thread's own tokio runtime. That runtime is made when the first future is spawned; until then the loop
//! sleeps on a condition variable, so that programs without sockets never pay for it.
//!
//! Sockets are sources of the thread's [`poll::Poller`], an epoll descriptor that the loop itself sleeps in: their events
//! run on the loop's stack right after epoll_wait, without a task, a queue entry or a wake-up in between.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::future::Future;
use std::os::fd::OwnedFd;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, Once};
use std::task::Poll;
use std::time::{Duration, Instant};

use poll::Poller;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use engine::{AsyncCompletion, BlockingJob, EngineTask, Global, JsResult, Scope, SharedCells};

/// Something that has happened and wants JavaScript to run.
pub enum Arrival {
    /// An async op is done.
    Op { token: u64, completion: AsyncCompletion },
    /// A job of the pool is done.
    Job { token: u64, job: Box<dyn BlockingJob> },
    /// The engine finished something on another thread.
    Engine(EngineTask),
    /// The same for a moment to come, for which the loop is not kept alive.
    EngineLater(EngineTask, Instant),
    /// Messages of another thread wait.
    Messages(Arc<dyn Mailbox>),
    /// Any other call, with what keeps the loop alive until then.
    Call(Box<dyn FnOnce(&mut Scope<'_>) -> JsResult<()> + Send>),
    /// A call that does not keep the loop alive.
    Aside(Box<dyn FnOnce(&mut Scope<'_>) -> JsResult<()> + Send>),
}

/// Messages that wait for a thread, as at the end of a message port.
pub trait Mailbox: Send + Sync {
    /// Hands the messages to JavaScript, on the thread that they are for.
    ///
    /// # Errors
    /// The exception of a listener, which counts as uncaught.
    fn deliver(self: Arc<Self>, scope: &mut Scope<'_>) -> JsResult<()>;
}

/// Another event loop that this one runs: libuv's, for native addons.
pub trait Companion {
    /// Whether something in it keeps this loop alive.
    fn is_alive(&self) -> bool;
    /// How long it can wait; `None` for as long as nothing happens to its descriptor.
    fn timeout(&self) -> Option<Duration>;
    /// Runs what is due.
    fn run(&self, scope: &mut Scope<'_>);
}

/// The way into a loop from any thread.
#[derive(Clone)]
pub struct Inbox {
    shared: Arc<InboxShared>,
}

struct InboxShared {
    queue: Mutex<InboxQueue>,
    /// Something is in the queue: looked at without the lock by a loop that is about to sleep.
    filled: AtomicBool,
    /// When the loop of this thread ran first and how long it has slept, for other threads.
    times: LoopTimes,
    condvar: Condvar,
    /// Quick jobs of this loop that are not done.
    quick: AtomicUsize,
    /// Jobs of this loop that are not done: they may be at work on its thread's memory.
    jobs: AtomicUsize,
    notify: tokio::sync::Notify,
    waker: Arc<poll::Waker>,
}

/// Of a loop: microseconds since the process start at which it began (0: not yet), nanoseconds asleep, and where it is asleep now
/// those between `epoch` and its going to sleep (else 0).
struct LoopTimes {
    start: AtomicU64,
    idle: AtomicU64,
    epoch: Instant,
    asleep: AtomicU64,
}

impl LoopTimes {
    fn new() -> Self {
        LoopTimes {
            start: AtomicU64::new(0),
            idle: AtomicU64::new(0),
            epoch: Instant::now(),
            asleep: AtomicU64::new(0),
        }
    }

    fn since_epoch(&self, moment: Instant) -> u64 {
        moment.duration_since(self.epoch).as_nanos() as u64
    }
}

#[derive(Default)]
struct InboxQueue {
    arrivals: VecDeque<Arrival>,
    sleep: Sleep,
    /// The engine's tasks are not taken any more.
    ends: bool,
}

/// How the loop sleeps on the condition variable.
#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum Sleep {
    #[default]
    Awake,
    /// For [`NAP`] at most: quick jobs that get done meanwhile wake it together.
    Napping,
    Asleep,
}

/// How long the first of several quick jobs under way waits for the others to be delivered with it.
const NAP: Duration = Duration::from_micros(100);
/// After so many of them in a row.
const LOOK_OUT_AFTER_ANSWERS: u32 = 3;
/// How long a loop that talks to another thread looks for its answer before it sleeps: being woken takes as long.
const LOOK_OUT_FOR: Duration = Duration::from_micros(12);
/// Programs that sleep longer are there for a while.
const LONG_SLEEP: Duration = Duration::from_millis(50);
/// So many arrivals are enough to wake the loop from a nap.
const WAKE_FROM_NAP_AT: usize = 16;

impl Inbox {
    fn new(waker: Arc<poll::Waker>) -> Self {
        Inbox {
            shared: Arc::new(InboxShared {
                queue: Mutex::default(),
                filled: AtomicBool::new(false),
                times: LoopTimes::new(),
                condvar: Condvar::new(),
                quick: AtomicUsize::new(0),
                jobs: AtomicUsize::new(0),
                notify: tokio::sync::Notify::new(),
                waker,
            }),
        }
    }

    /// Delivers an arrival and wakes the loop.
    pub fn send(&self, arrival: Arrival) {
        self.deliver(arrival, true);
    }

    /// Delivers a task of the engine's, for now or for later; gives it back where the thread ends.
    pub fn send_task(&self, task: EngineTask, delay: Option<Duration>) -> Result<(), EngineTask> {
        let arrival = match delay {
            None => Arrival::Engine(task),
            Some(delay) => Arrival::EngineLater(task, Instant::now() + delay),
        };
        match self.deliver(arrival, true) {
            Some(Arrival::Engine(task) | Arrival::EngineLater(task, _)) => Err(task),
            _ => Ok(()),
        }
    }

    /// Notes a job given to the pool, which comes back by [`Inbox::send_job`].
    pub fn expect_job(&self, quick: bool) {
        self.shared.jobs.fetch_add(1, Ordering::Relaxed);
        if quick {
            self.shared.quick.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Delivers a job that is done. The loop is let nap a little longer where more quick jobs are about to follow.
    pub fn send_job(&self, token: u64, job: Box<dyn BlockingJob>) {
        let last = !job.is_quick() || self.shared.quick.fetch_sub(1, Ordering::Relaxed) == 1;
        self.deliver(Arrival::Job { token, job }, last);
        self.shared.jobs.fetch_sub(1, Ordering::Release);
    }

    /// The arrival comes back where it is not taken.
    fn deliver(&self, arrival: Arrival, now: bool) -> Option<Arrival> {
        let wake = {
            let mut queue = self.lock();
            if queue.ends && matches!(arrival, Arrival::Engine(_) | Arrival::EngineLater(..)) {
                return Some(arrival);
            }
            queue.arrivals.push_back(arrival);
            self.shared.filled.store(true, Ordering::Release);
            let wake = match queue.sleep {
                Sleep::Awake => false,
                Sleep::Napping => now || queue.arrivals.len() >= WAKE_FROM_NAP_AT,
                Sleep::Asleep => true,
            };
            if wake {
                // Nobody else has to.
                queue.sleep = Sleep::Awake;
            }
            wake
        };
        if wake {
            self.shared.condvar.notify_one();
        }
        self.shared.notify.notify_one();
        self.shared.waker.wake();
        None
    }

    fn lock(&self) -> MutexGuard<'_, InboxQueue> {
        self.shared.queue.lock().unwrap_or_else(|p| p.into_inner())
    }

    /// What has arrived, in exchange for an empty queue.
    pub(crate) fn take(&self, empty: VecDeque<Arrival>) -> VecDeque<Arrival> {
        let mut queue = self.lock();
        self.shared.filled.store(false, Ordering::Relaxed);
        std::mem::replace(&mut queue.arrivals, empty)
    }

    /// Puts back what was taken and not handled.
    pub(crate) fn put_back(&self, rest: VecDeque<Arrival>) {
        let mut queue = self.lock();
        let later = std::mem::replace(&mut queue.arrivals, rest);
        queue.arrivals.extend(later);
        self.shared.filled.store(true, Ordering::Release);
    }

    /// Waits without sleeping for something to arrive.
    fn look_out(&self) -> bool {
        let began = Instant::now();
        loop {
            for _ in 0..16 {
                if self.shared.filled.load(Ordering::Acquire) {
                    return true;
                }
                std::hint::spin_loop();
            }
            if began.elapsed() > LOOK_OUT_FOR {
                return false;
            }
        }
    }

    /// Whether the next thing is a message of another thread's.
    fn has_message(&self) -> bool {
        matches!(self.lock().arrivals.front(), Some(Arrival::Messages(_)))
    }

    /// The loop begins now; `start` is that of its thread. In a worker it does before its program, which runs inside of it.
    pub fn note_start(&self, start: Instant) {
        let micros = start.elapsed().as_micros() as u64;
        let _ = self.shared.times.start.compare_exchange(0, micros.max(1), Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Milliseconds asleep, and after the process start when the loop began, -1 where it has not.
    pub fn times(&self) -> (f64, f64) {
        let (start, idle) = (&self.shared.times.start, &self.shared.times.idle);
        let start = match start.load(Ordering::Relaxed) {
            0 => -1.0,
            micros => micros as f64 / 1e3,
        };
        let times = &self.shared.times;
        let now = match times.asleep.load(Ordering::Relaxed) {
            0 => 0,
            since => times.since_epoch(Instant::now()).saturating_sub(since),
        };
        ((idle.load(Ordering::Relaxed) + now) as f64 / 1e6, start)
    }

    /// Whether the loop waits now.
    pub fn is_asleep(&self) -> bool {
        self.shared.times.asleep.load(Ordering::Relaxed) != 0
    }

    fn is_empty(&self) -> bool {
        self.lock().arrivals.is_empty()
    }

    fn keeps_alive(&self) -> bool {
        self.lock().arrivals.iter().any(|arrival| !matches!(arrival, Arrival::Aside(_)))
    }

    /// Sleeps until something arrives, for `timeout` at most.
    fn sleep(&self, timeout: Option<Duration>) {
        let mut queue = self.lock();
        if !queue.arrivals.is_empty() {
            return;
        }
        let mut left = timeout;
        if self.shared.quick.load(Ordering::Relaxed) > 1 && timeout.is_none_or(|limit| limit > NAP) {
            queue.sleep = Sleep::Napping;
            queue = self.shared.condvar.wait_timeout(queue, NAP).unwrap_or_else(|p| p.into_inner()).0;
            left = timeout.map(|limit| limit - NAP);
        }
        if queue.arrivals.is_empty() {
            queue.sleep = Sleep::Asleep;
            queue = match left {
                Some(limit) => self.shared.condvar.wait_timeout(queue, limit).unwrap_or_else(|p| p.into_inner()).0,
                None => self.shared.condvar.wait(queue).unwrap_or_else(|p| p.into_inner()),
            };
        }
        queue.sleep = Sleep::Awake;
    }
}

/// Has the executable load at the first sleep what it leaves out of a start: libm, with its first function (cli/src/lazy_calls.rs).
///
/// A program that sleeps has the time. A server must not find out in a year that the file has another version by now, or that the
/// system has no more open files to give.
fn load_late_libraries() {
    // Each sleep comes here: what has been done is seen by a plain load.
    static LOADED: Once = Once::new();
    LOADED.call_once(|| {
        std::hint::black_box(std::hint::black_box(1.0_f64).sin());
    });
}

/// The tokio half, made on first use.
struct Reactor {
    runtime: tokio::runtime::Runtime,
    tasks: tokio::task::LocalSet,
    /// The poller's descriptor as tokio sees it, for programs that have both.
    poller: RefCell<Option<Rc<AsyncFd<OwnedFd>>>>,
}

impl Reactor {
    /// The poller's descriptor, once it has one; registered here at the first call after that.
    fn polled(&self, poller: &Poller) -> Option<Rc<AsyncFd<OwnedFd>>> {
        let mut known = self.poller.borrow_mut();
        if known.is_none() {
            let fd = poller.duplicate()?;
            // SAFETY: an open descriptor that the registration owns.
            *known = unsafe { AsyncFd::register_with_interest(fd, Interest::READABLE) }.ok().map(Rc::new);
        }
        known.clone()
    }
}

/// Loop state that ops and the host reach.
pub struct LoopState {
    pub inbox: Inbox,
    /// Operations under way that keep the loop alive. An op that should not is counted down by its owner (`keepAlive`),
    /// before or after it starts, so this may be negative for a moment.
    pub pending: Cell<isize>,
    /// Ops that were done when they were called; their callbacks run in the next turn.
    pub ready: RefCell<Vec<u64>>,
    /// An empty queue, kept for its memory.
    pub(crate) spare: RefCell<VecDeque<Arrival>>,
    /// Tasks of the engine's for moments to come, a few.
    pub(crate) delayed: RefCell<Vec<(Instant, EngineTask)>>,
    reactor: RefCell<Option<Rc<Reactor>>>,
    /// The descriptors that wait.
    pub poller: Rc<Poller>,
    pub(crate) start: Instant,
    pub(crate) now: Cell<f64>,
    /// Loop time in milliseconds at which the one native timer is due.
    pub(crate) timer_due: Cell<Option<f64>>,
    /// See ext/core/task_queues.ts: `[tick queue not empty, rejections wait]`.
    pub tick_info: SharedCells,
    /// See ext/core/timers.ts: `[immediates queued, of them ref'ed]`.
    pub immediate_info: SharedCells,
    /// `[ref'ed timers]`
    pub timer_info: SharedCells,
    /// Cleanup functions of finalization registries.
    pub cleanups: RefCell<Vec<Global>>,
    /// JavaScript's processTicksAndRejections, kept because it runs after nearly every callback.
    pub(crate) process_ticks: RefCell<Option<Global>>,
    /// How many messages of other threads in a row came right after the loop went to sleep.
    soon_answered: Cell<u32>,
    pub turns: Cell<u64>,
    /// Run once a turn, from when it is put here.
    pub companion: RefCell<Option<Rc<dyn Companion>>>,
}

impl Default for LoopState {
    fn default() -> Self {
        Self::new()
    }
}

impl LoopState {
    pub fn new() -> Self {
        let poller = Rc::new(Poller::default());
        LoopState {
            inbox: Inbox::new(poller.waker()),
            pending: Cell::new(0),
            ready: RefCell::default(),
            spare: RefCell::default(),
            delayed: RefCell::default(),
            reactor: RefCell::new(None),
            poller,
            start: Instant::now(),
            now: Cell::new(0.0),
            timer_due: Cell::new(None),
            tick_info: SharedCells::new(2),
            immediate_info: SharedCells::new(2),
            timer_info: SharedCells::new(1),
            cleanups: RefCell::default(),
            process_ticks: RefCell::default(),
            soon_answered: Cell::default(),
            turns: Cell::default(),
            companion: RefCell::default(),
        }
    }

    /// Loop time in whole milliseconds, as of the last update.
    pub fn now(&self) -> f64 {
        self.now.get()
    }

    /// Reads the clock anew.
    pub fn update_now(&self) -> f64 {
        let now = (self.start.elapsed().as_micros() / 1000) as f64;
        self.now.set(now);
        now
    }

    /// Arms the one native timer, `ms` from now.
    pub fn schedule_timer(&self, ms: f64) {
        self.timer_due.set(Some(self.now.get() + ms.max(1.0)));
    }

    /// Runs a future on this thread; its completion arrives like any other.
    pub fn spawn_local(&self, token: u64, future: Pin<Box<dyn Future<Output = AsyncCompletion>>>) {
        let reactor = self
            .reactor
            .borrow_mut()
            .get_or_insert_with(|| {
                Rc::new(Reactor {
                    runtime: tokio::runtime::Builder::new_current_thread()
                        .enable_all()
                        .build()
                        .expect("epoll and a pipe are available"),
                    tasks: tokio::task::LocalSet::new(),
                    poller: RefCell::new(None),
                })
            })
            .clone();
        let inbox = self.inbox.clone();
        reactor.tasks.spawn_local(async move {
            let completion = future.await;
            inbox.send(Arrival::Op { token, completion });
        });
    }

    pub(crate) fn wait(&self, timeout: Option<Duration>) {
        let began = Instant::now();
        let times = &self.inbox.shared.times;
        times.asleep.store(times.since_epoch(began).max(1), Ordering::Relaxed);
        let may_sleep = timeout.is_none_or(|limit| limit > LOOK_OUT_FOR);
        if timeout.is_none_or(|limit| limit > LONG_SLEEP) {
            crate::signals::before_long_sleep();
        }
        if may_sleep && self.soon_answered.get() >= LOOK_OUT_AFTER_ANSWERS {
            if self.inbox.look_out() {
                self.slept(began);
                return;
            }
            self.soon_answered.set(0);
        }
        self.wait_asleep(timeout);
        if may_sleep {
            // An answer that came soon: the next one may be worth looking out for.
            let soon = began.elapsed() < LOOK_OUT_FOR * 4 && self.inbox.has_message();
            self.soon_answered.set(if soon { self.soon_answered.get() + 1 } else { 0 });
        }
        self.slept(began);
    }

    fn slept(&self, began: Instant) {
        let times = &self.inbox.shared.times;
        times.asleep.store(0, Ordering::Relaxed);
        times.idle.fetch_add(began.elapsed().as_nanos() as u64, Ordering::Relaxed);
    }

    fn wait_asleep(&self, timeout: Option<Duration>) {
        if timeout != Some(Duration::ZERO) {
            load_late_libraries();
        }
        let reactor = self.reactor.borrow().clone();
        match reactor {
            Some(reactor) => {
                self.wait_in_reactor(&reactor, timeout);
                self.poller.wait(Some(Duration::ZERO), || true);
            }
            None if self.poller.fd().is_some() => {
                let timeout = if self.inbox.is_empty() { timeout } else { Some(Duration::ZERO) };
                self.poller.wait(timeout, || !self.inbox.is_empty());
            }
            None => {
                if timeout.is_some_and(|limit| limit.is_zero()) {
                    return;
                }
                self.inbox.sleep(timeout);
            }
        }
    }

    /// Sleeps in tokio until the inbox or the poller has something.
    fn wait_in_reactor(&self, reactor: &Reactor, timeout: Option<Duration>) {
        reactor.tasks.block_on(&reactor.runtime, async {
            let notified = self.inbox.shared.notify.notified();
            if !self.inbox.is_empty() {
                return;
            }
            let polled = reactor.polled(&self.poller);
            let mut notified = std::pin::pin!(notified);
            let either = std::future::poll_fn(|cx| {
                if let Some(polled) = &polled
                    && let Poll::Ready(ready) = polled.poll_read_ready(cx)
                {
                    if let Ok(mut ready) = ready {
                        ready.clear_ready();
                    }
                    return Poll::Ready(());
                }
                notified.as_mut().poll(cx)
            });
            match timeout {
                Some(limit) if limit.is_zero() => tokio::task::yield_now().await,
                Some(limit) => {
                    let _ = tokio::time::timeout(limit, either).await;
                }
                None => either.await,
            }
        });
    }

    /// Whether jobs of the pool are at work for this thread.
    pub fn is_busy(&self) -> bool {
        self.inbox.shared.jobs.load(Ordering::Acquire) != 0
    }

    /// Before the thread's memory is freed: ends the futures, waits for jobs of the pool that are at work on it.
    pub fn finish(&self) {
        self.reactor.borrow_mut().take();
        while self.inbox.shared.jobs.load(Ordering::Acquire) != 0 {
            std::thread::sleep(Duration::from_millis(1));
        }
        self.inbox.take(VecDeque::new());
    }

    /// Gives up the engine's tasks, those that have come and those to come: the end of a context waits for them.
    pub fn abandon_tasks(&self, scope: &mut Scope<'_>) {
        let arrivals = {
            let mut queue = self.inbox.lock();
            queue.ends = true;
            std::mem::take(&mut queue.arrivals)
        };
        for (_, task) in self.delayed.take() {
            task.abandon(scope);
        }
        for arrival in arrivals {
            if let Arrival::Engine(task) | Arrival::EngineLater(task, _) = arrival {
                task.abandon(scope);
            }
        }
    }

    fn timer_keeps_alive(&self) -> bool {
        self.timer_due.get().is_some() && self.timer_info.get(0) > 0
    }

    pub(crate) fn alive(&self) -> bool {
        self.pending.get() > 0
            || self.timer_keeps_alive()
            || self.immediate_info.get(1) > 0
            || self.poller.is_alive()
            || engine::engine_tasks_pending() > 0
            || self.inbox.keeps_alive()
            || self.companion.borrow().as_ref().is_some_and(|companion| companion.is_alive())
    }
}
