//! Blocking waits that another thread can end, as when a worker is terminated while it reads a file or sleeps.

use std::cell::RefCell;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Ends the waits of one thread: the current one and all later ones.
#[derive(Debug, Default)]
pub struct Cancellation(Mutex<State>);

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
    /// The thread is to end: the caller gives up.
    Cancelled,
}

thread_local! {
    static OWN: RefCell<Option<Arc<Cancellation>>> = const { RefCell::new(None) };
}

impl Cancellation {
    /// May be called on any thread.
    pub fn cancel(&self) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.over = true;
        if let Some(event) = &state.event {
            let one = 1u64;
            // SAFETY: writes eight bytes to an open eventfd.
            unsafe { libc::write(event.as_raw_fd(), (&raw const one).cast(), 8) };
        }
    }

    /// The descriptor that a wait polls; `None` if the waits are cancelled already.
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

/// Makes the waits of this thread end when `cancellation` is cancelled.
pub fn cancel_waits_by(cancellation: Arc<Cancellation>) {
    OWN.with(|own| *own.borrow_mut() = Some(cancellation));
}

/// Whether the waits of this thread were cancelled: it is to end.
pub fn is_cancelled() -> bool {
    let cancellation = OWN.with(|own| own.borrow().clone());
    cancellation.is_some_and(|own| own.0.lock().unwrap_or_else(PoisonError::into_inner).over)
}

/// poll(2) that [`Cancellation::cancel`] ends, too; without `timeout` it waits for ever. A signal does not end it.
///
/// # Errors
/// Those of poll(2) and eventfd(2).
pub fn wait(polled: &mut Vec<libc::pollfd>, timeout: Option<Duration>) -> io::Result<Woken> {
    let cancellation = OWN.with(|own| own.borrow().clone());
    let asked = polled.len();
    if let Some(cancellation) = &cancellation {
        match cancellation.event()? {
            None => return Ok(Woken::Cancelled),
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
            break Ok(if ended { Woken::Cancelled } else { Woken::Ready });
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            break Err(error);
        }
    };
    polled.truncate(asked);
    result
}

/// Waits until `fd` is readable if this thread's waits can be cancelled; otherwise the read itself waits. Returns `false` if the
/// wait was cancelled.
pub fn wait_to_read(fd: RawFd) -> bool {
    if !OWN.with(|own| own.borrow().is_some()) {
        return true;
    }
    // The read reports errors of the descriptor itself.
    !matches!(wait(&mut vec![libc::pollfd { fd, events: libc::POLLIN, revents: 0 }], None), Ok(Woken::Cancelled))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends() {
        assert_eq!(wait(&mut Vec::new(), Some(Duration::from_millis(1))).unwrap(), Woken::TimedOut);
        let cancellation = Arc::new(Cancellation::default());
        let thread = std::thread::spawn({
            let cancellation = cancellation.clone();
            move || {
                cancel_waits_by(cancellation);
                let first = wait(&mut Vec::new(), None).unwrap();
                (first, wait(&mut Vec::new(), None).unwrap(), wait_to_read(0))
            }
        });
        std::thread::sleep(Duration::from_millis(5));
        cancellation.cancel();
        assert!(!is_cancelled());
        assert_eq!(thread.join().unwrap(), (Woken::Cancelled, Woken::Cancelled, false));
    }
}
