//! `.bao-state` in node_modules: what the last install put where, so that the next one touches only what changed and one without work
//! does no more than look whether the directories are still those.
//!
//! The file is written in place (a rename would change the time of node_modules itself); a checksum tells a torn one.

use std::ffi::{CStr, CString};
use std::os::fd::{AsFd, BorrowedFd};

use rustc_hash::FxHashMap;
use rustix::fs::{Mode, OFlags};
use xxhash_rust::xxh3::xxh3_64;

use crate::store::fs;
use crate::store::index::Stamp;
use crate::store::tarball::extract::write_all;

const FILE: &CStr = c"node_modules/.bao-state";
const FILE_IN_CACHE: &CStr = c"node_modules/.cache/.bao-state";
const FILE_IN_STORE: &CStr = c"node_modules/.bun/node_modules/.bao-state";

/// Where the file is: as far out of the sight of programs that list node_modules as there is a directory for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Home {
    Modules,
    /// The project's cache is its own (`cache.disable` in bunfig.toml).
    Cache,
    /// The linker is the isolated one. Where nothing is hoisted the file is in node_modules.
    Store,
}

impl Home {
    /// The file's place, then those where installs with other settings leave one.
    fn places(self) -> [&'static CStr; 3] {
        match self {
            Home::Modules => [FILE, FILE_IN_CACHE, FILE_IN_STORE],
            Home::Cache => [FILE_IN_CACHE, FILE, FILE_IN_STORE],
            Home::Store => [FILE_IN_STORE, FILE, FILE_IN_CACHE],
        }
    }
}
/// The time of a directory that others change.
const ANY_TIME: i64 = i64::MIN;
const MAGIC: u64 = 0x0001_7453_6F61_4201;

/// A directory, and which package it is (0 for one that only holds others).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Known {
    pub stamp: Stamp,
    pub identity: u64,
}

#[derive(Default, Debug)]
pub(crate) struct State {
    pub fingerprint: u64,
    /// Relative to the project, in the order of the plan.
    pub dirs: Vec<(CString, Known)>,
}

impl State {
    /// The directory of [`Home::Store`].
    pub(crate) const STORE_DIR: &CStr = c"node_modules/.bun/node_modules";

    /// Takes the file out of that directory, which is to go.
    pub(crate) fn leave_store(root: BorrowedFd<'_>) {
        let _ = rustix::fs::unlinkat(root, FILE_IN_STORE, rustix::fs::AtFlags::empty());
    }

    /// Reads the file; nothing where it is absent, torn or of another version.
    pub(crate) fn read(root: BorrowedFd<'_>, home: Home) -> Option<Self> {
        home.places().into_iter().find_map(|path| Self::read_at(root, path))
    }

    fn read_at(root: BorrowedFd<'_>, path: &CStr) -> Option<Self> {
        let file = rustix::fs::openat(root, path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).ok()?;
        let size = usize::try_from(rustix::fs::fstat(&file).ok()?.st_size).ok()?;
        let mut bytes = vec![0; size.min(256 << 20)];
        let mut filled = 0;
        while filled < bytes.len() {
            match rustix::io::read(&file, &mut bytes[filled..]).ok()? {
                0 => break,
                count => filled += count,
            }
        }
        Self::parse(bytes.get(..filled)?)
    }

