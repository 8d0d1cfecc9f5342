//! Signals that a program listens to: the handler notes the number and wakes a thread, which tells the loop.

use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use engine::{InterruptHandle, JsResult, Scope, SignalInterrupt};

use crate::builtins;
use crate::event_loop::{Arrival, Inbox};
use crate::state::RuntimeState;

/// How often each signal has come that the thread has not seen yet.
static PENDING: [AtomicU32; SIGNALS] = [const { AtomicU32::new(0) }; SIGNALS];
/// How often each signal has come that the thread has seen and `process` was not told of: while the loop is busy, signals count up
/// here, and one call waits in the loop for all of a number.
static SEEN: [AtomicU32; SIGNALS] = [const { AtomicU32::new(0) }; SIGNALS];
/// Signals that have come and were not handed to `process` yet.
static UNDELIVERED: AtomicU64 = AtomicU64::new(0);
/// One more than the largest number of a signal.
const SIGNALS: usize = 65;
static WAKE_FD: AtomicI32 = AtomicI32::new(-1);
static TARGET: OnceLock<Mutex<Inbox>> = OnceLock::new();

/// Whether a signal has come that `process` has not been told of: a loop without work waits for that.
pub(crate) fn are_undelivered() -> bool {
    UNDELIVERED.load(Ordering::SeqCst) != 0
}

extern "C" fn on_signal(number: i32) {
    UNDELIVERED.fetch_add(1, Ordering::SeqCst);
    PENDING[number as usize].fetch_add(1, Ordering::SeqCst);
    wake_thread();
}

/// Has the thread of signals look at what has come, if there is one. Async-signal-safe.
fn wake_thread() {
    let one = 1u64.to_ne_bytes();
    // SAFETY: write(2) is async-signal-safe; the descriptor is an eventfd that stays open. errno is kept.
    unsafe {
        let errno = *libc::__errno_location();
        libc::write(WAKE_FD.load(Ordering::SeqCst), one.as_ptr().cast(), 8);
        *libc::__errno_location() = errno;
    }
}

fn ensure_thread(inbox: &Inbox) -> std::io::Result<()> {
    let mut started = false;
    TARGET.get_or_init(|| {
        started = true;
        Mutex::new(inbox.clone())
    });
    if !started {
        return Ok(());
    }
    // SAFETY: a plain system call.
    let fd = unsafe { libc::eventfd(0, libc::EFD_CLOEXEC) };
    if fd < 0 {
        return Err(std::io::Error::last_os_error());
    }
    WAKE_FD.store(fd, Ordering::SeqCst);
    std::thread::Builder::new().name("bao-signals".into()).stack_size(128 << 10).spawn(move || {
        let mut buffer = [0u8; 8];
        loop {
            // SAFETY: reads 8 bytes into 8 bytes.
            let read = unsafe { libc::read(fd, buffer.as_mut_ptr().cast(), 8) };
            if read < 0 && std::io::Error::last_os_error().raw_os_error() != Some(libc::EINTR) {
                return;
            }
            if USER_ASKED.load(Ordering::SeqCst)
                && let (Some(user), Some(target)) = (ON_USER.get(), TARGET.get())
            {
                let (inbox, act) = (target.lock().unwrap_or_else(|p| p.into_inner()).clone(), user.act);
                inbox.send(Arrival::Aside(Box::new(move |scope| {
                    if was_asked_by_user() {
                        act(scope);
                    }
                    Ok(())
                })));
            }
            for (number, pending) in PENDING.iter().enumerate() {
                let count = pending.swap(0, Ordering::SeqCst);
                if count > 0 {
                    pass_on(number as i32, count);
                }
            }
        }
    })?;
    Ok(())
}

/// Hands a signal that has come `count` times to the loop, or to who waits for SIGINT.
fn pass_on(number: i32, count: u32) {
    if number == libc::SIGINT
        && let Some((flag, interrupt)) = breakers().last()
    {
        UNDELIVERED.fetch_sub(count.into(), Ordering::SeqCst);
        flag.store(true, Ordering::SeqCst);
        interrupt.request();
        return;
    }
    let Some(target) = TARGET.get() else { return };
    let inbox = target.lock().unwrap_or_else(|p| p.into_inner()).clone();
    if SEEN[number as usize].fetch_add(count, Ordering::SeqCst) == 0 {
        send_one(&inbox, number);
    }
}

