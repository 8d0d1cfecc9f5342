//! The watchdog of `bao test`: a thread that ends test functions that do not come back, and runs that are told to stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use engine::{InterruptHandle, Scope};
use runtime_core::event_loop::{Arrival, Inbox};
use runtime_core::{RuntimeState, errors};

/// How often the watchdog looks.
const TICK: Duration = Duration::from_millis(50);
/// No limit.
pub(crate) const NO_DEADLINE: u64 = u64::MAX;
/// How long a run may take to end after a signal.
const GRACE: Duration = Duration::from_secs(2);

/// How often the memory is looked at, in ticks.
const MEMORY_TICKS: u32 = 4;
/// Whether the memory of the machine is about to be full because of this process, until that is noticed.
static SHORT: AtomicBool = AtomicBool::new(false);

/// The signal that asked for the end of the run, until that is noticed.
static STOP: AtomicI32 = AtomicI32::new(0);

/// A thread that looks now and then: whether code runs beyond its deadline (then it is ended), whether a signal came, whether the
/// parent is still there; and that writes what is held back of the results.
pub(crate) struct Watchdog {
    /// Milliseconds after `start`.
    deadline: Arc<AtomicU64>,
    start: Instant,
}

impl Watchdog {
    /// `parent`: the process without which this one ends; 0: none.
    pub(crate) fn new(scope: &mut Scope<'_>, inbox: Inbox, parent: i32) -> Watchdog {
        let watchdog = Watchdog { deadline: Arc::new(AtomicU64::new(NO_DEADLINE)), start: Instant::now() };
        let (deadline, start, interrupt) = (watchdog.deadline.clone(), watchdog.start, scope.interrupt_handle());
        std::thread::spawn(move || {
            let mut told: Option<(i32, Instant)> = None;
            let mut ticks = 0u32;
            loop {
                std::thread::sleep(TICK);
                if (start.elapsed().as_millis() as u64) > deadline.load(Ordering::Relaxed) {
                    interrupt.request();
                }
                base::stderr::write();
                ticks = ticks.wrapping_add(1);
                if ticks.is_multiple_of(MEMORY_TICKS) && is_memory_short() {
                    SHORT.store(true, Ordering::Relaxed);
                    interrupt.request();
                }
                look_for_signal(&mut told, &interrupt, &inbox);
                // SAFETY: plain system calls. Nothing is left to do without the parent, which reads the results.
                unsafe {
                    if parent != 0 && libc::getppid() != parent {
                        libc::_exit(1);
                    }
                }
            }
        });
        watchdog
    }

    /// Sets the deadline to `ms` milliseconds after `now` (0: none). Returns the one before.
    pub(crate) fn arm(&self, now: Instant, ms: f64) -> u64 {
        let due = if ms > 0.0 { self.millis(now) + ms as u64 } else { NO_DEADLINE };
        self.deadline.swap(due, Ordering::Relaxed)
    }

    /// Sets the deadline to what [`Watchdog::deadline`] or [`Watchdog::arm`] gave.
    pub(crate) fn restore(&self, deadline: u64) {
        self.deadline.store(deadline, Ordering::Relaxed);
    }

    /// The deadline, for [`Watchdog::restore`].
    pub(crate) fn deadline(&self) -> u64 {
        self.deadline.load(Ordering::Relaxed)
    }

    /// Milliseconds until the running function is ended; negative: it is late.
    pub(crate) fn left(&self) -> f64 {
        match self.deadline() {
            NO_DEADLINE => f64::INFINITY,
            due => due as f64 - self.millis(Instant::now()) as f64,
        }
    }

    fn millis(&self, now: Instant) -> u64 {
        now.duration_since(self.start).as_millis() as u64
    }

    /// Whether the running function is to be ended.
    pub(crate) fn is_over(&self) -> bool {
        self.is_over_at(Instant::now())
    }

    /// The same, as of `now`.
    pub(crate) fn is_over_at(&self, now: Instant) -> bool {
        STOP.load(Ordering::Relaxed) != 0
            || SHORT.load(Ordering::Relaxed)
            || self.millis(now) > self.deadline.load(Ordering::Relaxed)
    }
}

/// Whether the machine (or the control group of the process) has next to no memory left and this process has much of it: then
/// the system is about to end some process, with all its results.
fn is_memory_short() -> bool {
    let number = |path: &str| std::fs::read_to_string(path).ok()?.trim().parse::<u64>().ok();
    let field = |text: &str, name: &str| -> Option<u64> {
        text.lines().find_map(|line| line.strip_prefix(name))?.split_whitespace().next()?.parse().ok()
    };
    let Ok(status) = std::fs::read_to_string("/proc/self/status") else { return false };
    let Some(own) = field(&status, "VmRSS:").filter(|kib| *kib > 512 << 10) else { return false };
    if let (Some(limit), Some(used)) = (number("/sys/fs/cgroup/memory.max"), number("/sys/fs/cgroup/memory.current"))
        && used > limit / 100 * 95
        && own << 10 > limit / 4
    {
        return true;
    }
    let Ok(memory) = std::fs::read_to_string("/proc/meminfo") else { return false };
    match (field(&memory, "MemTotal:"), field(&memory, "MemAvailable:")) {
        (Some(total), Some(available)) => available < total / 25 && own > total / 4,
        _ => false,
    }
}

/// Has the loop, or the code that runs, notice a signal; ends the process where neither does.
fn look_for_signal(told: &mut Option<(i32, Instant)>, interrupt: &InterruptHandle, inbox: &Inbox) {
    let number = STOP.load(Ordering::Relaxed);
    match told {
        _ if number == 0 => {}
        None => {
            *told = Some((number, Instant::now()));
            interrupt.request();
            inbox.send(Arrival::Call(Box::new(|scope| {
                let runtime = RuntimeState::of(scope);
                errors::recover(scope, &runtime);
                Ok(())
            })));
        }
        Some((number, at)) if at.elapsed() > GRACE => {
            base::stderr::write();
            // SAFETY: a plain system call; the thread of the program does not answer.
            unsafe { libc::_exit(128 + *number) };
        }
        Some(_) => interrupt.request(),
    }
}

/// Handler of the signals that end the run: the first one is noted, the second ends the process.
pub(crate) extern "C" fn on_signal(number: i32) {
    if STOP.swap(number, Ordering::SeqCst) != 0 {
        // SAFETY: async-signal-safe: the second one is meant.
        unsafe { libc::_exit(128 + number) };
    }
}

/// Whether a signal has asked for the end of the run.
pub(crate) fn is_stopped() -> bool {
    STOP.load(Ordering::Relaxed) != 0
}

/// The signal that has asked for the end of the run, 0 for none; from now on there is none.
pub(crate) fn take_stop() -> i32 {
    STOP.swap(0, Ordering::Relaxed)
}

/// Whether the memory of the machine is short.
pub(crate) fn is_short() -> bool {
    SHORT.load(Ordering::Relaxed)
}

/// The same; from now on it is not.
pub(crate) fn take_short() -> bool {
    SHORT.swap(false, Ordering::Relaxed)
}
