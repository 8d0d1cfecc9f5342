//! Buffered standard error: a test runner that reports thousands of lines writes them together. Whatever else writes to the
//! standard streams, or starts a process that may, calls [`release`] first, so that the order of the output stays.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

/// Whether anything waits to be written.
static ANY: AtomicBool = AtomicBool::new(false);
static BUFFER: Mutex<Buffer> = Mutex::new(Buffer { text: Vec::new(), announcement: String::new() });

struct Buffer {
    text: Vec<u8>,
    /// Written only if somebody else writes.
    announcement: String,
}

/// Bytes from which on the buffer is written at once.
const LIMIT: usize = 64 << 10;

fn buffer() -> std::sync::MutexGuard<'static, Buffer> {
    BUFFER.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Lets `add` append to the buffer of standard error.
pub fn append(add: impl FnOnce(&mut Vec<u8>)) {
    let mut buffer = buffer();
    add(&mut buffer.text);
    let full = buffer.text.len() >= LIMIT;
    ANY.store(true, Ordering::Release);
    drop(buffer);
    if full {
        write();
    }
}

/// Sets a text that is written only if somebody else is about to write (see [`release`]); empty for none. Returns whether a
/// former announcement was still unwritten.
pub fn announce(text: String) -> bool {
    let mut buffer = buffer();
    if !text.is_empty() {
        ANY.store(true, Ordering::Release);
    }
    !std::mem::replace(&mut buffer.announcement, text).is_empty()
}

/// Writes the buffer. May be called on any thread; other writers wait until it is done.
pub fn write() {
    if !ANY.load(Ordering::Acquire) {
        return;
    }
    let mut buffer = buffer();
    let text = std::mem::take(&mut buffer.text);
    write_error(&text);
    ANY.store(!buffer.announcement.is_empty(), Ordering::Release);
}

/// Writes the buffer and the announcement: somebody else is about to write.
pub fn release() {
    if !ANY.load(Ordering::Acquire) {
        return;
    }
    let mut buffer = buffer();
    let mut text = std::mem::take(&mut buffer.text);
    text.extend_from_slice(std::mem::take(&mut buffer.announcement).as_bytes());
    write_error(&text);
    ANY.store(false, Ordering::Release);
}

/// Writes a text at once, behind what the buffer has. A stream that takes nothing (closed, full, no reader) is no error, unlike for
/// `eprint!`, which panics: that must not happen below C, and is no reason to end a program.
pub fn say(text: &str) {
    release();
    write_error(text.as_bytes());
}

/// `eprintln!` that does not panic: see [`say`].
#[macro_export]
macro_rules! stderr_line {
    () => { $crate::stderr::say("\n") };
    ($($part:tt)*) => { $crate::stderr::say(&::std::format!("{}\n", ::std::format_args!($($part)*))) };
}

/// `eprint!` that does not panic: see [`say`].
#[macro_export]
macro_rules! stderr_text {
    ($($part:tt)*) => { $crate::stderr::say(&::std::format!($($part)*)) };
}

/// Descriptor that the buffer is written to: standard error, or a copy of it.
static TARGET: AtomicI32 = AtomicI32::new(2);

/// A copy of standard output.
static OUTPUT: AtomicI32 = AtomicI32::new(-1);

/// Duplicates the standard streams, so that the report reaches them even if the program closes their descriptors.
pub fn keep_descriptors() {
    // SAFETY: plain system calls; the copies stay open for as long as the process lives. From 200 on, so that
    // programs get the low numbers they expect.
    let [output, error] = [1, 2].map(|fd| unsafe { libc::fcntl(fd, libc::F_DUPFD_CLOEXEC, 200) });
    OUTPUT.store(output, Ordering::Relaxed);
    if error >= 0 {
        TARGET.store(error, Ordering::Relaxed);
    }
}

/// Opens the standard streams again that the program has closed.
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
