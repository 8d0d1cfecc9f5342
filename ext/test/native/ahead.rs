//! Test files are asked for before their turn: a run knows the list of its files, and a disk answers several requests at once sooner
//! than one after the other. Nothing is done where the files are in the page cache already.

use std::fs::File;
use std::os::fd::AsRawFd as _;
use std::sync::Arc;

use engine::op;

/// Below these the run is over before it helps.
const FEWEST_FILES: usize = 16;
/// Requests that the disk has at a time.
const THREADS: usize = 4;
/// Of a file that is longer only so much is fetched.
const LONGEST: libc::off_t = 1 << 20;

/// Whether the first page of a file would have to be read from the disk. Files that cannot be opened, or file systems that cannot tell,
/// are no reason to fetch anything.
fn is_cold(path: &str) -> bool {
    let Ok(file) = File::open(path) else { return false };
    let mut byte = 0u8;
    let buffer = libc::iovec { iov_base: (&raw mut byte).cast(), iov_len: 1 };
    // SAFETY: one buffer of one byte that lives over the call, and an open descriptor.
    let read = unsafe { libc::preadv2(file.as_raw_fd(), &raw const buffer, 1, 0, libc::RWF_NOWAIT) };
    read < 0 && std::io::Error::last_os_error().raw_os_error() == Some(libc::EAGAIN)
}

/// Has the system fetch the files of a run, in their order, if some of them are not in memory.
#[op]
pub(crate) fn fetch_ahead(paths: Vec<String>) {
    if paths.len() < FEWEST_FILES {
        return;
    }
    if ![paths.len() - 1, paths.len() / 2, paths.len() / 4].into_iter().any(|at| is_cold(&paths[at])) {
        return;
    }
    let paths = Arc::new(paths);
    for first in 0..THREADS {
        let paths = Arc::clone(&paths);
        let fetch = move || {
            for path in paths.iter().skip(first).step_by(THREADS) {
                // What cannot be opened is told by the one who runs it.
                if let Ok(file) = File::open(path) {
                    // SAFETY: an open descriptor; advice changes nothing.
                    unsafe { libc::posix_fadvise(file.as_raw_fd(), 0, LONGEST, libc::POSIX_FADV_WILLNEED) };
                }
            }
        };
        // Without the thread the files are read when they run.
        let _ = std::thread::Builder::new().name("ahead".to_owned()).stack_size(128 << 10).spawn(fetch);
    }
}
