//! Watching: which watcher an event is for is decided in ext/fs/watchers.ts.

use std::os::fd::{AsFd, AsRawFd, OwnedFd};

use engine::{F64Array, OpError, Scope, op};
use rustix::io::Errno;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use crate::convert::PathArg;
use crate::sys::error::{Context, FsError};
use crate::sys::file::borrow_for;
use crate::sys::watch;

/// The thread's inotify instance; closed with the thread.
#[derive(Default)]
struct Instance(Option<OwnedFd>);

/// The number of the thread's inotify instance, made on first use.
#[op]
pub(super) fn watch_init(scope: &mut Scope<'_>) -> Result<i32, OpError> {
    let state = scope.state().get_or_default::<Instance>();
    if state.0.is_none() {
        state.0 = Some(watch::init()?);
    }
    Ok(state.0.as_ref().map_or(-1, |fd| fd.as_raw_fd()))
}

/// Watches a file or directory; the watch descriptor (the same for the same file).
#[op]
pub(super) fn watch_add(instance: i32, path: PathArg) -> Result<i32, OpError> {
    Ok(watch::add(borrow_for(instance, "watch")?, &path.0)?)
}

/// Watches the directory `start` below `root` ("" for the root itself) and all directories below. Gives the
/// directories and all entries, both as bytes of paths relative to the root with NUL after each, and the watch
/// descriptors of the directories: `[dirs, watches, entries]`.
#[op]
pub(super) fn watch_add_tree(
    instance: i32,
    root: PathArg,
    start: PathArg,
) -> Result<(Vec<u8>, F64Array, Vec<u8>), OpError> {
    let tree = watch::add_tree(borrow_for(instance, "watch")?, &root.0, &start.0)?;
    Ok((tree.dirs, F64Array(tree.watches), tree.entries))
}

/// Ends a watch. One that has ended by itself (the file is gone) is no error.
#[op]
pub(super) fn watch_remove(instance: i32, watch: i32) -> Result<(), OpError> {
    match watch::remove(borrow_for(instance, "watch")?, watch) {
        Err(FsError { errno: Errno::INVAL, .. }) => Ok(()),
        other => Ok(other?),
    }
}

/// Waits for events: `[heads, names]`, see [`watch::Events`]. Ending a watch is an event too, so this returns when the
/// last one ends.
#[op(async)]
pub(super) async fn watch_next(instance: i32) -> Result<(F64Array, Vec<u8>), OpError> {
    let failed = |error: std::io::Error| OpError::io(error, "watch");
    // A duplicate, so that what the loop waits on stays open whatever the program does to the number.
    let own = rustix::io::fcntl_dupfd_cloexec(borrow_for(instance, "watch")?, 3).during("watch")?;
    // SAFETY: the descriptor is owned by the `AsyncFd`, which always names the same one.
    let readable = unsafe { AsyncFd::register_with_interest(own, Interest::READABLE) };
    let readable = readable.map_err(|error| failed(error.into()))?;
    loop {
        let mut guard = readable.readable().await.map_err(failed)?;
        let events = watch::read_events(readable.get_ref().as_fd())?;
        if !events.heads.is_empty() {
            return Ok((F64Array(events.heads), events.names));
        }
        guard.clear_ready();
    }
}
