//! Large packages, which several threads link together: one with thousands of files would keep a single thread busy while the others
//! have nothing left to do.

use std::os::fd::{AsFd, OwnedFd};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use rustix::io::Errno;

use crate::link::backend::Method;
use crate::store::index::Names;
use crate::store::tarball::extract;

/// A package of at least this many files is shared out.
pub(super) const LARGE_PACKAGE_FILES: u32 = 512;
/// Files that a thread takes at a time.
const PIECE_FILES: usize = 128;

/// The packages that are being shared out.
#[derive(Default)]
pub(super) struct SharedPackages<'a> {
    state: Mutex<State<'a>>,
    changed: Condvar,
}

#[derive(Default)]
struct State<'a> {
    shared: Vec<Shared<'a>>,
    /// Large packages that were begun: they are or will be in `shared`.
    begun: usize,
    next_id: u64,
}

struct Shared<'a> {
    id: u64,
    work: Arc<Work<'a>>,
    /// Ranges of the listing that nobody has taken yet.
    pieces: Vec<std::ops::Range<usize>>,
    /// Threads at a piece.
    busy: usize,
    error: Option<Errno>,
}

/// One package: from where to where its files go.
struct Work<'a> {
    method: Arc<Method>,
    from: OwnedFd,
    to: OwnedFd,
    names: Names<'a>,
}

impl Work<'_> {
    fn link(&self, piece: std::ops::Range<usize>) -> Result<(), Errno> {
        self.method.files(self.from.as_fd(), self.to.as_fd(), &self.names.files()[piece])
    }
}

/// While it lives, threads without work wait for a large package instead of ending.
pub(super) struct Begun<'a, 'b>(&'b SharedPackages<'a>);

impl Drop for Begun<'_, '_> {
    fn drop(&mut self) {
        self.0.lock().begun -= 1;
        self.0.changed.notify_all();
    }
}

impl<'a> SharedPackages<'a> {
    fn lock(&self) -> MutexGuard<'_, State<'a>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'b>(&'b self, state: MutexGuard<'b, State<'a>>) -> MutexGuard<'b, State<'a>> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    /// Announces a package of that many files, if that is many.
    pub(super) fn begin(&self, files: u32) -> Option<Begun<'a, '_>> {
        if files < LARGE_PACKAGE_FILES {
            return None;
        }
        self.lock().begun += 1;
        Some(Begun(self))
    }

    /// Links all files of a listing but package.json, with every thread that has nothing else to do. Nobody is at work on it any more
    /// when this returns, with an error or without.
    pub(super) fn link(
        &self,
        method: &Arc<Method>,
        from: &OwnedFd,
        to: &OwnedFd,
        names: &Names<'a>,
    ) -> Result<(), Errno> {
        let (from, to) = (rustix::io::fcntl_dupfd_cloexec(from, 0)?, rustix::io::fcntl_dupfd_cloexec(to, 0)?);
        let work = Arc::new(Work { method: method.clone(), from, to, names: names.clone() });
        let mut pieces = pieces(work.names.files());
        // They are taken from the end.
        pieces.reverse();
        let mut state = self.lock();
        let id = state.next_id;
        state.next_id += 1;
        state.shared.push(Shared { id, work, pieces, busy: 0, error: None });
        self.changed.notify_all();
        loop {
            let Some(at) = state.shared.iter().position(|shared| shared.id == id) else {
                return Ok(());
            };
            let shared = &mut state.shared[at];
            if !shared.pieces.is_empty() {
                state = self.one_piece(state, at);
            } else if shared.busy > 0 {
                state = self.wait(state);
            } else {
                return state.shared.swap_remove(at).error.map_or(Ok(()), Err);
            }
        }
    }

    /// Works on other threads' packages until there are no large ones any more.
    pub(super) fn help(&self) {
        let mut state = self.lock();
        loop {
            if let Some(at) = state.shared.iter().position(|shared| !shared.pieces.is_empty()) {
                state = self.one_piece(state, at);
            } else if state.begun > 0 {
                state = self.wait(state);
            } else {
                return;
            }
        }
    }

    /// Takes a piece of the package at `at`, which has one, and links it without the lock.
    fn one_piece<'b>(&'b self, mut state: MutexGuard<'b, State<'a>>, at: usize) -> MutexGuard<'b, State<'a>> {
        let shared = &mut state.shared[at];
        let Some(piece) = shared.pieces.pop() else {
            return state;
        };
        shared.busy += 1;
        let (id, work) = (shared.id, shared.work.clone());
        drop(state);
        let result = work.link(piece);
        drop(work);
        let mut state = self.lock();
        // It stays in the list while anybody is busy with it, though not in its place.
        if let Some(shared) = state.shared.iter_mut().find(|shared| shared.id == id) {
            shared.busy -= 1;
            if let Err(error) = result {
                shared.error.get_or_insert(error);
                shared.pieces.clear();
            }
            if shared.busy == 0 && shared.pieces.is_empty() {
                self.changed.notify_all();
            }
        }
        state
    }
}

