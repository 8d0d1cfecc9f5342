//! The event loop of one JavaScript thread, in Node's phase order: timers, completions (I/O), immediates, close.
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
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::task::Poll;
use std::time::{Duration, Instant};

use poll::Poller;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use engine::{AsyncCompletion, BlockingJob, EngineTask, Global, JsResult, Scope, SharedCells};

use crate::state::RuntimeState;
use crate::{builtins, errors};

/// Something that has happened and wants JavaScript to run.
pub enum Arrival {
    /// An async op is done.
    Op { token: u64, completion: AsyncCompletion },
    /// A job of the pool is done.
    Job { token: u64, job: Box<dyn BlockingJob> },
    /// A watched signal came.
    Signal(i32),
    /// The engine finished something on another thread.
    Engine(EngineTask),
    /// The same for a moment to come, for which the loop is not kept alive.
    EngineLater(EngineTask, Instant),
    /// A message port of this thread has something.
    Port(Arc<crate::ports::End>),
    /// Any other call, with what keeps the loop alive until then.
    Call(Box<dyn FnOnce(&mut Scope<'_>) -> JsResult<()> + Send>),
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
const CHATTING: u32 = 3;
/// How long a loop that talks to another thread looks for its answer before it sleeps: being woken takes as long.
const LOOKOUT: Duration = Duration::from_micros(12);
/// So many arrivals are enough to wake the loop from a nap.
const ENOUGH: usize = 16;

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
                Sleep::Napping => now || queue.arrivals.len() >= ENOUGH,
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
    fn take(&self, empty: VecDeque<Arrival>) -> VecDeque<Arrival> {
        let mut queue = self.lock();
        self.shared.filled.store(false, Ordering::Relaxed);
        std::mem::replace(&mut queue.arrivals, empty)
    }

    /// Puts back what was taken and not handled.
    fn put_back(&self, rest: VecDeque<Arrival>) {
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
            if began.elapsed() > LOOKOUT {
                return false;
            }
        }
    }

    /// Whether the next thing is a message of another thread's.
    fn has_message(&self) -> bool {
        matches!(self.lock().arrivals.front(), Some(Arrival::Port(_)))
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

    fn is_empty(&self) -> bool {
        self.lock().arrivals.is_empty()
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
    spare: RefCell<VecDeque<Arrival>>,
    /// Tasks of the engine's for moments to come, a few.
    delayed: RefCell<Vec<(Instant, EngineTask)>>,
    reactor: RefCell<Option<Rc<Reactor>>>,
    /// The descriptors that wait.
    pub poller: Rc<Poller>,
    start: Instant,
    now: Cell<f64>,
    /// Loop time in milliseconds at which the one native timer is due.
    timer_due: Cell<Option<f64>>,
    /// See ext/core/task_queues.ts: `[tick queue not empty, rejections wait]`.
    pub tick_info: SharedCells,
    /// See ext/core/timers.ts: `[immediates queued, of them ref'ed]`.
    pub immediate_info: SharedCells,
    /// `[ref'ed timers]`
    pub timer_info: SharedCells,
    /// Cleanup functions of finalization registries.
    pub cleanups: RefCell<Vec<Global>>,
    /// JavaScript's processTicksAndRejections, kept because it runs after nearly every callback.
    process_ticks: RefCell<Option<Global>>,
    /// How many messages of other threads in a row came right after the loop went to sleep.
    chatting: Cell<u32>,
    pub turns: Cell<u64>,
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
            chatting: Cell::default(),
            turns: Cell::default(),
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

    fn wait(&self, timeout: Option<Duration>) {
        let began = Instant::now();
        let times = &self.inbox.shared.times;
        times.asleep.store(times.since_epoch(began).max(1), Ordering::Relaxed);
        let may_sleep = timeout.is_none_or(|limit| limit > LOOKOUT);
        if may_sleep && self.chatting.get() >= CHATTING {
            if self.inbox.look_out() {
                self.slept(began);
                return;
            }
            self.chatting.set(0);
        }
        self.wait_asleep(timeout);
        if may_sleep {
            // An answer that came soon: the next one may be worth looking out for.
            let soon = began.elapsed() < LOOKOUT * 4 && self.inbox.has_message();
            self.chatting.set(if soon { self.chatting.get() + 1 } else { 0 });
        }
        self.slept(began);
    }

    fn slept(&self, began: Instant) {
        let times = &self.inbox.shared.times;
        times.asleep.store(0, Ordering::Relaxed);
        times.idle.fetch_add(began.elapsed().as_nanos() as u64, Ordering::Relaxed);
    }

    fn wait_asleep(&self, timeout: Option<Duration>) {
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

    fn alive(&self) -> bool {
        self.pending.get() > 0
            || self.timer_keeps_alive()
            || self.immediate_info.get(1) > 0
            || self.poller.is_alive()
            || engine::engine_tasks_pending() > 0
            || !self.inbox.is_empty()
    }
}

/// After a callback: microtasks, and the nextTick queue where it is not empty (Node's order: ticks first, which
/// ext/core/task_queues sees to).
pub fn drain(scope: &mut Scope<'_>, state: &RuntimeState) {
    // Nothing runs after process.exit() or the end of a worker.
    if state.exit.get().is_some() {
        return;
    }
    let tick_info = &state.event_loop.tick_info;
    let idle = || tick_info.get(0) == 0 && tick_info.get(1) == 0;
    if idle() {
        run_microtasks(scope, state);
        if idle() {
            scope.clear_kept_objects();
            return;
        }
    }
    let result = scope.escape(|scope| {
        let known = state.event_loop.process_ticks.borrow().as_ref().map(|function| function.get(scope));
        let process = match known {
            Some(process) => process,
            None => {
                let queues = builtins::require(scope, state, "internal/core/task_queues")?;
                let process = scope.get(queues, "processTicksAndRejections")?;
                *state.event_loop.process_ticks.borrow_mut() = Some(scope.global(process));
                process
            }
        };
        scope.call_function(process, &[])
    });
    if let Err(exc) = result {
        errors::uncaught(scope, state, exc);
    }
    scope.clear_kept_objects();
}

/// Runs the microtask queue; an error thrown by a queued function is an uncaught exception. Then tells JavaScript of the
/// rejections that are left without a handler.
pub fn run_microtasks(scope: &mut Scope<'_>, state: &RuntimeState) {
    if scope.has_microtasks() {
        scope.run_microtasks(&mut |scope, error| errors::trigger_uncaught(scope, state, error, false));
        if scope.is_terminated() {
            crate::ops::test_ops::recover(scope, state);
        }
    }
    tell_rejections(scope, state);
}

fn tell_rejections(scope: &mut Scope<'_>, state: &RuntimeState) {
    let rejections = std::mem::take(&mut *state.rejections.borrow_mut());
    if rejections.is_empty() {
        return;
    }
    let saved = scope.async_context();
    for (promise, handled, context) in rejections {
        let result = scope.escape(|scope| {
            let context = context.get(scope);
            scope.set_async_context(context);
            let exports = builtins::require(scope, state, "internal/process/promises")?;
            let handler = scope.get(exports, "promiseRejectHandler")?;
            let kind = scope.int(i32::from(handled));
            let promise = promise.get(scope);
            let reason = match scope.promise_state(promise) {
                Some((_, reason)) => reason,
                None => scope.undefined(),
            };
            scope.call_function(handler, &[kind, promise, reason])
        });
        if let Err(exc) = result {
            errors::uncaught(scope, state, exc);
        }
    }
    scope.set_async_context(saved);
}

fn call_export(scope: &mut Scope<'_>, state: &RuntimeState, module: &str, export: &str, args: &[f64]) -> Option<f64> {
    let result = scope.escape(|scope| {
        let exports = builtins::require(scope, state, module)?;
        let function = scope.get(exports, export)?;
        let args: Vec<_> = args.iter().map(|n| scope.number(*n)).collect();
        scope.call_function(function, &args)
    });
    match result {
        Ok(value) => value.as_number(),
        Err(exc) => {
            errors::uncaught(scope, state, exc);
            None
        }
    }
}

fn run_timers(scope: &mut Scope<'_>, state: &RuntimeState) {
    let event_loop = &state.event_loop;
    let Some(due) = event_loop.timer_due.get() else { return };
    let now = event_loop.update_now();
    if due > now {
        return;
    }
    event_loop.timer_due.set(None);
    let next = call_export(scope, state, "internal/core/timers", "processTimers", &[now]).unwrap_or(0.0);
    if next != 0.0 {
        let now = event_loop.now.get();
        event_loop.timer_due.set(Some(now + (next.abs() - now).max(1.0)));
    }
    drain(scope, state);
}

fn run_arrivals(scope: &mut Scope<'_>, state: &RuntimeState) {
    let event_loop = &state.event_loop;
    let done = || event_loop.pending.set(event_loop.pending.get() - 1);
    let mut arrivals = event_loop.inbox.take(event_loop.spare.take());
    while let Some(arrival) = arrivals.pop_front() {
        scope.nested(|scope| {
            let result = match arrival {
                Arrival::Op { token, completion } => {
                    done();
                    engine::finish_async(scope, token, completion)
                }
                Arrival::Job { token, job } => {
                    done();
                    engine::finish_job(scope, token, job)
                }
                Arrival::Engine(task) => {
                    task.run(scope);
                    Ok(())
                }
                Arrival::EngineLater(task, due) => {
                    event_loop.delayed.borrow_mut().push((due, task));
                    Ok(())
                }
                Arrival::Signal(number) => crate::signals::deliver(scope, state, number),
                Arrival::Port(end) => crate::ports::deliver(scope, &end),
                Arrival::Call(call) => call(scope),
            };
            if let Err(exc) = result {
                errors::uncaught(scope, state, exc);
            }
            drain(scope, state);
        });
        if state.exit.get().is_some() {
            event_loop.inbox.put_back(arrivals);
            return;
        }
    }
    event_loop.spare.replace(arrivals);
    // Those that are called from here on have their turn in the next one.
    for token in event_loop.ready.take() {
        scope.nested(|scope| {
            done();
            if let Err(exc) = engine::finish_ready(scope, token) {
                errors::uncaught(scope, state, exc);
            }
            drain(scope, state);
        });
        if state.exit.get().is_some() {
            return;
        }
    }
}

/// Runs the engine's tasks whose time has come.
fn run_delayed(scope: &mut Scope<'_>, state: &RuntimeState) {
    let now = Instant::now();
    loop {
        let due = {
            let mut delayed = state.event_loop.delayed.borrow_mut();
            delayed.iter().position(|(due, _)| *due <= now).map(|index| delayed.remove(index))
        };
        let Some((_, task)) = due else { return };
        scope.nested(|scope| task.run(scope));
        drain(scope, state);
    }
}

fn run_cleanups(scope: &mut Scope<'_>, state: &RuntimeState) {
    let cleanups = std::mem::take(&mut *state.event_loop.cleanups.borrow_mut());
    for cleanup in cleanups {
        let function = cleanup.get(scope);
        if let Err(exc) = scope.call_function(function, &[]) {
            errors::uncaught(scope, state, exc);
        }
        drain(scope, state);
    }
}

/// One turn: timers, arrivals (waiting where nothing else is due), immediates.
fn turn(scope: &mut Scope<'_>, state: &RuntimeState) {
    let event_loop = &state.event_loop;
    if event_loop.turns.get() == 0 {
        event_loop.inbox.note_start(state.start);
    }
    event_loop.turns.set(event_loop.turns.get() + 1);
    event_loop.update_now();
    run_timers(scope, state);
    if state.exit.get().is_some() {
        return;
    }
    if !event_loop.delayed.borrow().is_empty() {
        run_delayed(scope, state);
        if state.exit.get().is_some() {
            return;
        }
    }
    run_cleanups(scope, state);
    let may_wait = event_loop.immediate_info.get(0) == 0
        && event_loop.ready.borrow().is_empty()
        && event_loop.alive()
        && !event_loop.poller.has_work();
    let timeout = if may_wait {
        let timers = event_loop.timer_due.get().map(|due| {
            // The loop clock is in whole milliseconds; waking a little late is better than spinning.
            let elapsed = event_loop.start.elapsed().as_secs_f64() * 1000.0;
            Duration::from_secs_f64(((due - elapsed).max(0.0)) / 1000.0)
        });
        let delayed = event_loop.delayed.borrow().iter().map(|(due, _)| *due).min();
        let delayed = delayed.map(|due| due.saturating_duration_since(Instant::now()));
        timers.into_iter().chain(delayed).min()
    } else {
        Some(Duration::ZERO)
    };
    event_loop.wait(timeout);
    run_arrivals(scope, state);
    if state.exit.get().is_some() {
        return;
    }
    let mut after = |scope: &mut Scope<'_>, result: JsResult<()>| {
        if let Err(exc) = result {
            errors::uncaught(scope, state, exc);
        }
        drain(scope, state);
        state.exit.get().is_none()
    };
    event_loop.poller.dispatch(scope, &mut after);
    if state.exit.get().is_some() {
        return;
    }
    if event_loop.immediate_info.get(0) > 0 {
        call_export(scope, state, "internal/core/timers", "processImmediates", &[]);
        drain(scope, state);
    }
    event_loop.poller.dispatch_closed(scope, &mut after);
}

/// Runs until nothing keeps the loop alive, `beforeExit` included, or until `stop` says so after a turn.
pub fn run(scope: &mut Scope<'_>, state: &RuntimeState, stop: &mut dyn FnMut(&mut Scope<'_>) -> bool) {
    loop {
        while state.event_loop.alive() {
            turn(scope, state);
            if state.exit.get().is_some() || stop(scope) {
                return;
            }
        }
        run_cleanups(scope, state);
        // Without a process object there can be no listener.
        if !state.process_used.get() {
            return;
        }
        call_export(scope, state, "internal/process/execution", "emitBeforeExit", &[]);
        drain(scope, state);
        if state.exit.get().is_some() || stop(scope) || !state.event_loop.alive() {
            return;
        }
    }
}
