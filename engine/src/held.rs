//! Standard error held back: a test runner that reports thousands of lines writes them together. Whatever else writes to the
//! standard streams, or starts a process that may, lets go of it first, so that the order of what is printed stays.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

/// Whether there is anything to write.
static ANY: AtomicBool = AtomicBool::new(false);
static HELD: Mutex<Held> = Mutex::new(Held { text: Vec::new(), announcement: String::new() });

struct Held {
    text: Vec<u8>,
    /// Written only if somebody else writes.
    announcement: String,
}

/// As much as is held before it is written after all, in bytes.
const LIMIT: usize = 64 << 10;

fn held() -> std::sync::MutexGuard<'static, Held> {
    HELD.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Keeps text for standard error.
pub fn hold(text: &[u8]) {
    hold_with(|held| held.extend_from_slice(text));
}

/// Keeps for standard error what `append` appends.
pub fn hold_with(append: impl FnOnce(&mut Vec<u8>)) {
    let mut held = held();
    append(&mut held.text);
    let full = held.text.len() >= LIMIT;
    ANY.store(true, Ordering::Release);
    drop(held);
    if full {
        write();
    }
}

/// Sets what is written before the output of others. Returns whether what was set before is still unwritten (as nothing is).
pub fn announce(text: String) -> bool {
    let mut held = held();
    if !text.is_empty() {
        ANY.store(true, Ordering::Release);
    }
    !std::mem::replace(&mut held.announcement, text).is_empty()
}

/// Writes what is held. From any thread: who else wants to write waits until this is done.
pub fn write() {
    if !ANY.load(Ordering::Acquire) {
        return;
    }
    let mut held = held();
    let text = std::mem::take(&mut held.text);
    write_error(&text);
    ANY.store(!held.announcement.is_empty(), Ordering::Release);
}

/// Writes what is held, and the announcement: somebody else is about to write.
pub fn release() {
    if !ANY.load(Ordering::Acquire) {
        return;
    }
    let mut held = held();
    let mut text = std::mem::take(&mut held.text);
    text.extend_from_slice(std::mem::take(&mut held.announcement).as_bytes());
    write_error(&text);
    ANY.store(false, Ordering::Release);
}

/// Where what is held goes: standard error, or a copy of its descriptor.
static TARGET: AtomicI32 = AtomicI32::new(2);

/// A copy of standard output.
static OUTPUT: AtomicI32 = AtomicI32::new(-1);

/// Keeps the standard streams open, standard error for what is held, whatever the program does to their descriptors.
pub fn keep_descriptors() {
    // SAFETY: plain system calls; the copies stay open for as long as the process lives. High, to be in nobody's way.
    let [output, error] = [1, 2].map(|fd| unsafe { libc::fcntl(fd, libc::F_DUPFD_CLOEXEC, 200) });
    OUTPUT.store(output, Ordering::Relaxed);
    if error >= 0 {
        TARGET.store(error, Ordering::Relaxed);
    }
}

/// Opens again those of the standard streams that the program has closed.
pub fn mend_descriptors() {
    for (fd, copy) in [(1, OUTPUT.load(Ordering::Relaxed)), (2, TARGET.load(Ordering::Relaxed))] {
        // SAFETY: plain system calls; nothing else uses a descriptor that is closed.
        unsafe {
            if copy > 2 && libc::fcntl(fd, libc::F_GETFD) < 0 {
                libc::dup2(copy, fd);
            }
        }
    }
}

fn write_error(mut rest: &[u8]) {
    let target = TARGET.load(Ordering::Relaxed);
    while !rest.is_empty() {
        // SAFETY: reads `rest`.
        let written = unsafe { libc::write(target, rest.as_ptr().cast(), rest.len()) };
        if written > 0 {
            rest = &rest[written as usize..];
            continue;
        }
        match std::io::Error::last_os_error().kind() {
            std::io::ErrorKind::Interrupted if written < 0 => {}
            // A pipe that a reader made non-blocking.
            std::io::ErrorKind::WouldBlock if written < 0 => std::thread::sleep(std::time::Duration::from_millis(1)),
            _ => break,
        }
    }
}