    fn parse(bytes: &[u8]) -> Option<Self> {
        let word = |at: usize| Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?));
        if word(0)? != MAGIC || word(8)? != xxh3_64(bytes.get(16..)?) {
            return None;
        }
        let count = usize::try_from(word(24)?).ok()?;
        let mut state = Self { fingerprint: word(16)?, dirs: Vec::with_capacity(count.min(1 << 20)) };
        let mut at = 32;
        for _ in 0..count {
            let stamp = Stamp { inode: word(at)?, time: word(at + 8)? as i64 };
            let identity = word(at + 16)?;
            let path = CStr::from_bytes_until_nul(bytes.get(at + 24..)?).ok()?;
            at += 24 + path.to_bytes_with_nul().len();
            state.dirs.push((path.to_owned(), Known { stamp, identity }));
        }
        Some(state)
    }

    fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(32 + self.dirs.len() * 64);
        out.extend_from_slice(&MAGIC.to_le_bytes());
        out.extend_from_slice(&[0; 8]);
        out.extend_from_slice(&self.fingerprint.to_le_bytes());
        out.extend_from_slice(&(self.dirs.len() as u64).to_le_bytes());
        for (path, known) in &self.dirs {
            out.extend_from_slice(&known.stamp.inode.to_le_bytes());
            out.extend_from_slice(&known.stamp.time.to_le_bytes());
            out.extend_from_slice(&known.identity.to_le_bytes());
            out.extend_from_slice(path.to_bytes_with_nul());
        }
        let sum = xxh3_64(&out[16..]);
        out[8..16].copy_from_slice(&sum.to_le_bytes());
        out
    }

    /// True where every directory is the one that was left. Links have no stamp: the directory that holds one tells.
    pub(crate) fn holds(&self, root: BorrowedFd<'_>) -> bool {
        self.dirs.iter().all(|(path, known)| {
            known.stamp == Stamp::default()
                || fs::stamp(root, path).is_some_and(|now| {
                    now == known.stamp || (known.stamp.time == ANY_TIME && now.inode == known.stamp.inode)
                })
        })
    }

    /// Takes entries out of the file: later installs leave alone what is there, as if somebody else had made it. Without a file there
    /// is nothing to do.
    pub(crate) fn forget(root: BorrowedFd<'_>, gone: impl Fn(&CStr) -> bool) -> std::io::Result<()> {
        let found = Home::Modules.places().into_iter().find_map(|path| Some((path, Self::read_at(root, path)?)));
        let Some((path, mut state)) = found else { return Ok(()) };
        state.dirs.retain(|(dir, _)| !gone(dir));
        // Not what any plan wants any more: the next install looks at everything.
        state.fingerprint = 0;
        let flags = OFlags::WRONLY | OFlags::TRUNC | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        let file = rustix::fs::openat(root, path, flags, Mode::empty())?;
        write_all(file.as_fd(), &state.encode())
    }

    pub(crate) fn by_path(&self) -> FxHashMap<&CStr, Known> {
        self.dirs.iter().map(|(path, known)| (path.as_c_str(), *known)).collect()
    }

    /// Takes the stamps of `dirs` and writes the file; `links` get none, `watched`
    /// directories one without time. The file is made first, as making it changes the directory.
    pub(crate) fn write(
        root: BorrowedFd<'_>,
        home: Home,
        fingerprint: u64,
        dirs: Vec<(CString, u64)>,
        watched: Vec<(CString, u64)>,
        links: Vec<(CString, u64)>,
    ) -> std::io::Result<()> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        let open = |path| rustix::fs::openat(root, path, flags, Mode::from_raw_mode(0o644));
        let [mut path, ..] = home.places();
        let file = match (open(path), home) {
            // Nothing was fetched: the next install looks at everything, which is links, and Bun's listings have no `.cache` then.
            (Err(rustix::io::Errno::NOENT), Home::Cache) => {
                for other in home.places() {
                    let _ = rustix::fs::unlinkat(root, other, rustix::fs::AtFlags::empty());
                }
                return Ok(());
            }
            (Err(rustix::io::Errno::NOENT), Home::Store) => {
                path = FILE;
                open(path)?
            }
            (file, _) => file?,
        };
        for other in home.places().into_iter().filter(|other| *other != path) {
            let _ = rustix::fs::unlinkat(root, other, rustix::fs::AtFlags::empty());
        }
        let mut state = Self { fingerprint, dirs: Vec::with_capacity(dirs.len()) };
        for (path, identity) in dirs {
            if let Some(stamp) = fs::stamp(root, &path) {
                state.dirs.push((path, Known { stamp, identity }));
            }
        }
        for (path, identity) in watched {
            if let Some(stamp) = fs::stamp(root, &path) {
                state.dirs.push((path, Known { stamp: Stamp { time: ANY_TIME, ..stamp }, identity }));
            }
        }
        state
            .dirs
            .extend(links.into_iter().map(|(path, identity)| (path, Known { stamp: Stamp::default(), identity })));
        let bytes = state.encode();
        write_all(file.as_fd(), &bytes)?;
        Ok(rustix::fs::ftruncate(&file, bytes.len() as u64)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn survives_damage() {
        let known = Known { stamp: Stamp { inode: 7, time: -3 }, identity: 9 };
        let state = State {
            fingerprint: 42,
            dirs: vec![(c"node_modules/a".to_owned(), known), (c"node_modules".to_owned(), known)],
        };
        let bytes = state.encode();
        let read = State::parse(&bytes).expect("reads what it wrote");
        assert_eq!((read.fingerprint, read.dirs), (42, state.dirs));
        for end in 0..bytes.len() {
            assert!(State::parse(&bytes[..end]).is_none());
        }
        for at in 0..bytes.len() {
            let mut bad = bytes.clone();
            bad[at] ^= 1;
            assert!(State::parse(&bad).is_none());
        }
    }
}
