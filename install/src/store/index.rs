//! The file index of the cache: what each package directory holds, so that linking a package needs no directory reads.
//!
//! `<cache>/.bao-files-1` is a log of records, mapped for reading and appended to with one write. A record is valid while the directory
//! has the inode and modification time noted in it; a package that somebody replaced is read again. A record with a wrong checksum is
//! ignored, and a log with a damaged part is rewritten the next time something is added.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use rustc_hash::FxHashMap;
use rustix::fs::{Mode, OFlags};
use rustix::mm::{MapFlags, ProtFlags};
use xxhash_rust::xxh3::xxh3_64;

use crate::store::tarball::extract::{Listing, write_all};

const NAME: &str = ".bao-files-1";
const MAGIC: u32 = 0xBA0F_1001;
const HEAD: usize = 56;
/// Beyond this the log is written anew without its replaced records.
const COMPACT: usize = 32 << 20;

/// What tells one directory from another that has the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct Stamp {
    pub inode: u64,
    /// Modification time in nanoseconds.
    pub time: i64,
}

/// The names of a package's files, in the mapped index or in memory.
#[derive(Clone)]
pub enum Names<'a> {
    Mapped { dirs: &'a [u8], files: &'a [u8], count: u32, manifest: bool },
    Owned(Arc<Listing>),
}

impl Names<'_> {
    pub fn dirs(&self) -> &[u8] {
        match self {
            Self::Mapped { dirs, .. } => dirs,
            Self::Owned(listing) => &listing.dirs,
        }
    }

    pub fn files(&self) -> &[u8] {
        match self {
            Self::Mapped { files, .. } => files,
            Self::Owned(listing) => &listing.files,
        }
    }

    /// Number of files without package.json.
    pub fn count(&self) -> u32 {
        match self {
            Self::Mapped { count, .. } => *count,
            Self::Owned(listing) => listing.file_count,
        }
    }

    pub fn manifest(&self) -> bool {
        match self {
            Self::Mapped { manifest, .. } => *manifest,
            Self::Owned(listing) => listing.manifest,
        }
    }
}

/// The mapped log.
pub(crate) struct Index {
    map: *const u8,
    length: usize,
    records: FxHashMap<u64, u32>,
    /// The log has to be written anew.
    damaged: bool,
}

// SAFETY: the mapping is read-only and lives as long as the value.
unsafe impl Send for Index {}
// SAFETY: as above.
unsafe impl Sync for Index {}

impl Drop for Index {
    fn drop(&mut self) {
        if self.length > 0 {
            // SAFETY: `map` and `length` are those of a mapping made in `open`; names that borrow it cannot outlive `self`.
            let _ = unsafe { rustix::mm::munmap(self.map.cast_mut().cast(), self.length) };
        }
    }
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..at + 4).and_then(|bytes| bytes.try_into().ok()).map_or(0, u32::from_le_bytes)
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..at + 8).and_then(|bytes| bytes.try_into().ok()).map_or(0, u64::from_le_bytes)
}

impl Index {
    /// Maps the log of the cache directory; an empty index where there is none.
    pub(crate) fn open(cache: BorrowedFd<'_>) -> Self {
        let mut index = Self { map: std::ptr::null(), length: 0, records: FxHashMap::default(), damaged: false };
        let Ok(file) = rustix::fs::openat(cache, NAME, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()) else {
            return index;
        };
        index.map_file(&file);
        index.scan();
        index
    }

    fn map_file(&mut self, file: &OwnedFd) {
        let Ok(stat) = rustix::fs::fstat(file) else {
            return;
        };
        let length = usize::try_from(stat.st_size).unwrap_or(0);
        if length < HEAD {
            self.damaged = length > 0;
            return;
        }
        // SAFETY: a new read-only mapping at an address the system chooses. The log is only ever appended to or replaced by a rename, never
        // truncated, so the mapped pages stay backed.
        let map =
            unsafe { rustix::mm::mmap(std::ptr::null_mut(), length, ProtFlags::READ, MapFlags::PRIVATE, file, 0) };
        if let Ok(map) = map {
            (self.map, self.length) = (map.cast::<u8>().cast_const(), length);
        }
    }

    fn bytes(&self) -> &[u8] {
        if self.length == 0 {
            return &[];
        }
        // SAFETY: the mapping is `length` bytes long and readable.
        unsafe { std::slice::from_raw_parts(self.map, self.length) }
    }

