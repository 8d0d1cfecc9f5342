//! Waits of native functions that can be ended from outside, as that of a worker that is terminated.

use std::cell::RefCell;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Ends the waits of a thread, now and from now on.
#[derive(Debug, Default)]
pub struct Ending(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    over: bool,
    /// An eventfd, from the first wait on.
    event: Option<OwnedFd>,
}

/// Why a wait is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Woken {
    Ready,
    TimedOut,
    /// The thread is to end: the caller gives up what it does.
    Ended,
}

thread_local! {
    static OWN: RefCell<Option<Arc<Ending>>> = const { RefCell::new(None) };
}

impl Ending {
    /// May be called on any thread.
    pub fn end(&self) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.over = true;
        if let Some(event) = &state.event {
            let one = 1u64;
            // SAFETY: writes eight bytes to an open eventfd.
            unsafe { libc::write(event.as_raw_fd(), (&raw const one).cast(), 8) };
        }
    }

    /// What a wait looks at; `None` where it is over already.
    fn event(&self) -> io::Result<Option<RawFd>> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if state.over {
            return Ok(None);
        }
        if state.event.is_none() {
            // SAFETY: a plain system call, and a descriptor that is ours.
            state.event = Some(unsafe {
                let event = libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK);
                if event < 0 {
                    return Err(io::Error::last_os_error());
                }
                OwnedFd::from_raw_fd(event)
            });
        }
        Ok(state.event.as_ref().map(AsRawFd::as_raw_fd))
    }
}

/// From now on waits of this thread can be ended by `ending`.
pub fn end_waits_by(ending: Arc<Ending>) {
    OWN.with(|own| *own.borrow_mut() = Some(ending));
}

/// poll(2) that [`Ending::end`] ends, too. `timeout`: `None` for ever. A signal does not end it.
pub fn wait(polled: &mut Vec<libc::pollfd>, timeout: Option<Duration>) -> io::Result<Woken> {
    let ending = OWN.with(|own| own.borrow().clone());
    let asked = polled.len();
    if let Some(ending) = &ending {
        match ending.event()? {
            None => return Ok(Woken::Ended),
            Some(event) => polled.push(libc::pollfd { fd: event, events: libc::POLLIN, revents: 0 }),
        }
    }
    let deadline = timeout.map(|timeout| Instant::now() + timeout);
    let result = loop {
        let left = deadline.map(|deadline| {
            let left = deadline.saturating_duration_since(Instant::now());
            libc::timespec { tv_sec: left.as_secs() as libc::time_t, tv_nsec: left.subsec_nanos().into() }
        });
        let left = left.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
        // SAFETY: a live array of its own length; no mask.
        let count = unsafe { libc::ppoll(polled.as_mut_ptr(), polled.len() as libc::nfds_t, left, std::ptr::null()) };
        if count == 0 {
            break Ok(Woken::TimedOut);
        }
        if count > 0 {
            let ended = polled.get(asked).is_some_and(|event| event.revents != 0);
            break Ok(if ended { Woken::Ended } else { Woken::Ready });
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            break Err(error);
        }
    };
    polled.truncate(asked);
    result
}

/// Waits until there is something to read where this thread's waits can be ended; elsewhere the read itself waits. False: give up.
pub fn wait_to_read(fd: RawFd) -> bool {
    if !OWN.with(|own| own.borrow().is_some()) {
        return true;
    }
    // What goes wrong goes wrong in the read as well.
    !matches!(wait(&mut vec![libc::pollfd { fd, events: libc::POLLIN, revents: 0 }], None), Ok(Woken::Ended))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends() {
        assert_eq!(wait(&mut Vec::new(), Some(Duration::from_millis(1))).unwrap(), Woken::TimedOut);
        let ending = Arc::new(Ending::default());
        let thread = std::thread::spawn({
            let ending = ending.clone();
            move || {
                end_waits_by(ending);
                let first = wait(&mut Vec::new(), None).unwrap();
                (first, wait(&mut Vec::new(), None).unwrap(), wait_to_read(0))
            }
        });
        std::thread::sleep(Duration::from_millis(5));
        ending.end();
        assert_eq!(thread.join().unwrap(), (Woken::Ended, Woken::Ended, false));
    }
}
