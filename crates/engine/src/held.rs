//! Standard error held back: a test runner that reports thousands of lines writes them together. Whatever else writes to the
//! standard streams, or starts a process that may, lets go of it first, so that the order of what is printed stays.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

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

/// Writes what is held.
pub fn write() {
    let text = {
        let mut held = held();
        ANY.store(!held.announcement.is_empty(), Ordering::Release);
        std::mem::take(&mut held.text)
    };
    write_error(&text);
}

/// Writes what is held, and the announcement: somebody else is about to write.
pub fn release() {
    if !ANY.swap(false, Ordering::AcqRel) {
        return;
    }
    let text = {
        let mut held = held();
        let mut text = std::mem::take(&mut held.text);
        text.extend_from_slice(std::mem::take(&mut held.announcement).as_bytes());
        text
    };
    write_error(&text);
}

fn write_error(mut rest: &[u8]) {
    while !rest.is_empty() {
        match std::io::Write::write(&mut std::io::stderr(), rest) {
            Ok(0) => break,
            Ok(written) => rest = &rest[written..],
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            // A pipe that a reader made non-blocking.
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {
                std::thread::sleep(std::time::Duration::from_millis(1));
            }
            Err(_) => break,
        }
    }
}