/// Has the loop hand over one signal. Each is a call of its own, with the microtasks that it queues.
fn send_one(inbox: &Inbox, number: i32) {
    let again = inbox.clone();
    inbox.send(Arrival::Call(Box::new(move |scope| {
        if SEEN[number as usize].fetch_sub(1, Ordering::SeqCst) > 1 {
            send_one(&again, number);
        }
        deliver(scope, number)
    })));
}

/// What SIGUSR1 is for where the program does not listen to it.
struct OnUser {
    /// Called in the handler.
    interrupt: SignalInterrupt,
    /// Called on the main thread's loop.
    act: fn(&mut Scope<'_>),
    /// That of the main thread's loop.
    inbox: Inbox,
}

static ON_USER: OnceLock<OnUser> = OnceLock::new();
/// What SIGUSR1 does where the program does not listen to it.
static USER_DEFAULT: OnceLock<extern "C" fn(i32)> = OnceLock::new();
/// SIGUSR1 has come and nobody has acted on it.
static USER_ASKED: AtomicBool = AtomicBool::new(false);

extern "C" fn on_user(_number: i32) {
    USER_ASKED.store(true, Ordering::SeqCst);
    if let Some(user) = ON_USER.get() {
        // SAFETY: that of the main thread, which lives as long as the process.
        unsafe { user.interrupt.request() };
    }
    wake_thread();
}

/// Has `act` called, on the main thread and soon, for a SIGUSR1 that the program does not listen to. Where code runs it is
/// interrupted, and whoever serves interrupts asks [`was_asked_by_user`].
///
/// # Errors
/// The system's.
pub fn set_user_action(scope: &mut Scope<'_>, act: fn(&mut Scope<'_>)) -> std::io::Result<()> {
    let interrupt = scope.signal_interrupt();
    let inbox = RuntimeState::of(scope).event_loop.inbox.clone();
    ON_USER.get_or_init(|| OnUser { interrupt, act, inbox });
    USER_DEFAULT.get_or_init(|| on_user);
    stop(libc::SIGUSR1)
}

extern "C" fn do_nothing(_number: i32) {}

/// Has SIGUSR1 do nothing where the program does not listen to it. (Ignored, it would be so in child processes, too.)
///
/// # Errors
/// The system's.
pub fn disable_user_action() -> std::io::Result<()> {
    USER_DEFAULT.get_or_init(|| do_nothing);
    stop(libc::SIGUSR1)
}

/// Whether SIGUSR1 has come since the last time that this was asked.
pub fn was_asked_by_user() -> bool {
    USER_ASKED.load(Ordering::Relaxed) && USER_ASKED.swap(false, Ordering::SeqCst)
}

/// Before a loop sleeps for long: only a thread can wake the main one, and short programs need none.
pub(crate) fn before_long_sleep() {
    if let Some(user) = ON_USER.get()
        && TARGET.get().is_none()
    {
        // Without a thread the signal waits for the next turn of the loop.
        let _ = ensure_thread(&user.inbox);
    }
}

/// Starts to watch a signal. Watching does not keep the loop alive.
pub fn start(inbox: &Inbox, number: i32) -> std::io::Result<()> {
    ensure_thread(inbox)?;
    set_action(number, on_signal as *const () as libc::sighandler_t)
}

/// Stops watching: the signal does again what it does by default.
pub fn stop(number: i32) -> std::io::Result<()> {
    let handler = match number {
        libc::SIGUSR1 => USER_DEFAULT.get().copied(),
        _ if ENDING.contains(&number) => DEFAULT.get().copied(),
        _ => None,
    };
    set_action(number, handler.map_or(libc::SIG_DFL, |handler| handler as *const () as libc::sighandler_t))
}

/// What ends a program that does not listen to it, and can be asked to.
const ENDING: [i32; 3] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP];

