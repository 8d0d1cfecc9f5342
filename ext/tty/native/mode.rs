//! The mode of a terminal: raw and back.
//!
//! A terminal belongs to the process, not to a JavaScript thread, and has to be put in order when the process ends,
//! whichever way it ends: hence state of the process, with a lock that a signal handler can try.

use std::io::{Error, Result};
use std::sync::{Mutex, Once, PoisonError, TryLockError};

struct Original {
    fd: i32,
    mode: libc::termios,
}

/// Modes from before raw mode, one entry per descriptor.
static ORIGINALS: Mutex<Vec<Original>> = Mutex::new(Vec::new());

fn get(fd: i32) -> Result<libc::termios> {
    // SAFETY: termios is plain integers, for which zeroes are valid; tcgetattr overwrites it.
    let mut mode: libc::termios = unsafe { std::mem::zeroed() };
    // SAFETY: tcgetattr writes one termios, which lives until after the call.
    if unsafe { libc::tcgetattr(fd, &raw mut mode) } == 0 { Ok(mode) } else { Err(Error::last_os_error()) }
}

fn set(fd: i32, when: i32, mode: &libc::termios) -> Result<()> {
    loop {
        // SAFETY: tcsetattr reads one termios.
        if unsafe { libc::tcsetattr(fd, when, mode) } == 0 {
            return Ok(());
        }
        let error = Error::last_os_error();
        if error.kind() != std::io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}

/// Raw mode: each key arrives by itself, unechoed and without special meaning; output is processed as before.
pub(crate) fn make_raw(fd: i32) -> Result<()> {
    let current = get(fd)?;
    guard_signals();
    let mut originals = ORIGINALS.lock().unwrap_or_else(PoisonError::into_inner);
    let base = match originals.iter().find(|entry| entry.fd == fd) {
        Some(entry) => entry.mode,
        None => {
            originals.push(Original { fd, mode: current });
            current
        }
    };

    let mut raw = base;
    raw.c_iflag &= !(libc::BRKINT | libc::ICRNL | libc::INPCK | libc::ISTRIP | libc::IXON);
    raw.c_oflag |= libc::ONLCR;
    raw.c_cflag |= libc::CS8;
    raw.c_lflag &= !(libc::ECHO | libc::ICANON | libc::IEXTEN | libc::ISIG);
    // A read returns as soon as one byte is there.
    raw.c_cc[libc::VMIN] = 1;
    raw.c_cc[libc::VTIME] = 0;
    // After what has been written is out, so that it is still shown by the old rules.
    set(fd, libc::TCSADRAIN, &raw)
}

/// The mode from before [`make_raw`]; nothing if there was none.
pub(crate) fn make_cooked(fd: i32) -> Result<()> {
    let mut originals = ORIGINALS.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(index) = originals.iter().position(|entry| entry.fd == fd) else { return get(fd).map(drop) };
    set(fd, libc::TCSADRAIN, &originals[index].mode)?;
    originals.swap_remove(index);
    Ok(())
}

/// Brings every terminal back to the mode in which it was found. To be called when the process ends. Safe in a signal
/// handler (it neither waits nor allocates; if the interrupted thread is just changing the mode, it does nothing).
pub fn restore() {
    let originals = match ORIGINALS.try_lock() {
        Ok(guard) => guard,
        Err(TryLockError::Poisoned(error)) => error.into_inner(),
        Err(TryLockError::WouldBlock) => return,
    };
    for entry in originals.iter() {
        // Nobody is left to tell of a failure: the terminal may be gone.
        let _ = set(entry.fd, libc::TCSANOW, &entry.mode);
    }
}

/// Signals that end a process that does not handle them.
const ENDING: [libc::c_int; 4] = [libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGTERM];

/// Sees to it that a signal that ends the process does not leave the terminal raw. Signals that somebody handles
/// already are left alone, and a handler installed later simply replaces this one.
fn guard_signals() {
    static DONE: Once = Once::new();
    DONE.call_once(|| {
        for signal in ENDING {
            // SAFETY: sigaction is plain data, for which zeroes are valid; both calls get pointers to live values, and
            // the handler only does what is allowed in one.
            unsafe {
                let mut current: libc::sigaction = std::mem::zeroed();
                if libc::sigaction(signal, std::ptr::null(), &raw mut current) != 0
                    || current.sa_sigaction != libc::SIG_DFL
                {
                    continue;
                }
                let mut action: libc::sigaction = std::mem::zeroed();
                action.sa_sigaction = on_ending_signal as extern "C" fn(libc::c_int) as usize;
                // One time only: the signal raised again below does what it would have done.
                action.sa_flags = libc::SA_RESETHAND;
                libc::sigemptyset(&raw mut action.sa_mask);
                libc::sigaction(signal, &raw const action, std::ptr::null_mut());
            }
        }
    });
}

extern "C" fn on_ending_signal(signal: libc::c_int) {
    restore();
    // SAFETY: raise is async-signal-safe; the signal is blocked until this handler returns.
    unsafe { libc::raise(signal) };
}