    fn scan(&mut self) {
        let mut records = FxHashMap::default();
        let bytes = self.bytes();
        let mut at = 0;
        while at + HEAD <= bytes.len() {
            let length = u32_at(bytes, at + 4) as usize;
            if u32_at(bytes, at) != MAGIC || length < HEAD || !length.is_multiple_of(8) || at + length > bytes.len() {
                break;
            }
            records.insert(u64_at(bytes, at + 32), at as u32);
            at += length;
        }
        self.damaged |= at != bytes.len();
        self.records = records;
    }

    /// The files of the package directory with this key, where they are known for this very directory.
    pub(crate) fn get(&self, key: u64, stamp: Stamp) -> Option<Names<'_>> {
        let at = *self.records.get(&key)? as usize;
        let bytes = self.bytes();
        let record = bytes.get(at..at + u32_at(bytes, at + 4) as usize)?;
        if u64_at(record, 16) != stamp.inode
            || u64_at(record, 24) as i64 != stamp.time
            || xxh3_64(&record[16..]) != u64_at(record, 8)
        {
            return None;
        }
        let (dirs, files) = (u32_at(record, 40) as usize, u32_at(record, 44) as usize);
        Some(Names::Mapped {
            dirs: record.get(HEAD..HEAD + dirs)?,
            files: record.get(HEAD + dirs..HEAD + dirs + files)?,
            count: u32_at(record, 48),
            manifest: u32_at(record, 52) & 1 != 0,
        })
    }

    /// How many files the record of this key lists, unchecked: for deciding in which order to work.
    pub(crate) fn size_hint(&self, key: u64) -> Option<u32> {
        Some(u32_at(self.bytes(), *self.records.get(&key)? as usize + 48))
    }

    /// Adds records (made by [`record`]) to the log. Failing is no error: the directories are read again next time.
    pub(crate) fn save(&self, cache: BorrowedFd<'_>, added: &[u8]) {
        if added.is_empty() {
            return;
        }
        if self.damaged || self.length > COMPACT {
            let _ = self.rewrite(cache, added);
            return;
        }
        let flags = OFlags::WRONLY | OFlags::APPEND | OFlags::CREATE | OFlags::CLOEXEC;
        if let Ok(file) = rustix::fs::openat(cache, NAME, flags, Mode::from_raw_mode(0o644)) {
            let _ = write_all(file.as_fd(), added);
        }
    }

    fn rewrite(&self, cache: BorrowedFd<'_>, added: &[u8]) -> std::io::Result<()> {
        let bytes = self.bytes();
        let mut out = Vec::with_capacity(bytes.len() + added.len());
        for &at in self.records.values() {
            let at = at as usize;
            if let Some(record) = bytes.get(at..at + u32_at(bytes, at + 4) as usize)
                && xxh3_64(&record[16..]) == u64_at(record, 8)
            {
                out.extend_from_slice(record);
            }
        }
        out.extend_from_slice(added);
        let temporary = format!("{NAME}.{}", std::process::id());
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC | OFlags::CLOEXEC;
        let file = rustix::fs::openat(cache, temporary.as_str(), flags, Mode::from_raw_mode(0o644))?;
        let written = write_all(file.as_fd(), &out)
            .and_then(|()| Ok(rustix::fs::renameat(cache, temporary.as_str(), cache, NAME)?));
        if written.is_err() {
            let _ = rustix::fs::unlinkat(cache, temporary.as_str(), rustix::fs::AtFlags::empty());
        }
        written
    }
}

/// Appends the record of one directory to `out`.
pub(crate) fn record(key: u64, stamp: Stamp, listing: &Listing, out: &mut Vec<u8>) {
    if listing.links {
        return;
    }
    let start = out.len();
    let length = (HEAD + listing.dirs.len() + listing.files.len()).next_multiple_of(8);
    out.extend_from_slice(&MAGIC.to_le_bytes());
    out.extend_from_slice(&(length as u32).to_le_bytes());
    out.extend_from_slice(&[0; 8]);
    out.extend_from_slice(&stamp.inode.to_le_bytes());
    out.extend_from_slice(&stamp.time.to_le_bytes());
    out.extend_from_slice(&key.to_le_bytes());
    out.extend_from_slice(&(listing.dirs.len() as u32).to_le_bytes());
    out.extend_from_slice(&(listing.files.len() as u32).to_le_bytes());
    out.extend_from_slice(&listing.file_count.to_le_bytes());
    out.extend_from_slice(&u32::from(listing.manifest).to_le_bytes());
    out.extend_from_slice(&listing.dirs);
    out.extend_from_slice(&listing.files);
    out.resize(start + length, 0);
    let sum = xxh3_64(&out[start + 16..]);
    out[start + 8..start + 16].copy_from_slice(&sum.to_le_bytes());
}
