//! Signals while scripts run: handed on to the child, or noted for a loop that waits.

use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};

/// Signals that a script gets when bao gets them.
const FORWARDED: [i32; 6] = [libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGTERM, libc::SIGUSR1, libc::SIGUSR2];

/// The child that gets signals; 0 before it exists. A handler has no other way to know it.
static CHILD: AtomicI32 = AtomicI32::new(0);
/// Signals that came, by bit.
static RECEIVED: AtomicU64 = AtomicU64::new(0);
/// Those of them that another process sent; the rest came from the terminal.
static SENT: AtomicU64 = AtomicU64::new(0);
/// The descriptor that wakes a waiting loop.
static WAKE: AtomicI32 = AtomicI32::new(-1);

extern "C" fn forward(signal: i32, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    RECEIVED.fetch_or(1 << signal, Ordering::SeqCst);
    // What the terminal sends, the whole foreground group gets: only what another process sent to bao alone is sent on.
    // SAFETY: the kernel gives a valid siginfo; kill(2) is async-signal-safe.
    unsafe {
        let child = CHILD.load(Ordering::SeqCst);
        if (*info).si_code <= 0 && child > 0 {
            libc::kill(child, signal);
        }
    }
}

extern "C" fn note(signal: i32, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    RECEIVED.fetch_or(1 << signal, Ordering::SeqCst);
    // SAFETY: the kernel gives a valid siginfo. write(2) is async-signal-safe; a full pipe wakes as well. errno belongs
    // to the interrupted code.
    unsafe {
        if (*info).si_code <= 0 {
            SENT.fetch_or(1 << signal, Ordering::SeqCst);
        }
        let errno = errno_location();
        let saved = *errno;
        libc::write(WAKE.load(Ordering::SeqCst), [0u8].as_ptr().cast(), 1);
        *errno = saved;
    }
}

unsafe fn errno_location() -> *mut i32 {
    #[cfg(target_os = "macos")]
    // SAFETY: always valid.
    unsafe {
        libc::__error()
    }
    #[cfg(not(target_os = "macos"))]
    // SAFETY: always valid.
    unsafe {
        libc::__errno_location()
    }
}

fn set(signal: i32, handler: libc::sighandler_t, flags: i32) {
    // SAFETY: zeroed sigactions are valid; the handlers are async-signal-safe.
    unsafe {
        let mut old: libc::sigaction = std::mem::zeroed();
        // nohup and the like: what is ignored stays so.
        if libc::sigaction(signal, std::ptr::null(), &mut old) == 0 && old.sa_sigaction == libc::SIG_IGN {
            return;
        }
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler;
        action.sa_flags = flags;
        libc::sigemptyset(&mut action.sa_mask);
        libc::sigaction(signal, &action, std::ptr::null_mut());
    }
}

/// Begins to hand signals on. Called before the child is started, so that none is lost.
pub(crate) fn start_forwarding() {
    CHILD.store(0, Ordering::SeqCst);
    for signal in FORWARDED {
        set(signal, forward as *const () as libc::sighandler_t, libc::SA_RESTART | libc::SA_SIGINFO);
    }
}

/// Names the child; signals that came before it existed reach it now.
pub(crate) fn forward_to(child: u32) {
    CHILD.store(child as i32, Ordering::SeqCst);
    let early = RECEIVED.load(Ordering::SeqCst);
    for signal in FORWARDED.into_iter().filter(|signal| early & (1 << signal) != 0) {
        // SAFETY: a plain system call; the child is not reaped yet.
        unsafe { libc::kill(child as i32, signal) };
    }
}

/// Forgets the child before it is reaped, because its number may soon be another process's.
pub(crate) fn stop_forwarding() {
    CHILD.store(0, Ordering::SeqCst);
}

/// Whether a signal came.
pub(crate) fn came(signal: i32) -> bool {
    RECEIVED.load(Ordering::SeqCst) & (1 << signal) != 0
}