/// The listing in ranges of about [`PIECE_FILES`] files.
fn pieces(files: &[u8]) -> Vec<std::ops::Range<usize>> {
    let mut pieces = Vec::new();
    let (mut start, mut end) = (0, 0);
    for (at, (_, name)) in extract::files(files).enumerate() {
        if at > 0 && at % PIECE_FILES == 0 {
            pieces.push(start..end);
            start = end;
        }
        // Flags, the name, its NUL.
        end += 1 + name.count_bytes() + 1;
    }
    if end > start {
        pieces.push(start..end);
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_the_whole_listing() {
        let mut listing = Vec::new();
        for number in 0..PIECE_FILES * 2 + 5 {
            listing.push((number % 3) as u8);
            listing.extend_from_slice(format!("dir/{number}.js\0").as_bytes());
        }
        let pieces = pieces(&listing);
        assert_eq!(pieces.len(), 3);
        let rejoined: Vec<u8> = pieces.iter().flat_map(|piece| listing[piece.clone()].to_vec()).collect();
        assert_eq!(rejoined, listing);
        assert!(pieces.iter().all(|piece| extract::files(&listing[piece.clone()]).count() <= PIECE_FILES));
        assert!(super::pieces(&[]).is_empty());
    }

    #[test]
    fn files_of_one_package_by_several_threads_and_an_error_ends_it() {
        let dir = std::env::temp_dir().join(format!("bao-shared-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&dir);
        let (from, to) = (dir.join("from"), dir.join("to"));
        std::fs::create_dir_all(&from).unwrap();
        std::fs::create_dir_all(&to).unwrap();
        let mut listing = extract::Listing::default();
        for number in 0..PIECE_FILES * 6 {
            let name = format!("{number}.js");
            std::fs::write(from.join(&name), &name).unwrap();
            listing.files.push(0);
            listing.files.extend_from_slice(name.as_bytes());
            listing.files.push(0);
        }
        let open = |path: &std::path::Path| OwnedFd::from(std::fs::File::open(path).unwrap());
        let names = Names::Owned(Arc::new(listing));
        let method = Arc::new(Method::new(crate::link::backend::Backend::Hardlink));
        let run = || {
            let shared = SharedPackages::default();
            std::thread::scope(|scope| {
                let begun = shared.begin(LARGE_PACKAGE_FILES);
                for _ in 0..3 {
                    scope.spawn(|| shared.help());
                }
                let result = shared.link(&method, &open(&from), &open(&to), &names);
                drop(begun);
                result
            })
        };
        assert_eq!(run(), Ok(()));
        assert_eq!(std::fs::read_dir(&to).unwrap().count(), PIECE_FILES * 6);
        assert_eq!(run(), Err(Errno::EXIST));
        std::fs::remove_dir_all(&dir).unwrap();
    }
}
