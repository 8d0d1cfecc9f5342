//! What becomes of signals of faults that are no faults of WebAssembly.
//!
//! The engine's handler gives them their default action and returns: a fault then happens again and ends the process. What was
//! sent, by kill(2) or raise(3), would only be lost.

use std::ffi::{c_int, c_void};

/// The signals that the engine handles.
const SIGNALS: [c_int; 2] = [libc::SIGSEGV, libc::SIGILL];

/// Sees to it that signals of faults end the process when they are sent, too. Before the engine starts, whose handler passes on
/// to this one what is not for it. A signal that is ignored, or that somebody handles, stays so.
pub(crate) fn end_by_sent_signals() {
    for signal in SIGNALS {
        // SAFETY: valid structures, and a handler of that kind.
        unsafe {
            let mut new: libc::sigaction = std::mem::zeroed();
            let mut old: libc::sigaction = std::mem::zeroed();
            new.sa_sigaction = end as *const () as usize;
            new.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            if libc::sigaction(signal, &raw const new, &raw mut old) == 0 && old.sa_sigaction != libc::SIG_DFL {
                libc::sigaction(signal, &raw const old, std::ptr::null_mut());
            }
        }
    }
}

/// # Safety
/// Called as a handler only, by the system or the engine's handler.
unsafe extern "C" fn end(signal: c_int, info: *mut libc::siginfo_t, _context: *mut c_void) {
    // SAFETY: both calls are allowed in handlers; the system's description of the signal.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        if (*info).si_code <= 0 {
            libc::raise(signal);
        }
    }
}
