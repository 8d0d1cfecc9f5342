//! The progress line: counts of what was resolved, downloaded, unpacked and linked, on a terminal only.
//!
//! Work adds to counters; a thread that exists only while the line is shown looks at them some times a second and rewrites the line
//! with one `write`. Where the line is off, a step costs one load of a flag.

use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// What is counted.
#[derive(Clone, Copy)]
pub(crate) enum Count {
    /// Manifests asked for, and arrived.
    Asked,
    Known,
    /// Tarballs asked for, arrived, and unpacked.
    Wanted,
    Arrived,
    Unpacked,
    /// Packages put in place, of how many.
    Linked,
    ToLink,
}

const KINDS: usize = 7;
static COUNTS: [AtomicU32; KINDS] = [const { AtomicU32::new(0) }; KINDS];
/// The line is wanted.
static ON: AtomicBool = AtomicBool::new(false);
/// The line is on the screen, the cursor hidden. Read by the signal handler.
static SHOWN: AtomicBool = AtomicBool::new(false);
/// Held while something is written; tells whether the thread is to go on.
static SCREEN: Mutex<bool> = Mutex::new(false);
static ENDED: Condvar = Condvar::new();

/// Between two frames.
const FRAME: Duration = Duration::from_millis(80);
/// Nothing is shown of an install that is faster.
const DRAW_AFTER: Duration = Duration::from_millis(150);
const CLEAR: &[u8] = b"\r\x1b[K\x1b[?25h";

fn screen() -> MutexGuard<'static, bool> {
    SCREEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One more of something.
pub(crate) fn add(count: Count) {
    if ON.load(Relaxed) {
        COUNTS[count as usize].fetch_add(1, Relaxed);
    }
}

/// How far the linker is.
pub(crate) fn linked(done: u32, total: u32) {
    if ON.load(Relaxed) {
        COUNTS[Count::Linked as usize].fetch_max(done, Relaxed);
        COUNTS[Count::ToLink as usize].store(total, Relaxed);
    }
}

fn put(bytes: &[u8]) {
    let _ = std::io::stderr().write_all(bytes);
}

/// Writes something else: the line is taken away before, and comes back with the next frame.
pub(crate) fn around<T>(write: impl FnOnce() -> T) -> T {
    if !ON.load(Relaxed) {
        return write();
    }
    let guard = screen();
    if SHOWN.swap(false, Relaxed) {
        put(CLEAR);
    }
    let result = write();
    drop(guard);
    result
}

/// The line as it is now, at most `width` columns.
fn line(frame: usize, width: usize, counts: [u32; KINDS]) -> String {
    const SPIN: [&str; 8] = ["⣾", "⣽", "⣻", "⢿", "⡿", "⣟", "⣯", "⣷"];
    let [asked, known, wanted, arrived, unpacked, linked, to_link] = counts;
    let mut parts = Vec::new();
    if asked > 0 && known < asked {
        parts.push(format!("Resolving [{known}/{asked}]"));
    } else if wanted == 0 && to_link == 0 {
        parts.push("Resolving".to_owned());
    }
    if wanted > 0 && (arrived < wanted || to_link == 0) {
        parts.push(format!("Downloading [{arrived}/{wanted}]"));
    }
    if wanted > 0 && unpacked < wanted {
        parts.push(format!("Extracting [{unpacked}/{wanted}]"));
    }
    if to_link > 0 {
        parts.push(format!("Linking [{}/{to_link}]", linked.min(to_link)));
    }
    let mut text = SPIN[frame % SPIN.len()].to_owned();
    let mut columns = 1;
    for part in parts {
        columns += part.len() + 2;
        if columns >= width {
            break;
        }
        text.push_str("  ");
        text.push_str(&part);
    }
    text
}

fn width() -> usize {
    rustix::termios::tcgetwinsize(std::io::stderr()).map_or(80, |size| usize::from(size.ws_col).max(20))
}

fn run() {
    let mut going = screen();
    let mut pause = DRAW_AFTER;
    let mut frame = 0;
    while *going {
        let (guard, time) = ENDED.wait_timeout(going, pause).unwrap_or_else(PoisonError::into_inner);
        going = guard;
        if !*going || !time.timed_out() {
            continue;
        }
        pause = FRAME;
        let counts = std::array::from_fn(|at| COUNTS[at].load(Relaxed));
        let mut text = if SHOWN.load(Relaxed) { "\r".to_owned() } else { "\r\x1b[?25l".to_owned() };
        text.push_str(&line(frame, width(), counts));
        text.push_str("\x1b[K");
        SHOWN.store(true, Relaxed);
        put(text.as_bytes());
        frame += 1;
    }
}

extern "C" fn interrupted(signal: libc::c_int) {
    // SAFETY: write, signal and raise are async-signal-safe; the bytes are static.
    unsafe {
        if SHOWN.load(Relaxed) {
            libc::write(2, CLEAR.as_ptr().cast(), CLEAR.len());
        }
        libc::signal(signal, libc::SIG_DFL);
        libc::raise(signal);
    }
}

/// SIGINT and SIGTERM clean the screen up before they end the process.
pub(super) fn guard_signals(handler: extern "C" fn(libc::c_int)) {
    for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
        // SAFETY: the handler only makes async-signal-safe calls; a signal that is ignored stays ignored.
        unsafe {
            let before = libc::signal(signal, handler as *const () as libc::sighandler_t);
            if before == libc::SIG_IGN {
                libc::signal(signal, libc::SIG_IGN);
            }
        }
    }
}

/// The progress line, from here until it is dropped.
pub(crate) struct Progress {
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Progress {
    /// Shows the line if `wanted` and standard error is a terminal that can move its cursor.
    pub(crate) fn start(wanted: bool) -> Self {
        let dumb = || std::env::var_os("TERM").is_none_or(|term| term == "dumb");
        if !wanted || ON.load(Relaxed) || !std::io::IsTerminal::is_terminal(&std::io::stderr()) || dumb() {
            return Self { thread: None };
        }
        COUNTS.iter().for_each(|count| count.store(0, Relaxed));
        *screen() = true;
        ON.store(true, Relaxed);
        guard_signals(interrupted);
        Self { thread: std::thread::Builder::new().name("bao-progress".into()).stack_size(64 << 10).spawn(run).ok() }
    }

    /// Takes the line away for good.
    pub(crate) fn stop(&mut self) {
        if let Some(thread) = self.thread.take() {
            *screen() = false;
            ENDED.notify_all();
            let _ = thread.join();
            ON.store(false, Relaxed);
            if SHOWN.swap(false, Relaxed) {
                put(CLEAR);
            }
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.stop();
    }
}

#[cfg(test)]
mod tests {
    use super::line;

    #[test]
    fn lines() {
        assert_eq!(line(0, 80, [0; 7]), "⣾  Resolving");
        assert_eq!(line(1, 80, [5, 3, 4, 2, 1, 0, 0]), "⣽  Resolving [3/5]  Downloading [2/4]  Extracting [1/4]");
        assert_eq!(line(2, 80, [5, 5, 4, 4, 4, 7, 9]), "⣻  Linking [7/9]");
        assert_eq!(line(1, 30, [5, 3, 4, 2, 1, 0, 0]), "⣽  Resolving [3/5]");
    }
}