/// Makes signals that would end bao, and the end of children, wake `poll` on the descriptor given back.
pub(crate) fn wake_on_signals() -> std::io::Result<i32> {
    let mut ends = [-1; 2];
    // SAFETY: room for two descriptors; the flags are set below for systems without pipe2.
    unsafe {
        if libc::pipe(ends.as_mut_ptr()) != 0 {
            return Err(std::io::Error::last_os_error());
        }
        for end in ends {
            libc::fcntl(end, libc::F_SETFD, libc::FD_CLOEXEC);
            libc::fcntl(end, libc::F_SETFL, libc::O_NONBLOCK);
        }
    }
    WAKE.store(ends[1], Ordering::SeqCst);
    for signal in FORWARDED.into_iter().chain([libc::SIGCHLD]) {
        set(signal, note as *const () as libc::sighandler_t, libc::SA_RESTART | libc::SA_SIGINFO);
    }
    Ok(ends[0])
}

/// A signal that came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Signal {
    pub number: i32,
    /// Sent to bao by a process; else by the terminal, to the whole foreground group.
    pub by_process: bool,
}

impl Signal {
    /// Whether it asks bao to end; SIGUSR1 and SIGUSR2 are only handed on.
    pub(crate) fn ends(self) -> bool {
        !matches!(self.number, libc::SIGUSR1 | libc::SIGUSR2)
    }
}

/// The signals noted since the last call, SIGCHLD left out; empties the pipe of `wake_on_signals`.
pub(crate) fn take(wake: i32) -> Vec<Signal> {
    let mut buffer = [0u8; 64];
    // SAFETY: reads into the buffer; the descriptor does not block.
    while unsafe { libc::read(wake, buffer.as_mut_ptr().cast(), buffer.len()) } > 0 {}
    let came = RECEIVED.swap(0, Ordering::SeqCst);
    let sent = SENT.swap(0, Ordering::SeqCst);
    FORWARDED
        .into_iter()
        .filter(|number| came & (1 << number) != 0)
        .map(|number| Signal { number, by_process: sent & (1 << number) != 0 })
        .collect()
}

/// Ends this process by a signal, as the child was. If that does not end it, gives the exit code shells use.
pub(crate) fn die_by(signal: i32) -> i32 {
    base::descendants::end_all();
    // SAFETY: plain system calls; no core of bao for a crash of the child.
    unsafe {
        let limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        libc::setrlimit(libc::RLIMIT_CORE, &limit);
        libc::signal(signal, libc::SIG_DFL);
        libc::raise(signal);
    }
    128 + signal
}

/// `SIGTERM` for 15; the number as text if it has no name.
pub(crate) fn name(signal: i32) -> String {
    match SIGNALS.iter().find(|(_, number)| *number == signal) {
        Some((name, _)) => (*name).to_string(),
        None => format!("signal {signal}"),
    }
}

/// 15 for `SIGTERM`, `TERM` or `15`.
pub(crate) fn number(name: &str) -> Option<i32> {
    if let Ok(number) = name.parse() {
        return (1..64).contains(&number).then_some(number);
    }
    let name = name.to_uppercase();
    let known = |known: &str| known == name || known.strip_prefix("SIG") == Some(name.as_str());
    SIGNALS.iter().find(|(candidate, _)| known(candidate)).map(|(_, number)| *number)
}

macro_rules! signals {
    ($($name:ident)*) => { [$((stringify!($name), libc::$name)),*] };
}

const SIGNALS: [(&str, i32); 22] = signals! {
    SIGHUP SIGINT SIGQUIT SIGILL SIGTRAP SIGABRT SIGBUS SIGFPE SIGKILL SIGUSR1 SIGSEGV SIGUSR2 SIGPIPE SIGALRM SIGTERM
    SIGCHLD SIGCONT SIGSTOP SIGTSTP SIGXCPU SIGXFSZ SIGSYS
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        assert_eq!(name(15), "SIGTERM");
        assert_eq!(number("SIGTERM"), Some(15));
        assert_eq!(number("int"), Some(2));
        assert_eq!(number("9"), Some(9));
        assert_eq!(number("SIGFOO"), None);
    }
}
