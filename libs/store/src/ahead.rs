//! What a program reads beside its record, fetched before it asks: its own files, and what is too large for a record.
//!
//! A record has a list of them in its entry `a`, in the order of their first use. If the record itself is not in memory, threads have the
//! system fetch what is on the list while the program starts: a disk answers several requests at once sooner than one after the other.
//! It is advice, so that a list that is wrong costs time and nothing else.
//!
//! ```text
//! the working directory, NUL; then for each: where it begins and how long it is (8 bytes each), path, NUL
//! ```

use std::num::NonZeroU64;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rustc_hash::FxHashSet;
use rustix::fs::{Advice, FileType, Mode, OFlags};
use xxhash_rust::xxh3::xxh3_64;

use crate::archive::{Archive, u64_at};

/// Name of the list in a record.
pub(crate) const LIST: &[u8] = b"a";
/// Bytes of a list.
const LONGEST_LIST: usize = 512 << 10;
/// A file of the program's own is fetched up to here.
pub(crate) const LONGEST_FILE: u64 = 1 << 20;
/// Requests that the disk has at a time.
const THREADS: usize = 4;

/// Where a part of a file begins, how long it is, and the path.
type Part<'a> = (u64, u64, &'a [u8]);

/// A list that is made.
#[derive(Default)]
pub(crate) struct Noted {
    known: FxHashSet<u64>,
    list: Vec<u8>,
}

impl Noted {
    /// Notes the first `length` bytes of a file. False if it is on the list already, there is no room, or it is not on a disk.
    pub(crate) fn add(&mut self, path: &[u8], length: u64) -> bool {
        let is_special = [&b"/proc/"[..], b"/sys/", b"/dev/"].iter().any(|dir| path.starts_with(dir));
        if is_special || path.contains(&0) || self.list.len() + path.len() > LONGEST_LIST {
            return false;
        }
        if !self.known.insert(xxh3_64(path)) {
            return false;
        }
        push(&mut self.list, (0, length, path));
        true
    }

    pub(crate) fn len(&self) -> usize {
        self.known.len()
    }

    /// The list with further parts before its own.
    pub(crate) fn finish<'a>(&self, cwd: &[u8], first: impl Iterator<Item = Part<'a>>) -> Vec<u8> {
        let mut out = [cwd, b"\0"].concat();
        first.for_each(|part| push(&mut out, part));
        out.extend_from_slice(&self.list);
        out
    }
}

fn push(out: &mut Vec<u8>, (offset, length, path): Part<'_>) {
    out.extend_from_slice(&offset.to_le_bytes());
    out.extend_from_slice(&length.to_le_bytes());
    out.extend_from_slice(path);
    out.push(0);
}

/// The working directory and the parts of a list. What is damaged is left out.
fn parse(list: &[u8]) -> Option<(&[u8], Vec<Part<'_>>)> {
    let end = memchr::memchr(0, list)?;
    let (cwd, mut rest) = (&list[..end], &list[end + 1..]);
    let mut parts = Vec::new();
    while let (Some(offset), Some(length)) = (u64_at(rest, 0), u64_at(rest, 8)) {
        let Some(end) = memchr::memchr(0, &rest[16..]) else { break };
        parts.push((offset, length, &rest[16..16 + end]));
        rest = &rest[16 + end + 1..];
    }
    Some((cwd, parts))
}

fn list_of(record: &'static Archive) -> Option<(&'static [u8], Vec<Part<'static>>)> {
    parse(record.content(&record.get(LIST)?).ok()?)
}

/// The files that a record's list has, by hash of their paths; none if it has no list, or one of another working directory.
pub(crate) fn known(record: &'static Archive) -> Option<FxHashSet<u64>> {
    let (cwd, parts) = list_of(record)?;
    (cwd == current_dir()).then(|| parts.iter().map(|(_, _, path)| xxh3_64(path)).collect())
}

pub(crate) fn current_dir() -> Vec<u8> {
    rustix::process::getcwd(Vec::new()).map(std::ffi::CString::into_bytes).unwrap_or_default()
}

/// Has the system fetch what a record's list names, from threads of its own. Without threads the program reads it when it needs it.
pub(crate) fn fetch(record: &'static Archive) {
    let threads = move || {
        // Of another working directory only what belongs to packages is the same.
        let Some((cwd, mut parts)) = list_of(record) else { return };
        if cwd != current_dir() {
            parts.retain(|&(_, length, _)| length > LONGEST_FILE);
        }
        let parts = Arc::new((AtomicUsize::new(0), parts));
        for _ in 1..THREADS.min(parts.1.len()) {
            let parts = Arc::clone(&parts);
            let _ = start(move || ask(&parts.0, &parts.1));
        }
        ask(&parts.0, &parts.1);
    };
    let _ = start(threads);
}

fn start(work: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    std::thread::Builder::new().name("ahead".to_owned()).stack_size(128 << 10).spawn(work).map(drop)
}

fn ask(next: &AtomicUsize, parts: &[Part<'_>]) {
    while let Some(&(offset, length, path)) = parts.get(next.fetch_add(1, Ordering::Relaxed)) {
        let path = Path::new(std::ffi::OsStr::from_bytes(path));
        // Opening anything else than a file can have consequences.
        let is_file = rustix::fs::stat(path).is_ok_and(|status| FileType::from_raw_mode(status.st_mode).is_file());
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
        if is_file && let Ok(file) = rustix::fs::open(path, flags, Mode::empty()) {
            let _ = rustix::fs::fadvise(&file, offset, NonZeroU64::new(length), Advice::WillNeed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_as_they_are_written() {
        let mut noted = Noted::default();
        assert!(noted.add(b"/a", 9) && noted.add(b"b c\n", 5));
        assert!(!noted.add(b"/a", 9) && !noted.add(b"/proc/1/maps", 1));
        let list = noted.finish(b"/home", [(16, 1 << 23, &b"/large"[..])].into_iter());
        let (cwd, parts) = parse(&list).unwrap();
        assert_eq!(cwd, b"/home");
        assert_eq!(parts, [(16, 1 << 23, &b"/large"[..]), (0, 9, b"/a"), (0, 5, b"b c\n")]);
        for end in 0..list.len() {
            // Cut anywhere, no part is made up.
            let found = parse(&list[..end]).map_or_else(Vec::new, |(_, found)| found);
            assert!(parts.starts_with(&found));
        }
        assert!(parse(b"no end").is_none());
    }

    #[test]
    fn a_list_has_a_limit() {
        let mut noted = Noted::default();
        let long = |i: usize| format!("/{i}/{}", "x".repeat(4000));
        let added = (0..1000).filter(|&i| noted.add(long(i).as_bytes(), 1)).count();
        assert!(added > 100 && added == noted.len() && noted.list.len() < LONGEST_LIST + 8000);
    }
}