static DEFAULT: OnceLock<extern "C" fn(i32)> = OnceLock::new();

/// Has `handler`, which must be async-signal-safe, called for the signals that would end the process, unless the program listens
/// to them. Those that are ignored (`nohup`) stay so.
pub fn set_default(handler: extern "C" fn(i32)) -> std::io::Result<()> {
    DEFAULT.get_or_init(|| handler);
    for number in ENDING {
        // SAFETY: sigaction(2) writes the action in force into a zeroed one.
        let ignored = unsafe {
            let mut now: libc::sigaction = std::mem::zeroed();
            libc::sigaction(number, std::ptr::null(), &mut now) == 0 && now.sa_sigaction == libc::SIG_IGN
        };
        if !ignored {
            stop(number)?;
        }
    }
    Ok(())
}

type Breaker = (Arc<AtomicBool>, InterruptHandle);

static BREAKERS: Mutex<Vec<Breaker>> = Mutex::new(Vec::new());

fn breakers() -> std::sync::MutexGuard<'static, Vec<Breaker>> {
    BREAKERS.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// As long as this lives, SIGINT sets a flag and interrupts a context instead of reaching the program.
pub struct SigintBreak {
    flag: Arc<AtomicBool>,
    before: libc::sigaction,
}

impl SigintBreak {
    pub fn start(inbox: &Inbox, flag: Arc<AtomicBool>, interrupt: InterruptHandle) -> std::io::Result<SigintBreak> {
        ensure_thread(inbox)?;
        // SAFETY: sigaction(2) writes the former action into a zeroed one.
        let before = unsafe {
            let mut before: libc::sigaction = std::mem::zeroed();
            if libc::sigaction(libc::SIGINT, std::ptr::null(), &mut before) != 0 {
                return Err(std::io::Error::last_os_error());
            }
            before
        };
        breakers().push((flag.clone(), interrupt));
        let this = SigintBreak { flag, before };
        set_action(libc::SIGINT, on_signal as *const () as libc::sighandler_t)?;
        Ok(this)
    }
}

impl Drop for SigintBreak {
    fn drop(&mut self) {
        // SAFETY: the action that was in force before.
        unsafe { libc::sigaction(libc::SIGINT, &self.before, std::ptr::null_mut()) };
        breakers().retain(|(flag, _)| !Arc::ptr_eq(flag, &self.flag));
    }
}

fn set_action(number: i32, handler: libc::sighandler_t) -> std::io::Result<()> {
    // SAFETY: a zeroed sigaction is valid; the handler is async-signal-safe.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler;
        action.sa_flags = libc::SA_RESTART;
        libc::sigfillset(&mut action.sa_mask);
        if libc::sigaction(number, &action, std::ptr::null_mut()) != 0 {
            return Err(std::io::Error::last_os_error());
        }
    }
    Ok(())
}

/// Hands a signal to `process`.
fn deliver(scope: &mut Scope<'_>, number: i32) -> JsResult<()> {
    UNDELIVERED.fetch_sub(1, Ordering::SeqCst);
    let name = scope.string(&signal_name(number))?;
    let number = scope.number(f64::from(number));
    builtins::call(scope, "internal/process/signals", "emitSignal", &[name, number])?;
    Ok(())
}

/// `SIGINT` for 2.
pub fn signal_name(number: i32) -> String {
    macro_rules! names {
        ($($name:ident)*) => {
            match number {
                $(libc::$name => stringify!($name).to_string(),)*
                other => format!("SIG{other}"),
            }
        };
    }
    names! {
        SIGHUP SIGINT SIGQUIT SIGILL SIGTRAP SIGABRT SIGBUS SIGFPE SIGKILL SIGUSR1 SIGSEGV SIGUSR2 SIGPIPE SIGALRM
        SIGTERM SIGSTKFLT SIGCHLD SIGCONT SIGSTOP SIGTSTP SIGTTIN SIGTTOU SIGURG SIGXCPU SIGXFSZ SIGVTALRM SIGPROF
        SIGWINCH SIGIO SIGPWR SIGSYS
    }
}
